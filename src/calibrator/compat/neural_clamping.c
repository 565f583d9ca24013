/*
 * neural_clamping.c -- the baselines of the paper: 1000 steps of full-batch gradient descent with
 * learning rate 0.001, from the identity (T = 1, or W = I and b = 0). Its formula of the loss is a
 * sum over the rows; it does not say whether the sum or the mean was minimised, so both are here.
 * The penalties of ODIR are added to either:
 *
 *   sum_i -log p_i,y + lambda / (K (K - 1)) sum_{j != k} W_jk^2 + mu / K sum_j b_j^2
 *
 * so that the sum has weaker penalties for more rows. (The formula printed in the paper lacks the
 * squares.) lambda is one of 7 values from 0.01 to 10000, of which the paper "chose the best result
 * on the calibration dataset": here that is the smallest mean loss without penalties on the rows of
 * the fit, among fits that do not end above their start; mu is not mentioned, and the same as
 * lambda. Steps on strong penalties diverge: b is multiplied by 1 - 0.002 mu / K in each.
 *
 * Objectives here are divided by the number of rows.
 *
 * Tang, Chen, Ho: Neural Clamping: joint input perturbation and temperature scaling for neural
 * network calibration (2024).
 */
#include "base/memory.h"
#include "base/number.h"
#include "calibrator/compat.h"
#include "calibrator/odir.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double start = 1, rate = 0.001;
static const double grid[] = { .01, .1, 1, 10, 1e2, 1e3, 1e4 };
enum { VALUES = sizeof grid / sizeof *grid };

static double step_length(const crd__calibrator_compat *self,
                          const crd__calibrator_fit_data *data) {
  return rate * (self->sum ? (double)data->rows : 1);
}

static crd_status fit_temperature(crd_context *ctx, const crd__calibrator_compat *self,
                                  const crd__calibrator_fit_data *data,
                                  crd__calibrator_fitted *out) {
  const double length = step_length(self, data);
  double t = start;
  for (unsigned step = 0; step < self->steps; step++) {
    double loss, slope;
    CRD_TRY(crd__calibrator_compat_evaluate(ctx, data, 1 / t, &loss, &slope));
    t += length * slope / (t * t); /* dL/dT is -slope / T^2 */
    crd__progress(ctx, "stepping", step + 1, self->steps);
  }
  return crd__calibrator_compat_temperature(ctx, self, data, t, self->steps, out);
}

/* ---- Maps softmax(W x + b). */

typedef struct {
  const crd__calibrator_compat *self;
  crd__calibrator_affine a;
  double *theta, *gradient; /* where the last descent ended */
  double *best;             /* where the chosen one did */
  double before, after;     /* the objective where the last descent started and ended */
  double lambda;            /* the chosen one */
  size_t done, all;         /* descents */
} descent;

static crd_status descent_create(crd_context *ctx, const crd__calibrator_compat *self,
                                 const crd__calibrator_fit_data *data, bool diagonal,
                                 descent *out) {
  *out = (descent){ .self = self, .all = 1 };
  CRD_TRY(crd__calibrator_affine_create(ctx, data, diagonal, &out->a));
  out->a.ridge =
      0; /* the paper has none: a class without rows stays finite in finitely many steps */
  const size_t size = crd__calibrator_affine_size(&out->a);
  CRD_TRY(crd__new(ctx, size, sizeof *out->theta, "a fit", &out->theta));
  CRD_TRY(crd__new(ctx, size, sizeof *out->gradient, "a fit", &out->gradient));
  return crd__new(ctx, size, sizeof *out->best, "a fit", &out->best);
}

static void descent_clear(crd_context *ctx, descent *d) {
  crd__free(&ctx->alloc, d->theta);
  crd__free(&ctx->alloc, d->gradient);
  crd__free(&ctx->alloc, d->best);
  crd__calibrator_affine_clear(ctx, &d->a);
}

/* Descends from the identity, until the steps are done or the objective is not finite. */
static crd_status descend(crd_context *ctx, descent *d) {
  const size_t size = crd__calibrator_affine_size(&d->a), steps = d->self->steps;
  const double length = step_length(d->self, d->a.data);
  for (size_t t = 0; t < size; t++)
    d->theta[t] = crd__calibrator_affine_on_diagonal(&d->a, t) ? start : 0;
  for (size_t step = 0;; step++) {
    CRD_TRY(crd__calibrator_affine_evaluate(ctx, &d->a, d->theta, &d->after, d->gradient));
    if (step == 0) d->before = d->after;
    if (step == steps || !isfinite(d->after)) break;
    for (size_t t = 0; t < size; t++) d->theta[t] -= length * d->gradient[t];
    crd__progress(ctx, "stepping", d->done * steps + step + 1, d->all * steps);
  }
  d->done++;
  return CRD_OK;
}

/* Keeps the end of the last descent. */
static void keep(descent *d, crd_certificate *certificate) {
  const size_t size = crd__calibrator_affine_size(&d->a);
  memcpy(d->best, d->theta, size * sizeof *d->best);
  certificate->objective = d->after;
  certificate->iterations = d->self->steps;
  certificate->gradient_norm = 0;
  for (size_t t = 0; t < size; t++)
    certificate->gradient_norm = fmax(certificate->gradient_norm, fabs(d->gradient[t]));
  certificate->converged = crd__calibrator_compat_is_optimal(certificate->gradient_norm);
}

/* Returns the mean loss where the last descent ended, without penalties. */
static double loss_of(const descent *d) {
  double loss = d->after;
  for (size_t t = 0; t < crd__calibrator_affine_size(&d->a); t++) {
    const double off = d->theta[t] - (crd__calibrator_affine_on_diagonal(&d->a, t) ? start : 0);
    loss -= crd__calibrator_affine_penalty(&d->a, t) * off * off;
  }
  return loss;
}

static void set_penalties(descent *d, double lambda) {
  const double parts = d->self->sum ? (double)d->a.data->rows : 1;
  crd__calibrator_odir_set_penalties(&d->a, lambda);
  d->a.off /= parts;
  d->a.bias /= parts;
}

static crd_status fail_all(crd_context *ctx, const descent *d, const double *lambdas) {
  char number[CRD__NUMBER_SIZE];
  if (d->all > 1)
    return crd__fail(ctx, CRD_ENUMERIC,
                     "%s ends above its start on this data, for each of the %zu values of lambda "
                     "from 0.01 to 10000; one alone can be set, lambda=1",
                     d->self->info.name, d->all);
  return crd__fail(ctx, CRD_ENUMERIC, "%s diverges on this data%s%s: its objective is not finite",
                   d->self->info.name, lambdas ? " with lambda " : "",
                   lambdas ? crd__number_format(number, *lambdas) : "");
}

/* Descends for each lambda (NULL: once, without penalties), and keeps the end with the smallest
 * loss. A single end is kept wherever it is, as long as it is finite. */
static crd_status descend_all(crd_context *ctx, descent *d, const double *lambdas,
                              crd_certificate *certificate) {
  double least = INFINITY;
  size_t diverged = 0;
  for (size_t i = 0; i < d->all; i++) {
    if (lambdas) set_penalties(d, lambdas[i]);
    CRD_TRY(descend(ctx, d));
    const double loss = loss_of(d);
    const bool eligible = isfinite(loss) && (d->all == 1 || d->after <= d->before);
    diverged += !eligible;
    if (!eligible || loss >= least) continue;
    least = loss;
    if (lambdas) d->lambda = lambdas[i];
    keep(d, certificate);
  }
  return diverged == d->all ? fail_all(ctx, d, lambdas) : CRD_OK;
}

/* Learns the map that was kept. */
static crd_status learn(crd_context *ctx, const descent *d, crd__calibrator_fitted *out) {
  char number[CRD__NUMBER_SIZE], choice[128] = "";
  const bool end = d->lambda == grid[0] || d->lambda == grid[VALUES - 1];
  if (d->all > 1) {
    snprintf(choice, sizeof choice,
             "; lambda %s by the loss on the calibration rows, %s %zu values",
             crd__number_format(number, d->lambda), end ? "an end of the" : "one of", d->all);
    if (end) out->certificate.bounds = "lambda";
  }
  snprintf(out->text, sizeof out->text, "%s: %u steps of gradient descent, as in the paper%s: %s%s",
           d->self->info.name, d->self->steps,
           out->certificate.objective > d->before ? ", which end above their start" : "",
           d->self->info.why, choice);
  out->certificate.note = out->text;
  return crd__calibrator_affine_learn(ctx, &d->a, d->best, &out->learnt);
}

static crd_status fit_map(crd_context *ctx, const crd__calibrator_compat *self,
                          const crd__calibrator_fit_data *data, bool diagonal,
                          crd__calibrator_fitted *out) {
  descent d;
  crd_status status = descent_create(ctx, self, data, diagonal, &d);
  if (status == CRD_OK) status = descend_all(ctx, &d, NULL, &out->certificate);
  if (status == CRD_OK) status = learn(ctx, &d, out);
  descent_clear(ctx, &d);
  return status;
}

static crd_status fit_vector(crd_context *ctx, const crd__calibrator_compat *self,
                             const crd__calibrator_fit_data *data, crd__calibrator_fitted *out) {
  return fit_map(ctx, self, data, true, out);
}

static crd_status fit_matrix(crd_context *ctx, const crd__calibrator_compat *self,
                             const crd__calibrator_fit_data *data, crd__calibrator_fitted *out) {
  return fit_map(ctx, self, data, false, out);
}

static crd_status fit_odir(crd_context *ctx, const crd__calibrator_compat *self,
                           const crd__calibrator_fit_data *data, crd__calibrator_fitted *out) {
  const double *const given = &data->settings[CRD__ODIR_LAMBDA];
  const bool chosen = *given < 0;
  descent d;
  crd_status status = descent_create(ctx, self, data, false, &d);
  d.all = chosen ? VALUES : 1;
  if (status == CRD_OK) status = descend_all(ctx, &d, chosen ? grid : given, &out->certificate);
  if (status == CRD_OK) status = learn(ctx, &d, out);
  if (status == CRD_OK)
    status = crd__calibrator_learnt_add(ctx, &out->learnt, "lambda", &d.lambda, 1);
  if (status == CRD_OK)
    status = crd__calibrator_learnt_add(ctx, &out->learnt, "mu",
                                        &(double){ crd__calibrator_odir_mu(data, d.lambda) }, 1);
  descent_clear(ctx, &d);
  return status;
}

/* ---- The table. */

static const struct {
  const char *method;
  crd_status (*fit)(crd_context *ctx, const crd__calibrator_compat *self,
                    const crd__calibrator_fit_data *data, crd__calibrator_fitted *out);
} fits[] = {
  { "temperature", fit_temperature }, { "vector", fit_vector },       { "matrix", fit_matrix },
  { "matrix-odir", fit_odir },        { "dirichlet-odir", fit_odir },
};

static crd_status neural_clamping_fit(crd_context *ctx, const crd__calibrator_compat *self,
                                      const crd__calibrator_method *method,
                                      const crd__calibrator_fit_data *data,
                                      crd__calibrator_fitted *out) {
  size_t i = 0;
  while (strcmp(fits[i].method, method->info.name) != 0) i++; /* one of METHODS */
  return fits[i].fit(ctx, self, data, out);
}

#define PACKAGE                                                                                    \
  "Tang, Chen, Ho 2024, Neural Clamping: its protocol for the methods it compares with"
#define METHODS "temperature vector matrix matrix-odir dirichlet-odir"
#define CALL(reduction)                                                                            \
  "1000 times theta -= 0.001 dL/dtheta from T = 1 (or W = I, b = 0), L the " reduction             \
  " over all rows; ODIR: lambda = mu of 0.01, 0.1, ... 10000 with the smallest loss on them"

static const crd__calibrator_compat rows[] = {
  { .info = { .name = "neural-clamping",
              .package = PACKAGE,
              .methods = METHODS,
              .call = CALL("mean"),
              .why = "gradient steps with learning rate 0.001 on the mean over the rows do not get "
                     "far from the identity" },
    .fit = neural_clamping_fit,
    .steps = 1000 },
  { .info = { .name = "neural-clamping-sum",
              .package = PACKAGE,
              .methods = METHODS,
              .call = CALL("sum"),
              .why = "gradient steps on the sum grow with the number of rows: they converge unless "
                     "they are too long, and then oscillate around the optimum for ever" },
    .fit = neural_clamping_fit,
    .steps = 1000,
    .sum = true },
};

const crd__calibrator_compats crd__calibrator_compat_neural_clamping = { sizeof rows / sizeof *rows,
                                                                         rows };
