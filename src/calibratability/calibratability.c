/*
 * calibratability.c -- how well networks can be calibrated, by training method: regularisation in
 * training (label smoothing, focal loss) may give a lower ECE before calibration and a higher one
 * after it.
 *
 * Every run has a contest of the post-hoc methods on its own rows; all else is computed from the
 * values of these contests.
 *
 *   gap = mean ECE after a post-hoc method - that of the baseline
 *
 * Wang, Feng, Zhang: Rethinking calibration of deep neural networks: do not be afraid of
 * overconfidence (2021).
 */
#include "calibratability/calibratability.h"
#include "base/options.h"
#include "contest/cross.h"

#include <math.h>
#include <string.h>

enum { BINS = 15, BINS_MAX = 1000, DRAWS = 20 };
static const char standard_methods[] =
    "temperature,histogram(edges=equal-mass),isotonic(scope=top-1)";

void crd_calibratability_destroy(const crd_calibratability *results) { crd__arena_free(results); }

/* ---- Training methods. */

void crd__calibratability_join(crd__text *out, const void *names, size_t step, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const char *name;
    memcpy(&name, (const char *)names + i * step, sizeof name);
    crd__text_addf(out, "%s%s", i ? ", " : "", name);
  }
}

/* Returns the index of a training method; the number of them if there is none of that name. */
static size_t find(const crd__calibratability *c, const char *name) {
  size_t i = 0;
  while (i < c->results.count && strcmp(c->items[i].name, name) != 0) i++;
  return i;
}

static crd_status enlist(crd_context *ctx, crd__calibratability *c, const char *name) {
  const size_t at = find(c, name);
  if (at < c->results.count) return CRD_OK;
  CRD_TRY(crd__arena_text(ctx, c, name, &c->items[at].name));
  c->results.count++;
  return CRD_OK;
}

static crd_status check_baseline(crd_context *ctx, const crd_trained_run *runs, size_t count,
                                 const char *baseline) {
  if (!baseline) return CRD_OK;
  for (size_t r = 0; r < count; r++)
    if (strcmp(runs[r].name, baseline) == 0) return CRD_OK;
  return crd__fail(ctx, CRD_EUSAGE, "%s is '%.100s', allowed are the names of runs: '%.100s' ...",
                   crd__spell(ctx, "baseline"), baseline, runs[0].name);
}

/* Lists the training methods, the baseline first, and counts their runs. */
static crd_status group(crd_context *ctx, crd__calibratability *c, const crd_trained_run *runs,
                        const char *baseline) {
  CRD_TRY(crd__arena_add(ctx, c, c->runs, sizeof *c->items, "training methods", &c->items));
  CRD_TRY(crd__arena_add(ctx, c, c->runs + 1, sizeof *c->first, "training methods", &c->first));
  c->results.items = c->items;
  if (baseline) CRD_TRY(enlist(ctx, c, baseline));
  for (size_t r = 0; r < c->runs; r++) {
    CRD_TRY(enlist(ctx, c, runs[r].name));
    c->items[find(c, runs[r].name)].runs++;
  }
  for (size_t i = 0; i < c->results.count; i++) c->first[i + 1] = c->first[i] + c->items[i].runs;
  return CRD_OK;
}

/* ---- Checks. */

static crd_status check_options(crd_context *ctx, const crd_calibratability_options *options) {
  if (options->bins > BINS_MAX)
    return crd__fail(ctx, CRD_EUSAGE, "%s is %u, allowed are up to %d", crd__spell(ctx, "bins"),
                     options->bins, BINS_MAX);
  if (options->split == 0 || (options->split > 0 && options->split < 1)) return CRD_OK;
  return crd__fail(ctx, CRD_EUSAGE, "%s must lie between 0 and 1", crd__spell(ctx, "split"));
}

/* Training methods are compared on one task. */
static crd_status check_classes(crd_context *ctx, const crd_predictions *p,
                                const crd_predictions *first) {
  const size_t classes = crd_predictions_classes(p), wanted = crd_predictions_classes(first);
  if (classes == 2 && p->parts.binary == CRD_BINARY_POS)
    return crd__fail(ctx, CRD_EUSAGE,
                     "%s: calibratability is that of the predicted class, %s is not supported",
                     crd_predictions_name(p), crd__spell(ctx, "binary"));
  if (classes == wanted) return CRD_OK;
  return crd__fail(ctx, CRD_EINPUT,
                   "%s has %zu classes, %s has %zu: all runs must have the same classes",
                   crd_predictions_name(p), classes, crd_predictions_name(first), wanted);
}

static crd_status check_runs(crd_context *ctx, const crd_trained_run *runs, size_t count) {
  if (!count) return crd__fail(ctx, CRD_EUSAGE, "no runs: at least one is needed");
  for (size_t r = 0; r < count; r++) {
    CRD_TRY(check_classes(ctx, runs[r].test, runs[0].test));
    if (runs[r].calibrate) CRD_TRY(check_classes(ctx, runs[r].calibrate, runs[0].test));
  }
  return CRD_OK;
}

/* ---- Memory. */

static crd_status copy_methods(crd_context *ctx, crd__calibratability *c,
                               const crd_contest *contest) {
  crd_calibratability *const r = &c->results;
  CRD_TRY(crd__arena_add(ctx, c, contest->count, sizeof *c->methods, "methods", &c->methods));
  r->methods = c->methods;
  for (size_t m = 0; m + 1 < contest->count; m++) {
    CRD_TRY(crd__arena_text(ctx, c, contest->candidates[m + 1].name, &c->methods[m]));
    r->method_count++;
  }
  return CRD_OK;
}

/* Allocates all memory for results, after the contest of the first run. */
static crd_status begin(crd_context *ctx, crd__calibratability *c, const crd_contest *contest) {
  crd_calibratability *const r = &c->results;
  CRD_TRY(copy_methods(ctx, c, contest));
  CRD_TRY(crd__calibratability_columns_make(ctx, c, contest));
  const size_t cells = r->count * r->column_count;
  const size_t sized = r->method_count * r->size_count;
  CRD_TRY(
      crd__arena_add(ctx, c, r->column_count * c->runs, sizeof *c->table, "columns", &c->table));
  CRD_TRY(crd__arena_add(ctx, c, cells, sizeof *c->values, "columns", &c->values));
  CRD_TRY(crd__arena_add(ctx, c, cells, sizeof *c->gaps, "columns", &c->gaps));
  CRD_TRY(crd__arena_add(ctx, c, r->count * sized, sizeof *c->sized, "sizes", &c->sized));
  CRD_TRY(crd__arena_add(ctx, c, sized * c->runs, r->draws * sizeof *c->draws, "draws", &c->draws));
  for (size_t i = 0; i < sized * c->runs * r->draws; i++) c->draws[i] = (double)NAN;
  return CRD_OK;
}

/* ---- One run. */

static void count_rows(size_t rows, size_t *min, size_t *max) {
  if (*max == 0 || rows < *min) *min = rows;
  if (rows > *max) *max = rows;
}

static bool is_noted(const crd__calibratability *c, const char *note) {
  for (size_t i = 0; i < c->notes.count; i++)
    if (strcmp(c->notes.items[i], note) == 0) return true;
  return false;
}

/* Keeps notes once, and the first error message of a method. */
static crd_status keep_notes(crd_context *ctx, crd__calibratability *c, const crd_contest *contest,
                             const char *name) {
  for (size_t i = 0; i < contest->note_count; i++)
    if (!is_noted(c, contest->notes[i]))
      CRD_TRY(crd__notes_add(ctx, crd__arena_allocator(c), &c->notes, "%s", contest->notes[i]));
  for (size_t m = 1; m < contest->count; m++)
    if (contest->candidates[m].failure)
      CRD_TRY(crd__notes_add(ctx, crd__arena_allocator(c), &c->notes, "%s: %s failed: %s", name,
                             contest->candidates[m].name, contest->candidates[m].failure));
  return CRD_OK;
}

static crd_status hold(crd_context *ctx, crd__calibratability *c, size_t run, const char *name,
                       const crd__calibratability_rows *rows,
                       const crd_calibratability_options *options) {
  crd_calibratability *const r = &c->results;
  const crd_contest_options what = { .size = sizeof what,
                                     .methods =
                                         options->methods ? options->methods : standard_methods,
                                     .metrics = "ece",
                                     .bins = r->bins };
  const crd_contest *contest;
  CRD_TRY(crd__calibratability_sizes_check(ctx, c, rows->calibrate));
  CRD_TRY(crd_contest_run(ctx, rows->calibrate, rows->test, &what, &contest));
  crd_status status = c->columns ? CRD_OK : begin(ctx, c, contest);
  if (status == CRD_OK && contest->count != r->method_count + 1)
    status = crd__fail(ctx, CRD_EINPUT,
                       "%s: %zu methods can be fitted, %zu in the first run; name the methods",
                       crd_predictions_name(rows->test), contest->count - 1, r->method_count);
  if (status == CRD_OK)
    status = crd__calibratability_columns_fill(ctx, c, run, contest, rows->test);
  if (status == CRD_OK) status = keep_notes(ctx, c, contest, name);
  crd_contest_destroy(contest);
  count_rows(crd_predictions_rows(rows->calibrate), &r->calibrate_rows_min, &r->calibrate_rows_max);
  count_rows(crd_predictions_rows(rows->test), &r->test_rows_min, &r->test_rows_max);
  return status == CRD_OK ? crd__calibratability_sizes_measure(ctx, c, run, rows) : status;
}

static crd_status measure_run(crd_context *ctx, crd__calibratability *c, size_t run,
                              const crd_trained_run *from,
                              const crd_calibratability_options *options) {
  crd__calibratability_rows rows = { .calibrate = from->calibrate, .test = from->test };
  crd_predictions *calibrate = NULL, *test = NULL;
  crd_status status = CRD_OK;
  if (!from->calibrate) {
    const double share = options->split > 0 ? options->split : 0.5;
    status = crd__contest_rows_divide(ctx, from->test, share, &calibrate, &test);
    rows = (crd__calibratability_rows){ .calibrate = calibrate, .test = test };
  }
  if (status == CRD_OK) status = hold(ctx, c, run, from->name, &rows, options);
  crd_predictions_destroy(calibrate);
  crd_predictions_destroy(test);
  return status;
}

/* ---- All runs. */

static crd_status measure_all(crd_context *ctx, crd__calibratability *c,
                              const crd_trained_run *runs,
                              const crd_calibratability_options *options) {
  crd_calibratability *const r = &c->results;
  crd__text name;
  CRD_TRY(crd__arena_add(ctx, c, options->size_count, sizeof *c->sizes, "sizes", &c->sizes));
  if (options->size_count) memcpy(c->sizes, options->sizes, options->size_count * sizeof *c->sizes);
  r->sizes = c->sizes;
  CRD_TRY(group(ctx, c, runs, options->baseline));
  crd__text_init(&name, crd__arena_allocator(c));
  crd__calibratability_join(&name, &c->items[0].name, sizeof *c->items, r->count);
  CRD_TRY(crd__text_status(ctx, &name));
  r->name = name.bytes;
  for (size_t i = 0; i < r->count; i++)
    for (size_t k = 0, run = c->first[i]; k < c->runs; k++) {
      if (strcmp(runs[k].name, c->items[i].name) != 0) continue;
      CRD_TRY(crd__check_interrupt(ctx));
      CRD_TRY(measure_run(ctx, c, run++, &runs[k], options));
    }
  CRD_TRY(crd__calibratability_sum_up(ctx, c));
  r->note_count = c->notes.count;
  r->notes = (const char *const *)c->notes.items;
  return CRD_OK;
}

crd_status crd_calibratability_measure(crd_context *ctx, const crd_trained_run *runs, size_t count,
                                       const crd_calibratability_options *options,
                                       const crd_calibratability **out) {
  crd_calibratability_options own;
  crd__calibratability *c;
  *out = NULL;
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_calibratability_options, options, &own));
  options = &own;
  CRD_TRY(check_options(ctx, options));
  CRD_TRY(check_runs(ctx, runs, count));
  CRD_TRY(check_baseline(ctx, runs, count, options->baseline));
  CRD_TRY(crd__arena_new(ctx, sizeof *c, "calibratability", &c));
  c->runs = count;
  c->results.bins = options->bins ? options->bins : BINS;
  c->results.classes = crd_predictions_classes(runs[0].test);
  c->results.draws = options->draws ? options->draws : DRAWS;
  c->results.size_count = options->size_count;
  const crd_status status = measure_all(ctx, c, runs, options);
  if (status == CRD_OK) *out = &c->results;
  else crd__arena_free(c);
  return status;
}
