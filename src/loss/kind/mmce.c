/*
 * mmce.c -- maximum mean calibration error (MMCE), a kernel distance of confidence and accuracy.
 *
 *   L = sqrt(sum_ij r_i r_j k_ij / N^2 + 1e-12),  r = a - c,  k_ij = exp(-|c_i - c_j| / h)
 *
 * laplace.h has the gradient and computes both in O(N log N); with weights, w_i / sum w replaces
 * 1/N. The authors' code and its copies omit the root; others omit the 1e-12 under it, and have a
 * NaN gradient where all rows are correct. With soft targets, a is the share of the predicted
 * class. Kumar, Sarawagi, Jain: Trainable calibration measures for neural networks from kernel mean
 * embeddings (ICML 2018).
 */
#include "loss/laplace.h"

static crd__loss_laplace_row one(const crd__loss_batch *batch, size_t row, const double *parts) {
  const double share = batch->weight[row] / batch->total;
  (void)parts;
  return (crd__loss_laplace_row){ .value = share * (batch->correct[row] - batch->confidence[row]),
                                  .slope = -share };
}

static double mmce_measure(const crd__loss_term *term, const crd__loss_batch *batch,
                           const crd__loss_slopes *slopes) {
  return crd__loss_laplace_measure(term, batch, slopes, one, NULL);
}

const crd__loss crd__loss_mmce = {
  .info = { .name = "mmce",
            .summary = "maximum mean calibration error (MMCE), a kernel over row pairs",
            .meaning = "Measures miscalibration without bins, also where over- and underconfident "
                       "rows cancel in the mean. Blind to it once all training rows are correct.",
            .reference = "Kumar, Sarawagi, Jain: Trainable calibration measures for neural "
                         "networks from kernel mean embeddings (ICML 2018)",
            .auxiliary = 1,
            .soft_targets = 1,
            .grid = "factor 1 2 3 4 5 6 7 8 9 10 11 12 13",
            .setting_count = 1,
            .settings = &crd__loss_laplace_bandwidth },
  .scratch = CRD__LAPLACE_SCRATCH,
  .measure = mmce_measure,
};
