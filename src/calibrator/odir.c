/*
 * odir.c -- off-diagonal and intercept regularisation:
 *
 *   mean -log p_y + lambda / (K (K - 1)) sum_{j != k} W_jk^2 + mu / K sum_j b_j^2
 *
 * or, by the other convention, without the divisors. How strong the penalty must be depends on the
 * data: at 100 classes and 5000 rows a lambda of 1 learns the rows by heart where 1000 mends. So it
 * is chosen by cross-validation, from the strongest down, each fit beginning where the last one
 * ended; weaker ones are not tried any more once two in a row were worse than the best. The folds
 * are dealt by class and by the seed. The final fit is on all rows (the reference implementation
 * averages the models of the folds instead).
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

enum { LAMBDA, MU, CONVENTION };
enum { MEAN, SUM };
enum { FOLDS = 5, PATIENCE = 2, MANY_CLASSES = 200, WORDS = 3, FOLD_STREAM = 3 };
static const double penalties[] = { 1e4, 1e3, 1e2, 10, 1, .1, .01 };
enum { PENALTIES = sizeof penalties / sizeof *penalties, PENALTIES_OF_MANY = 3 };

const crd_setting_info crd__odir_settings[CRD__ODIR_SETTINGS] = {
  [LAMBDA] = { .name = "lambda",
               .help = "penalty off the diagonal; cv: chosen from 0.01 to 10000 by "
                       "cross-validation",
               .standard = "cv",
               .words = "cv",
               .low = 0,
               .high = 1e12 },
  [MU] = { .name = "mu",
           .help = "penalty on the offsets; lambda: the same",
           .standard = "lambda",
           .words = "lambda",
           .low = 0,
           .high = 1e12 },
  [CONVENTION] = { .name = "odir",
                   .help = "penalties are means of squares, or their sums",
                   .standard = "mean",
                   .words = "mean sum" },
};

const crd__learns crd__odir_learns[] = {
  { .name = "W", .parts = CRD__EACH_CLASS, .length = CRD__EACH_CLASS },
  { .name = "b", .length = CRD__EACH_CLASS },
  { .name = "lambda" },
  { .name = "mu" },
  { .name = NULL },
};

static double mu_of(const crd__fit_data *data, double lambda) {
  return data->settings[MU] < 0 ? lambda : data->settings[MU];
}

static void punish(crd__affine *a, double lambda) {
  const double classes = (double)a->data->classes, mu = mu_of(a->data, lambda);
  const bool sum = a->data->settings[CONVENTION] == SUM;
  a->off = sum ? lambda : lambda / (classes * (classes - 1));
  a->bias = sum ? mu : mu / classes;
}

/* ---- Choosing lambda. */

typedef struct {
  crd__affine *a;
  size_t folds;
  unsigned *fold; /* of each row */
  double *weights;
  double *thetas; /* of each fold, from one lambda to the next */
  double *gradient;
} validation;

/* Every fold has its share of every class. */
static crd_status deal(crd_context *ctx, const crd__fit_data *data, size_t folds, unsigned *fold) {
  uint64_t *queue;
  size_t words;
  if (!crd__size_mul(data->rows, WORDS, &words)) words = SIZE_MAX;
  CRD_TRY(crd__new(ctx, words, sizeof *queue, "folds", &queue));
  for (size_t i = 0; i < data->rows; i++) {
    queue[WORDS * i] = data->labels[i];
    queue[WORDS * i + 1] = crd__random_bits(data->seed, FOLD_STREAM, i);
    queue[WORDS * i + 2] = i;
  }
  crd__sort_records(queue, data->rows, WORDS);
  for (size_t i = 0; i < data->rows; i++) fold[queue[WORDS * i + 2]] = (unsigned)(i % folds);
  crd__free(&ctx->alloc, queue);
  return CRD_OK;
}

/* The rows of a fold, or all others. */
static void weigh_fold(validation *v, size_t fold, bool held) {
  const crd__fit_data *const data = v->a->data;
  for (size_t i = 0; i < data->rows; i++)
    v->weights[i] = (v->fold[i] == fold) == held ? data->weights[i] : 0;
  crd__affine_weigh(v->a, v->weights);
}

/* The loss of all held-out rows. */
static crd_status validate(crd_context *ctx, validation *v, double lambda, bool first,
                           double *loss) {
  crd_certificate certificate;
  *loss = 0;
  for (size_t f = 0; f < v->folds; f++) {
    double *const theta = v->thetas + f * crd__affine_size(v->a), value;
    weigh_fold(v, f, false);
    if (!(v->a->total > 0)) continue;
    punish(v->a, lambda);
    if (first) CRD_TRY(crd__affine_start(ctx, v->a, theta));
    CRD_TRY(crd__affine_fit(ctx, v->a, 1e-5, theta, &certificate));
    weigh_fold(v, f, true);
    if (!(v->a->total > 0)) continue;
    v->a->off = v->a->bias = v->a->ridge = 0;
    CRD_TRY(crd__affine_look(ctx, v->a, theta, &value, v->gradient));
    *loss += v->a->total * value;
  }
  return CRD_OK;
}

/* Where a fit takes minutes, only strong penalties are tried: weak ones hardly ever win there. */
static size_t value_count(size_t classes) {
  return classes > MANY_CLASSES ? PENALTIES_OF_MANY : PENALTIES;
}

static crd_status choose(crd_context *ctx, validation *v, double *lambda) {
  const size_t count = value_count(v->a->data->classes);
  double best = INFINITY;
  for (size_t i = 0, worse = 0; i < count && worse < PATIENCE; i++) {
    double loss;
    crd__progress(ctx, "choosing lambda", i, count);
    CRD_TRY(validate(ctx, v, penalties[i], i == 0, &loss));
    worse = loss < best ? 0 : worse + 1;
    if (loss >= best) continue;
    best = loss;
    *lambda = penalties[i];
  }
  return CRD_OK;
}

static crd_status cross_validate(crd_context *ctx, crd__affine *a, double *lambda) {
  const size_t rows = a->data->rows, size = crd__affine_size(a);
  validation v = { .a = a, .folds = rows < FOLDS ? rows : FOLDS };
  size_t cells;
  if (!crd__size_mul(v.folds, size, &cells)) cells = SIZE_MAX;
  *lambda = penalties[0];
  crd_status status = crd__new(ctx, rows, sizeof *v.fold, "folds", &v.fold);
  if (status == CRD_OK) status = crd__new(ctx, rows, sizeof *v.weights, "folds", &v.weights);
  if (status == CRD_OK) status = crd__new(ctx, cells, sizeof *v.thetas, "folds", &v.thetas);
  if (status == CRD_OK) status = crd__new(ctx, size, sizeof *v.gradient, "folds", &v.gradient);
  if (status == CRD_OK) status = deal(ctx, a->data, v.folds, v.fold);
  if (status == CRD_OK) status = choose(ctx, &v, lambda);
  crd__free(&ctx->alloc, v.fold);
  crd__free(&ctx->alloc, v.weights);
  crd__free(&ctx->alloc, v.thetas);
  crd__free(&ctx->alloc, v.gradient);
  crd__affine_weigh(a, a->data->weights);
  return status;
}

/* ---- The fit. */

/* What was chosen, before what else there is to say. */
static void note_choice(crd__fit *out, double lambda, size_t classes) {
  char number[CRD__NUMBER_SIZE];
  const char *const more = out->certificate.note;
  const size_t count = value_count(classes);
  const bool end = lambda == penalties[0] || lambda == penalties[count - 1];
  snprintf(out->text, sizeof out->text, "lambda %s by cross-validation, %s %zu values%s%s",
           crd__number_format(number, lambda), end ? "an end of the" : "one of", count,
           *more ? "; " : "", more);
  out->certificate.note = out->text;
  if (end) out->certificate.bounds = "lambda";
}

crd_status crd__odir_fit(crd_context *ctx, const crd__fit_data *data, crd__fit *out) {
  crd__affine a;
  double lambda = data->settings[LAMBDA];
  const bool chosen = lambda < 0;
  CRD_TRY(crd__affine_create(ctx, data, false, &a));
  crd_status status = chosen ? cross_validate(ctx, &a, &lambda) : CRD_OK;
  punish(&a, lambda);
  if (status == CRD_OK) status = crd__affine_solve(ctx, &a, out);
  if (status == CRD_OK && chosen) note_choice(out, lambda, data->classes);
  if (status == CRD_OK) status = crd__learn(ctx, &out->learnt, "lambda", &lambda, 1);
  if (status == CRD_OK)
    status = crd__learn(ctx, &out->learnt, "mu", &(double){ mu_of(data, lambda) }, 1);
  crd__affine_clear(ctx, &a);
  return status;
}
