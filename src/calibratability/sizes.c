/*
 * sizes.c -- ECE of the test rows after post-hoc methods that were fitted on few rows: how many
 * calibration rows a method needs.
 *
 * A draw puts all calibration rows into a random order, which depends only on seed, draw and row;
 * a size takes its first rows. Draws of one number are therefore nested, so that sizes differ by
 * the added rows only, and equal for runs with the same rows.
 *
 * Wang, Feng, Zhang: Rethinking calibration of deep neural networks: do not be afraid of
 * overconfidence (2021), figure 3.
 */
#include "base/memory.h"
#include "base/random.h"
#include "calibratability/calibratability.h"
#include "credence/calibrator.h"
#include "math/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 2, DRAW_STREAM = 1 << 16 };

unsigned crd__calibratability_draws(const crd__calibratability *c, size_t size) {
  return c->sizes[size] ? c->results.draws : 1;
}

double *crd__calibratability_drawn(const crd__calibratability *c, size_t method, size_t size,
                                   size_t run) {
  const size_t cell = method * c->results.size_count + size;
  return c->draws + (cell * c->runs + run) * c->results.draws;
}

static void shuffle(uint64_t seed, unsigned draw, size_t rows, uint64_t *records) {
  for (size_t i = 0; i < rows; i++) {
    records[WORDS * i] = crd__random_bits(seed, (uint64_t)DRAW_STREAM + draw, i);
    records[WORDS * i + 1] = i;
  }
  crd__math_sort_records(records, rows, WORDS);
}

static int compare_rows(const void *a, const void *b) {
  const size_t x = *(const size_t *)a, y = *(const size_t *)b;
  return (x > y) - (x < y);
}

/* The first rows of a random order, in the order of the file: that of all rows is the set itself.
 */
static crd_status pick(crd_context *ctx, const crd_predictions *from, const uint64_t *records,
                       size_t count, crd_predictions **out) {
  size_t *rows;
  *out = NULL;
  CRD_TRY(crd__new(ctx, count, sizeof *rows, "rows", &rows));
  for (size_t i = 0; i < count; i++) rows[i] = (size_t)records[WORDS * i + 1];
  qsort(rows, count, sizeof *rows, compare_rows);
  const crd_status status = crd__data_predictions_pick(ctx, from, rows, count, out);
  crd__free(&ctx->alloc, rows);
  return status;
}

/* ---- One fit. */

/* "platt(scope=top-1)" as method and settings. */
typedef struct {
  char *text, *settings;
} parsed;

static crd_status parse(crd_context *ctx, const char *method, parsed *out) {
  *out = (parsed){ .text = crd__strdup(&ctx->alloc, method) };
  if (!out->text) return crd__fail(ctx, CRD_ENOMEM, "no memory for a name");
  char *const open = strchr(out->text, '(');
  if (!open) return CRD_OK;
  *open = '\0';
  out->settings = open + 1;
  out->settings[strlen(out->settings) - 1] = '\0';
  return CRD_OK;
}

static crd_status judge(crd_context *ctx, const crd_calibrator *calibrator,
                        const crd_predictions *test, unsigned bins, double *ece) {
  const crd_evaluate_options what = { .size = sizeof what, .metrics = "ece", .bins = bins };
  crd_predictions *calibrated = NULL;
  const crd_result *result = NULL;
  crd_status status = crd_calibrator_calibrate(ctx, calibrator, test, &calibrated);
  if (status == CRD_OK) status = crd_evaluate(ctx, calibrated, &what, &result);
  if (status == CRD_OK) *ece = crd_result_value(result, "ece")->value;
  crd_result_destroy(result);
  crd_predictions_destroy(calibrated);
  return status;
}

/* A fit that fails on the drawn rows is no failure of the others. */
static crd_status fit(crd_context *ctx, const char *method, const crd__calibratability_rows *rows,
                      unsigned bins, double *ece) {
  crd_calibrator *calibrator = NULL;
  parsed p;
  *ece = (double)NAN;
  crd_status status = parse(ctx, method, &p);
  if (status == CRD_OK)
    status = crd_calibrator_fit(ctx, p.text, p.settings, rows->calibrate, &calibrator);
  crd__free(&ctx->alloc, p.text);
  if (status == CRD_EINPUT || status == CRD_ENUMERIC) return CRD_OK;
  if (status == CRD_OK) status = judge(ctx, calibrator, rows->test, bins, ece);
  crd_calibrator_destroy(calibrator);
  return status;
}

/* ---- All sizes. */

static crd_status fit_drawn(crd_context *ctx, crd__calibratability *c, size_t run, size_t size,
                            unsigned draw, const crd__calibratability_rows *rows) {
  for (size_t m = 0; m < c->results.method_count; m++)
    CRD_TRY(fit(ctx, c->methods[m], rows, c->results.bins,
                &crd__calibratability_drawn(c, m, size, run)[draw]));
  return CRD_OK;
}

static crd_status draw_once(crd_context *ctx, crd__calibratability *c, size_t run, unsigned draw,
                            const crd__calibratability_rows *rows, const uint64_t *records) {
  const size_t all = crd_predictions_rows(rows->calibrate);
  for (size_t s = 0; s < c->results.size_count; s++) {
    crd__calibratability_rows drawn = { .test = rows->test };
    crd_predictions *picked;
    if (draw >= crd__calibratability_draws(c, s)) continue;
    CRD_TRY(pick(ctx, rows->calibrate, records, c->sizes[s] ? c->sizes[s] : all, &picked));
    drawn.calibrate = picked;
    const crd_status status = fit_drawn(ctx, c, run, s, draw, &drawn);
    crd_predictions_destroy(picked);
    CRD_TRY(status);
  }
  return CRD_OK;
}

crd_status crd__calibratability_sizes_check(crd_context *ctx, const crd__calibratability *c,
                                            const crd_predictions *calibrate) {
  const size_t rows = crd_predictions_rows(calibrate);
  for (size_t s = 0; s < c->results.size_count; s++)
    if (c->sizes[s] > rows)
      return crd__fail(ctx, CRD_EUSAGE, "%s: %s asks for %zu calibration rows, there are %zu",
                       crd_predictions_name(calibrate), crd__spell(ctx, "sizes"), c->sizes[s],
                       rows);
  return CRD_OK;
}

crd_status crd__calibratability_sizes_measure(crd_context *ctx, crd__calibratability *c, size_t run,
                                              const crd__calibratability_rows *rows) {
  const size_t count = crd_predictions_rows(rows->calibrate);
  uint64_t *records;
  if (!c->results.size_count) return CRD_OK;
  CRD_TRY(crd__new(ctx, count, WORDS * sizeof *records, "rows", &records));
  crd_status status = CRD_OK;
  for (unsigned d = 0; status == CRD_OK && d < c->results.draws; d++) {
    crd__progress(ctx, "drawing calibration rows", d, c->results.draws);
    shuffle(ctx->seed, d, count, records);
    status = draw_once(ctx, c, run, d, rows, records);
  }
  crd__free(&ctx->alloc, records);
  return status;
}
