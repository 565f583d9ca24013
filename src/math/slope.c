/* slope.c -- noise, and the mean along a step from equal intervals (slope.h). */
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

/* The standard error of the integral over the interval that begins at point i, times sqrt(12). */
static double uncertain(const crd__math_line *l, int i) {
  return fabs(l->values[i + 1] - l->values[i]) * (l->at[i + 1] - l->at[i]);
}

double crd__math_line_mean(const crd__math_line *line, double *deviation) {
  const double width = line->at[line->count - 1] - line->at[0];
  double sum = 0, square = 0;
  for (int i = 0; i + 1 < line->count; i++) {
    sum += (line->values[i] + line->values[i + 1]) / 2 * (line->at[i + 1] - line->at[i]);
    square += uncertain(line, i) * uncertain(line, i);
  }
  *deviation = sqrt(square / 12) / width;
  return sum / width;
}

/* ---- Points. */

/* Inserts a point before the one at `place`. */
static crd_status insert(crd_context *ctx, crd__math_line_fn f, void *self, int place, double at,
                         crd__math_line *l) {
  double value;
  CRD_TRY(f(ctx, self, at, &value));
  const size_t behind = (size_t)(l->count - place);
  memmove(&l->at[place + 1], &l->at[place], behind * sizeof *l->at);
  memmove(&l->values[place + 1], &l->values[place], behind * sizeof *l->values);
  l->at[place] = at;
  l->values[place] = value;
  l->count++;
  return CRD_OK;
}

crd_status crd__math_line_open(crd_context *ctx, crd__math_line_fn f, void *self, double step,
                               crd__math_line *out) {
  out->count = 0;
  CRD_TRY(insert(ctx, f, self, 0, -step, out));
  return insert(ctx, f, self, 1, step, out);
}

crd_status crd__math_line_refine(crd_context *ctx, crd__math_line_fn f, void *self, int parts,
                                 crd__math_line *line) {
  const double widest = (line->at[line->count - 1] - line->at[0]) / parts;
  for (int i = 0; i + 1 < line->count;)
    if (line->count < CRD__LINE_POINTS_MOST && line->at[i + 1] - line->at[i] > 1.5 * widest)
      CRD_TRY(insert(ctx, f, self, i + 1, (line->at[i] + line->at[i + 1]) / 2, line));
    else i++;
  return CRD_OK;
}

void crd__math_line_halve(crd__math_line *line) {
  const double step = line->at[line->count - 1] / 2;
  int kept = 0;
  for (int i = 0; i < line->count; i++) {
    if (fabs(line->at[i]) > step) continue;
    line->at[kept] = line->at[i];
    line->values[kept++] = line->values[i];
  }
  line->count = kept;
}
