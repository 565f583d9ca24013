/*
 * mmce_weighted.c -- weighted MMCE: correct and wrong rows get equal total weight.
 *
 *   L = sqrt(sum_ij u_i u_j k_ij + 1e-12),  u = (1 - c) / n_right for correct rows,
 *                                           u = -c / n_wrong for wrong ones
 *
 * n are sums of weights. Without correct rows, or without wrong ones, L = 0, as in all published
 * codes but one, which keeps the remaining half. With soft targets, a row is correct by the share
 * of its predicted class and wrong by the rest. The authors' code takes means over pairs and
 * divides them by n^2 once more, so its factors (2 to 10) are not comparable. Kumar, Sarawagi,
 * Jain: Trainable calibration measures for neural networks from kernel mean embeddings (ICML 2018).
 */
#include "loss/laplace.h"

enum { WRONG, RIGHT };

static crd__loss_laplace_row one(const crd__loss_batch *batch, size_t row, const double *parts) {
  const double c = batch->confidence[row], a = batch->correct[row], w = batch->weight[row];
  const double right = w * a / parts[RIGHT], wrong = w * (1 - a) / parts[WRONG];
  return (crd__loss_laplace_row){ .value = right * (1 - c) - wrong * c, .slope = -right - wrong };
}

static double mmce_weighted_measure(const crd__loss_term *term, const crd__loss_batch *batch,
                                    const crd__loss_slopes *slopes) {
  double parts[] = { [WRONG] = 0, [RIGHT] = 0 };
  for (size_t i = 0; i < batch->rows; i++) {
    parts[WRONG] += batch->weight[i] * (1 - batch->correct[i]);
    parts[RIGHT] += batch->weight[i] * batch->correct[i];
  }
  if (!(parts[WRONG] > 0 && parts[RIGHT] > 0)) return 0;
  return crd__loss_laplace_measure(term, batch, slopes, one, parts);
}

const crd__loss crd__loss_mmce_weighted = {
  .info = { .name = "mmce-weighted",
            .summary = "weighted MMCE: correct and wrong rows get equal total weight",
            .meaning = "Keeps the weight of wrong rows when they are few, as late in training. 0 "
                       "for batches without any.",
            .reference = "Kumar, Sarawagi, Jain: Trainable calibration measures for neural "
                         "networks from kernel mean embeddings (ICML 2018)",
            .auxiliary = 1,
            .soft_targets = 1,
            .grid = "factor 1 2 3 4 5 6 7 8 9 10 11 12 13",
            .setting_count = 1,
            .settings = &crd__loss_laplace_bandwidth },
  .scratch = CRD__LAPLACE_SCRATCH,
  .measure = mmce_weighted_measure,
};
