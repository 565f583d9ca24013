/* curve.c -- binary-search lookup in curves, and their construction point by point. */
#include "calibrator/curve.h"
#include "base/memory.h"
#include "calibrator/map.h"

#include <assert.h>
#include <math.h>

const crd__calibrator_learns crd__calibrator_curve_learns[] = {
  { .name = "probability", .parts = CRD__EACH_EVENT, .free = true },
  { .name = "calibrated", .parts = CRD__EACH_EVENT, .free = true },
  { .name = NULL }
};

/* Returns the index of the first point not before `at`, by binary search. */
static size_t find(const double *x, size_t count, double at) {
  size_t low = 0, high = count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (x[middle] < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

double crd__calibrator_curve_at(const double *x, const double *y, size_t count, double at) {
  const size_t j = find(x, count, at);
  double value = y[j < count ? j : count - 1];
  if (j > 0 && j < count && at < x[j])
    value = y[j - 1] + (y[j] - y[j - 1]) * ((at - x[j - 1]) / (x[j] - x[j - 1]));
  return fmin(1, fmax(0, value));
}

static void map(const crd__calibrator_model *model, const char *axis, size_t part, size_t rows,
                const double *at, double *out) {
  size_t count;
  const double *const x = crd__calibrator_recall(model->learnt, axis, part, &count);
  const double *const y = crd__calibrator_recall(model->learnt, "calibrated", part, NULL);
  for (size_t i = 0; i < rows; i++) out[i] = crd__calibrator_curve_at(x, y, count, at[i]);
}

void crd__calibrator_curve_apply(const crd__calibrator_model *model, size_t part, size_t rows,
                                 const double *log_odds, const double *probability, double *out) {
  (void)log_odds;
  map(model, "probability", part, rows, probability, out);
}

crd_status crd__calibrator_curve_describe(crd_context *ctx, const crd__calibrator_model *model,
                                          size_t part, crd__calibrator_map *out) {
  size_t count;
  const double *const x = crd__calibrator_recall(model->learnt, "probability", part, &count);
  const double *const y = crd__calibrator_recall(model->learnt, "calibrated", part, NULL);
  return crd__calibrator_map_add(ctx, out, CRD__LINES, x, count, y, count);
}

void crd__calibrator_curve_log_odds_apply(const crd__calibrator_model *model, size_t part,
                                          size_t rows, const double *log_odds,
                                          const double *probability, double *out) {
  (void)probability;
  map(model, "log_odds", part, rows, log_odds, out);
}

/* ---- Step functions as maps (map.h). */

/* Extracts each step's value and end; the last step has no end. */
static crd_status take_steps(crd_context *ctx, const double *x, const double *y, size_t count,
                             crd__calibrator_curve *steps) {
  CRD_TRY(crd__calibrator_curve_create(ctx, count, steps));
  for (size_t i = 0; i < count; i++) {
    if (i && y[i] == y[i - 1]) continue;
    if (i && x[i] > x[i - 1])
      return crd__fail(ctx, CRD_EUSAGE,
                       "the calibrator's curve is not a step function: it rises from point %zu to "
                       "point %zu",
                       i - 1, i);
    if (i) steps->x[steps->count - 1] = x[i];
    steps->y[steps->count++] = fmin(1, fmax(0, y[i]));
  }
  return CRD_OK;
}

static crd_status describe_steps(crd_context *ctx, const crd__calibrator_model *model,
                                 const char *axis, size_t part, crd__calibrator_map *out) {
  size_t count;
  const double *const x = crd__calibrator_recall(model->learnt, axis, part, &count);
  const double *const y = crd__calibrator_recall(model->learnt, "calibrated", part, NULL);
  crd__calibrator_curve s = { 0 };
  crd_status status = take_steps(ctx, x, y, count, &s);
  if (status == CRD_OK)
    status = crd__calibrator_map_add(ctx, out, CRD__STEPS, s.x, s.count - 1, s.y, s.count);
  crd__calibrator_curve_clear(&ctx->alloc, &s);
  return status;
}

crd_status crd__calibrator_curve_describe_steps(crd_context *ctx,
                                                const crd__calibrator_model *model, size_t part,
                                                crd__calibrator_map *out) {
  return describe_steps(ctx, model, "probability", part, out);
}

crd_status crd__calibrator_curve_log_odds_describe_steps(crd_context *ctx,
                                                         const crd__calibrator_model *model,
                                                         size_t part, crd__calibrator_map *out) {
  CRD_TRY(crd__calibrator_map_add(ctx, out, CRD__ODDS, NULL, 0, NULL, 0));
  return describe_steps(ctx, model, "log_odds", part, out);
}

/* ---- Construction. */

crd_status crd__calibrator_curve_create(crd_context *ctx, size_t capacity,
                                        crd__calibrator_curve *out) {
  *out = (crd__calibrator_curve){ .capacity = capacity };
  CRD_TRY(crd__new(ctx, capacity, sizeof *out->x, "a curve", &out->x));
  return crd__new(ctx, capacity, sizeof *out->y, "a curve", &out->y);
}

void crd__calibrator_curve_clear(const crd_allocator *alloc, crd__calibrator_curve *curve) {
  crd__free(alloc, curve->x);
  crd__free(alloc, curve->y);
  *curve = (crd__calibrator_curve){ 0 };
}

void crd__calibrator_curve_add(crd__calibrator_curve *curve, double x, double y) {
  const size_t n = curve->count;
  const bool level = n >= 2 && curve->y[n - 1] == y && curve->y[n - 2] == y;
  if (!level) curve->count++;
  assert(curve->count <= curve->capacity);
  curve->x[curve->count - 1] = x;
  curve->y[curve->count - 1] = y;
}

void crd__calibrator_curve_add_step(crd__calibrator_curve *curve, double from, double to,
                                    double y) {
  crd__calibrator_curve_add(curve, from, y);
  crd__calibrator_curve_add(curve, to, y);
}

crd_status crd__calibrator_curve_learn(crd_context *ctx, const crd__calibrator_learns *learns,
                                       const crd__calibrator_curve *curve,
                                       crd__calibrator_fitted *out) {
  bool certain = false;
  for (size_t i = 0; i < curve->count; i++) certain |= curve->y[i] <= 0 || curve->y[i] >= 1;
  if (certain && !out->certificate.note)
    out->certificate.note = "the curve contains probabilities of exactly 0 or 1: one new row that "
                            "contradicts them makes the likelihood 0";
  CRD_TRY(crd__calibrator_learn(ctx, &out->learnt, learns[0].name, curve->x, curve->count));
  return crd__calibrator_learn(ctx, &out->learnt, learns[1].name, curve->y, curve->count);
}
