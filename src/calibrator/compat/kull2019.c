/*
 * kull2019.c -- ODIR as in dirichletcal/experiments_dnn, which produced the paper's tables:
 * penalties are plain sums of squares, lambda is the value of a grid with the smallest loss in
 * 5-fold cross-validation, and the prediction is the average of the models of the five folds. There
 * is no fit on all rows. Dirichlet calibration reads probabilities clipped at 2.2e-16.
 *
 * Only the protocol is reproduced. There each model is trained by Adam in batches of 128 until the
 * loss has not fallen for 15 epochs, here it is the optimum; there 36 (or 27) lambdas are tried
 * with 12 (or 9) mus, here the powers of 10 among them with mu = lambda; there numpy assigns the
 * folds, here they are stratified by class and depend on the seed.
 *
 * Kull, Perello-Nieto, Kaengsepp, Silva Filho, Song, Flach: Beyond temperature scaling (2019).
 */
#include "base/memory.h"
#include "calibrator/compat.h"
#include "calibrator/odir.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FOLDS = 5, FEW_CLASSES = 99 };
static const double values[] = { 1e6, 1e5, 1e4, 1e3, 1e2, 10, 1, .1, .01, 1e-3, 1e-4, 1e-5 };
enum { VALUES = sizeof values / sizeof *values, VALUES_OF_MANY = 9 };

static crd__calibrator_odir_grid grid_of(size_t classes) {
  const size_t count = classes > FEW_CLASSES ? VALUES_OF_MANY : VALUES;
  return (crd__calibrator_odir_grid){ .values = values, .count = count, .patience = count };
}

/* Fits the model of one fold, on all other rows. The certificate summarises the models so far: mean
 * objective, largest derivative, total steps. */
static crd_status fit_fold(crd_context *ctx, crd__calibrator_odir_folds *v, size_t fold,
                           double lambda, double *theta, crd__calibrator_fitted *out) {
  crd_certificate one, *const all = &out->certificate;
  crd__calibrator_odir_select_fold(v, fold, false);
  if (!(v->a->total > 0))
    return crd__fail(ctx, CRD_EINPUT, "kull2019: the rows of %d of %d folds have no weight",
                     FOLDS - 1, FOLDS);
  crd__calibrator_odir_set_penalties(v->a, lambda);
  CRD_TRY(crd__calibrator_affine_start(ctx, v->a, theta));
  CRD_TRY(crd__calibrator_affine_fit(ctx, v->a, 1e-12, theta, &one));
  all->objective += one.objective / FOLDS;
  all->gradient_norm = fmax(all->gradient_norm, one.gradient_norm);
  all->iterations += one.iterations;
  all->converged = (fold == 0 || all->converged) && one.converged;
  all->separable |= one.separable;
  if (*one.note) all->note = one.note;
  return crd__calibrator_affine_learn(ctx, v->a, theta, &out->learnt);
}

static crd_status fit_folds(crd_context *ctx, crd__calibrator_odir_folds *v, double lambda,
                            crd__calibrator_fitted *out) {
  double *theta;
  out->certificate.note = "";
  CRD_TRY(crd__new(ctx, crd__calibrator_affine_size(v->a), sizeof *theta, "a fit", &theta));
  crd_status status = CRD_OK;
  for (size_t f = 0; status == CRD_OK && f < v->folds; f++)
    status = fit_fold(ctx, v, f, lambda, theta, out);
  crd__free(&ctx->alloc, theta);
  return status;
}

/* Writes the note: the chosen lambda (if there is a grid), the kind of model, and the trouble of
 * one of the models, if any. */
static void note(crd__calibrator_fitted *out, double lambda,
                 const crd__calibrator_odir_grid *grid) {
  char text[256];
  const char *const trouble = out->certificate.note;
  snprintf(text, sizeof text,
           "the average of the models of five folds, none fitted on all rows%s%s",
           *trouble ? "; of one of them: " : "", trouble);
  out->certificate.note = text;
  if (grid) crd__calibrator_odir_note(out, lambda, grid);
  else snprintf(out->text, sizeof out->text, "%s", text);
  out->certificate.note = out->text;
}

static crd_status solve(crd_context *ctx, const crd__calibrator_fit_data *data,
                        crd__calibrator_fitted *out) {
  const crd__calibrator_odir_grid grid = grid_of(data->classes);
  double lambda = data->settings[CRD__ODIR_LAMBDA];
  const bool chosen = lambda < 0;
  crd__calibrator_affine a;
  crd__calibrator_odir_folds v;
  CRD_TRY(crd__calibrator_affine_create(ctx, data, false, &a));
  crd_status status = crd__calibrator_odir_folds_create(ctx, &a, &v);
  if (status == CRD_OK && chosen) status = crd__calibrator_odir_choose(ctx, &v, &grid, &lambda);
  if (status == CRD_OK) status = fit_folds(ctx, &v, lambda, out);
  if (status == CRD_OK) note(out, lambda, chosen ? &grid : NULL);
  if (status == CRD_OK)
    status = crd__calibrator_learnt_add(ctx, &out->learnt, "lambda", &lambda, 1);
  if (status == CRD_OK)
    status = crd__calibrator_learnt_add(ctx, &out->learnt, "mu",
                                        &(double){ crd__calibrator_odir_mu(data, lambda) }, 1);
  crd__calibrator_odir_folds_clear(ctx, &v);
  crd__calibrator_affine_clear(ctx, &a);
  return status;
}

static crd_status kull2019_fit(crd_context *ctx, const crd__calibrator_compat *self,
                               const crd__calibrator_method *method,
                               const crd__calibrator_fit_data *data, crd__calibrator_fitted *out) {
  const size_t cells = data->rows * data->classes;
  const double floor = method->scale == CRD__LOG_P ? log(DBL_EPSILON) : -INFINITY;
  double settings[CRD__ODIR_SETTINGS], *logits;
  crd__calibrator_fit_data seen = *data;
  (void)self;
  if (data->rows < FOLDS)
    return crd__fail(ctx, CRD_EINPUT, "kull2019 has %d folds: %zu rows are too few", FOLDS,
                     data->rows);
  memcpy(settings, data->settings, sizeof settings);
  if (settings[CRD__ODIR_MU] == 0) settings[CRD__ODIR_MU] = -1; /* it reads 0 as "the same" */
  CRD_TRY(crd__new(ctx, cells, sizeof *logits, "logits", &logits));
  for (size_t i = 0; i < cells; i++) logits[i] = fmax(data->logits[i], floor);
  seen.logits = logits;
  seen.settings = settings;
  const crd_status status = solve(ctx, &seen, out);
  crd__free(&ctx->alloc, logits);
  return status;
}

static const crd__calibrator_compat rows[] = {
  { .info = { .name = "kull2019",
              .package = "dirichletcal/experiments_dnn 24a2a16, with exact optima instead of Adam",
              .methods = "dirichlet-odir matrix-odir",
              .call = "tune_cal_odir.py -kf 5 -d --comp_l2 [--use_logits]",
              .why = "penalties are plain sums of squares, and the result is the average of the "
                     "models of five folds, none of which was fitted on all rows; stochastic "
                     "training is replaced by its optimum, and the grid by lambda = mu in powers "
                     "of 10" },
    .fit = kull2019_fit,
    .clips = "dirichlet-odir",
    .implies = "odir=sum" },
};

const crd__calibrator_compats crd__calibrator_compat_kull2019 = { sizeof rows / sizeof *rows,
                                                                  rows };
