/*
 * kull2019_test.c -- the average of the models of five folds: each model's optimum, the choice of
 * lambda and the average itself, against plain loops.
 */
#include "support.h"

#include "base/random.h"
#include "calibrator/calibrator.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 150, CLASSES = 3, FOLDS = 5, FOLD_STREAM = 3 };

typedef struct {
  test_data data;
  crd_predictions *predictions;
  double x[ROWS][CLASSES]; /* the inputs of the method */
  size_t fold[ROWS];
} fixture;

/* A fold is the rank by class, by the draw and by row, modulo 5. */
static void deal(fixture *f) {
  uint64_t draw[ROWS];
  for (size_t i = 0; i < ROWS; i++) draw[i] = crd__random_bits(0, FOLD_STREAM, i);
  for (size_t i = 0; i < ROWS; i++) {
    size_t rank = 0;
    for (size_t j = 0; j < ROWS; j++)
      rank += f->data.labels[j] < f->data.labels[i] ||
              (f->data.labels[j] == f->data.labels[i] && draw[j] < draw[i]);
    f->fold[i] = rank % FOLDS;
  }
}

/* Logits; in the first rows they differ so much that p is below 2.2e-16. */
static void set_up(crd_context *ctx, bool log_p, fixture *f) {
  f->data = make_data(
      (test_recipe){ .rows = ROWS, .classes = CLASSES, .seed = 5, .spread = 2, .accuracy = .7 });
  for (size_t i = 0; i < (size_t)10 * CLASSES; i++) f->data.scores[i] *= 30;
  f->predictions = data_predictions(ctx, &f->data, 0, ROWS);
  for (size_t i = 0; i < ROWS; i++) {
    const double *const z = f->data.scores + i * CLASSES;
    const double top = fmax(z[0], fmax(z[1], z[2]));
    const double lse = top + log(exp(z[0] - top) + exp(z[1] - top) + exp(z[2] - top));
    for (size_t k = 0; k < CLASSES; k++)
      f->x[i][k] = log_p ? fmax(z[k] - lse, log(DBL_EPSILON)) : z[k];
  }
  deal(f);
}

static void tear_down(fixture *f) {
  crd_predictions_destroy(f->predictions);
  free_data(&f->data);
}

static crd_calibrator *fit(crd_context *ctx, const char *method, const char *settings,
                           const fixture *f) {
  crd_calibrator *c = NULL;
  if (crd_calibrator_fit(ctx, method, settings, f->predictions, &c) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  return c;
}

static double learnt(const crd_calibrator *c, const char *name, size_t part, size_t at) {
  return crd__calibrator_learnt_get(&c->fit.learnt, name, part, NULL)[at];
}

/* The prediction of one model for a row. */
static void say(const crd_calibrator *c, size_t model, const double *x, double *p) {
  double mass = 0;
  for (size_t j = 0; j < CLASSES; j++) {
    double u = learnt(c, "b", model, j);
    for (size_t k = 0; k < CLASSES; k++) u += learnt(c, "W", model * CLASSES + j, k) * x[k];
    mass += p[j] = exp(u);
  }
  for (size_t j = 0; j < CLASSES; j++) p[j] /= mass;
}

/* The derivatives of mean loss + lambda sum W_jk^2 + mu sum b_j^2 over all rows but the fold's. */
static void check_optimum(const fixture *f, const crd_calibrator *c, size_t model) {
  double slope[CLASSES][CLASSES + 1] = { 0 }, rows = 0;
  for (size_t i = 0; i < ROWS; i++) {
    double p[CLASSES];
    if (f->fold[i] == model) continue;
    rows++;
    say(c, model, f->x[i], p);
    for (size_t j = 0; j < CLASSES; j++) {
      const double s = p[j] - ((size_t)f->data.labels[i] == j);
      for (size_t k = 0; k < CLASSES; k++) slope[j][k] += s * f->x[i][k];
      slope[j][CLASSES] += s;
    }
  }
  for (size_t j = 0; j < CLASSES; j++)
    for (size_t k = 0; k <= CLASSES; k++) {
      const double value =
          k == CLASSES ? learnt(c, "b", model, j) : learnt(c, "W", model * CLASSES + j, k);
      const double penalty = k == CLASSES ? learnt(c, "mu", 0, 0)
                             : j == k     ? 0
                                          : learnt(c, "lambda", 0, 0);
      if (!(fabs(slope[j][k] / rows + 2 * penalty * value) < 1e-9))
        fail_msg("model %zu: derivative %zu %zu is %g", model, j, k,
                 slope[j][k] / rows + 2 * penalty * value);
    }
}

/* Apply returns the mean of the five models. */
static void check_average(crd_context *ctx, const fixture *f, const crd_calibrator *c) {
  double out[ROWS * CLASSES];
  if (crd_calibrator_apply(ctx, c, f->predictions, 0, ROWS, out, NULL, NULL) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  for (size_t i = 0; i < ROWS; i++) {
    double mean[CLASSES] = { 0 }, p[CLASSES];
    for (size_t m = 0; m < FOLDS; m++) {
      say(c, m, f->x[i], p);
      for (size_t k = 0; k < CLASSES; k++) mean[k] += p[k] / FOLDS;
    }
    for (size_t k = 0; k < CLASSES; k++) assert_true(near(out[i * CLASSES + k], mean[k], 1e-12));
  }
}

static void check_models(crd_context *ctx, const char *method, const char *settings, bool log_p) {
  fixture f;
  set_up(ctx, log_p, &f);
  crd_calibrator *const c = fit(ctx, method, settings, &f);
  const crd_certificate *const certificate = crd_calibrator_certificate(c);
  assert_int_equal(crd__calibrator_learnt_find(&c->fit.learnt, "W")->parts, FOLDS * CLASSES);
  assert_int_equal(crd__calibrator_learnt_find(&c->fit.learnt, "b")->parts, FOLDS);
  for (size_t m = 0; m < FOLDS; m++) check_optimum(&f, c, m);
  check_average(ctx, &f, c);
  assert_true(certificate->converged && certificate->gradient_norm < 1e-9);
  assert_non_null(strstr(certificate->note, "average"));
  crd_calibrator_destroy(c);
  tear_down(&f);
}

static void models_are_optima_and_averaged(void **state) {
  check_models(*state, "matrix-odir", "compat=kull2019,lambda=0.01", false);
  check_models(*state, "dirichlet-odir", "compat=kull2019,lambda=0.1,mu=0.003", true);
  /* compat=kull2019 implies odir=sum and overrides odir=mean. */
  check_models(*state, "dirichlet-odir", "odir=mean,lambda=0.1,compat=kull2019,mu=0", true);
}

static double held_out(const fixture *f, const crd_calibrator *c) {
  double loss = 0, p[CLASSES];
  for (size_t i = 0; i < ROWS; i++) {
    say(c, f->fold[i], f->x[i], p);
    loss -= log(p[f->data.labels[i]]) / ROWS;
  }
  return loss;
}

static void lambda_is_the_best_of_all(void **state) {
  fixture f;
  double best = INFINITY, chosen = 0;
  set_up(*state, true, &f);
  for (int power = -5; power <= 6; power++) {
    char settings[64];
    snprintf(settings, sizeof settings, "compat=kull2019,lambda=1e%d", power);
    crd_calibrator *const c = fit(*state, "dirichlet-odir", settings, &f);
    if (held_out(&f, c) < best) {
      best = held_out(&f, c);
      chosen = learnt(c, "lambda", 0, 0);
    }
    crd_calibrator_destroy(c);
  }
  crd_calibrator *const c = fit(*state, "dirichlet-odir", "compat=kull2019", &f);
  assert_true(near(learnt(c, "lambda", 0, 0), chosen, 1e-12));
  assert_true(near(held_out(&f, c), best, 1e-9));
  crd_calibrator_destroy(c);
  tear_down(&f);
}

static crd_status reread(crd_context *ctx, const crd_calibrator *c, const char *from,
                         const char *to, crd_calibrator **out) {
  crd__text text;
  crd__text_init(&text, &ctx->alloc);
  crd__calibrator_write(c, &text);
  crd__text_add(&text, "\"checksum\": \"\"}");
  char *const place = strstr(text.bytes, from);
  assert_non_null(place);
  assert_int_equal(strlen(from), strlen(to));
  for (size_t i = 0; to[i]; i++) place[i] = to[i];
  const crd_status status = crd__calibrator_read(ctx, text.bytes, text.length, true, out);
  crd__text_clear(&text);
  return status;
}

/* It round-trips through a file; one model too many, or five without compat, fail to load. */
static void files_have_all_models_or_one(void **state) {
  fixture f;
  crd_calibrator *again = NULL;
  set_up(*state, false, &f);
  crd_calibrator *const c = fit(*state, "matrix-odir", "compat=kull2019,lambda=1", &f);
  assert_string_equal(crd_calibrator_setting(c, 2), "sum");
  assert_int_equal(reread(*state, c, "kull2019", "kull2019", &again), CRD_OK);
  check_average(*state, &f, again);
  crd_calibrator_destroy(again);
  assert_int_equal(reread(*state, c, "\"kull2019\"", "\"none\"    ", &again), CRD_EINPUT);
  assert_null(again);
  const double extra[CLASSES] = { 0 };
  assert_int_equal(crd__calibrator_learnt_add(*state, &c->fit.learnt, "b", extra, CLASSES), CRD_OK);
  assert_int_equal(reread(*state, c, "kull2019", "kull2019", &again), CRD_EINPUT);
  crd_calibrator_destroy(c);
  tear_down(&f);
}

static void too_few_rows(void **state) {
  static const double z[] = { 1, 0, 0, 1, 1, 0, 0, 1 };
  static const int64_t label[] = { 0, 1, 1, 0 };
  crd_predictions *p = NULL;
  crd_calibrator *c = NULL;
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores = crd_array_matrix(z, CRD_F64, 4, 2),
                                        .labels = crd_array_matrix(label, CRD_I64, 4, 1),
                                        .input = CRD_INPUT_LOGITS };
  assert_int_equal(crd_predictions_create(*state, &parts, &p), CRD_OK);
  assert_int_equal(crd_calibrator_fit(*state, "matrix-odir", "compat=kull2019", p, &c), CRD_EINPUT);
  assert_null(c);
  assert_string_equal(crd_context_message(*state), "kull2019 has 5 folds: 4 rows are too few");
  crd_predictions_destroy(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(models_are_optima_and_averaged),
    cmocka_unit_test(lambda_is_the_best_of_all),
    cmocka_unit_test(files_have_all_models_or_one),
    cmocka_unit_test(too_few_rows),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
