/*
 * dual_focal.c -- dual focal loss: includes the most probable class below the true one.
 *
 *   l = -s^g log p_y,  s = 1 - p_y + p_j,  j the most probable of classes below p_y
 *   dl/dz = (A p_y + s^g) (p - e_y) - A p_j (p - e_j),  A = -g s^(g-1) log p_y >= 0
 *
 * j is a constant in the gradient. Classes as probable as y are not below it; if none is below,
 * p_j = 0 and this is the focal loss. Logits are compared, because softmax may round to ties. s is
 * computed as q + p_j, without cancellation, and s^(g-1) log p_y as s^g (log p_y / s), where
 * 0 <= -log p_y / s is bounded since q <= s.
 */
#include "loss/kind/focal.h"

enum { GAMMA };

/* Returns the most probable class below y, the lowest index on ties; y if there is none. */
static size_t next_below(const double *z, size_t classes, size_t y) {
  size_t best = y;
  for (size_t k = 0; k < classes; k++)
    if (z[k] < z[y] && (best == y || z[k] > z[best])) best = k;
  return best;
}

static crd__loss_class_loss dual_focal_of_class(const crd__loss_term *term,
                                                const crd__loss_batch *batch,
                                                const crd__loss_class *class) {
  const size_t at = class->row * batch->classes;
  const size_t next = next_below(batch->logits + at, batch->classes, class->k);
  crd__loss_class_loss found = crd__loss_focal_of_class(term->settings[GAMMA], class,
                                                        next == class->k ? 0 : batch->p[at + next]);
  found.other = next;
  return found;
}

static const crd_setting_info settings[] = {
  { .name = "gamma",
    .help = "focusing parameter: down-weights rows with a large margin",
    .standard = "5",
    .low = 0,
    .high = 1000 },
};

const crd__loss crd__loss_dual_focal = {
  .info = { .name = "dual-focal",
            .summary = "dual focal loss: focal loss on the margin over the next class",
            .meaning = "Like the focal loss, but the weight of a row falls with the margin of the "
                       "true class over the next one, which corrects the underconfidence of the "
                       "focal loss.",
            .reference = "Tao, Dong, Xu: Dual focal loss for calibration (ICML 2023)",
            .soft_targets = 1,
            .grid = "gamma 5",
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .scratch = CRD__MIXED_KEPT,
  .of_class = dual_focal_of_class,
  .prepare = crd__loss_mixed_prepare,
  .measure = crd__loss_mixed_measure,
  .add_row = crd__loss_mixed_add_row,
};
