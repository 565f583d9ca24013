/*
 * focal.c -- focal loss: l = -q^g log p_y with q = 1 - p_y.
 *
 *   dl/dz = A (p - e_y),  A = q^g - g q^(g-1) p_y log p_y = q^g (1 - g p_y log1p(-q) / q) >= 0
 *
 * The last form has no 0/0 and no inf * 0 at q = 0, for any g; log1p(-q)/q is -1 there. With
 * detach=yes the weight q^g is a constant in the gradient, as in the code of Wang, Feng, Zhang:
 * Rethinking Calibration of Deep Neural Networks (NeurIPS 2021): dl/dz = q^g (p - e_y).
 */
#include "loss/kind/focal.h"

#include <math.h>

enum { GAMMA, DETACH };

/* ds/dz is -dp/dz + dp_j/dz. */
crd__loss_class_loss crd__loss_focal_of_class(double gamma, const crd__loss_class *class,
                                              double other_p) {
  const double s = class->rest + other_p;
  const double power = gamma == 0 ? 1 : pow(s, gamma);
  /* Where p is 0 the ratio is multiplied by 0, but log p may be -inf: any finite number will do. */
  const double log_ratio = s > 0 && class->p > 0 ? class->log / s : -1;
  return (crd__loss_class_loss){ .value = -power * class->log,
                                 .slope = power * (1 - gamma * class->p * log_ratio),
                                 .other_slope = power * gamma * other_p * log_ratio,
                                 .other = class->k };
}

static crd__loss_class_loss focal_of_class(const crd__loss_term *term, const crd__loss_batch *batch,
                                           const crd__loss_class *class) {
  const double gamma = term->settings[GAMMA];
  crd__loss_class_loss found = crd__loss_focal_of_class(gamma, class, 0);
  (void)batch;
  if (term->settings[DETACH] > 0) found.slope = gamma == 0 ? 1 : pow(class->rest, gamma);
  return found;
}

static const crd_setting_info settings[] = {
  { .name = "gamma",
    .help = "focusing parameter: down-weights well-classified rows",
    .standard = "3",
    .low = 0,
    .high = 1000 },
  { .name = "detach",
    .help = "treat the weight (1 - p)^gamma as a constant in the gradient",
    .standard = "no",
    .words = "no yes" },
};

const crd__loss crd__loss_focal = {
  .info = { .name = "focal",
            .summary = "focal loss: cross-entropy times (1 - p)^gamma",
            .meaning = "Well-classified rows count less, which lowers confidences; not proper: its "
                       "optimum is underconfident.",
            .reference =
                "Lin et al.: Focal loss for dense object detection (ICCV 2017); Mukhoti et "
                "al.: Calibrating deep neural networks using focal loss (NeurIPS 2020)",
            .soft_targets = 1,
            .grid = "gamma 1 3 5 7 9",
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .scratch = CRD__MIXED_KEPT,
  .of_class = focal_of_class,
  .prepare = crd__loss_mixed_prepare,
  .measure = crd__loss_mixed_measure,
  .add_row = crd__loss_mixed_add_row,
};
