/* slope.c -- noise, and the mean along a step by adaptive bisection (slope.h). */
#include "math/slope.h"

#include <math.h>
#include <string.h>

enum { POINTS = 25, ORDER_LEAST = 4, ORDER_MOST = 6 };
/* Points at which noise is measured: away from 0, where kinks are likelier than elsewhere. */
static const double spacing = 0x1p-18, away = 0x1p-10;

/* After k differences of adjacent values, independent errors of variance s have the variance
 * s (2k)! / (k!)^2. The order with the smallest estimate of s contains errors only. */
crd_status crd__math_line_noise(crd_context *ctx, crd__math_line_fn f, void *self, double *out) {
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

/* ---- The mean. */

enum { DIVIDED_MOST = 16, KNOTS_MOST = CRD__LINE_PARTS_MOST * DIVIDED_MOST + 1 };

typedef struct {
  int count;
  double at[KNOTS_MOST], values[KNOTS_MOST];
} knots;

/* The standard error of the integral over the interval that begins at knot i, times sqrt(12). */
static double uncertain(const knots *k, int i) {
  return fabs(k->values[i + 1] - k->values[i]) * (k->at[i + 1] - k->at[i]);
}

static int most_uncertain(const knots *k) {
  int most = 0;
  for (int i = 1; i + 1 < k->count; i++)
    if (uncertain(k, i) > uncertain(k, most)) most = i;
  return most;
}

static crd__math_line_mean mean_of(const knots *k, double step) {
  double sum = 0, square = 0;
  for (int i = 0; i + 1 < k->count; i++) {
    sum += (k->values[i] + k->values[i + 1]) / 2 * (k->at[i + 1] - k->at[i]);
    square += uncertain(k, i) * uncertain(k, i);
  }
  return (crd__math_line_mean){ .mean = sum / (2 * step),
                                .doubt = 3 * sqrt(square / 12) / (2 * step) };
}

/* Inserts a knot before the one at `place`. */
static crd_status insert(crd_context *ctx, crd__math_line_fn f, void *self, knots *k, int place,
                         double at) {
  double value;
  CRD_TRY(f(ctx, self, at, &value));
  const size_t behind = (size_t)(k->count - place);
  memmove(&k->at[place + 1], &k->at[place], behind * sizeof *k->at);
  memmove(&k->values[place + 1], &k->values[place], behind * sizeof *k->values);
  k->at[place] = at;
  k->values[place] = value;
  k->count++;
  return CRD_OK;
}

crd_status crd__math_line_average(crd_context *ctx, crd__math_line_fn f, void *self, double step,
                                  int parts, double allowed, crd__math_line_mean *out) {
  knots k = { 0 };
  for (int i = 0; i <= parts; i++)
    CRD_TRY(insert(ctx, f, self, &k, i, step * (2.0 * i / parts - 1)));
  *out = mean_of(&k, step);
  while (out->doubt > allowed && k.count <= DIVIDED_MOST * parts) {
    const int i = most_uncertain(&k);
    CRD_TRY(insert(ctx, f, self, &k, i + 1, (k.at[i] + k.at[i + 1]) / 2));
    *out = mean_of(&k, step);
    out->bent = true;
  }
  return CRD_OK;
}
