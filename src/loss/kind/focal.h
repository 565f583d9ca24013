/* focal.h -- the focal loss of a class, which its relatives vary. */
#ifndef CRD_LOSS_KIND_FOCAL_H
#define CRD_LOSS_KIND_FOCAL_H

#include "loss/term.h"

/*
 * l = -s^g log p with s = 1 - p + p_j; p_j is that of class `other`, 0 for the plain focal loss.
 * The slope of that class is left for the caller to name it.
 */
crd__loss_class_loss crd__loss_focal_of_class(double gamma, const crd__loss_class *class,
                                              double other_p);

#endif
