/*
 * inverse_focal.c -- inverse focal loss: l = -(1 + p_y)^g log p_y.
 *
 *   dl/dz = B (p - e_y),  B = (1 + p_y)^g (1 + g p_y log p_y / (1 + p_y))
 *
 * B >= 0 for all p_y as long as g <= 1 / W(1/e) = 3.5911 (W: Lambert's function). Above, B < 0
 * around p_y = 0.28: training stalls where B = 0 and pushes rows below that further down. With
 * detach=yes the weight is a constant in the gradient, dl/dz = (1 + p_y)^g (p - e_y), and any g is
 * allowed. p log p is 0 at p = 0.
 * Wang, Feng, Zhang: Rethinking Calibration of Deep Neural Networks (NeurIPS 2021), eq. 4.
 */
#include "loss/term.h"

#include <math.h>

enum { GAMMA, DETACH };

static const double largest_gamma = 3.5911214766686222; /* 1 / W(1/e) */

static crd_status inverse_focal_check(crd_context *ctx, const crd__loss_term *term) {
  if (term->settings[DETACH] > 0 || term->settings[GAMMA] <= largest_gamma) return CRD_OK;
  return crd__fail(ctx, CRD_EUSAGE,
                   "inverse-focal: gamma=%g, allowed are 0 to 3.5911 unless detach=yes: above, the "
                   "loss has a stationary point where the true class is improbable",
                   term->settings[GAMMA]);
}

static crd__loss_class_loss inverse_focal_of_class(const crd__loss_term *term,
                                                   const crd__loss_batch *batch,
                                                   const crd__loss_class *class) {
  const double gamma = term->settings[GAMMA], power = pow(1 + class->p, gamma);
  const double turn = class->p > 0 ? gamma * class->p * class->log / (1 + class->p) : 0;
  (void)batch;
  return (crd__loss_class_loss){ .value = -power * class->log,
                                 .slope = term->settings[DETACH] > 0 ? power : power * (1 + turn) };
}

static const crd_setting_info settings[] = {
  { .name = "gamma",
    .help = "focusing parameter: up-weights well-classified rows",
    .standard = "2",
    .low = 0,
    .high = 1000 },
  { .name = "detach",
    .help = "treat the weight (1 + p)^gamma as a constant in the gradient",
    .standard = "no",
    .words = "no yes" },
};

const crd__loss crd__loss_inverse_focal = {
  .info = { .name = "inverse-focal",
            .summary = "inverse focal loss: cross-entropy times (1 + p)^gamma",
            .meaning = "Well-classified rows count more: confidences grow, and hard rows separate "
                       "from easy ones. Meant to be followed by a calibrator.",
            .reference = "Wang, Feng, Zhang: Rethinking Calibration of Deep Neural Networks "
                         "(NeurIPS 2021)",
            .soft_targets = 1,
            .grid = "gamma 1 2 3",
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .scratch = CRD__MIXED_KEPT,
  .check = inverse_focal_check,
  .of_class = inverse_focal_of_class,
  .prepare = crd__loss_mixed_prepare,
  .measure = crd__loss_mixed_measure,
  .add_row = crd__loss_mixed_add_row,
};
