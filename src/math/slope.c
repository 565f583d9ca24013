/* slope.c -- halving the step until the quotient settles (slope.h). */
#include "math/slope.h"

#include <math.h>

enum { POINTS = 25, ORDER_LEAST = 4, ORDER_MOST = 6, LEVELS = 16, FIRST = 4 };
/* Of the points at which noise is measured: not at 0, where kinks are likelier than elsewhere. */
static const double spacing = 0x1p-18, away = 0x1p-10;

/* After k differences of neighbours, independent errors of variance s have s * (2k)! / (k!)^2. The
 * order at which least is left is where nothing but errors is. */
crd_status crd__line_noise(crd_context *ctx, crd__line_fn f, void *self, double *out) {
  double values[POINTS], growth = 1;
  *out = INFINITY;
  for (int i = 0; i < POINTS; i++) CRD_TRY(f(ctx, self, away + spacing * i, &values[i]));
  for (int k = 1; k <= ORDER_MOST; k++) {
    double square = 0;
    growth *= 2.0 * (2 * k - 1) / k;
    for (int i = 0; i < POINTS - k; i++) {
      values[i] = values[i + 1] - values[i];
      square += values[i] * values[i];
    }
    if (k >= ORDER_LEAST) *out = fmin(*out, sqrt(square / (POINTS - k) / growth));
  }
  return CRD_OK;
}

typedef struct {
  int count;
  double quotients[LEVELS], gaps[LEVELS];
} ladder;

static double step_of(int level) { return ldexp(1, -FIRST - level); }

/* What contradicts the quotient of a level: its own noise, that of the next smaller step, those of
 * further ones where they differ by more than noise, and a gap between the sides that does not
 * close. */
static double doubt_of(const ladder *l, int level, double noise) {
  const double own = noise / step_of(level), *const q = l->quotients, *const g = l->gaps;
  double doubt = fmax(1.5 * own, fabs(q[level + 1] - q[level]));
  doubt = fmax(doubt, fabs(2 * g[level + 1] - g[level]) / 2 - 3 * own);
  for (int k = level + 2; k < l->count; k++)
    doubt = fmax(doubt, fabs(q[k] - q[level]) - 3 * noise / step_of(k));
  return doubt;
}

static void take_best(const ladder *l, double noise, crd__slope *out) {
  *out = (crd__slope){ NAN, NAN, INFINITY };
  for (int k = 0; k + 1 < l->count; k++) {
    const double doubt = doubt_of(l, k, noise);
    if (doubt < out->doubt) *out = (crd__slope){ l->quotients[k], step_of(k), doubt };
  }
}

crd_status crd__line_slope(crd_context *ctx, crd__line_fn f, void *self, double at_0, double noise,
                           crd__slope *out) {
  ladder l = { 0 };
  *out = (crd__slope){ NAN, NAN, INFINITY };
  /* Where noise is many times what is doubted anyway, smaller steps tell nothing. */
  while (l.count < LEVELS && !(noise / step_of(l.count) > 8 * out->doubt)) {
    const double step = step_of(l.count);
    double right, left;
    CRD_TRY(f(ctx, self, step, &right));
    CRD_TRY(f(ctx, self, -step, &left));
    l.quotients[l.count] = (right - left) / (2 * step);
    l.gaps[l.count++] = (right - 2 * at_0 + left) / step;
    take_best(&l, noise, out);
  }
  return CRD_OK;
}
