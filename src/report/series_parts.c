/* series_parts.c -- columns, ranks, marks and sentences of a series. */
#include "report/series_parts.h"
#include "report/decimal.h"
#include "report/plain.h"

#include <math.h>
#include <string.h>

enum { DECIMALS = 4, DECIMALS_MAX = 6, SECONDS_DECIMALS = 3 };

/* Tables of other summaries (calibratability/sheet.h) have no seconds. */
static bool has_seconds(const crd_series_summary *s) {
  for (size_t i = 0; i < s->count; i++)
    if (s->candidates[i].seconds.runs) return true;
  return false;
}

size_t crd__report_series_columns(const crd_series_summary *s) {
  return s->metric_count + has_seconds(s);
}

const char *crd__report_series_heading(const crd_series_summary *s, size_t column) {
  return column < s->metric_count ? s->metrics[column]->name : "seconds";
}

crd_direction crd__report_series_direction(const crd_series_summary *s, size_t column) {
  return column < s->metric_count ? s->metrics[column]->direction : CRD_NEITHER_IS_BETTER;
}

const crd_series_value *crd__report_series_value(const crd_series_summary *s, size_t candidate,
                                                 size_t column) {
  const crd_series_candidate *const c = &s->candidates[candidate];
  return column < s->metric_count ? &c->values[column] : &c->seconds;
}

/* ---- Cells. */

/* The smallest mean needs two digits, if that is possible. */
static unsigned decimals_of(const crd_series_summary *s, size_t column) {
  double smallest = (double)INFINITY, unit = 1e-3; /* ten times the last of four decimals */
  unsigned decimals = DECIMALS;
  if (column == s->metric_count) return SECONDS_DECIMALS;
  for (size_t i = 0; i < s->count; i++) {
    const double size = fabs(crd__report_series_value(s, i, column)->mean);
    if (size > 0) smallest = fmin(smallest, size);
  }
  for (; decimals < DECIMALS_MAX && smallest < unit; decimals++) unit /= 10;
  return decimals;
}

crd__report_series_cell crd__report_series_cell_format(const crd_series_summary *s,
                                                       size_t candidate, size_t column) {
  const crd_series_value *const v = crd__report_series_value(s, candidate, column);
  const unsigned decimals = decimals_of(s, column);
  crd__report_series_cell cell = { .has_std = !isnan(v->std) };
  crd__report_decimal_format(cell.mean, v->mean, decimals);
  crd__report_decimal_format(cell.std, v->std, decimals);
  return cell;
}

/* ---- Ranks and marks. */

/* Means over fewer runs are not comparable with the others. */
static bool is_ranked(const crd_series_summary *s, size_t candidate, size_t column) {
  const crd_series_value *const v = crd__report_series_value(s, candidate, column);
  return v->runs == s->runs && isfinite(v->mean);
}

/* Returns whether two candidates show the same mean. */
static bool looks_equal(const crd_series_summary *s, size_t a, size_t b, size_t column) {
  const crd__report_series_cell left = crd__report_series_cell_format(s, a, column);
  const crd__report_series_cell right = crd__report_series_cell_format(s, b, column);
  return strcmp(left.mean, right.mean) == 0;
}

/* Returns the best candidate among those that look worse than `above` (or of all, if that is
 * s->count); s->count if there is none. */
static size_t best_below(const crd_series_summary *s, size_t column, size_t above) {
  const double sign = crd__report_series_direction(s, column) == CRD_LOWER_IS_BETTER ? 1 : -1;
  size_t best = s->count;
  for (size_t i = 0; i < s->count; i++) {
    if (!is_ranked(s, i, column)) continue;
    if (above < s->count && looks_equal(s, i, above, column)) continue;
    if (best == s->count || sign * crd__report_series_value(s, i, column)->mean <
                                sign * crd__report_series_value(s, best, column)->mean)
      best = i;
  }
  return best;
}

crd__report_series_rank crd__report_series_rank_of(const crd_series_summary *s, size_t candidate,
                                                   size_t column) {
  if (crd__report_series_direction(s, column) == CRD_NEITHER_IS_BETTER ||
      !is_ranked(s, candidate, column))
    return CRD__SERIES_OTHER;
  const size_t best = best_below(s, column, s->count), second = best_below(s, column, best);
  if (second == s->count) return CRD__SERIES_OTHER;
  if (looks_equal(s, candidate, best, column)) return CRD__SERIES_BEST;
  return looks_equal(s, candidate, second, column) ? CRD__SERIES_SECOND : CRD__SERIES_OTHER;
}

char crd__report_series_mark(const crd_series_summary *s, size_t candidate, size_t column) {
  const crd_series_difference *const against = s->candidates[candidate].against_identity;
  const crd_direction direction = crd__report_series_direction(s, column);
  if (!against || column == s->metric_count || direction == CRD_NEITHER_IS_BETTER) return ' ';
  const crd_series_difference *const d = &against[column];
  if (!(d->p < 0.05) || d->mean == 0) return ' ';
  return (d->mean < 0) == (direction == CRD_LOWER_IS_BETTER) ? '+' : '-';
}

bool crd__report_series_is_tested(const crd_series_summary *s) {
  for (size_t i = 1; i < s->count; i++)
    for (size_t m = 0; m < s->metric_count; m++)
      if (!isnan(s->candidates[i].against_identity[m].p)) return true;
  return false;
}

/* ---- Sentences. */

static void add_rows(crd__text *out, size_t min, size_t max) {
  crd__text_addf(out, "%zu", min);
  if (max != min) crd__text_addf(out, " to %zu", max);
}

/* Returns whether identity, which learns nothing, has the same values in all runs: then all have
 * the same rows. */
static bool has_equal_runs(const crd_series_summary *s) {
  for (size_t m = 0; m < s->metric_count; m++)
    for (size_t r = 1; r < s->runs; r++) {
      const double *const values = s->candidates[0].values[m].values;
      if (values[r] != values[0] && !(isnan(values[r]) && isnan(values[0]))) return false;
    }
  return s->runs > 1;
}

void crd__report_series_add_caption(crd__text *out, const crd_series_summary *s) {
  crd__text_addf(out, "Mean and standard deviation over %zu run%s", s->runs,
                 s->runs == 1 ? "" : "s");
  if (s->caption) {
    crd__text_add(out, " (");
    crd__report_text_add_plain(out, s->caption, 0);
    crd__text_add(out, ")");
  }
  if (s->folds) {
    crd__text_add(out, ", each of ");
    add_rows(out, s->test_rows_min, s->test_rows_max);
    crd__text_addf(out, " rows, cross-validated in %u folds.", s->folds);
  } else {
    crd__text_add(out, ", each fitted on ");
    add_rows(out, s->calibrate_rows_min, s->calibrate_rows_max);
    crd__text_add(out, " rows and tested on ");
    add_rows(out, s->test_rows_min, s->test_rows_max);
    crd__text_add(out, " others.");
  }
  if (s->kind != CRD_SERIES_SPLITS) return;
  crd__text_add(out, has_equal_runs(s)
                         ? " All runs have the same rows: few rows, or groups of different sizes, "
                           "can be split in one way only."
                         : " The splits overlap: the standard deviation is not a standard error.");
}

void crd__report_series_add_test(crd__text *out, const crd_series_summary *s) {
  static const char *const tests[] = {
    [CRD_SERIES_INDEPENDENT] = "paired t-test over the runs",
    [CRD_SERIES_SPLITS] = "corrected resampled t-test of Nadeau and Bengio (2003)",
  };
  crd__text_addf(out, "p < 0.05 in the %s, corrected for %zu method%s", tests[s->kind],
                 s->count - 1, s->count == 2 ? "" : "s");
}

void crd__report_series_add_choices(crd__text *out, const crd_series_summary *s) {
  const char *before = "The verdict recommends ";
  bool first = true;
  for (size_t i = 0; i < s->count; i++) {
    const crd_series_candidate *const c = &s->candidates[i];
    if (!c->chosen) continue;
    crd__text_addf(out, "%s%s in %zu", before, c->name, c->chosen);
    if (first) crd__text_addf(out, " of %zu run%s", s->runs, s->runs == 1 ? "" : "s");
    before = ", ";
    first = false;
  }
  if (!first) crd__text_add(out, ".");
}

void crd__report_series_add_trouble(crd__text *out, const crd_series_summary *s, size_t candidate) {
  const crd_series_candidate *const c = &s->candidates[candidate];
  if (c->failures)
    crd__text_addf(out, "failed in %zu of %zu runs: %s", c->failures, s->runs, c->failure);
  if (c->unconverged)
    crd__text_addf(out, "%sdid not converge in %zu of %zu runs", c->failures ? "; " : "",
                   c->unconverged, s->runs);
}
