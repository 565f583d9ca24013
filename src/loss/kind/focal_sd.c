/*
 * focal_sd.c -- sample-dependent focal loss (FLSD-53): gamma is 5 where p_y < 0.2, else 3.
 *
 *   dl/dz = A (p - e_y) as in focal.c; gamma is a constant in the gradient, so the value jumps at
 *   p_y = 0.2.
 *
 * A(p, gamma) > 1 is a steeper gradient than that of cross-entropy. The smallest gamma with
 * A(0.2, gamma) <= 1 is 4.85, with A(0.25, gamma) <= 1 it is 3.07; rounded, these are 5 and 3.
 * Mukhoti et al.: Calibrating deep neural networks using focal loss (NeurIPS 2020).
 */
#include "loss/kind/focal.h"

static const double edge = 0.2, below = 5, above = 3;

static crd__loss_class_loss focal_sd_of_class(const crd__loss_term *term,
                                              const crd__loss_batch *batch,
                                              const crd__loss_class *class) {
  (void)term;
  (void)batch;
  return crd__loss_focal_of_class(class->p < edge ? below : above, class, 0);
}

const crd__loss crd__loss_focal_sd = {
  .info = { .name = "focal-sd",
            .summary = "sample-dependent focal loss (FLSD-53): gamma 5 below p = 0.2, else 3",
            .meaning = "Lowers confidences like the focal loss, with less weight on rows of low "
                       "probability. Its value jumps where gamma changes.",
            .reference = "Mukhoti et al.: Calibrating deep neural networks using focal loss "
                         "(NeurIPS 2020)",
            .soft_targets = 1,
            .grid = "" },
  .scratch = CRD__MIXED_KEPT,
  .of_class = focal_sd_of_class,
  .prepare = crd__loss_mixed_prepare,
  .measure = crd__loss_mixed_measure,
  .add_row = crd__loss_mixed_add_row,
};
