/*
 * intra_order_preserving.c -- intra order-preserving calibration: softmax(m(log p)) with a monotone
 * m, which keeps the order of classes in each row.
 *
 * Rahimi et al. learn m as a neural network. Here it is piecewise linear (bent.h), and only the
 * slopes are learnt:
 *
 *   diagonal         one curve for all rows. Its knots are quantiles of the second largest log p,
 *                    because the gap between the two largest determines the confidence.
 *   order-invariant  a curve for each row, with knots at the row's own values: slope j stretches
 *                    the gap between the (j+1)-th and (j+2)-th largest log p. From the 16th gap on,
 *                    slopes are shared by groups of gaps, two for each doubling.
 *
 * The objective is the mean negative log-likelihood plus ridge / n sum_j (slope_j+1 - slope_j)^2
 * for n rows: where almost no row is wrong the likelihood does not bound a slope, but its
 * neighbours do. Both are convex in the slopes. Equal slopes are temperature scaling and have no
 * penalty, so the optimum is never worse than temperature scaling, from which the solver starts.
 *
 * Rahimi, Shaban, Cheng, Hartley, Boots: Intra order-preserving functions for calibration of
 * multi-class neural networks (2020).
 */
#include "base/memory.h"
#include "base/reduce.h"
#include "calibrator/bent.h"
#include "calibrator/calibrator.h"
#include "calibrator/samples.h"
#include "calibrator/temper.h"
#include "math/newton_box.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { KNOTS_MAX = 60, GAPS_ALONE = 16, STEPS_MAX = 200 };
static const double least = 1e-3, most = 1e3; /* bounds of slopes, as of 1/T */

enum { FORM, KNOTS, RIDGE };
enum { DIAGONAL, ORDER_INVARIANT };
static const crd_setting_info settings[] = {
  [FORM] = { .name = "form",
             .help = "one curve for all log p (diagonal), or a slope for each rank within a row "
                     "(order-invariant)",
             .standard = "diagonal",
             .words = "diagonal order-invariant" },
  [KNOTS] = { .name = "knots",
              .help = "number of inner knots of the curve (form=diagonal)",
              .standard = "10",
              .low = 0,
              .high = KNOTS_MAX,
              .whole = 1 },
  [RIDGE] = { .name = "ridge",
              .help = "penalty on squared differences of neighbouring slopes",
              .standard = "10",
              .low = 0,
              .high = 1e6 },
};

/* The ends of pieces: descending log p, or ascending ranks (the largest log p has rank 1). The last
 * piece is unbounded; its end is the smallest log p in the data, or the last rank. */
typedef struct {
  size_t pieces;
  double end[CRD__PIECES_MAX], slope[CRD__PIECES_MAX];
} lines;

/* ---- Knots. */

/* Shellsort in descending order: in place, for short rows. */
static void sort_falling(double *values, size_t count) {
  for (size_t gap = count / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11)
    for (size_t i = gap; i < count; i++) {
      const double value = values[i];
      size_t to = i;
      for (; to >= gap && values[to - gap] < value; to -= gap) values[to] = values[to - gap];
      values[to] = value;
    }
}

/* Sets the knots to the row's values at the ranks where pieces end; `sorted` is a scratch row. */
static void take_ranks(const double *end, size_t pieces, const double *x, size_t classes,
                       double *sorted, double *knots) {
  memcpy(sorted, x, classes * sizeof *sorted);
  sort_falling(sorted, classes);
  for (size_t j = 0; j + 1 < pieces; j++) {
    const double rank = fmin((double)classes, fmax(1, end[j])); /* a file may have any number */
    knots[j] = sorted[(size_t)rank - 1];
  }
}

static void cut_ranks(size_t classes, lines *l) {
  for (size_t gaps = 1, step = 1; gaps + 1 < classes; gaps += step) {
    l->end[l->pieces++] = (double)(gaps + 1);
    if (gaps >= GAPS_ALONE && (gaps & (gaps - 1)) == 0) step = gaps / 2;
  }
  l->end[l->pieces++] = (double)classes;
}

/* Returns a row's second largest log p, which determines its confidence. */
static double telling(const crd__calibrator_fit_data *data, size_t row) {
  const double *const x = data->logits + row * data->classes;
  double top = x[0], second = -INFINITY;
  for (size_t k = 1; k < data->classes; k++) {
    second = fmax(second, fmin(top, x[k]));
    top = fmax(top, x[k]);
  }
  return second;
}

static crd_status cut_quantiles(crd_context *ctx, const crd__calibrator_fit_data *data, lines *l) {
  const size_t bins = (size_t)data->settings[KNOTS] + 1;
  size_t ends[KNOTS_MAX + 1];
  double *values = NULL;
  unsigned char *happened = NULL;
  crd__calibrator_samples samples = { 0 };
  crd_status status = crd__new(ctx, data->rows, sizeof *values, "quantiles", &values);
  if (status == CRD_OK) status = crd__new(ctx, data->rows, 1, "quantiles", &happened);
  for (size_t i = 0; status == CRD_OK && i < data->rows; i++) values[i] = telling(data, i);
  const crd__calibrator_event_data rows = {
    .rows = data->rows, .happened = happened, .weights = data->weights, .grain = data->grain
  };
  if (status == CRD_OK) status = crd__calibrator_samples_make(ctx, &rows, values, &samples);
  if (status == CRD_OK) {
    l->pieces = crd__calibrator_samples_cut(&samples, bins, ends);
    for (size_t j = 0; j + 1 < l->pieces; j++)
      l->end[j] = crd__calibrator_samples_edge(&samples, ends[l->pieces - 2 - j]);
    l->end[l->pieces - 1] = samples.x[0];
  }
  crd__calibrator_samples_clear(&ctx->alloc, &samples);
  crd__free(&ctx->alloc, values);
  crd__free(&ctx->alloc, happened);
  return status;
}

/* ---- The loss. */

typedef struct {
  const crd__calibrator_fit_data *data;
  size_t pieces;
  const double *ends;  /* knots common to all rows, or ... */
  const double *ranks; /* ... pieces - 1 for each row */
  const double *slopes;
  double ridge; /* divided by the number of rows of positive weight */
} loss;

static void add_rows(void *arg, size_t from, size_t to, double *sums) {
  const loss *const at = arg;
  const size_t classes = at->data->classes;
  for (size_t i = from; i < to; i++) {
    const crd__calibrator_bent line = { .pieces = at->pieces,
                                        .knots =
                                            at->ranks ? at->ranks + i * (at->pieces - 1) : at->ends,
                                        .slopes = at->slopes };
    crd__calibrator_bent_add(&line, at->data->logits + i * classes, classes, at->data->labels[i],
                             at->data->weights[i], sums);
  }
}

static void add_ridge(const loss *at, const double *x, double *value, double *gradient,
                      double *hessian) {
  const size_t n = at->pieces;
  for (size_t j = 0; j + 1 < n; j++) {
    const double difference = x[j + 1] - x[j], curve = 2 * at->ridge;
    *value += at->ridge * difference * difference;
    gradient[j] -= curve * difference;
    gradient[j + 1] += curve * difference;
    hessian[j * n + j] += curve;
    hessian[(j + 1) * n + j + 1] += curve;
    hessian[j * n + j + 1] -= curve;
    hessian[(j + 1) * n + j] -= curve;
  }
}

static crd_status look(crd_context *ctx, void *self, const double *x, double *value,
                       double *gradient, double *hessian) {
  loss *const at = self;
  const size_t n = at->pieces, terms = crd__calibrator_bent_terms(n);
  double sums[1 + CRD__PIECES_MAX + CRD__PIECES_MAX * (CRD__PIECES_MAX + 1) / 2];
  at->slopes = x;
  CRD_TRY(crd__reduce(ctx, (crd__load){ at->data->rows, 24 * at->data->classes + terms }, terms,
                      add_rows, at, sums));
  for (size_t t = 0; t < terms; t++) sums[t] /= (double)at->data->rows;
  *value = sums[0];
  memcpy(gradient, sums + 1, n * sizeof *gradient);
  const double *second = sums + 1 + n;
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i <= j; i++) hessian[j * n + i] = hessian[i * n + j] = *second++;
  add_ridge(at, x, value, gradient, hessian);
  return CRD_OK;
}

/* ---- The fit. */

static void certify(const lines *l, const crd__math_newton_result *result, bool separable,
                    crd__calibrator_fitted *out) {
  crd_certificate *const certificate = &out->certificate;
  size_t low = 0, high = 0;
  for (size_t j = 0; j < l->pieces; j++) {
    low += l->slope[j] <= least;
    high += l->slope[j] >= most;
  }
  *certificate = (crd_certificate){ .converged = result->end == CRD__MATH_NEWTON_CONVERGED,
                                    .objective = result->value,
                                    .gradient_norm = result->gradient,
                                    .iterations = result->steps,
                                    .separable = separable || high > 0,
                                    .bounds = low + high > 0 ? "slope" : "" };
  if (!certificate->converged)
    certificate->note = result->end == CRD__MATH_NEWTON_STEP_LIMIT
                            ? "the solver reached its limit of iterations"
                            : "the solver's line search failed";
  else if (separable)
    certificate->note =
        "every row is correct: the likelihood grows with every slope up to the bound 1000";
  else if (low == l->pieces)
    certificate->note = "no better than chance: every slope shrinks to the bound 0.001";
  else if (low + high > 0) {
    snprintf(out->text, sizeof out->text, "%zu of %zu slopes ended at the bound 0.001, %zu at 1000",
             low, l->pieces, high);
    certificate->note = out->text;
  }
}

static crd_status solve(crd_context *ctx, loss *at, lines *l, crd__calibrator_fitted *out) {
  const crd__math_box_problem problem = {
    .size = l->pieces, .low = least, .high = most, .self = at, .look = look
  };
  const crd__math_newton_limits limits = { .gradient = 1e-12, .steps = STEPS_MAX };
  crd_certificate start = { 0 };
  crd__math_newton_result result;
  double temperature, weighty = 0;
  CRD_TRY(crd__calibrator_temperature_fit(ctx, at->data, &temperature, &start));
  for (size_t i = 0; i < at->data->rows; i++) weighty += at->data->weights[i] > 0;
  at->pieces = l->pieces;
  at->ends = l->end;
  at->ridge = at->data->settings[RIDGE] / weighty;
  for (size_t j = 0; j < l->pieces; j++) l->slope[j] = fmin(most, fmax(least, 1 / temperature));
  CRD_TRY(crd__math_newton_box(ctx, &problem, &limits, l->slope, &result));
  certify(l, &result, start.separable, out);
  CRD_TRY(crd__calibrator_learn(ctx, &out->learnt, "end", l->end, l->pieces));
  return crd__calibrator_learn(ctx, &out->learnt, "slope", l->slope, l->pieces);
}

static crd_status solve_ranks(crd_context *ctx, const crd__calibrator_fit_data *data, lines *l,
                              crd__calibrator_fitted *out) {
  const size_t knots = l->pieces - 1, classes = data->classes;
  double *ranks = NULL, *sorted = NULL;
  crd_status status = crd__new(ctx, data->rows * (knots + 1), sizeof *ranks, "ranks", &ranks);
  if (status == CRD_OK) status = crd__new(ctx, classes, sizeof *sorted, "ranks", &sorted);
  if (status == CRD_OK) {
    for (size_t i = 0; i < data->rows; i++)
      take_ranks(l->end, l->pieces, data->logits + i * classes, classes, sorted, ranks + i * knots);
    status = solve(ctx, &(loss){ .data = data, .ranks = ranks }, l, out);
  }
  crd__free(&ctx->alloc, sorted);
  crd__free(&ctx->alloc, ranks);
  return status;
}

static crd_status intra_order_preserving_fit(crd_context *ctx, const crd__calibrator_fit_data *data,
                                             crd__calibrator_fitted *out) {
  lines l = { .pieces = 0 };
  if (data->settings[FORM] == ORDER_INVARIANT) {
    cut_ranks(data->classes, &l);
    return solve_ranks(ctx, data, &l, out);
  }
  CRD_TRY(cut_quantiles(ctx, data, &l));
  return solve(ctx, &(loss){ .data = data }, &l, out);
}

/* ---- Parameters, apply and describe. */

static void intra_order_preserving_apply(const crd__calibrator_model *model, const double *logits,
                                         size_t rows, double *out) {
  const size_t classes = model->classes;
  const bool ranks = model->settings[FORM] == ORDER_INVARIANT;
  size_t count;
  double knots[CRD__PIECES_MAX];
  const double *const end = crd__calibrator_recall(model->learnt, "end", 0, &count);
  const crd__calibrator_bent line = { .pieces = count < CRD__PIECES_MAX ? count : CRD__PIECES_MAX,
                                      .knots = ranks ? knots : end,
                                      .slopes =
                                          crd__calibrator_recall(model->learnt, "slope", 0, NULL) };
  for (size_t i = 0; i < rows; i++) {
    const double *const x = logits + i * classes;
    double *const row = out + i * classes;
    if (ranks) take_ranks(end, line.pieces, x, classes, row, knots);
    crd__calibrator_bent_map(&line, x, classes, row);
    crd__calibrator_temper(row, 1, classes, 1, row);
    crd__calibrator_keep_on_top(row, classes, crd__calibrator_argmax(x, classes));
  }
}

static const crd__calibrator_learns learns[] = { { .name = "end", .free = true },
                                                 { .name = "slope", .free = true },
                                                 { .name = NULL } };

/* Describes the curve by its knots and one point beyond either end. */
static crd_status intra_order_preserving_describe(crd_context *ctx,
                                                  const crd__calibrator_model *model,
                                                  crd__calibrator_map *out) {
  double x[CRD__PIECES_MAX + 1], y[CRD__PIECES_MAX + 1];
  size_t count;
  const double *const end = crd__calibrator_recall(model->learnt, "end", 0, &count);
  const double *const slope = crd__calibrator_recall(model->learnt, "slope", 0, NULL);
  if (model->settings[FORM] == ORDER_INVARIANT)
    return crd__fail(ctx, CRD_EUSAGE,
                     "intra-order-preserving with form=order-invariant cannot be exported, because "
                     "it sorts each row; form=diagonal can");
  const size_t bends = (count < CRD__PIECES_MAX ? count : CRD__PIECES_MAX) - 1;
  x[bends + 1] = bends ? fmax(0, end[0] + 1) : 0;
  y[bends + 1] = 0;
  for (size_t j = 0; j <= bends; j++) {
    const size_t to = bends - j;
    x[to] = j < bends ? end[j] : fmin(end[j], x[to + 1] - 1);
    y[to] = y[to + 1] - slope[j] * (x[to + 1] - x[to]);
  }
  CRD_TRY(crd__calibrator_map_add(ctx, out, CRD__BENT, x, bends + 2, y, bends + 2));
  return crd__calibrator_map_add(ctx, out, CRD__SOFTMAX, NULL, 0, NULL, 0);
}

const crd__calibrator_method crd__calibrator_method_intra_order_preserving = {
  .info = { .name = "intra-order-preserving",
            .summary = "intra order-preserving map: monotone piecewise-linear in log p",
            .meaning = "A temperature that may differ between confident and unconfident "
                       "predictions: corrects a model that is overconfident in one range and "
                       "underconfident in another. Keeps the order of classes within each row, so "
                       "no prediction changes.",
            .reference = "Rahimi, Shaban, Cheng, Hartley, Boots 2020, Intra order-preserving "
                         "functions for calibration of multi-class neural networks",
            .keeps_argmax = 1,
            .standard = SIZE_MAX,
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .scale = CRD__LOG_P,
  .learns = learns,
  .fit = intra_order_preserving_fit,
  .apply = intra_order_preserving_apply,
  .describe = intra_order_preserving_describe,
};
