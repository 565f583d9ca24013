/*
 * focal.c -- focal loss: l = -q^g log p_y with q = 1 - p_y.
 *
 *   dl/dz = A (p - e_y),  A = q^g - g q^(g-1) p_y log p_y = q^g (1 - g p_y log1p(-q) / q) >= 0
 *
 * The last form has no 0/0 and no inf * 0 where q = 0, for any g; log1p(-q)/q is -1 there. With
 * detach=yes the weight q^g is a constant, as in the code of Wang, Feng, Zhang: Rethinking
 * Calibration of Deep Neural Networks (NeurIPS 2021): dl/dz = q^g (p - e_y).
 */
#include "loss/term.h"

#include <math.h>

enum { GAMMA, DETACH };

static crd__row_loss one(const crd__term *term, const crd__batch *batch, size_t row) {
  const double gamma = term->settings[GAMMA], q = batch->label_rest[row];
  const double power = gamma == 0 ? 1 : pow(q, gamma);
  const double log_ratio = q > 0 ? batch->label_log[row] / q : -1;
  return (crd__row_loss){ .value = -power * batch->label_log[row],
                          .slope = term->settings[DETACH] > 0
                                       ? power
                                       : power * (1 - gamma * (1 - q) * log_ratio) };
}

static double measure(const crd__term *term, const crd__batch *batch, const crd__slopes *slopes) {
  return crd__measure_rows(term, batch, slopes, one);
}

static const crd_setting_info settings[] = {
  { .name = "gamma",
    .help = "how much rows that are nearly right count less",
    .standard = "3",
    .low = 0,
    .high = 1000 },
  { .name = "detach",
    .help = "take the weight for a constant in the gradient",
    .standard = "no",
    .words = "no yes" },
};

const crd__loss crd__loss_focal = {
  .info = { .name = "focal",
            .summary = "cross-entropy times the gamma-th power of what is missing to 1",
            .meaning = "Rows that are nearly right count less, which keeps confidences down; not "
                       "proper: its best answer is less sure than the truth.",
            .reference =
                "Lin et al.: Focal loss for dense object detection (ICCV 2017); Mukhoti et "
                "al.: Calibrating deep neural networks using focal loss (NeurIPS 2020)",
            .grid = "gamma 1 3 5 7 9",
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .measure = measure,
};
