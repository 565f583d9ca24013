/*
 * temperature.c -- temperature scaling: probs = softmax(b z), one number b = 1/T > 0.
 *
 * b minimises the mean negative log-likelihood f, which is convex in b (not in T):
 *
 *   f'(b)  = mean_i ( E_p[z_i] - z_i,y )        p = softmax(b z_i)
 *   f''(b) = mean_i   Var_p[z_i]  >= 0
 *
 * so a Newton step, kept inside a shrinking bracket, always arrives. When every row is classified
 * correctly f falls for ever, and T ends at its lower bound; when the true class is on average
 * below the mean of its row f rises from 0 on, and T ends at its upper bound: both are said.
 *
 * Guo, Pleiss, Sun, Weinberger: On calibration of modern neural networks (2017).
 */
#include "base/reduce.h"
#include "calibrator/temper.h"

#include <math.h>

enum { STEPS_MAX = 200 };
static const double least = 1e-3, most = 1e3; /* b, and T */

typedef struct {
  const crd__fit_data *data;
  double b;
} point;

enum { VALUE, FIRST, SECOND, TERMS };

static const crd_setting_info settings[] = {
  { .name = "compat",
    .help = "stop where another implementation would, whether or not it is the optimum; 'credence "
            "list conventions' has the reasons",
    .standard = "none",
    .words = "none gpleiss50 gpleiss200 netcal neural-clamping neural-clamping-sum" },
};

static void add_rows(void *arg, size_t from, size_t to, double *sums) {
  const point *const at = arg;
  const size_t classes = at->data->classes;
  for (size_t i = from; i < to; i++) {
    const double *const z = at->data->logits + i * classes;
    const double weight = at->data->weights[i], own = z[at->data->labels[i]];
    double top = z[0], mass = 0, mean = 0, square = 0;
    for (size_t k = 1; k < classes; k++) top = at->b < 0 ? fmin(top, z[k]) : fmax(top, z[k]);
    for (size_t k = 0; k < classes; k++) {
      const double d = z[k] - top, e = exp(at->b * d); /* b d <= 0: it cannot overflow */
      mass += e;
      mean += e * d;
      square += e * d * d;
    }
    mean /= mass;
    sums[VALUE] += weight * (log(mass) - at->b * (own - top));
    sums[FIRST] += weight * (mean - (own - top));
    sums[SECOND] += weight * fmax(0, square / mass - mean * mean);
  }
}

static crd_status look(crd_context *ctx, point *at, double b, double *sums) {
  at->b = b;
  CRD_TRY(crd__reduce(ctx, at->data->rows, TERMS, add_rows, at, sums));
  for (size_t t = 0; t < TERMS; t++) sums[t] /= (double)at->data->rows;
  return CRD_OK;
}

crd_status crd__temperature_look(crd_context *ctx, const crd__fit_data *data, double b,
                                 double *value, double *slope) {
  double sums[TERMS];
  CRD_TRY(look(ctx, &(point){ .data = data }, b, sums));
  *value = sums[VALUE];
  *slope = sums[FIRST];
  return CRD_OK;
}

/* Newton inside the bracket low .. high, which has the root of f'. */
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
    const bool arrived = fabs(next - *b) <= 1e-8 * *b; /* and the next step is exact */
    *b = next;
    if (!arrived) continue;
    certificate->converged = 1;
    return look(ctx, at, *b, sums);
  }
  return CRD_OK;
}

crd_status crd__temperature_fit(crd_context *ctx, const crd__fit_data *data, double *temperature,
                                crd_certificate *certificate) {
  double low[TERMS], high[TERMS], sums[TERMS], b;
  point at = { .data = data };
  CRD_TRY(look(ctx, &at, least, low));
  CRD_TRY(look(ctx, &at, most, high));
  if (low[FIRST] == 0 && high[FIRST] == 0) {
    CRD_TRY(look(ctx, &at, b = 1, sums));
    certificate->converged = 1;
    certificate->note = "no row tells one class from another: any temperature is as good as 1";
  } else if (low[FIRST] >= 0 || high[FIRST] <= 0) {
    const bool cold = high[FIRST] <= 0;
    b = cold ? most : least;
    CRD_TRY(look(ctx, &at, b, sums));
    certificate->converged = 1;
    certificate->separable = cold;
    certificate->bounds = "temperature";
    certificate->note = cold
                            ? "every row is right: no temperature is low enough, the bound is 0.001"
                            : "no better than chance: no temperature is high enough, the bound is "
                              "1000";
  } else CRD_TRY(descend(ctx, &at, least, most, &b, sums, certificate));
  certificate->objective = sums[VALUE];
  certificate->gradient_norm = fabs(sums[FIRST]);
  *temperature = 1 / b;
  return CRD_OK;
}

static crd_status fit(crd_context *ctx, const crd__fit_data *data, crd__fit *out) {
  double temperature;
  CRD_TRY(crd__temperature_fit(ctx, data, &temperature, &out->certificate));
  return crd__learn(ctx, &out->learnt, "temperature", &temperature, 1);
}

const crd__method crd_method_temperature = {
  .info = { .name = "temperature",
            .summary = "logits divided by one number, fitted by likelihood",
            .meaning = "Mends a model that is too sure (T > 1) or not sure enough (T < 1) by the "
                       "same degree everywhere. One number can hardly overfit, and no prediction "
                       "changes.",
            .reference = "Guo, Pleiss, Sun, Weinberger 2017, On calibration of modern neural "
                         "networks",
            .keeps_argmax = 1,
            .standard = SIZE_MAX,
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .learns = crd__temper_learns,
  .fit = fit,
  .apply = crd__temper_apply,
  .describe = crd__temper_describe,
};
