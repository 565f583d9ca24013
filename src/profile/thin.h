/*
 * thin.h -- simplifies a curve to few points, within a tolerance.
 *
 * Points are added one by one. From the last kept point (the anchor), the directions of lines that
 * pass within 0.8 tolerances of every point since then form a cone; a point outside of it, or one
 * that turns back by more than 0.6 tolerances, starts a new segment at the point before it. So no
 * point is farther than one tolerance from the segment that replaces it. Only correctly rounded
 * operations are used, so that the same points are kept on every machine.
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
  crd_point *kept; /* `capacity` points; further ones are only counted */
  size_t capacity, count;
  crd_point anchor, last;     /* the last point kept, the last point added */
  crd_point clockwise, other; /* the sides of the cone, as directions */
  bool coned;                 /* whether a point away from the anchor has defined a cone */
  double reach;               /* the largest distance since the anchor */
  size_t added;
} crd__profile_thinning;

void crd__profile_thin_add(crd__profile_thinning *t, double x, double y);
/* Keeps the last point. Returns false if the capacity was exceeded. */
bool crd__profile_thin_end(crd__profile_thinning *t);

#endif
