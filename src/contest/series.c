/*
 * series.c -- keeps what a series needs of its contests: the values of all candidates in all runs.
 *
 * All memory is allocated before anything is changed, so that a failed add leaves the series as it
 * was.
 */
#include "contest/series.h"
#include "base/memory.h"
#include "base/options.h"

#include <math.h>
#include <string.h>

enum { FIRST_CAPACITY = 8 };

crd_status crd_series_create(crd_context *ctx, const crd_series_options *options,
                             crd_series **out) {
  crd_series_options own;
  crd_series *s;
  *out = NULL;
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_series_options, options, &own));
  CRD_TRY(crd__new(ctx, 1, sizeof *s, "a series", &s));
  s->alloc = ctx->alloc;
  s->summary.kind = own.kind;
  if (own.caption && !(s->caption = crd__strdup(&s->alloc, own.caption))) {
    crd_series_destroy(s);
    return crd__fail(ctx, CRD_ENOMEM, "no memory for a caption");
  }
  s->summary.caption = s->caption;
  *out = s;
  return CRD_OK;
}

/* Frees all that the first run allocates; the series is as after create. */
static void forget(crd_series *s) {
  const crd_allocator *const alloc = &s->alloc;
  for (size_t i = 0; s->items && i < s->summary.count; i++) {
    crd__free(alloc, (void *)(uintptr_t)s->items[i].name);
    crd__free(alloc, (void *)(uintptr_t)s->items[i].failure);
  }
  crd__free(alloc, s->items);
  crd__free(alloc, s->values);
  crd__free(alloc, s->differences);
  crd__free(alloc, s->p);
  crd__free(alloc, s->metrics);
  crd__free(alloc, s->table);
  crd__free(alloc, s->calibrate_name);
  crd__free(alloc, s->test_name);
  crd__notes_clear(alloc, &s->notes);
  *s = (crd_series){ .alloc = s->alloc,
                     .caption = s->caption,
                     .summary = { .kind = s->summary.kind, .caption = s->caption } };
}

void crd_series_destroy(crd_series *series) {
  if (!series) return;
  const crd_allocator alloc = series->alloc;
  forget(series);
  crd__free(&alloc, series->caption);
  crd__free(&alloc, series);
}

const crd_series_summary *crd_series_describe(const crd_series *series) { return &series->summary; }

/* ---- The first run. */

static crd_status copy_text(crd_context *ctx, const crd_series *s, const char *text, char **out) {
  *out = crd__strdup(&s->alloc, text ? text : "");
  return *out ? CRD_OK : crd__fail(ctx, CRD_ENOMEM, "no memory for a name");
}

static crd_status copy_names(crd_context *ctx, crd_series *s, const crd_contest *contest) {
  CRD_TRY(copy_text(ctx, s, contest->calibrate_name, &s->calibrate_name));
  CRD_TRY(copy_text(ctx, s, contest->test_name, &s->test_name));
  for (size_t i = 0; i < contest->count; i++) {
    char *name;
    CRD_TRY(copy_text(ctx, s, contest->candidates[i].name, &name));
    s->items[i].name = name;
  }
  for (size_t i = 0; i < contest->note_count; i++)
    CRD_TRY(crd__notes_add(ctx, &s->alloc, &s->notes, "%s", contest->notes[i]));
  return CRD_OK;
}

/* Allocates memory for the candidates and metrics of a contest, and names them. */
static crd_status begin(crd_context *ctx, crd_series *s, const crd_contest *contest) {
  const crd_result *const first = contest->candidates[0].result;
  const size_t count = contest->count, metrics = first->value_count;
  CRD_TRY(crd__new(ctx, metrics, sizeof(crd_metric_info *), "a series", &s->metrics));
  CRD_TRY(crd__new(ctx, count, sizeof *s->items, "a series", &s->items));
  s->summary.count = count;
  CRD_TRY(crd__new(ctx, count * metrics, sizeof *s->values, "a series", &s->values));
  CRD_TRY(crd__new(ctx, 2 * count * metrics, sizeof *s->differences, "a series", &s->differences));
  CRD_TRY(crd__new(ctx, 2 * count, sizeof *s->p, "a series", &s->p));
  CRD_TRY(copy_names(ctx, s, contest));
  for (size_t m = 0; m < metrics; m++) s->metrics[m] = first->values[m].metric;
  crd_series_summary *const out = &s->summary;
  out->calibrate_name = s->calibrate_name;
  out->test_name = s->test_name;
  out->calibrate_rows_min = out->test_rows_min = SIZE_MAX;
  out->folds = contest->folds;
  out->metric_count = metrics;
  out->metrics = s->metrics;
  out->candidates = s->items;
  out->note_count = s->notes.count;
  out->notes = (const char *const *)s->notes.items;
  return CRD_OK;
}

/* ---- Every run. */

/* Fails unless all results have the metrics of the first run. */
static crd_status check_metrics(crd_context *ctx, const crd_series *s, const crd_contest *contest) {
  const crd_series_summary *const known = &s->summary;
  for (size_t i = 0; i < contest->count; i++) {
    const crd_result *const r = contest->candidates[i].result;
    bool same = !r || r->value_count == known->metric_count;
    for (size_t m = 0; r && same && m < known->metric_count; m++)
      same = strcmp(r->values[m].metric->name, known->metrics[m]->name) == 0;
    if (!same)
      return crd__fail(ctx, CRD_EUSAGE,
                       "run %zu of a series has other metrics of '%s' than the first run has, "
                       "allowed are the same %zu in the same order",
                       known->runs + 1, contest->candidates[i].name, known->metric_count);
  }
  return CRD_OK;
}

/* Fails unless the run has the candidates and folds of the first one. */
static crd_status check(crd_context *ctx, const crd_series *s, const crd_contest *contest) {
  const crd_series_summary *const known = &s->summary;
  const size_t run = known->runs + 1;
  if (!contest->count || !contest->candidates[0].result)
    return crd__fail(ctx, CRD_EUSAGE,
                     "run %zu of a series has no result of its first candidate, 'identity'", run);
  if (contest->folds && known->kind == CRD_SERIES_SPLITS)
    return crd__fail(ctx, CRD_EUSAGE,
                     "run %zu of a series of splits is cross-validated in %u folds, allowed is a "
                     "split",
                     run, contest->folds);
  if (known->runs == 0) return CRD_OK;
  if (contest->folds != known->folds)
    return crd__fail(ctx, CRD_EUSAGE, "run %zu of a series has %u folds, the first run has %u", run,
                     contest->folds, known->folds);
  if (contest->count != known->count)
    return crd__fail(ctx, CRD_EUSAGE,
                     "run %zu of a series compares %zu methods, the first run %zu: name the "
                     "methods, so that all runs have the same",
                     run, contest->count, known->count);
  for (size_t i = 0; i < known->count; i++)
    if (strcmp(contest->candidates[i].name, known->candidates[i].name) != 0)
      return crd__fail(ctx, CRD_EUSAGE,
                       "run %zu of a series has the method '%s' where the first run has '%s': name "
                       "the methods, so that all runs have the same",
                       run, contest->candidates[i].name, known->candidates[i].name);
  return CRD_OK;
}

/* Makes room for one more run in every cell. */
static crd_status grow(crd_context *ctx, crd_series *s) {
  const size_t cells = s->summary.count * crd__contest_series_cells(s), runs = s->summary.runs;
  const size_t capacity = s->capacity ? 2 * s->capacity : FIRST_CAPACITY;
  double *table;
  if (runs < s->capacity) return CRD_OK;
  CRD_TRY(crd__new(ctx, cells * capacity, sizeof *table, "a series", &table));
  for (size_t i = 0; i < cells && runs; i++)
    memcpy(table + i * capacity, s->table + i * s->capacity, runs * sizeof *table);
  crd__free(&s->alloc, s->table);
  s->table = table;
  s->capacity = capacity;
  return CRD_OK;
}

/* Copies the error messages of candidates that fail for the first time. */
static crd_status copy_failures(crd_context *ctx, crd_series *s, const crd_contest *contest) {
  crd_status status = CRD_OK;
  for (size_t i = 0; status == CRD_OK && i < s->summary.count; i++) {
    const crd_candidate *const c = &contest->candidates[i];
    char *failure = NULL;
    if (c->result || s->items[i].failures) continue;
    status = copy_text(ctx, s, c->failure, &failure);
    s->items[i].failure = failure;
  }
  for (size_t i = 0; status != CRD_OK && i < s->summary.count; i++) {
    if (s->items[i].failures) continue;
    crd__free(&s->alloc, (void *)(uintptr_t)s->items[i].failure);
    s->items[i].failure = NULL;
  }
  return status;
}

static double learnt_temperature(const crd_candidate *c) {
  for (size_t i = 0; i < c->learnt_count; i++) {
    const crd_learnt *const l = &c->learnt[i];
    if (strcmp(l->name, "temperature") == 0 && l->start[l->parts] == 1) return l->values[0];
  }
  return (double)NAN;
}

static void keep(crd_series *s, size_t index, const crd_candidate *c) {
  const size_t run = s->summary.runs, metrics = s->summary.metric_count;
  crd_series_candidate *const item = &s->items[index];
  const bool there = c->result != NULL;
  item->failures += !there;
  item->unconverged += there && c->certificate && !c->certificate->converged;
  for (size_t m = 0; m < metrics; m++)
    crd__contest_series_cell(s, index, m)[run] = there ? c->result->values[m].value : (double)NAN;
  crd__contest_series_cell(s, index, crd__contest_series_seconds(s))[run] =
      there ? c->seconds : (double)NAN;
  crd__contest_series_cell(s, index, crd__contest_series_temperature(s))[run] =
      there ? learnt_temperature(c) : (double)NAN;
}

static void count_rows(size_t rows, size_t *min, size_t *max, size_t *all) {
  if (rows < *min) *min = rows;
  if (rows > *max) *max = rows;
  *all += rows;
}

crd_status crd_series_add(crd_context *ctx, crd_series *series, const crd_contest *contest) {
  crd_series_summary *const out = &series->summary;
  const bool first = out->runs == 0;
  CRD_TRY(check(ctx, series, contest));
  crd_status status = first ? begin(ctx, series, contest) : CRD_OK;
  if (status == CRD_OK) status = check_metrics(ctx, series, contest);
  if (status == CRD_OK) status = grow(ctx, series);
  if (status == CRD_OK) status = copy_failures(ctx, series, contest);
  if (status != CRD_OK) {
    if (first) forget(series);
    return status;
  }
  for (size_t i = 0; i < out->count; i++) keep(series, i, &contest->candidates[i]);
  if (contest->chosen) series->items[contest->chosen - contest->candidates].chosen++;
  count_rows(contest->calibrate_rows, &out->calibrate_rows_min, &out->calibrate_rows_max,
             &series->calibrate_rows);
  count_rows(contest->test_rows, &out->test_rows_min, &out->test_rows_max, &series->test_rows);
  out->runs++;
  crd__contest_series_sum_up(series);
  return CRD_OK;
}
