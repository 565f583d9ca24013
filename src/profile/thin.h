/*
 * thin.h -- a curve with few points, that is nowhere far from all of its points.
 *
 * Points are taken one by one. From the last point that was kept, the directions of lines that pass
 * within 0.8 tolerances of every point since then are a cone; a point that leaves it, or that turns
 * back by more than 0.6 tolerances, begins a new piece at the point before it. So no point is
 * farther than one tolerance from the piece that replaces it. Nothing but square roots is computed:
 * the same points are kept everywhere.
 *
 * After Williams 1978, An efficient algorithm for the piecewise linear approximation of planar
 * curves; Sklansky, Gonzalez 1980.
 */
#ifndef CRD_PROFILE_THIN_H
#define CRD_PROFILE_THIN_H

#include "credence/profile.h"

#include <stdbool.h>

typedef struct {
  double tolerance;
  crd_point *kept; /* with room for so many; more are counted only */
  size_t room, count;
  crd_point anchor, last;     /* the last one kept, the last one added */
  crd_point clockwise, other; /* the sides of the cone, as directions */
  bool coned;                 /* there is a cone: some point was not beside the anchor */
  double reach;               /* the farthest since the anchor */
  size_t added;
} crd__profile_thinning;

void crd__profile_thin_add(crd__profile_thinning *t, double x, double y);
/* The last point is kept too. False: there was no room for all. */
bool crd__profile_thin_end(crd__profile_thinning *t);

#endif
