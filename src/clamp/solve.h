/* solve.h -- minimises the objective over delta and T, on all rows at once. */
#ifndef CRD_CLAMP_SOLVE_H
#define CRD_CLAMP_SOLVE_H

#include "clamp/pass.h"

#include <stdbool.h>

/* The objective: mean loss + weight |delta|^2, or + weight |delta|. */
typedef struct {
  double gamma;  /* of the loss, for its best temperature */
  double weight; /* infinity: delta stays 0 */
  bool norm;
  unsigned passes; /* at most */
} crd__clamp_goal;

/* The current point of the minimisation. */
typedef struct {
  double *delta; /* borrowed */
  double temperature;
  double loss, objective;
  double gradient_norm; /* with respect to delta */
  bool converged, interrupted;
} crd__clamp_point;

/* Returns the penalty of a delta. */
double crd__clamp_penalty(const crd__clamp_goal *goal, const double *delta, size_t count);
/* Adds its gradient. */
void crd__clamp_penalty_gradient(const crd__clamp_goal *goal, const double *delta, size_t count,
                                 double *gradient);

/* Minimises from point->delta and point->temperature on. The objective never ends above that of the
 * start with its best temperature. An interrupt ends the minimisation, and is no failure once there
 * is a point. */
crd_status crd__clamp_solve(crd_context *ctx, crd__clamp_pass *pass, const crd__clamp_goal *goal,
                            crd__clamp_point *point);

#endif
