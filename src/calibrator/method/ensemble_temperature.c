/*
 * ensemble_temperature.c -- ensemble temperature scaling (ETS):
 *   q = w1 softmax(z / T) + w2 softmax(z) + w3 / K.
 *
 * T is fitted first, by temperature scaling; then the weights on the simplex, a convex problem of
 * three unknowns. Its optimum lies in the interior of one of seven faces (corners, edges, the
 * triangle), and by convexity the Karush-Kuhn-Tucker conditions prove it: faces are tried from the
 * smallest on, and the first whose optimum satisfies them is the solution.
 *
 *   likelihood   with r_j = mean p_j / q: r_j = 1 where w_j > 0, r_j <= 1 elsewhere
 *   squares      with d_j the derivative of mean |q - y|^2: equal where w_j > 0, no less
 *                elsewhere
 *
 * The order within a row is kept: all three are monotone in z, and w1 + w2 is never 0 (a weight of
 * 1e-9 is left if both vanish).
 *
 * Zhang, Kailkhura, Han: Mix-n-Match (2020).
 */
#include "base/memory.h"
#include "base/reduce.h"
#include "calibrator/map.h"
#include "calibrator/search.h"
#include "calibrator/temper.h"

#include <math.h>
#include <string.h>

enum { PARTS = 3, FACES = 7, WARM_UP = 30, STEPS_MAX = 100 };
enum { NLL, MSE };
static const double trace = 1e-9, slack = 1e-9;

static const crd_setting_info settings[] = {
  { .name = "loss",
    .help = "loss to minimise: negative log-likelihood (nll) or squared error (mse, Brier)",
    .standard = "nll",
    .words = "nll mse" },
};

/* Faces as sets of parts, the small ones first. */
static const unsigned faces[FACES] = { 1, 2, 4, 3, 5, 6, 7 };

typedef struct {
  const crd__calibrator_fit_data *data;
  double temperature;
  double *own; /* rows x PARTS: the true class's probability in each part */
  double w[PARTS];
} mixture;

/* ---- T by squared error. */

static crd__calibrator_row_loss row_brier(const double *z, size_t classes, size_t label, double b,
                                          double setting) {
  double top = z[0], mass = 0, mean = 0, square = 0, square_mean = 0;
  (void)setting;
  for (size_t k = 1; k < classes; k++) top = fmax(top, z[k]);
  for (size_t k = 0; k < classes; k++) {
    const double d = z[k] - top, e = exp(b * d);
    mass += e;
    mean += e * d;
    square += e * e;
    square_mean += e * e * d;
  }
  mean /= mass;
  square /= mass * mass;
  square_mean /= mass * mass;
  const double d = z[label] - top, p = exp(b * d) / mass;
  return (crd__calibrator_row_loss){ .value = square - 2 * p + 1,
                                     .slope =
                                         2 * (square_mean - mean * square) - 2 * p * (d - mean) };
}

/* ---- Probabilities of the parts, and sums over rows. */

enum { GRAM, OWN = GRAM + PARTS * PARTS, PARTS_TERMS = OWN + PARTS };

/* Fills `own`, and adds the terms of the squared error: p_i . p_j and p_i,y. */
static void add_parts(void *arg, size_t from, size_t to, double *sums) {
  const mixture *const m = arg;
  const size_t classes = m->data->classes;
  const double b = 1 / m->temperature;
  for (size_t i = from; i < to; i++) {
    const double *const z = m->data->logits + i * classes, weight = m->data->weights[i];
    const size_t label = m->data->labels[i];
    double *const own = m->own + i * PARTS;
    double top = z[0], mass[2] = { 0 }, dots[3] = { 0 };
    for (size_t k = 1; k < classes; k++) top = fmax(top, z[k]);
    for (size_t k = 0; k < classes; k++) {
      const double soft = exp(b * (z[k] - top)), plain = exp(z[k] - top);
      mass[0] += soft;
      mass[1] += plain;
      dots[0] += soft * soft;
      dots[1] += soft * plain;
      dots[2] += plain * plain;
    }
    own[0] = exp(b * (z[label] - top)) / mass[0];
    own[1] = exp(z[label] - top) / mass[1];
    own[2] = 1 / (double)classes;
    const double gram[PARTS * PARTS] = {
      dots[0] / (mass[0] * mass[0]),
      dots[1] / (mass[0] * mass[1]),
      own[2],
      dots[1] / (mass[0] * mass[1]),
      dots[2] / (mass[1] * mass[1]),
      own[2],
      own[2],
      own[2],
      own[2],
    };
    for (size_t t = 0; t < (size_t)PARTS * PARTS; t++) sums[GRAM + t] += weight * gram[t];
    for (size_t j = 0; j < PARTS; j++) sums[OWN + j] += weight * own[j];
  }
}

enum { VALUE, RATIO, CURVE = RATIO + PARTS, TERMS = CURVE + PARTS * PARTS };

/* Adds -log q, p_j / q and p_j p_k / q^2. */
static void add_logs(void *arg, size_t from, size_t to, double *sums) {
  const mixture *const m = arg;
  for (size_t i = from; i < to; i++) {
    const double *const own = m->own + i * PARTS, weight = m->data->weights[i];
    double q = 0;
    for (size_t j = 0; j < PARTS; j++) q += m->w[j] * own[j];
    if (!(weight > 0)) continue; /* q may be 0 for such a row */
    sums[VALUE] -= weight * log(q);
    for (size_t j = 0; j < PARTS; j++) {
      sums[RATIO + j] += weight * own[j] / q;
      for (size_t k = 0; k < PARTS; k++)
        sums[CURVE + j * PARTS + k] += weight * (own[j] / q) * (own[k] / q);
    }
  }
}

static crd_status look(crd_context *ctx, mixture *m, double *sums) {
  CRD_TRY(crd__reduce(ctx, (crd__load){ m->data->rows, 40 }, TERMS, add_logs, m, sums));
  for (size_t t = 0; t < TERMS; t++) sums[t] /= (double)m->data->rows;
  return CRD_OK;
}

/* ---- The weights. */

/* Solves a y = x in place, for a positive semidefinite n x n matrix; directions without curvature
 * get 0. */
static void solve(size_t n, double a[PARTS][PARTS], double *x) {
  for (size_t k = 0; k < n; k++) {
    const bool flat = !(a[k][k] > 1e-13);
    for (size_t i = k + 1; i < n && !flat; i++) {
      const double factor = a[i][k] / a[k][k];
      for (size_t j = k; j < n; j++) a[i][j] -= factor * a[k][j];
      x[i] -= factor * x[k];
    }
    if (flat) a[k][k] = INFINITY;
  }
  for (size_t k = n; k-- > 0;) {
    for (size_t j = k + 1; j < n; j++) x[k] -= a[k][j] * x[j];
    x[k] /= a[k][k];
  }
}

/* Lists the parts of a face; returns their number. */
static size_t members(unsigned face, size_t *out) {
  size_t n = 0;
  for (size_t j = 0; j < PARTS; j++)
    if (face >> j & 1) out[n++] = j;
  return n;
}

/* Returns the longest step up to 1 that keeps all weights above 0. */
static double reach(const double *w, const double *step, const size_t *part, size_t n) {
  double scale = 1;
  for (size_t i = 0; i < n; i++)
    if (step[i] < 0) scale = fmin(scale, -.9 * w[part[i]] / step[i]);
  return scale;
}

/* Runs EM from equal weights to near the optimum: each step, w_j r_j, lowers the loss and keeps
 * weights positive, but converges too slowly to finish. */
static crd_status warm_up(crd_context *ctx, mixture *m, unsigned face, double *sums) {
  size_t part[PARTS];
  const size_t n = members(face, part);
  for (size_t j = 0; j < PARTS; j++) m->w[j] = face >> j & 1 ? 1 / (double)n : 0;
  CRD_TRY(look(ctx, m, sums));
  for (size_t t = 0; n > 1 && t < WARM_UP && isfinite(sums[VALUE]); t++) {
    for (size_t i = 0; i < n; i++) m->w[part[i]] *= sums[RATIO + part[i]];
    CRD_TRY(look(ctx, m, sums));
  }
  return CRD_OK;
}

/* Backtracking line search on -mean log q + sum w; where rounding hides a decrease, the current
 * step is taken. */
static crd_status move(crd_context *ctx, mixture *m, const size_t *part, size_t n,
                       const double *step, double slope, double *sums) {
  double before[PARTS], next[TERMS], change = INFINITY;
  memcpy(before, m->w, sizeof before);
  for (double scale = reach(before, step, part, n); !(change <= 1e-4 * scale * slope); scale /= 2) {
    change = 0;
    for (size_t i = 0; i < n; i++) {
      m->w[part[i]] = before[part[i]] + scale * step[i];
      change += scale * step[i];
    }
    CRD_TRY(look(ctx, m, next));
    change += next[VALUE] - sums[VALUE];
    if (scale * -slope < 1e-13) break;
  }
  memcpy(sums, next, sizeof next);
  return CRD_OK;
}

/* Newton's method over the weights of a face, whose sum is 1 at the optimum without a constraint. A
 * weight that vanishes on the way shows that the optimum is on a smaller face. */
static crd_status descend(crd_context *ctx, mixture *m, unsigned face, double *sums,
                          unsigned *steps) {
  size_t part[PARTS];
  const size_t n = members(face, part);
  CRD_TRY(warm_up(ctx, m, face, sums));
  for (unsigned t = 0; t < STEPS_MAX && isfinite(sums[VALUE]); t++, ++*steps) {
    double a[PARTS][PARTS], step[PARTS], slope = 0, least = 1, most = 0;
    for (size_t i = 0; i < n; i++) {
      step[i] = sums[RATIO + part[i]] - 1;
      most = fmax(most, fabs(step[i]));
      least = fmin(least, m->w[part[i]]);
      for (size_t k = 0; k < n; k++) a[i][k] = sums[CURVE + part[i] * PARTS + part[k]];
    }
    if (most <= 1e-12 || least < 1e-12) break;
    solve(n, a, step);
    for (size_t i = 0; i < n; i++) slope += (1 - sums[RATIO + part[i]]) * step[i];
    CRD_TRY(move(ctx, m, part, n, step, slope, sums));
  }
  return CRD_OK;
}

/* Returns the violation of the optimality conditions, given each part's decrease of the loss per
 * unit of weight, relative to the face: 0 on the face, at most 0 elsewhere. NaN if the loss is
 * undefined. */
static double violation(const double *gain, unsigned face) {
  double most = 0;
  for (size_t j = 0; j < PARTS; j++) {
    if (isnan(gain[j])) return (double)NAN;
    most = fmax(most, face >> j & 1 ? fabs(gain[j]) : gain[j]);
  }
  return most;
}

typedef struct {
  double w[PARTS], value, violation;
} answer;

/* Finds the optimum of a face by likelihood. */
static crd_status try_logs(crd_context *ctx, mixture *m, unsigned face, answer *out,
                           unsigned *steps) {
  double sums[TERMS], gain[PARTS];
  CRD_TRY(descend(ctx, m, face, sums, steps));
  for (size_t j = 0; j < PARTS; j++) gain[j] = sums[RATIO + j] - 1;
  memcpy(out->w, m->w, sizeof out->w);
  out->value = sums[VALUE];
  out->violation = isfinite(sums[VALUE]) ? violation(gain, face) : (double)NAN;
  return CRD_OK;
}

/* Finds the optimum of a face by squared error: G w = h + common, with `common` such that the
 * weights sum to 1. */
static void try_squares(const double *parts, unsigned face, answer *out) {
  const double *const gram = parts + GRAM, *const own = parts + OWN;
  size_t part[PARTS];
  const size_t n = members(face, part);
  double a[PARTS][PARTS], b[PARTS][PARTS], x[PARTS], ones[PARTS], sum = 0, sum_ones = 0;
  double gain[PARTS];
  for (size_t i = 0; i < n; i++) {
    x[i] = own[part[i]];
    ones[i] = 1;
    for (size_t k = 0; k < n; k++) a[i][k] = b[i][k] = gram[part[i] * PARTS + part[k]];
  }
  solve(n, a, x);
  solve(n, b, ones);
  for (size_t i = 0; i < n; i++) {
    sum += x[i];
    sum_ones += ones[i];
  }
  const double common = (1 - sum) / sum_ones;
  double least = 0;
  memset(out->w, 0, sizeof out->w);
  for (size_t i = 0; i < n; i++) {
    out->w[part[i]] = x[i] + common * ones[i];
    least = fmin(least, out->w[part[i]]);
  }
  out->value = 1;
  for (size_t j = 0; j < PARTS; j++) {
    double image = 0;
    for (size_t k = 0; k < PARTS; k++) image += gram[j * PARTS + k] * out->w[k];
    gain[j] = 2 * (own[j] + common - image);
    out->value += out->w[j] * (image - 2 * own[j]);
  }
  out->violation = least < 0 ? (double)NAN : violation(gain, face);
}

/* Computes the loss at the final weights and its largest derivative along the simplex. */
static crd_status certify(crd_context *ctx, mixture *m, const double *parts,
                          crd_certificate *certificate) {
  double sums[TERMS], gain[PARTS], common = 0;
  unsigned face = 0;
  CRD_TRY(look(ctx, m, sums));
  const bool squares = m->data->settings[0] == MSE;
  certificate->objective = squares ? 1 : sums[VALUE];
  for (size_t j = 0; j < PARTS; j++) {
    double image = 0;
    for (size_t k = 0; k < PARTS; k++) image += parts[GRAM + j * PARTS + k] * m->w[k];
    gain[j] = squares ? 2 * (parts[OWN + j] - image) : sums[RATIO + j];
    if (squares) certificate->objective += m->w[j] * (image - 2 * parts[OWN + j]);
    common += m->w[j] * gain[j];
    if (m->w[j] > trace) face |= 1U << j;
  }
  for (size_t j = 0; j < PARTS; j++) gain[j] -= common;
  certificate->gradient_norm = violation(gain, face);
  return CRD_OK;
}

/* Finds the first face whose optimum is proven global; else takes the best face. */
static crd_status find_weights(crd_context *ctx, mixture *m, const double *parts,
                               crd_certificate *certificate) {
  answer best = { .value = INFINITY };
  bool proven = false;
  for (size_t f = 0; f < FACES && !proven; f++) {
    answer found;
    if (m->data->settings[0] == MSE) try_squares(parts, faces[f], &found);
    else CRD_TRY(try_logs(ctx, m, faces[f], &found, &certificate->iterations));
    proven = found.violation <= slack;
    if (proven || (!isnan(found.violation) && found.value < best.value)) best = found;
  }
  double sum = 0;
  for (size_t j = 0; j < PARTS; j++) sum += best.w[j];
  for (size_t j = 0; j < PARTS; j++) m->w[j] = best.w[j] / sum;
  certificate->converged &= proven;
  if (!proven) certificate->note = "the weights are not proven to be optimal";
  if (!(m->w[0] + m->w[1] > 0)) {
    m->w[1] = trace;
    m->w[2] = 1 - trace;
    certificate->note = "no better than chance: all weight is on uniform probabilities";
  }
  return certify(ctx, m, parts, certificate);
}

static crd_status ensemble_temperature_fit(crd_context *ctx, const crd__calibrator_fit_data *data,
                                           crd__calibrator_fitted *out) {
  mixture m = { .data = data };
  double parts[PARTS_TERMS];
  CRD_TRY(data->settings[0] == MSE
              ? crd__calibrator_temperature_search(ctx, data, row_brier, 0, &m.temperature,
                                                   &out->certificate)
              : crd__calibrator_temperature_fit(ctx, data, &m.temperature, &out->certificate));
  CRD_TRY(crd__new(ctx, data->rows, PARTS * sizeof *m.own, "a fit", &m.own));
  crd_status status = crd__reduce(ctx, (crd__load){ data->rows, 40 * data->classes }, PARTS_TERMS,
                                  add_parts, &m, parts);
  for (size_t t = 0; t < PARTS_TERMS; t++) parts[t] /= (double)data->rows;
  if (status == CRD_OK) status = find_weights(ctx, &m, parts, &out->certificate);
  if (status == CRD_OK)
    status = crd__calibrator_learn(ctx, &out->learnt, "temperature", &m.temperature, 1);
  if (status == CRD_OK) status = crd__calibrator_learn(ctx, &out->learnt, "w", m.w, PARTS);
  crd__free(&ctx->alloc, m.own);
  return status;
}

static void ensemble_temperature_apply(const crd__calibrator_model *model, const double *logits,
                                       size_t rows, double *out) {
  const double temperature = *crd__calibrator_recall(model->learnt, "temperature", 0, NULL);
  const double *const w = crd__calibrator_recall(model->learnt, "w", 0, NULL);
  const size_t classes = model->classes;
  crd__calibrator_temper(logits, rows, classes, temperature, out);
  for (size_t i = 0; i < rows * classes; i += classes) {
    const double *const z = logits + i;
    double top = z[0], mass = 0;
    for (size_t k = 1; k < classes; k++) top = fmax(top, z[k]);
    for (size_t k = 0; k < classes; k++) mass += exp(z[k] - top);
    for (size_t k = 0; k < classes; k++)
      out[i + k] = w[0] * out[i + k] + w[1] * (exp(z[k] - top) / mass) + w[2] / (double)classes;
  }
}

static const crd__calibrator_learns learns[] = { { .name = "temperature" },
                                                 { .name = "w", .length = CRD__THREE },
                                                 { .name = NULL } };

/* The third part of the mixture, uniform, is softmax(0 x). */
static crd_status ensemble_temperature_describe(crd_context *ctx,
                                                const crd__calibrator_model *model,
                                                crd__calibrator_map *out) {
  const double *const w = crd__calibrator_recall(model->learnt, "w", 0, NULL);
  const double b[] = { 1 / *crd__calibrator_recall(model->learnt, "temperature", 0, NULL), 1, 0 };
  return crd__calibrator_map_add(ctx, out, CRD__MIX, w, 3, b, 3);
}

const crd__calibrator_method crd__calibrator_method_ensemble_temperature = {
  .info = { .name = "ensemble-temperature",
            .summary = "ensemble temperature scaling (ETS): a mixture of three softmaxes",
            .meaning = "Temperature scaling mixed with the original and with uniform "
                       "probabilities, by two more parameters. No prediction changes.",
            .reference = "Zhang, Kailkhura, Han 2020, Mix-n-Match: ensemble and compositional "
                         "methods for uncertainty calibration",
            .keeps_argmax = 1,
            .standard = SIZE_MAX,
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .learns = learns,
  .fit = ensemble_temperature_fit,
  .apply = ensemble_temperature_apply,
  .describe = ensemble_temperature_describe,
};
