/*
 * temperature.c -- temperature scaling: probs = softmax(b z), one parameter b = 1/T > 0.
 *
 * b minimises the mean negative log-likelihood f, which is convex in b (not in T):
 *
 *   f'(b)  = mean_i ( E_p[z_i] - z_i,y )        p = softmax(b z_i)
 *   f''(b) = mean_i   Var_p[z_i]  >= 0
 *
 * so Newton's method inside a shrinking bracket always converges. If every row is classified
 * correctly, f decreases for ever, and T ends at its lower bound; if the true class's logit is on
 * average below the mean of its row, f increases from 0 on, and T ends at its upper bound; the
 * certificate reports both.
 *
 * Mostly no bracket is needed. A sample of the rows gives b within a few percent, from where
 * Halley's method, with the third derivative (the mean third central moment), converges in two
 * passes over all rows; the bracket is used only if that fails.
 *
 * Guo, Pleiss, Sun, Weinberger: On calibration of modern neural networks (2017).
 */
#include "base/memory.h"
#include "base/reduce.h"
#include "calibrator/temper.h"
#include "math/rows.h"

#include <math.h>

enum { STEPS_MAX = 200, QUICK_STEPS = 8, BLOCK = 64, SAMPLE_BLOCKS = 16 };
static const double least = 1e-3, most = 1e3; /* b, and T */
static const double stride_max = 4;           /* largest factor by which a quick step changes b */

static const crd_setting_info settings[] = {
  { .name = "compat",
    .help = "return the temperature at which another implementation stops, optimal or not; the "
            "list of conventions gives the reasons",
    .standard = "none",
    .words = "none gpleiss50 gpleiss200 netcal neural-clamping neural-clamping-sum" },
};

typedef struct {
  const crd__calibrator_fit_data *data;
  const crd__math_row_kernels *kernels;
  const double *top; /* the largest logit of each row */
  double b;
  size_t every; /* one of this many blocks of rows is used */
} point;

enum { VALUE, FIRST, SECOND, THIRD, WEIGHT, TERMS };

static void add_block(const point *at, size_t first, size_t rows, double *sums) {
  const crd__calibrator_fit_data *const data = at->data;
  const size_t size = crd__math_row_type_size(data->type);
  const char *const z = (const char *)data->stored + first * data->classes * size;
  crd__math_row_moments moments[BLOCK];
  at->kernels->temper(z, data->type, rows, data->classes, at->b, at->top + first, true, moments);
  for (size_t i = 0; i < rows; i++) {
    const double own =
        crd__math_row_score(z, data->type, i * data->classes + data->labels[first + i]) -
        at->top[first + i];
    const double weight = data->weights[first + i], mass = moments[i].mass;
    const double mean = moments[i].mean / mass, square = moments[i].square / mass;
    sums[VALUE] += weight * (log(mass) - at->b * own);
    sums[FIRST] += weight * (mean - own);
    sums[SECOND] += weight * fmax(0, square - mean * mean);
    sums[THIRD] += weight * (moments[i].cube / mass - mean * (3 * square - 2 * mean * mean));
    sums[WEIGHT] += weight;
  }
}

static void add_rows(void *arg, size_t from, size_t to, double *sums) {
  const point *const at = arg;
  for (size_t first = from; first < to; first += BLOCK)
    if (first / BLOCK % at->every == 0)
      add_block(at, first, to - first < BLOCK ? to - first : BLOCK, sums);
}

/* Computes means over the sampled rows at b. */
static crd_status look(crd_context *ctx, point *at, double b, double *sums) {
  at->b = b;
  CRD_TRY(crd__reduce(ctx, (crd__load){ at->data->rows, 6 * at->data->classes }, TERMS, add_rows,
                      at, sums));
  const double total = at->every == 1 ? (double)at->data->rows : sums[WEIGHT];
  for (size_t t = 0; t < WEIGHT; t++) sums[t] /= total;
  return CRD_OK;
}

/* Halley's method from *b on, while steps stay within bounds. *arrived: the next step would be
 * within the tolerance. If all rows are used, the sums are those at *b. */
static crd_status hurry(crd_context *ctx, point *at, double tolerance, double *b, double *sums,
                        unsigned *steps, bool *arrived) {
  *arrived = false;
  for (unsigned i = 0; i < QUICK_STEPS; i++) {
    CRD_TRY(look(ctx, at, *b, sums));
    ++*steps;
    const double newton = sums[FIRST] / sums[SECOND];
    const double next = *b - newton / (1 - newton * sums[THIRD] / (2 * sums[SECOND]));
    if (!(next > *b / stride_max && next < *b * stride_max)) return CRD_OK;
    if (!(next > least && next < most && sums[SECOND] > 0)) return CRD_OK;
    *arrived = fabs(next - *b) <= tolerance * *b;
    if (*arrived && at->every == 1) return CRD_OK;
    *b = next;
    if (*arrived) return CRD_OK;
  }
  return CRD_OK;
}

/* Newton's method inside the bracket low .. high, which contains the root of f'. */
static crd_status descend(crd_context *ctx, point *at, double low, double high, double *b,
                          double *sums, crd_certificate *certificate) {
  *b = 1;
  for (unsigned i = 0; i < STEPS_MAX; i++) {
    CRD_TRY(look(ctx, at, *b, sums));
    certificate->iterations++;
    if (sums[FIRST] < 0) low = *b;
    else high = *b;
    const double newton = *b - sums[FIRST] / sums[SECOND];
    const double next = newton > low && newton < high ? newton : sqrt(low * high);
    const bool arrived =
        fabs(next - *b) <= 1e-8 * *b; /* `next` is then exact, by quadratic convergence */
    *b = next;
    if (!arrived) continue;
    certificate->converged = 1;
    return look(ctx, at, *b, sums);
  }
  return CRD_OK;
}

/* Solves by the bracket; if f' has no root, sets b to a bound and the note to the reason. */
static crd_status search(crd_context *ctx, point *at, double *b, double *sums,
                         crd_certificate *certificate) {
  double low[TERMS], high[TERMS];
  CRD_TRY(look(ctx, at, least, low));
  CRD_TRY(look(ctx, at, most, high));
  if (low[FIRST] == 0 && high[FIRST] == 0) {
    certificate->converged = 1;
    certificate->note = "the logits of every row are equal: any temperature is as good as 1";
    return look(ctx, at, *b = 1, sums);
  }
  if (low[FIRST] < 0 && high[FIRST] > 0) return descend(ctx, at, least, most, b, sums, certificate);
  const bool cold = high[FIRST] <= 0;
  certificate->converged = 1;
  certificate->separable = cold;
  certificate->bounds = "temperature";
  certificate->note =
      cold ? "every row is correct: the likelihood grows as T decreases to the bound 0.001"
           : "no better than chance: the likelihood grows as T increases to the bound 1000";
  return look(ctx, at, *b = cold ? most : least, sums);
}

static crd_status solve(crd_context *ctx, point *at, double *temperature,
                        crd_certificate *certificate) {
  const size_t blocks = at->data->rows / BLOCK;
  double sums[TERMS], b = 1;
  bool arrived = true;
  unsigned unused = 0;
  if (blocks > (size_t)4 * SAMPLE_BLOCKS) {
    at->every = blocks / SAMPLE_BLOCKS;
    CRD_TRY(hurry(ctx, at, 1e-2, &b, sums, &unused, &arrived));
    at->every = 1;
  }
  if (!arrived) b = 1;
  CRD_TRY(hurry(ctx, at, 1e-11, &b, sums, &certificate->iterations, &arrived));
  certificate->converged = arrived;
  if (!arrived) CRD_TRY(search(ctx, at, &b, sums, certificate));
  certificate->objective = sums[VALUE];
  certificate->gradient_norm = fabs(sums[FIRST]);
  *temperature = 1 / b;
  return CRD_OK;
}

crd_status crd__calibrator_temperature_fit(crd_context *ctx, const crd__calibrator_fit_data *data,
                                           double *temperature, crd_certificate *certificate) {
  double *own = NULL;
  point at = { .data = data, .kernels = crd__math_row_kernels_best(), .every = 1 };
  crd_status status = crd__calibrator_fit_peaks(ctx, data, &own, &at.top);
  if (status == CRD_OK) status = solve(ctx, &at, temperature, certificate);
  crd__free(&ctx->alloc, own);
  return status;
}

static crd_status temperature_fit(crd_context *ctx, const crd__calibrator_fit_data *data,
                                  crd__calibrator_fitted *out) {
  double temperature;
  CRD_TRY(crd__calibrator_temperature_fit(ctx, data, &temperature, &out->certificate));
  return crd__calibrator_learnt_add(ctx, &out->learnt, "temperature", &temperature, 1);
}

const crd__calibrator_method crd__calibrator_method_temperature = {
  .info = { .name = "temperature",
            .summary = "temperature scaling: logits divided by T, fitted by likelihood",
            .meaning = "Corrects a model that is overconfident (T > 1) or underconfident (T < 1) "
                       "to the same degree everywhere. One parameter hardly overfits, and no "
                       "prediction changes.",
            .reference = "Guo, Pleiss, Sun, Weinberger 2017, On calibration of modern neural "
                         "networks",
            .keeps_argmax = 1,
            .standard = SIZE_MAX,
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .straight = true,
  .learns = crd__calibrator_temper_learns,
  .fit = temperature_fit,
  .apply = crd__calibrator_temper_apply,
  .describe = crd__calibrator_temper_describe,
};
