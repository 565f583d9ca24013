/*
 * neural_clamping_test.c -- 1000 steps of gradient descent on maps softmax(W x + b) and the choice
 * of lambda, against plain loops.
 */
#include "support.h"

#include "calibrator/calibrator.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 90, CLASSES = 3, SIZE = CLASSES * (CLASSES + 1), STEPS = 1000 };

typedef struct {
  test_data data;
  crd_predictions *predictions;
  double x[ROWS][CLASSES]; /* the inputs of the method */
  double weight[ROWS];     /* their sum is ROWS */
} fixture;

static void set_up(crd_context *ctx, test_recipe recipe, bool log_p, fixture *f) {
  double total = 0;
  recipe.rows = ROWS;
  recipe.classes = CLASSES;
  f->data = make_data(recipe);
  f->predictions = data_predictions(ctx, &f->data, 0, ROWS);
  for (size_t i = 0; i < ROWS; i++) {
    const double *const z = f->data.scores + i * CLASSES;
    const double lse = log(exp(z[0]) + exp(z[1]) + exp(z[2]));
    for (size_t k = 0; k < CLASSES; k++) f->x[i][k] = z[k] - (log_p ? lse : 0);
    total += f->weight[i] = f->data.weights ? f->data.weights[i] : 1;
  }
  for (size_t i = 0; i < ROWS; i++) f->weight[i] *= ROWS / total;
}

static void tear_down(fixture *f) {
  crd_predictions_destroy(f->predictions);
  free_data(&f->data);
}

/* ---- Plain loops. */

typedef struct {
  bool diagonal, sum;
  double off, bias; /* coefficients of the squares */
} task;

typedef struct {
  double theta[SIZE]; /* W, then b */
  double slope[SIZE]; /* per row */
  double before, after, loss;
} ending;

/* Sets e->slope, e->loss and e->after at e->theta, all per row. */
static void look(const fixture *f, const task *t, ending *e) {
  const double rows = t->sum ? ROWS : 1;
  double penalty = 0;
  e->loss = 0;
  memset(e->slope, 0, sizeof e->slope);
  for (size_t i = 0; i < ROWS; i++) {
    const size_t label = (size_t)f->data.labels[i];
    double u[CLASSES], mass = 0;
    for (size_t j = 0; j < CLASSES; j++) {
      u[j] = e->theta[CLASSES * CLASSES + j];
      for (size_t k = 0; k < CLASSES; k++) u[j] += e->theta[j * CLASSES + k] * f->x[i][k];
    }
    const double top = fmax(u[0], fmax(u[1], u[2]));
    for (size_t j = 0; j < CLASSES; j++) mass += exp(u[j] - top);
    e->loss += f->weight[i] * (log(mass) + top - u[label]) / ROWS;
    for (size_t j = 0; j < CLASSES; j++) {
      const double s = f->weight[i] * (exp(u[j] - top) / mass - (j == label)) / ROWS;
      for (size_t k = 0; k < CLASSES; k++)
        if (j == k || !t->diagonal) e->slope[j * CLASSES + k] += s * f->x[i][k];
      e->slope[CLASSES * CLASSES + j] += s;
    }
  }
  for (size_t i = 0; i < SIZE; i++) {
    const bool bias = i >= CLASSES * CLASSES, on_diagonal = !bias && i % (CLASSES + 1) == 0;
    const double c = (bias ? t->bias : on_diagonal ? 0 : t->off) / rows;
    penalty += c * e->theta[i] * e->theta[i];
    e->slope[i] += 2 * c * e->theta[i];
  }
  e->after = e->loss + penalty;
}

static void descend(const fixture *f, const task *t, ending *e) {
  for (size_t i = 0; i < SIZE; i++)
    e->theta[i] = i < CLASSES * CLASSES && i % (CLASSES + 1) == 0 ? 1 : 0;
  look(f, t, e);
  e->before = e->after;
  for (size_t step = 0; step < STEPS; step++) {
    for (size_t i = 0; i < SIZE; i++) e->theta[i] -= .001 * (t->sum ? ROWS : 1) * e->slope[i];
    look(f, t, e);
  }
}

static task with_penalties(bool sum, double lambda, double mu) {
  return (task){ .sum = sum, .off = lambda / (CLASSES * (CLASSES - 1)), .bias = mu / CLASSES };
}

/* Returns the chosen lambda, or 0 if all descents end above their start. */
static double choose(const fixture *f, bool sum, ending *best) {
  double chosen = 0;
  for (int power = -2; power <= 4; power++) {
    const task t = with_penalties(sum, pow(10, power), pow(10, power));
    ending e;
    descend(f, &t, &e);
    if (!(e.after <= e.before) || (chosen > 0 && e.loss >= best->loss)) continue;
    chosen = pow(10, power);
    *best = e;
  }
  return chosen;
}

/* ---- The program's. */

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

/* Returns element i of (W, b). */
static double element(const crd_calibrator *c, bool diagonal, size_t i) {
  const size_t j = i / CLASSES, k = i % CLASSES;
  if (j == CLASSES) return learnt(c, "b", 0, k);
  if (!diagonal) return learnt(c, "W", j, k);
  return j == k ? learnt(c, "w", 0, k) : 0;
}

static void check(const crd_calibrator *c, bool diagonal, const ending *e) {
  const crd_certificate *const certificate = crd_calibrator_certificate(c);
  double most = 0;
  for (size_t i = 0; i < SIZE; i++) {
    most = fmax(most, fabs(e->slope[i]));
    if (!near(element(c, diagonal, i), e->theta[i], 1e-10))
      fail_msg("%s: element %zu is %.15g, by plain loops %.15g", certificate->note, i,
               element(c, diagonal, i), e->theta[i]);
  }
  assert_true(near(certificate->objective, e->after, 1e-11));
  assert_true(near(certificate->gradient_norm, most, 1e-10));
  assert_int_equal(certificate->converged != 0, most <= 1e-5);
  assert_int_equal(certificate->iterations, STEPS);
  assert_non_null(strstr(certificate->note, "1000 steps of gradient descent, as in the paper"));
  assert_int_equal(strstr(certificate->note, "above their start") != NULL, e->after > e->before);
}

/* ---- Tests. */

static const test_recipe easy = { .seed = 5, .spread = 2, .accuracy = .7 },
                         weighted = { .seed = 6, .spread = 1.5, .accuracy = .8, .weighted = true };

/* Vector and matrix scaling, on the mean and on the sum, with and without weights. */
static void maps_without_penalty(void **state) {
  static const struct {
    const char *method, *settings;
    task task;
  } kinds[] = {
    { "vector", "compat=neural-clamping", { .diagonal = true } },
    { "vector", "compat=neural-clamping-sum", { .diagonal = true, .sum = true } },
    { "matrix", "compat=neural-clamping", { 0 } },
    { "matrix", "compat=neural-clamping-sum", { .sum = true } },
  };
  for (size_t w = 0; w < 2; w++) {
    fixture f;
    set_up(*state, w ? weighted : easy, false, &f);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
      ending e;
      crd_calibrator *const c = fit(*state, kinds[i].method, kinds[i].settings, &f);
      descend(&f, &kinds[i].task, &e);
      check(c, kinds[i].task.diagonal, &e);
      crd_calibrator_destroy(c);
    }
    tear_down(&f);
  }
}

/* lambda and mu may be given; the sum over the rows does not scale penalties. */
static void penalties_that_are_given(void **state) {
  fixture f;
  ending e;
  set_up(*state, easy, true, &f);
  const task mean = with_penalties(false, 3, .5), sum = with_penalties(true, 3, 3),
             sums = { .off = .2, .bias = .2 };
  const struct {
    const char *settings;
    const task *task;
  } kinds[] = { { "lambda=3,mu=0.5,compat=neural-clamping", &mean },
                { "lambda=3,compat=neural-clamping-sum", &sum },
                { "lambda=0.2,odir=sum,compat=neural-clamping", &sums } };
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    crd_calibrator *const c = fit(*state, "dirichlet-odir", kinds[i].settings, &f);
    descend(&f, kinds[i].task, &e);
    check(c, false, &e);
    assert_null(strstr(crd_calibrator_certificate(c)->note, "calibration rows"));
    crd_calibrator_destroy(c);
  }
  tear_down(&f);
}

/* The best of 7 values by the loss without penalties; 10000 diverges with three classes. Where
 * steps on the sum are too long, stronger penalties than the weakest end best. */
static void lambda_is_the_best_of_all(void **state) {
  static const struct {
    test_recipe recipe;
    bool log_p, sum;
    double lambda;
  } kinds[] = {
    { { .seed = 5, .spread = 2, .accuracy = .7 }, false, false, .01 },
    { { .seed = 5, .spread = 2, .accuracy = .7 }, true, true, .01 },
    { { .seed = 3, .spread = 10, .accuracy = .4 }, false, true, 100 }, /* the objective: 0.01 */
    { { .seed = 4, .spread = 10, .accuracy = .8 }, true, true, 10 },
  };
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    char text[64];
    fixture f;
    ending e;
    set_up(*state, kinds[i].recipe, kinds[i].log_p, &f);
    assert_true(near(choose(&f, kinds[i].sum, &e), kinds[i].lambda, 1e-12));
    crd_calibrator *const c =
        fit(*state, kinds[i].log_p ? "dirichlet-odir" : "matrix-odir",
            kinds[i].sum ? "compat=neural-clamping-sum" : "compat=neural-clamping", &f);
    check(c, false, &e);
    assert_true(near(learnt(c, "lambda", 0, 0), kinds[i].lambda, 1e-12));
    assert_true(near(learnt(c, "mu", 0, 0), kinds[i].lambda, 1e-12));
    snprintf(text, sizeof text, "lambda %g by the loss on the calibration rows", kinds[i].lambda);
    assert_non_null(strstr(crd_calibrator_certificate(c)->note, text));
    assert_string_equal(crd_calibrator_certificate(c)->bounds,
                        kinds[i].lambda < .02 ? "lambda" : "");
    crd_calibrator_destroy(c);
    tear_down(&f);
  }
}

static void expect_divergence(crd_context *ctx, const char *settings, const fixture *f,
                              const char *message) {
  crd_calibrator *c = NULL;
  assert_int_equal(crd_calibrator_fit(ctx, "matrix-odir", settings, f->predictions, &c),
                   CRD_ENUMERIC);
  assert_null(c);
  assert_string_equal(crd_context_message(ctx), message);
}

/* With a mu of 3015, b is multiplied by -1.01 in each step: after 1000 it is finite, but above the
 * start. Such an end is returned only where there is no choice. */
static void divergence(void **state) {
  fixture f;
  ending e;
  set_up(*state, easy, false, &f);
  const task t = with_penalties(false, 1, 3015);
  descend(&f, &t, &e);
  assert_true(e.after > e.before && isfinite(e.after));
  crd_calibrator *const c =
      fit(*state, "matrix-odir", "lambda=1,mu=3015,compat=neural-clamping", &f);
  check(c, false, &e);
  crd_calibrator_destroy(c);
  expect_divergence(*state, "mu=3015,compat=neural-clamping", &f,
                    "neural-clamping ends above its start on this data, for each of the 7 values "
                    "of lambda from 0.01 to 10000; one alone can be set, lambda=1");
  expect_divergence(*state, "lambda=1e5,compat=neural-clamping-sum", &f,
                    "neural-clamping-sum diverges on this data with lambda 100000: its objective "
                    "is not finite");
  tear_down(&f);
}

/* The setting is saved where it was given; without it files are those of version 0.1. */
static void setting_in_files(void **state) {
  fixture f;
  set_up(*state, easy, false, &f);
  for (size_t i = 0; i < 2; i++) {
    crd_calibrator *const c = fit(*state, "vector", i ? "compat=neural-clamping" : "", &f),
                          *again = NULL;
    crd__text text;
    crd__text_init(&text, &((crd_context *)*state)->alloc);
    crd__calibrator_write(c, &text);
    crd__text_add(&text, "\"checksum\": \"\"}");
    assert_non_null(strstr(text.bytes, i ? "\"settings\": {\"compat\": \"neural-clamping\"}"
                                         : "\"settings\": {}"));
    assert_int_equal(crd__calibrator_read(*state, text.bytes, text.length, true, &again), CRD_OK);
    assert_string_equal(crd_calibrator_setting(again, 0), i ? "neural-clamping" : "none");
    crd_calibrator_destroy(again);
    crd_calibrator_destroy(c);
    crd__text_clear(&text);
  }
  tear_down(&f);
}

/* Any number of threads gives the same bits. */
static void threads_agree(void **state) {
  enum { MANY = 5000 };
  test_data data = make_data(
      (test_recipe){ .rows = MANY, .classes = CLASSES, .seed = 9, .spread = 2, .accuracy = .7 });
  crd_predictions *const p = data_predictions(*state, &data, 0, MANY);
  crd_calibrator *c[2] = { NULL, NULL };
  for (unsigned i = 0; i < 2; i++) {
    crd_context_set_threads(*state, i ? 4 : 1);
    assert_int_equal(crd_calibrator_fit(*state, "matrix", "compat=neural-clamping", p, &c[i]),
                     CRD_OK);
  }
  crd_context_set_threads(*state, 0);
  for (size_t i = 0; i < SIZE; i++)
    assert_true(same_bits(element(c[0], false, i), element(c[1], false, i)));
  crd_calibrator_destroy(c[0]);
  crd_calibrator_destroy(c[1]);
  crd_predictions_destroy(p);
  free_data(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(maps_without_penalty),      cmocka_unit_test(penalties_that_are_given),
    cmocka_unit_test(lambda_is_the_best_of_all), cmocka_unit_test(divergence),
    cmocka_unit_test(setting_in_files),          cmocka_unit_test(threads_agree),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
