/*
 * odir.c -- off-diagonal and intercept regularisation:
 *
 *   mean -log p_y + lambda / (K (K - 1)) sum_{j != k} W_jk^2 + mu / K sum_j b_j^2
 *
 * or, with odir=sum, without the divisors. The best strength depends on the data: with 100 classes
 * and 5000 rows a lambda of 1 overfits where 1000 calibrates. So lambda is chosen by
 * cross-validation, from the strongest down with warm starts; the search stops once two consecutive
 * values are worse than the best. The folds are stratified by class and depend on the seed. The
 * final fit is on all rows (the reference implementation averages the models of the folds instead).
 *
 * Kull, Perello-Nieto, Kaengsepp, Silva Filho, Song, Flach: Beyond temperature scaling (2019).
 */
#include "calibrator/odir.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/random.h"
#include "math/sort.h"

#include <math.h>
#include <stdio.h>

enum { FOLDS = 5, PATIENCE = 2, MANY_CLASSES = 200, WORDS = 3, FOLD_STREAM = 3 };
static const double penalties[] = { 1e4, 1e3, 1e2, 10, 1, .1, .01 };
enum { PENALTIES = sizeof penalties / sizeof *penalties, PENALTIES_OF_MANY = 3 };

const crd_setting_info crd__calibrator_odir_settings[CRD__ODIR_SETTINGS] = {
  [CRD__ODIR_LAMBDA] = { .name = "lambda",
                         .help =
                             "penalty on off-diagonal weights; cv: chosen from 0.01 to 10000 by "
                             "cross-validation",
                         .standard = "cv",
                         .words = "cv",
                         .low = 0,
                         .high = 1e12 },
  [CRD__ODIR_MU] = { .name = "mu",
                     .help = "penalty on the biases; lambda: the same as lambda",
                     .standard = "lambda",
                     .words = "lambda",
                     .low = 0,
                     .high = 1e12 },
  [CRD__ODIR_CONVENTION] = { .name = "odir",
                             .help = "normalisation of the penalties: means or sums of squares",
                             .standard = "mean",
                             .words = "mean sum" },
  [CRD__ODIR_COMPAT] = { .name = "compat",
                         .help =
                             "kull2019: odir=sum and the average of the five folds' models, as in "
                             "the experiments of the paper; neural-clamping: where 1000 gradient "
                             "steps end",
                         .standard = "none",
                         .words = "none neural-clamping neural-clamping-sum kull2019" },
};

const crd__calibrator_learns crd__calibrator_odir_learns[] = {
  { .name = "W", .parts = CRD__EACH_CLASS, .length = CRD__EACH_CLASS, .averaged = true },
  { .name = "b", .length = CRD__EACH_CLASS, .averaged = true },
  { .name = "lambda" },
  { .name = "mu" },
  { .name = NULL },
};

double crd__calibrator_odir_mu(const crd__calibrator_fit_data *data, double lambda) {
  return data->settings[CRD__ODIR_MU] < 0 ? lambda : data->settings[CRD__ODIR_MU];
}

void crd__calibrator_odir_set_penalties(crd__calibrator_affine *a, double lambda) {
  const double classes = (double)a->data->classes, mu = crd__calibrator_odir_mu(a->data, lambda);
  const bool sum = a->data->settings[CRD__ODIR_CONVENTION] == CRD__ODIR_SUM;
  a->off = sum ? lambda : lambda / (classes * (classes - 1));
  a->bias = sum ? mu : mu / classes;
}

/* ---- Choosing lambda. */

/* Assigns rows to folds, stratified by class. */
static crd_status deal(crd_context *ctx, const crd__calibrator_fit_data *data, size_t folds,
                       unsigned *fold) {
  uint64_t *queue;
  size_t words;
  if (!crd__size_mul(data->rows, WORDS, &words)) words = SIZE_MAX;
  CRD_TRY(crd__new(ctx, words, sizeof *queue, "folds", &queue));
  for (size_t i = 0; i < data->rows; i++) {
    queue[WORDS * i] = data->labels[i];
    queue[WORDS * i + 1] = crd__random_bits(data->seed, FOLD_STREAM, i);
    queue[WORDS * i + 2] = i;
  }
  crd__math_sort_records(queue, data->rows, WORDS);
  for (size_t i = 0; i < data->rows; i++) fold[queue[WORDS * i + 2]] = (unsigned)(i % folds);
  crd__free(&ctx->alloc, queue);
  return CRD_OK;
}

void crd__calibrator_odir_select_fold(crd__calibrator_odir_folds *v, size_t fold, bool held) {
  const crd__calibrator_fit_data *const data = v->a->data;
  for (size_t i = 0; i < data->rows; i++)
    v->weights[i] = (v->fold[i] == fold) == held ? data->weights[i] : 0;
  crd__calibrator_affine_set_weights(v->a, v->weights);
}

/* Computes the loss of all held-out rows. */
static crd_status validate(crd_context *ctx, crd__calibrator_odir_folds *v, double lambda,
                           bool first, double *loss) {
  crd_certificate certificate;
  *loss = 0;
  for (size_t f = 0; f < v->folds; f++) {
    double *const theta = v->thetas + f * crd__calibrator_affine_size(v->a), value;
    crd__calibrator_odir_select_fold(v, f, false);
    if (!(v->a->total > 0)) continue;
    crd__calibrator_odir_set_penalties(v->a, lambda);
    if (first) CRD_TRY(crd__calibrator_affine_start(ctx, v->a, theta));
    CRD_TRY(crd__calibrator_affine_fit(ctx, v->a, 1e-5, theta, &certificate));
    crd__calibrator_odir_select_fold(v, f, true);
    if (!(v->a->total > 0)) continue;
    v->a->off = v->a->bias = v->a->ridge = 0;
    CRD_TRY(crd__calibrator_affine_evaluate(ctx, v->a, theta, &value, v->gradient));
    *loss += v->a->total * value;
  }
  return CRD_OK;
}

crd_status crd__calibrator_odir_choose(crd_context *ctx, crd__calibrator_odir_folds *v,
                                       const crd__calibrator_odir_grid *grid, double *lambda) {
  double best = INFINITY;
  *lambda = grid->values[0];
  for (size_t i = 0, worse = 0; i < grid->count && worse < grid->patience; i++) {
    double loss;
    crd__progress(ctx, "choosing lambda", i, grid->count);
    CRD_TRY(validate(ctx, v, grid->values[i], i == 0, &loss));
    worse = loss < best ? 0 : worse + 1;
    if (loss >= best) continue;
    best = loss;
    *lambda = grid->values[i];
  }
  return CRD_OK;
}

crd_status crd__calibrator_odir_folds_create(crd_context *ctx, crd__calibrator_affine *a,
                                             crd__calibrator_odir_folds *v) {
  const size_t rows = a->data->rows, size = crd__calibrator_affine_size(a);
  size_t cells;
  *v = (crd__calibrator_odir_folds){ .a = a, .folds = rows < FOLDS ? rows : FOLDS };
  if (!crd__size_mul(v->folds, size, &cells)) cells = SIZE_MAX;
  CRD_TRY(crd__new(ctx, rows, sizeof *v->fold, "folds", &v->fold));
  CRD_TRY(crd__new(ctx, rows, sizeof *v->weights, "folds", &v->weights));
  CRD_TRY(crd__new(ctx, cells, sizeof *v->thetas, "folds", &v->thetas));
  CRD_TRY(crd__new(ctx, size, sizeof *v->gradient, "folds", &v->gradient));
  return deal(ctx, a->data, v->folds, v->fold);
}

void crd__calibrator_odir_folds_clear(crd_context *ctx, crd__calibrator_odir_folds *v) {
  crd__free(&ctx->alloc, v->fold);
  crd__free(&ctx->alloc, v->weights);
  crd__free(&ctx->alloc, v->thetas);
  crd__free(&ctx->alloc, v->gradient);
  crd__calibrator_affine_set_weights(v->a, v->a->data->weights);
}

/* ---- The fit. */

void crd__calibrator_odir_note(crd__calibrator_fitted *out, double lambda,
                               const crd__calibrator_odir_grid *grid) {
  char number[CRD__NUMBER_SIZE];
  const char *const more = out->certificate.note;
  const bool end = lambda == grid->values[0] || lambda == grid->values[grid->count - 1];
  snprintf(out->text, sizeof out->text, "lambda %s by cross-validation, %s %zu values%s%s",
           crd__number_format(number, lambda), end ? "an end of the" : "one of", grid->count,
           *more ? "; " : "", more);
  out->certificate.note = out->text;
  if (end) out->certificate.bounds = "lambda";
}

/* With many classes, where a fit takes minutes, only strong penalties are tried: weak ones hardly
 * ever win there. */
static crd__calibrator_odir_grid grid_of(size_t classes) {
  return (crd__calibrator_odir_grid){ .values = penalties,
                                      .count =
                                          classes > MANY_CLASSES ? PENALTIES_OF_MANY : PENALTIES,
                                      .patience = PATIENCE };
}

static crd_status cross_validate(crd_context *ctx, crd__calibrator_affine *a,
                                 const crd__calibrator_odir_grid *grid, double *lambda) {
  crd__calibrator_odir_folds v;
  crd_status status = crd__calibrator_odir_folds_create(ctx, a, &v);
  if (status == CRD_OK) status = crd__calibrator_odir_choose(ctx, &v, grid, lambda);
  crd__calibrator_odir_folds_clear(ctx, &v);
  return status;
}

crd_status crd__calibrator_odir_fit(crd_context *ctx, const crd__calibrator_fit_data *data,
                                    crd__calibrator_fitted *out) {
  crd__calibrator_affine a;
  double lambda = data->settings[CRD__ODIR_LAMBDA];
  const bool chosen = lambda < 0;
  const crd__calibrator_odir_grid grid = grid_of(data->classes);
  CRD_TRY(crd__calibrator_affine_create(ctx, data, false, &a));
  crd_status status = chosen ? cross_validate(ctx, &a, &grid, &lambda) : CRD_OK;
  crd__calibrator_odir_set_penalties(&a, lambda);
  if (status == CRD_OK) status = crd__calibrator_affine_solve(ctx, &a, out);
  if (status == CRD_OK && chosen) crd__calibrator_odir_note(out, lambda, &grid);
  if (status == CRD_OK)
    status = crd__calibrator_learnt_add(ctx, &out->learnt, "lambda", &lambda, 1);
  if (status == CRD_OK)
    status = crd__calibrator_learnt_add(ctx, &out->learnt, "mu",
                                        &(double){ crd__calibrator_odir_mu(data, lambda) }, 1);
  crd__calibrator_affine_clear(ctx, &a);
  return status;
}

/* ---- Apply and describe. */

/* Adds share * softmax(W x + b). Two passes over the classes, because apply must not allocate a
 * row: one for the log-sum-exp, one for the probabilities. */
static void add_model(const double *w, const double *b, double floor, const double *x,
                      size_t classes, double share, double *out) {
  double top = -INFINITY, mass = 0;
  for (int pass = 0; pass < 2; pass++)
    for (size_t j = 0; j < classes; j++) {
      double u = b[j];
      for (size_t k = 0; k < classes; k++) u += w[j * classes + k] * fmax(x[k], floor);
      if (pass) out[j] += share * exp(u - top) / mass;
      else if (u <= top) mass += exp(u - top);
      else {
        mass = mass * exp(top - u) + 1;
        top = u;
      }
    }
}

void crd__calibrator_odir_apply(const crd__calibrator_model *model, double floor,
                                const double *logits, size_t rows, double *out) {
  const size_t models = crd__calibrator_learnt_find(model->learnt, "b")->parts,
               classes = model->classes;
  if (models == 1) {
    crd__calibrator_affine_apply(model, logits, rows, out);
    return;
  }
  for (size_t i = 0; i < rows * classes; i++) out[i] = 0;
  for (size_t m = 0; m < models; m++)
    for (size_t i = 0; i < rows * classes; i += classes)
      add_model(crd__calibrator_learnt_get(model->learnt, "W", m * classes, NULL),
                crd__calibrator_learnt_get(model->learnt, "b", m, NULL), floor, logits + i, classes,
                1 / (double)models, out + i);
}

crd_status crd__calibrator_odir_describe(crd_context *ctx, const crd__calibrator_model *model,
                                         crd__calibrator_map *out) {
  const size_t models = crd__calibrator_learnt_find(model->learnt, "b")->parts;
  if (models > 1)
    return crd__fail(ctx, CRD_EUSAGE,
                     "compat=kull2019 cannot be exported: it is the average of "
                     "%zu models; fit without it",
                     models);
  return crd__calibrator_affine_describe(ctx, model, out);
}
