/*
 * lbfgs.h -- the limited-memory BFGS approximation of an inverse Hessian, for functions whose
 * evaluations are so expensive that the caller does the line search.
 *
 * From the last steps s = x' - x and changes of the gradient y = g' - g, the two-loop recursion
 * computes H g, where H satisfies H y = s for the last pair. Pairs without positive curvature are
 * skipped, which keeps H positive definite.
 *   Liu, Nocedal: On the limited memory BFGS method for large scale optimization. Mathematical
 *   Programming 45, 1989.
 */
#ifndef CRD_MATH_LBFGS_H
#define CRD_MATH_LBFGS_H

#include "base/context.h"

enum { CRD__MATH_LBFGS_PAIRS = 10 };

/* All zero and a size is an empty memory. */
typedef struct {
  size_t size;                                     /* of vectors */
  size_t count;                                    /* pairs in memory */
  size_t newest;                                   /* their places are a ring */
  double *vectors;                                 /* PAIRS x {s, y} x size */
  double inverse_curvature[CRD__MATH_LBFGS_PAIRS]; /* 1 / s.y */
} crd__math_lbfgs;

crd_status crd__math_lbfgs_make(crd_context *ctx, size_t size, crd__math_lbfgs *out);
void crd__math_lbfgs_clear(const crd_allocator *alloc, crd__math_lbfgs *lbfgs);
/* Forgets all pairs. */
void crd__math_lbfgs_forget(crd__math_lbfgs *lbfgs);
/* Adds a step and the change of the gradient along it; false: skipped, its curvature is not
 * positive. */
bool crd__math_lbfgs_add(crd__math_lbfgs *lbfgs, const double *step, const double *change);
/* Sets out = -H gradient; without pairs H is `scale` times the identity. */
void crd__math_lbfgs_direction(const crd__math_lbfgs *lbfgs, const double *gradient, double scale,
                               double *out);

#endif
