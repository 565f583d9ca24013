/* focal.h -- the focal loss of one class, for all focal variants. */
#ifndef CRD_LOSS_KIND_FOCAL_H
#define CRD_LOSS_KIND_FOCAL_H

#include "loss/term.h"

/*
 * Returns l = -s^g log p with s = 1 - p + p_j, and its slopes; `other_p` is p_j, 0 for the plain
 * focal loss. The caller sets `other` to the index j.
 */
crd__loss_class_loss crd__loss_focal_of_class(double gamma, const crd__loss_class *class,
                                              double other_p);

#endif
