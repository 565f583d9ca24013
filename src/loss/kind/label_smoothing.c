/*
 * label_smoothing.c -- label smoothing: cross-entropy to a target mixed with the uniform one.
 *
 *   l = -sum t'_k log p_k,  t' = (1 - e) t + e/K;   dl/dz = p - t'
 *   computed as l = (1 - e) CE(t) + e CE(uniform), and the gradient likewise
 *
 * Its minimum is the entropy of t', above 0, at p_y = 1 - e + e/K. CE(uniform) is log sum exp z -
 * mean z. A negative e makes targets sharper than one-hot, and l is unbounded below.
 * Szegedy et al.: Rethinking the Inception architecture for computer vision (CVPR 2016); Mueller,
 * Kornblith, Hinton: When does label smoothing help? (NeurIPS 2019).
 */
#include "loss/term.h"

enum { EPSILON };

static double uniform_ce(const crd__loss_batch *batch, size_t row) {
  const double *const z = batch->logits + row * batch->classes;
  return -crd__loss_sum_above(z, batch->log_sum[row], batch->classes) / (double)batch->classes;
}

static crd__loss_row_loss one(const crd__loss_term *term, const crd__loss_batch *batch,
                              size_t row) {
  const double e = term->settings[EPSILON];
  return (crd__loss_row_loss){ .value =
                                   (1 - e) * -batch->label_log[row] + e * uniform_ce(batch, row),
                               .slope = 1 - e };
}

static double label_smoothing_measure(const crd__loss_term *term, const crd__loss_batch *batch,
                                      const crd__loss_slopes *slopes) {
  return crd__loss_measure_rows(term, batch, slopes, one);
}

static void label_smoothing_add_row(const crd__loss_term *term, const crd__loss_batch *batch,
                                    size_t row, double *gradient) {
  const double *const p = batch->p + row * batch->classes;
  const double factor = term->scale * batch->weight[row] / batch->total * term->settings[EPSILON];
  const double share = 1 / (double)batch->classes;
  for (size_t k = 0; k < batch->classes; k++) gradient[k] += factor * (p[k] - share);
}

static const crd_setting_info settings[] = {
  { .name = "epsilon",
    .help = "share of the target spread evenly over all classes",
    .standard = "0.1",
    .low = -1,
    .high = 1 },
};

const crd__loss crd__loss_label_smoothing = {
  .info = { .name = "label-smoothing",
            .summary = "label smoothing: cross-entropy to smoothed targets",
            .meaning = "Confidences stop growing near 1 - epsilon. The logits of a class cluster, "
                       "which leaves less information for post-hoc calibration.",
            .reference = "Szegedy et al.: Rethinking the Inception architecture for computer "
                         "vision (CVPR 2016)",
            .soft_targets = 1,
            .grid = "epsilon .01 .03 .05 .07 .09; .01 to .25 by .01",
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .measure = label_smoothing_measure,
  .add_row = label_smoothing_add_row,
};
