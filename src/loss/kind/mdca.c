/*
 * mdca.c -- multi-class difference of confidence and accuracy (MDCA):
 *
 *   L = 1/K sum_k |D_k|,  D_k = mean_i p_ik - mean_i t_ik
 *   dL/dp_ik = sign(D_k) w_i / (K sum w) = g_k,  dL/dz_ik = p_ik (g_k - sum_l g_l p_il)
 *
 * sign(0) = 0. For labels, p_y - 1 is added as -(1 - p_y), summed over the other classes, without
 * cancellation. As in dca, over- and underconfident rows cancel, but only within a class.
 * Hebbalaguppe, Prakash, Madan, Arora: A stitch in time saves nine: a train-time regularizing loss
 * for improved calibration (CVPR 2022).
 */
#include "loss/term.h"

#include <math.h>
#include <string.h>

/* Adds (p - t) of a row, times its weight, to the sums of the classes. */
static void add_difference(const crd__loss_batch *batch, size_t row, double *sums) {
  const size_t classes = batch->classes;
  const double *const p = batch->p + row * classes, weight = batch->weight[row];
  if (batch->label) {
    const size_t y = batch->label[row];
    const double own = sums[y] - weight * batch->label_rest[row];
    for (size_t k = 0; k < classes; k++) sums[k] += weight * p[k];
    sums[y] = own;
  } else
    for (size_t k = 0; k < classes; k++)
      sums[k] += weight * (p[k] - batch->target[row * classes + k]);
}

static double mdca_measure(const crd__loss_term *term, const crd__loss_batch *batch,
                           const crd__loss_slopes *slopes) {
  double *const signs = term->class_kept, sum = 0;
  (void)slopes;
  memset(signs, 0, batch->classes * sizeof *signs);
  for (size_t i = 0; i < batch->rows; i++)
    if (batch->weight[i] > 0) add_difference(batch, i, signs);
  for (size_t k = 0; k < batch->classes; k++) {
    sum += fabs(signs[k]);
    signs[k] = (signs[k] > 0) - (signs[k] < 0);
  }
  return sum / batch->total / (double)batch->classes;
}

static void mdca_add_row(const crd__loss_term *term, const crd__loss_batch *batch, size_t row,
                         double *gradient) {
  const size_t classes = batch->classes;
  const double *const p = batch->p + row * classes, *const signs = term->class_kept;
  const double each = term->scale * batch->weight[row] / batch->total / (double)classes;
  const double mean = crd__loss_dot(signs, p, classes);
  for (size_t k = 0; k < classes; k++) gradient[k] += each * p[k] * (signs[k] - mean);
}

const crd__loss crd__loss_mdca = {
  .info = { .name = "mdca",
            .summary = "MDCA: distance of mean probability from frequency, over classes",
            .meaning = "Pulls the mean probability of every class towards its frequency in the "
                       "batch. Needs batches that contain most classes.",
            .reference = "Hebbalaguppe et al.: A stitch in time saves nine: a train-time "
                         "regularizing loss for improved calibration (CVPR 2022)",
            .auxiliary = 1,
            .soft_targets = 1,
            .grid = "" },
  .scratch_classes = 1,
  .measure = mdca_measure,
  .add_row = mdca_add_row,
};
