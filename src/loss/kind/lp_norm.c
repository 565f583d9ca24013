/*
 * lp_norm.c -- mean Lp norm of the logits: ||z||_p = (sum |z_k|^p)^(1/p), p >= 1.
 *
 *   d||z||_p/dz_k = sign(z_k) (|z_k| / ||z||_p)^(p-1),  0 at z = 0; for p = 1 sign(0) = 0
 *
 * With m = max |z_k| and r = (sum (|z_k|/m)^p)^(1/p), from 1 to K, the norm is m r and the ratio
 * (|z_k|/m) / r: powers of numbers up to 1, which do not overflow. It is the only loss that changes
 * when all logits are shifted: rows of its gradient do not sum to 0.
 * Wang, Feng, Zhang: Rethinking Calibration of Deep Neural Networks (NeurIPS 2021), with p = 1.
 */
#include "loss/term.h"

#include <math.h>

enum { P };
enum { LARGEST, RATIO, KEPT };

/* Avoids pow for the common orders 1 and 2. */
static inline double power(double x, double p) {
  return p == 0 ? 1 : p == 1 ? x : p == 2 ? x * x : pow(x, p);
}

static void lp_norm_prepare(const crd__loss_term *term, const crd__loss_batch *batch, size_t row) {
  const double *const z = batch->logits + row * batch->classes, p = term->settings[P];
  double *const kept = term->row_kept + row * KEPT;
  double largest = 0, sum = 0;
  for (size_t k = 0; k < batch->classes; k++) largest = fabs(z[k]) > largest ? fabs(z[k]) : largest;
  for (size_t k = 0; largest > 0 && k < batch->classes; k++) sum += power(fabs(z[k]) / largest, p);
  kept[LARGEST] = largest;
  kept[RATIO] = power(sum, 1 / p);
}

static crd__loss_row_loss one(const crd__loss_term *term, const crd__loss_batch *batch,
                              size_t row) {
  const double *const kept = term->row_kept + row * KEPT;
  (void)batch;
  return (crd__loss_row_loss){ .value = kept[LARGEST] * kept[RATIO] };
}

static double lp_norm_measure(const crd__loss_term *term, const crd__loss_batch *batch,
                              const crd__loss_slopes *slopes) {
  return crd__loss_measure_rows(term, batch, slopes, one);
}

static void lp_norm_add_row(const crd__loss_term *term, const crd__loss_batch *batch, size_t row,
                            double *gradient) {
  const double *const z = batch->logits + row * batch->classes, p = term->settings[P];
  const double *const kept = term->row_kept + row * KEPT;
  const double factor = term->scale * batch->weight[row] / batch->total;
  for (size_t k = 0; k < batch->classes; k++)
    if (z[k] != 0)
      gradient[k] +=
          factor * copysign(power(fabs(z[k]) / kept[LARGEST] / kept[RATIO], p - 1), z[k]);
}

static const crd_setting_info settings[] = {
  { .name = "p", .help = "order of the norm", .standard = "1", .low = 1, .high = 1000 },
};

const crd__loss crd__loss_lp_norm = {
  .info = { .name = "lp-norm",
            .summary = "Lp norm of the logits, mean over the batch",
            .meaning = "Keeps logits, and with them confidences, small. With many classes a factor "
                       "of 0.05 or more can stall training.",
            .reference = "Wang, Feng, Zhang: Rethinking Calibration of Deep Neural Networks "
                         "(NeurIPS 2021)",
            .auxiliary = 1,
            .soft_targets = 1,
            .grid = "factor .001 .005 .01 .05 .1; .01 to .1 by .01",
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .scratch = KEPT,
  .prepare = lp_norm_prepare,
  .measure = lp_norm_measure,
  .add_row = lp_norm_add_row,
};
