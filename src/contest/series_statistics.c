/*
 * series_statistics.c -- means, standard deviations and tests over the runs of a series.
 *
 * With d_r the difference of two candidates in run r of n, their mean m and variance s^2 (n - 1):
 *
 *   t = m / sqrt(c s^2),  n - 1 degrees of freedom
 *   c = 1 / n                                        independent runs: the paired t-test
 *   c = 1 / n + test rows / calibration rows         random splits of the same rows
 *
 * Splits of the same rows overlap, so their differences are correlated, and with c = 1 / n the test
 * finds differences where there are none, the more often the more runs there are. Nadeau, Bengio:
 * Inference for the generalization error, Machine Learning 52 (2003), corrects the variance for a
 * correlation of test rows / all rows. p-values of one metric are corrected for the number of
 * candidates (Holm), as those of a contest are.
 */
#include "contest/contest.h"
#include "contest/series.h"
#include "math/student.h"

#include <math.h>
#include <string.h>

typedef struct {
  size_t runs;
  double mean, std;
} moments;

/* Moments of a - b over the runs that have both; `b` NULL: of a. */
static moments moments_of(const double *a, const double *b, size_t runs) {
  moments m = { 0, (double)NAN, (double)NAN };
  double sum = 0, squares = 0;
  for (size_t r = 0; r < runs; r++) {
    const double value = a[r] - (b ? b[r] : 0);
    if (isnan(value)) continue;
    sum += value;
    m.runs++;
  }
  if (m.runs) m.mean = sum / (double)m.runs;
  for (size_t r = 0; r < runs; r++) {
    const double distance = a[r] - (b ? b[r] : 0) - m.mean;
    if (!isnan(distance)) squares += distance * distance;
  }
  if (m.runs > 1 && isfinite(m.mean)) m.std = sqrt(squares / (double)(m.runs - 1));
  return m;
}

static crd_series_value value_of(const double *values, size_t runs) {
  const moments m = moments_of(values, NULL, runs);
  return (crd_series_value){ .runs = m.runs, .mean = m.mean, .std = m.std, .values = values };
}

/* Returns c, the variance of a mean difference as a multiple of s^2. */
static double variance_factor(const crd_series *s, size_t runs) {
  const double own = 1 / (double)runs;
  if (s->summary.kind != CRD_SERIES_SPLITS) return own;
  return own + (double)s->test_rows / (double)s->calibrate_rows;
}

/* Returns p; NaN without a spread of the differences, for which t is not defined. `size` is that of
 * the values, whose rounding is no spread. */
static double test(const crd_series *s, moments m, double size) {
  const double rounding = 1e-13 * size;
  if (m.runs < 2 || isnan(m.std)) return (double)NAN;
  if (m.std <= rounding) return fabs(m.mean) <= rounding ? 1 : (double)NAN;
  const double t = m.mean / (m.std * sqrt(variance_factor(s, m.runs)));
  return crd__math_student_p(t, (double)m.runs - 1);
}

/* Compares all candidates with one, metric by metric. */
static void compare(crd_series *s, size_t base, crd_series_difference *out) {
  const crd_series_summary *const all = &s->summary;
  double *const corrected = s->p + all->count;
  for (size_t m = 0; m < all->metric_count; m++) {
    const double *const from = crd__contest_series_cell(s, base, m);
    for (size_t i = 0; i < all->count; i++) {
      const moments d = moments_of(crd__contest_series_cell(s, i, m), from, all->runs);
      const double size = fabs(s->items[i].values[m].mean) + fabs(s->items[base].values[m].mean);
      out[i * all->metric_count + m] =
          (crd_series_difference){ .runs = d.runs, .mean = d.mean, .std = d.std };
      s->p[i] = i == base ? (double)NAN : test(s, d, size);
    }
    crd__contest_holm(s->p, all->count, corrected);
    for (size_t i = 0; i < all->count; i++) out[i * all->metric_count + m].p = corrected[i];
  }
}

void crd__contest_series_sum_up(crd_series *s) {
  const size_t count = s->summary.count, metrics = s->summary.metric_count, runs = s->summary.runs;
  size_t temperature = 0;
  while (temperature < count && strcmp(s->items[temperature].name, "temperature") != 0)
    temperature++;
  for (size_t i = 0; i < count; i++) {
    crd_series_candidate *const c = &s->items[i];
    crd_series_value *const values = s->values + i * metrics;
    for (size_t m = 0; m < metrics; m++)
      values[m] = value_of(crd__contest_series_cell(s, i, m), runs);
    c->values = values;
    c->seconds = value_of(crd__contest_series_cell(s, i, crd__contest_series_seconds(s)), runs);
    c->temperature =
        value_of(crd__contest_series_cell(s, i, crd__contest_series_temperature(s)), runs);
  }
  crd_series_difference *const second = s->differences + count * metrics;
  compare(s, 0, s->differences);
  if (temperature < count) compare(s, temperature, second);
  for (size_t i = 0; i < count; i++) {
    s->items[i].against_identity = i == 0 ? NULL : s->differences + i * metrics;
    s->items[i].against_temperature =
        temperature == count || i == temperature ? NULL : second + i * metrics;
  }
}
