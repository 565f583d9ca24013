/* thin.c -- simplifies a curve to few points, within a tolerance. */
#include "profile/thin.h"

#include <math.h>

static const double cone = 0.8, slack = 0.6; /* 0.8^2 + 0.6^2 = 1 */

static crd_point between(crd_point a, crd_point b) { return (crd_point){ b.x - a.x, b.y - a.y }; }
static double cross(crd_point a, crd_point b) { return a.x * b.y - a.y * b.x; }
static double dot(crd_point a, crd_point b) { return a.x * b.x + a.y * b.y; }

static void keep(crd__profile_thinning *t, crd_point p) {
  if (t->count < t->capacity) t->kept[t->count] = p;
  t->count++;
  t->anchor = p;
  t->coned = false;
  t->reach = 0;
}

/* Returns whether one segment from the anchor to this point may replace all points since the
 * anchor. */
static bool fits(const crd__profile_thinning *t, crd_point d) {
  if (!t->coned) return true;
  if (sqrt(dot(d, d)) < t->reach - slack * t->tolerance) return false;
  if (dot(d, t->clockwise) + dot(d, t->other) < 0) return false;
  return cross(t->clockwise, d) >= 0 && cross(t->other, d) <= 0;
}

/* Narrows the cone to directions that pass near this point. */
static void narrow(crd__profile_thinning *t, crd_point d) {
  const double square = dot(d, d), r = cone * t->tolerance;
  if (sqrt(square) > t->reach) t->reach = sqrt(square);
  if (square <= r * r) return;
  const double slope = r / sqrt(square - r * r); /* without tolerance the sides are d itself */
  const crd_point clockwise = { d.x + slope * d.y, d.y - slope * d.x };
  const crd_point other = { d.x - slope * d.y, d.y + slope * d.x };
  if (!t->coned || cross(t->clockwise, clockwise) > 0) t->clockwise = clockwise;
  if (!t->coned || cross(t->other, other) < 0) t->other = other;
  t->coned = true;
}

void crd__profile_thin_add(crd__profile_thinning *t, double x, double y) {
  const crd_point p = { x, y };
  if (t->added++ == 0) keep(t, p);
  if (!fits(t, between(t->anchor, p))) keep(t, t->last);
  narrow(t, between(t->anchor, p));
  t->last = p;
}

bool crd__profile_thin_end(crd__profile_thinning *t) {
  if (t->added > 1) keep(t, t->last);
  return t->count <= t->capacity;
}
