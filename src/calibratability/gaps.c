/*
 * gaps.c -- means and standard deviations over the runs of training methods, and their differences
 * from the baseline.
 *
 * Runs are independent, and those of two training methods are not paired. With means m, variances
 * s^2 (n - 1) and numbers of runs n of a training method and the baseline:
 *
 *   t = (m1 - m2) / sqrt(v1 + v2),  v = s^2 / n
 *   freedom = (v1 + v2)^2 / (v1^2 / (n1 - 1) + v2^2 / (n2 - 1))
 *
 * Welch: The generalization of Student's problem when several different population variances are
 * involved (1947). Student's test with the pooled variance, n1 + n2 - 2 degrees of freedom, is that
 * of Wang, Feng, Zhang: Rethinking calibration of deep neural networks: do not be afraid of
 * overconfidence (2021), table 2; with equal n both have the same t. p-values of one column are
 * corrected for the number of training methods (Holm), as those of a contest are for its methods.
 */
#include "base/memory.h"
#include "calibratability/calibratability.h"
#include "contest/contest.h"
#include "math/student.h"

#include <math.h>

crd_series_value crd__calibratability_moments(const double *values, size_t count) {
  crd_series_value v = { .mean = (double)NAN, .std = (double)NAN, .values = values };
  double sum = 0, squares = 0;
  for (size_t i = 0; i < count; i++) {
    if (isnan(values[i])) continue;
    sum += values[i];
    v.runs++;
  }
  if (v.runs) v.mean = sum / (double)v.runs;
  for (size_t i = 0; i < count; i++)
    if (!isnan(values[i])) squares += (values[i] - v.mean) * (values[i] - v.mean);
  if (v.runs > 1 && isfinite(v.mean)) v.std = sqrt(squares / (double)(v.runs - 1));
  return v;
}

/* ---- The tests. */

/* Rounding of values of this size is no spread. */
static double rounding(const crd_series_value *a, const crd_series_value *b) {
  return 1e-13 * (fabs(a->mean) + fabs(b->mean));
}

static double square(double x) { return x * x; }

static void test(const crd_series_value *a, const crd_series_value *b,
                 crd_calibratability_gap *gap) {
  const double n = (double)a->runs, m = (double)b->runs;
  const double v = square(a->std) / n, w = square(b->std) / m;
  const double pooled = ((n - 1) * square(a->std) + (m - 1) * square(b->std)) / (n + m - 2);
  gap->t = gap->value / sqrt(v + w);
  gap->freedom = square(v + w) / (square(v) / (n - 1) + square(w) / (m - 1));
  gap->p = crd__math_student_p(gap->t, gap->freedom);
  gap->p_pooled = crd__math_student_p(gap->value / sqrt(pooled * (1 / n + 1 / m)), n + m - 2);
}

crd_calibratability_gap crd__calibratability_gap(const crd_series_value *value,
                                                 const crd_series_value *other) {
  crd_calibratability_gap gap = { .value = value->mean - other->mean,
                                  .t = (double)NAN,
                                  .freedom = (double)NAN,
                                  .p = (double)NAN,
                                  .p_pooled = (double)NAN,
                                  .p_corrected = (double)NAN };
  if (value->runs < 2 || other->runs < 2 || isnan(value->std) || isnan(other->std))
    gap.reason = "a t-test needs at least two runs of both training methods";
  else if (fmax(value->std, other->std) > rounding(value, other)) test(value, other, &gap);
  else if (fabs(gap.value) <= rounding(value, other)) gap.p = gap.p_pooled = 1;
  else gap.reason = "all runs of a training method have the same value";
  return gap;
}

/* ---- All columns. */

/* Compares all training methods with the first. */
static void compare(crd__calibratability *c, double *p) {
  const crd_calibratability *const r = &c->results;
  for (size_t k = 0; k < r->column_count; k++) {
    p[0] = (double)NAN;
    for (size_t i = 1; i < r->count; i++) {
      crd_calibratability_gap *const gap = &c->gaps[i * r->column_count + k];
      *gap = crd__calibratability_gap(&c->items[i].values[k], &c->items[0].values[k]);
      p[i] = gap->p;
    }
    crd__contest_holm(p, r->count, p + r->count);
    for (size_t i = 1; i < r->count; i++)
      c->gaps[i * r->column_count + k].p_corrected = p[r->count + i];
  }
}

static void sum_up_sizes(crd__calibratability *c, size_t training) {
  const crd_calibratability *const r = &c->results;
  const size_t from = c->first[training], runs = c->first[training + 1] - from;
  crd_sized *const out = c->sized + training * r->method_count * r->size_count;
  for (size_t m = 0; m < r->method_count; m++)
    for (size_t s = 0; s < r->size_count; s++)
      out[m * r->size_count + s] = (crd_sized){
        .rows = c->sizes[s] ? c->sizes[s] : r->calibrate_rows_max,
        .ece = crd__calibratability_moments(crd__calibratability_drawn(c, m, s, from),
                                            runs * r->draws),
      };
  c->items[training].sized = r->size_count ? out : NULL;
}

crd_status crd__calibratability_sum_up(crd_context *ctx, crd__calibratability *c) {
  const crd_calibratability *const r = &c->results;
  double *p;
  CRD_TRY(crd__new(ctx, r->count, 2 * sizeof *p, "gaps", &p));
  for (size_t i = 0; i < r->count; i++) {
    const size_t from = c->first[i], runs = c->first[i + 1] - from;
    crd_series_value *const values = c->values + i * r->column_count;
    for (size_t k = 0; k < r->column_count; k++)
      values[k] = crd__calibratability_moments(crd__calibratability_column(c, k) + from, runs);
    c->items[i].values = values;
    c->items[i].gaps = i ? c->gaps + i * r->column_count : NULL;
    sum_up_sizes(c, i);
  }
  compare(c, p);
  crd__free(&ctx->alloc, p);
  return CRD_OK;
}
