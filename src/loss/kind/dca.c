/*
 * dca.c -- difference between confidence and accuracy: |D|, D = mean c - mean a over the batch.
 *
 *   dL/dc_i = sign(D) w_i / sum w,  sign(0) = 0; no gradient flows through a.
 *
 * Over- and under-confident rows of a batch cancel, and the gradient does not shrink with |D|.
 * Liang, Zhang, Wang, Jacobs: Improved trainable calibration method for neural networks on medical
 * imaging classification (BMVC 2020), eq. 13.
 */
#include "loss/term.h"

#include <math.h>

static double dca_measure(const crd__loss_term *term, const crd__loss_batch *batch,
                          const crd__loss_slopes *slopes) {
  double difference = 0;
  for (size_t i = 0; i < batch->rows; i++)
    difference += batch->weight[i] * (batch->confidence[i] - batch->correct[i]);
  difference /= batch->total;
  const double sign = (difference > 0) - (difference < 0);
  for (size_t i = 0; i < batch->rows; i++)
    slopes->confidence[i] += term->scale * sign * batch->weight[i] / batch->total;
  return fabs(difference);
}

const crd__loss crd__loss_dca = {
  .info = { .name = "dca",
            .summary = "DCA: distance of mean confidence from accuracy in the batch",
            .meaning = "Pulls mean confidence towards accuracy, and to 1 once all training rows "
                       "are correct. Large factors can make training diverge.",
            .reference = "Liang et al.: Improved trainable calibration method for neural networks "
                         "on medical imaging classification (BMVC 2020)",
            .auxiliary = 1,
            .soft_targets = 1,
            .grid = "factor 1 5 10 15 20 25" },
  .measure = dca_measure,
};
