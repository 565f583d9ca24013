/* lbfgs.c -- the two-loop recursion. Sums run in a fixed order: the same bits for the same calls.
 */
#include "math/lbfgs.h"
#include "base/memory.h"

#include <float.h>
#include <math.h>
#include <string.h>

static double dot(const double *a, const double *b, size_t size) {
  double sum = 0;
  for (size_t i = 0; i < size; i++) sum += a[i] * b[i];
  return sum;
}

static void add_scaled(double *x, double factor, const double *y, size_t size) {
  for (size_t i = 0; i < size; i++) x[i] += factor * y[i];
}

crd_status crd__math_lbfgs_make(crd_context *ctx, size_t size, crd__math_lbfgs *out) {
  *out = (crd__math_lbfgs){ .size = size };
  return crd__new(ctx, size, 2 * sizeof(double) * CRD__MATH_LBFGS_PAIRS, "L-BFGS", &out->vectors);
}

void crd__math_lbfgs_clear(const crd_allocator *alloc, crd__math_lbfgs *lbfgs) {
  crd__free(alloc, lbfgs->vectors);
  *lbfgs = (crd__math_lbfgs){ 0 };
}

void crd__math_lbfgs_forget(crd__math_lbfgs *lbfgs) { lbfgs->count = 0; }

/* The place of the pair that is `age` pairs older than the newest. */
static size_t place_of(const crd__math_lbfgs *l, size_t age) {
  return (l->newest + CRD__MATH_LBFGS_PAIRS - age) % CRD__MATH_LBFGS_PAIRS;
}

static double *step_at(const crd__math_lbfgs *l, size_t place) {
  return l->vectors + 2 * place * l->size;
}

static double *change_at(const crd__math_lbfgs *l, size_t place) {
  return step_at(l, place) + l->size;
}

bool crd__math_lbfgs_add(crd__math_lbfgs *lbfgs, const double *step, const double *change) {
  const double curvature = dot(step, change, lbfgs->size);
  const double norms = sqrt(dot(step, step, lbfgs->size) * dot(change, change, lbfgs->size));
  if (!(curvature > 1e-10 * norms && norms > DBL_MIN)) return false;
  lbfgs->newest = (lbfgs->newest + 1) % CRD__MATH_LBFGS_PAIRS;
  if (lbfgs->count < CRD__MATH_LBFGS_PAIRS) lbfgs->count++;
  memcpy(step_at(lbfgs, lbfgs->newest), step, lbfgs->size * sizeof *step);
  memcpy(change_at(lbfgs, lbfgs->newest), change, lbfgs->size * sizeof *change);
  lbfgs->inverse_curvature[lbfgs->newest] = 1 / curvature;
  return true;
}

void crd__math_lbfgs_direction(const crd__math_lbfgs *lbfgs, const double *gradient, double scale,
                               double *out) {
  const size_t size = lbfgs->size;
  double projection[CRD__MATH_LBFGS_PAIRS];
  for (size_t i = 0; i < size; i++) out[i] = -gradient[i];
  for (size_t age = 0; age < lbfgs->count; age++) {
    const size_t at = place_of(lbfgs, age);
    projection[age] = lbfgs->inverse_curvature[at] * dot(step_at(lbfgs, at), out, size);
    add_scaled(out, -projection[age], change_at(lbfgs, at), size);
  }
  if (lbfgs->count) {
    const double *const y = change_at(lbfgs, lbfgs->newest);
    scale = 1 / (lbfgs->inverse_curvature[lbfgs->newest] * dot(y, y, size));
  }
  for (size_t i = 0; i < size; i++) out[i] *= scale;
  for (size_t age = lbfgs->count; age-- > 0;) {
    const size_t at = place_of(lbfgs, age);
    const double back = lbfgs->inverse_curvature[at] * dot(change_at(lbfgs, at), out, size);
    add_scaled(out, projection[age] - back, step_at(lbfgs, at), size);
  }
}
