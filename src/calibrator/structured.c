/*
 * structured.c -- structured scaling: probs = softmax(W x + b) of smoothed, temperature-scaled
 * log-probabilities
 *
 *   x = log((1 - u) softmax(z / T) + u / K),   u = 1 / (n + 1),   n rows, K classes,
 *
 * where T is fitted first, by temperature scaling, and then W = I + diag v + M (M without a
 * diagonal) and b minimise
 *
 *   mean -log p_y + lambda K / n (|v|^2 + |b|^2) + lambda K (K - 1) / n |M|^2.
 *
 * T has most of the effect and no penalty; each further group of parameters is shrunk towards 0 in
 * proportion to its size, and less with more rows, so that no strength has to be searched for. The
 * mixture with u / K bounds x: one certain and wrong row cannot decide the fit. The problem is
 * convex, and every parameter has a penalty: there is one finite optimum, also for separable
 * classes and for classes without rows.
 *
 * Berta, Holzmueller, Jordan, Bach: Structured matrix scaling for multi-class calibration (2026).
 */
#include "calibrator/structured.h"
#include "base/memory.h"
#include "calibrator/map.h"
#include "calibrator/temper.h"
#include "math/product.h"

#include <math.h>
#include <string.h>

enum { ROWS = 16, TILE = 256 }; /* of x on the stack: apply must not allocate */

const crd_setting_info crd__calibrator_structured_settings[1] = {
  { .name = "lambda",
    .help = "strength of the penalties; 0: none",
    .standard = "1",
    .low = 0,
    .high = 1e12 },
};

/* ---- x. */

typedef struct {
  double temperature, uniform; /* T, and u */
} front;

/* The largest logit and the sum of exp((z - top) / T) of a row. */
typedef struct {
  double top, mass;
} row_scale;

static row_scale measure(const front *f, const double *z, size_t classes) {
  row_scale s = { .top = z[0] };
  for (size_t k = 1; k < classes; k++) s.top = fmax(s.top, z[k]);
  for (size_t k = 0; k < classes; k++) s.mass += exp((z[k] - s.top) / f->temperature);
  return s;
}

/* Computes x of the classes from .. to - 1 of a row. */
static void smooth(const front *f, const row_scale *s, const double *z, size_t classes, size_t from,
                   size_t to, double *x) {
  const double least = f->uniform / (double)classes;
  for (size_t k = from; k < to; k++)
    x[k - from] = log((1 - f->uniform) * exp((z[k] - s->top) / f->temperature) / s->mass + least);
}

/* ---- The fit. */

/* Rows of weight 0 do not count. */
static double count_rows(const crd__calibrator_fit_data *data) {
  double rows = 0;
  for (size_t i = 0; i < data->rows; i++) rows += data->weights[i] > 0;
  return rows;
}

static void set_penalties(crd__calibrator_affine *a, double rows) {
  const double classes = (double)a->data->classes, lambda = a->data->settings[0];
  a->on = a->bias = lambda * classes / rows;
  a->off = a->diagonal ? 0 : lambda * classes * (classes - 1) / rows;
  if (!(lambda > 0)) return;
  a->ridge = 0; /* the penalties bound classes without rows already */
  a->absent = 0;
}

static crd_status learn_front(crd_context *ctx, const front *f, crd__calibrator_learnt *learnt) {
  CRD_TRY(crd__calibrator_learnt_add(ctx, learnt, "temperature", &f->temperature, 1));
  return crd__calibrator_learnt_add(ctx, learnt, "uniform", &f->uniform, 1);
}

/* Fits W and b to x, which `data` has as its logits. */
static crd_status fit_affine(crd_context *ctx, const crd__calibrator_fit_data *data, double rows,
                             bool diagonal, crd__calibrator_fitted *out) {
  crd__calibrator_affine a;
  CRD_TRY(crd__calibrator_affine_create(ctx, data, diagonal, &a));
  set_penalties(&a, rows);
  const crd_status status = crd__calibrator_affine_solve(ctx, &a, out);
  crd__calibrator_affine_clear(ctx, &a);
  return status;
}

crd_status crd__calibrator_structured_fit(crd_context *ctx, const crd__calibrator_fit_data *data,
                                          bool diagonal, crd__calibrator_fitted *out) {
  const size_t classes = data->classes;
  const double rows = count_rows(data);
  crd__calibrator_fit_data scaled = *data;
  front f = { .uniform = 1 / (rows + 1) };
  size_t cells;
  double *x;
  CRD_TRY(crd__calibrator_temperature_fit(ctx, data, &f.temperature, &out->certificate));
  const char *const note = out->certificate.note;
  if (!crd__size_mul(data->rows, classes, &cells)) cells = SIZE_MAX;
  CRD_TRY(crd__new(ctx, cells, sizeof *x, "a fit", &x));
  for (size_t i = 0; i < data->rows; i++) {
    const row_scale s = measure(&f, data->logits + i * classes, classes);
    smooth(&f, &s, data->logits + i * classes, classes, 0, classes, x + i * classes);
  }
  scaled.logits = x;
  crd_status status = learn_front(ctx, &f, &out->learnt);
  if (status == CRD_OK) status = fit_affine(ctx, &scaled, rows, diagonal, out);
  crd__free(&ctx->alloc, x);
  /* T at a bound stays reported; W and b are optimal for it all the same. */
  if (status == CRD_OK && !*out->certificate.note) out->certificate.note = note;
  return status;
}

/* ---- Apply and describe. */

/* Sets out = W x + b of at most ROWS rows, a tile of classes at a time. */
static void map_rows(const crd__calibrator_model *model, const front *f, const double *logits,
                     size_t rows, double *out) {
  const size_t classes = model->classes;
  const bool diagonal = crd__calibrator_learnt_find(model->learnt, "w") != NULL;
  const double *const w = crd__calibrator_learnt_get(model->learnt, diagonal ? "w" : "W", 0, NULL);
  const double *const b = crd__calibrator_learnt_get(model->learnt, "b", 0, NULL);
  double x[ROWS * TILE];
  row_scale scale[ROWS];
  for (size_t i = 0; i < rows; i++) {
    scale[i] = measure(f, logits + i * classes, classes);
    memcpy(out + i * classes, b, classes * sizeof *out);
  }
  for (size_t from = 0; from < classes; from += TILE) {
    const size_t width = classes - from < TILE ? classes - from : TILE;
    for (size_t i = 0; i < rows; i++)
      smooth(f, &scale[i], logits + i * classes, classes, from, from + width, x + i * width);
    if (!diagonal)
      crd__math_product_add(rows, classes, width, (crd__math_matrix){ x, width, 1 },
                            (crd__math_matrix){ w + from, 1, classes }, out, classes);
    for (size_t i = 0; diagonal && i < rows; i++)
      for (size_t k = 0; k < width; k++)
        out[i * classes + from + k] += w[from + k] * x[i * width + k];
  }
}

static front recall(const crd__calibrator_model *model) {
  return (front){ *crd__calibrator_learnt_get(model->learnt, "temperature", 0, NULL),
                  *crd__calibrator_learnt_get(model->learnt, "uniform", 0, NULL) };
}

void crd__calibrator_structured_apply(const crd__calibrator_model *model, const double *logits,
                                      size_t rows, double *out) {
  const front f = recall(model);
  for (size_t i = 0; i < rows; i += ROWS)
    map_rows(model, &f, logits + i * model->classes, rows - i < ROWS ? rows - i : ROWS,
             out + i * model->classes);
  crd__math_row_kernels_best()->softmax(out, CRD__ROW_F64, rows, model->classes, out);
}

crd_status crd__calibrator_structured_describe(crd_context *ctx, const crd__calibrator_model *model,
                                               crd__calibrator_map *out) {
  const front f = recall(model);
  const double shares[] = { 1 - f.uniform, f.uniform }, slopes[] = { 1 / f.temperature, 0 };
  CRD_TRY(crd__calibrator_map_add(ctx, out, CRD__MIX, shares, 2, slopes, 2));
  CRD_TRY(crd__calibrator_map_add(ctx, out, CRD__LOG, NULL, 0, NULL, 0));
  return crd__calibrator_affine_describe(ctx, model, out);
}
