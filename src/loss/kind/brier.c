/*
 * brier.c -- Brier score: l = sum_k (p_k - t_k)^2, 0 to 2.
 *
 *   dl/dz_k = 2 p_k (d_k - sum_j p_j d_j),  d = p - t
 *
 * Proper, and bounded: the gradient vanishes where the confidence is near 1, even if the prediction
 * is wrong. The largest probability is near 1 in most rows, where p - t cancels: it is computed as
 * (1 - t) - (1 - p), with 1 - p summed over the other classes. Its gradient is minus the sum of the
 * others, so none is a difference of nearly equal numbers.
 * Brier: Verification of forecasts expressed in terms of probability (Monthly Weather Review 78,
 * 1950).
 */
#include "loss/term.h"

static double distance(const crd__loss_batch *batch, size_t row, size_t k) {
  const double share = crd__loss_share(batch, row, k);
  return k == batch->predicted[row] ? (1 - share) - batch->confidence_rest[row]
                                    : batch->p[row * batch->classes + k] - share;
}

static crd__loss_row_loss one(const crd__loss_term *term, const crd__loss_batch *batch,
                              size_t row) {
  double sum = 0;
  (void)term;
  for (size_t k = 0; k < batch->classes; k++) {
    const double d = distance(batch, row, k);
    sum += d * d;
  }
  return (crd__loss_row_loss){ .value = sum };
}

static double brier_measure(const crd__loss_term *term, const crd__loss_batch *batch,
                            const crd__loss_slopes *slopes) {
  return crd__loss_measure_rows(term, batch, slopes, one);
}

static void brier_add_row(const crd__loss_term *term, const crd__loss_batch *batch, size_t row,
                          double *gradient) {
  const double *const p = batch->p + row * batch->classes;
  const double factor = 2 * term->scale * batch->weight[row] / batch->total;
  double mean = 0, others = 0;
  for (size_t k = 0; k < batch->classes; k++) mean += p[k] * distance(batch, row, k);
  for (size_t k = 0; k < batch->classes; k++) {
    if (k == batch->predicted[row]) continue;
    const double g = factor * p[k] * (distance(batch, row, k) - mean);
    gradient[k] += g;
    others += g;
  }
  gradient[batch->predicted[row]] -= others;
}

const crd__loss crd__loss_brier = {
  .info = { .name = "brier",
            .summary = "Brier score: squared error of the probabilities",
            .meaning = "Proper like cross-entropy, but bounded: confidently wrong rows have almost "
                       "no gradient, so training starts slowly.",
            .reference = "Brier: Verification of forecasts expressed in terms of probability "
                         "(Monthly Weather Review 78, 1950)",
            .soft_targets = 1,
            .grid = "" },
  .measure = brier_measure,
  .add_row = brier_add_row,
};
