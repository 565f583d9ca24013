/* series_parts.c -- columns, ranks, marks and sentences of a series. */
#include "report/series_parts.h"
#include "report/plain.h"

#include <math.h>
#include <string.h>

enum { SECONDS_DECIMALS = 3 };

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
  return column < s->metric_count ? crd__report_title(s->metrics[column]) : "seconds";
}

crd_direction crd__report_series_direction(const crd_series_summary *s, size_t column) {
  return column < s->metric_count ? s->metrics[column]->direction : CRD_NEITHER_IS_BETTER;
}

const crd_series_value *crd__report_series_value(const crd_series_summary *s, size_t candidate,
                                                 size_t column) {
  const crd_series_candidate *const c = &s->candidates[candidate];
  return column < s->metric_count ? &c->values[column] : &c->seconds;
}

/* ---- The table. */

static const char *name_of(const void *self, size_t line) {
  return ((const crd_series_summary *)self)->candidates[line].name;
}

static crd__report_column column_of(const void *self, size_t column) {
  const crd_series_summary *const s = self;
  if (column < s->metric_count) return crd__report_metric_column(s->metrics[column]);
  return (crd__report_column){ .heading = crd__report_series_heading(s, column),
                               .direction = CRD_NEITHER_IS_BETTER,
                               .decimals = SECONDS_DECIMALS };
}

/* Means over fewer runs are not comparable with the others. */
static crd__report_cell cell_of(const void *self, size_t line, size_t column) {
  const crd_series_summary *const s = self;
  const crd_series_value *const v = crd__report_series_value(s, line, column);
  return (crd__report_cell){ .value = v->mean,
                             .low = (double)NAN,
                             .high = (double)NAN,
                             .std = v->std,
                             .failed = v->runs == 0,
                             .comparable = v->runs == s->runs,
                             .mark = crd__report_series_mark(s, line, column) };
}

static void add_remark(crd__text *out, const void *self, size_t line) {
  const crd_series_summary *const s = self;
  const size_t failures = s->candidates[line].failures;
  if (failures) crd__text_addf(out, " (failed in %zu of %zu)", failures, s->runs);
}

crd__report_grid crd__report_series_grid(const crd_series_summary *s,
                                         const crd_report_options *options, const char *corner) {
  return (crd__report_grid){ .self = s,
                             .lines = s->count,
                             .columns = crd__report_series_columns(s),
                             .corner = corner,
                             .name = name_of,
                             .column = column_of,
                             .cell = cell_of,
                             .add_remark = add_remark,
                             .digits = options ? options->digits : 0,
                             .percent = options && options->percent };
}

crd__report_series_cell crd__report_series_cell_format(const crd_series_summary *s,
                                                       size_t candidate, size_t column) {
  const crd__report_grid grid = crd__report_series_grid(s, NULL, "");
  const crd__report_cell_text text = crd__report_grid_format(&grid, candidate, column);
  crd__report_series_cell cell = { .has_std = *text.std != '\0' };
  memcpy(cell.mean, text.value, sizeof cell.mean);
  memcpy(cell.std, cell.has_std ? text.std : "-", cell.has_std ? sizeof cell.std : 2);
  return cell;
}

void crd__report_series_add_tables(crd__text *out, const crd_series_summary *s, const char *corner,
                                   const crd_report_options *options) {
  const crd__report_grid grid = crd__report_series_grid(s, options, corner);
  crd__report_grid_text(out, &grid, options);
}

void crd__report_series_add_markdown(crd__text *out, const crd_series_summary *s,
                                     const char *corner, const crd_report_options *options) {
  const crd__report_grid grid = crd__report_series_grid(s, options, corner);
  crd__report_grid_markdown(out, &grid);
  crd__text_add(out, "\n");
}

/* Papers show no seconds, which depend on the machine. */
void crd__report_series_add_latex(crd__text *out, const crd_series_summary *s, const char *corner,
                                  const crd_report_options *options) {
  crd__report_grid grid = crd__report_series_grid(s, options, corner);
  grid.columns = s->metric_count;
  crd__report_grid_latex(out, &grid);
}

/* ---- Ranks and marks. */

crd__report_rank crd__report_series_rank_of(const crd_series_summary *s, size_t candidate,
                                            size_t column) {
  const crd__report_grid grid = crd__report_series_grid(s, NULL, "");
  return crd__report_grid_rank(&grid, candidate, column);
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
