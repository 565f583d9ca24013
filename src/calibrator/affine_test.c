/*
 * affine_test.c -- softmax(W x + b): derivatives against finite differences, known optima, and data
 * without a finite one.
 */
#include "support.h"

#include "base/memory.h"
#include "base/random.h"
#include "calibrator/affine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 300, CLASSES = 4, MOST = CLASSES * CLASSES + CLASSES };

typedef struct {
  test_data data;
  size_t labels[ROWS];
  double weights[ROWS];
  crd__calibrator_fit_data view;
} fixture;

static void set_up(fixture *f, bool weighted) {
  f->data = make_data((test_recipe){ .rows = ROWS,
                                     .classes = CLASSES,
                                     .seed = 8,
                                     .spread = 2,
                                     .accuracy = .6,
                                     .weighted = weighted });
  for (size_t i = 0; i < ROWS; i++) {
    f->labels[i] = (size_t)f->data.labels[i];
    f->weights[i] = weighted ? f->data.weights[i] : 1;
  }
  f->view = (crd__calibrator_fit_data){ .rows = ROWS,
                                        .classes = CLASSES,
                                        .logits = f->data.scores,
                                        .labels = f->labels,
                                        .weights = f->weights };
}

static void succeed(crd_context *ctx, crd_status status) {
  if (status != CRD_OK) fail_msg("%s", crd_context_message(ctx));
}

/* The objective by definition. */
static double plain(const crd__calibrator_affine *a, const double *theta) {
  const double *const b = theta + (a->diagonal ? CLASSES : CLASSES * CLASSES);
  double sum = 0, total = 0, penalty = 0;
  for (size_t i = 0; i < ROWS; i++) {
    const double *const x = a->data->logits + i * CLASSES;
    double u[CLASSES], mass = 0;
    for (size_t j = 0; j < CLASSES; j++) {
      u[j] = b[j] + (a->diagonal ? theta[j] * x[j] : 0);
      for (size_t k = 0; !a->diagonal && k < CLASSES; k++) u[j] += theta[j * CLASSES + k] * x[k];
      mass += exp(u[j]);
    }
    sum += a->weights[i] * (log(mass) - u[a->data->labels[i]]);
    total += a->weights[i];
  }
  for (size_t j = 0; j < CLASSES; j++) {
    penalty += (a->bias + a->ridge) * b[j] * b[j];
    for (size_t k = 0; k < CLASSES; k++)
      if (!a->diagonal && j != k)
        penalty += (a->off + a->ridge) * theta[j * CLASSES + k] * theta[j * CLASSES + k];
    const double off = theta[a->diagonal ? j : j * CLASSES + j] - 1;
    penalty += a->ridge * off * off;
  }
  return sum / total + penalty;
}

static void check_derivatives(crd_context *ctx, crd__calibrator_affine *a) {
  const size_t size = crd__calibrator_affine_size(a);
  const bool diagonal = a->diagonal;
  double theta[MOST], gradient[MOST], other[MOST], curve[MOST], direction[MOST], product[MOST];
  double value, slope = 0;
  for (size_t t = 0; t < size; t++) {
    theta[t] = crd__random_uniform(1, 11, t) - .4;
    direction[t] = crd__random_uniform(1, 12, t) - .5;
  }
  succeed(ctx, crd__calibrator_affine_evaluate(ctx, a, theta, &value, gradient));
  succeed(ctx, crd__calibrator_affine_multiply(ctx, a, direction, product));
  if (diagonal) succeed(ctx, crd__calibrator_affine_curvature(ctx, a, curve));
  assert_true(near(value, plain(a, theta), 1e-13));
  for (size_t t = 0; t < size; t++) {
    const double at = theta[t], step = 1e-5;
    double unit[MOST] = { 0 };
    unit[t] = 1;
    succeed(ctx, crd__calibrator_affine_multiply(ctx, a, unit, other));
    if (diagonal) assert_true(near(curve[t], other[t], 1e-12));
    theta[t] = at + step;
    const double up = plain(a, theta);
    theta[t] = at - step;
    const double down = plain(a, theta);
    theta[t] = at;
    assert_true(near(gradient[t], (up - down) / (2 * step), 1e-8));
  }
  for (size_t t = 0; t < size; t++) theta[t] += 1e-5 * direction[t];
  succeed(ctx, crd__calibrator_affine_evaluate(ctx, a, theta, &value, other));
  for (size_t t = 0; t < size; t++) theta[t] -= 2e-5 * direction[t];
  succeed(ctx, crd__calibrator_affine_evaluate(ctx, a, theta, &value, gradient));
  for (size_t t = 0; t < size; t++) {
    slope = (other[t] - gradient[t]) / 2e-5;
    assert_true(near(product[t], slope, 1e-7));
  }
}

static void derivatives_are_right(void **state) {
  for (unsigned c = 0; c < 16; c++) {
    fixture f;
    crd__calibrator_affine a;
    set_up(&f, c & 1);
    succeed(*state, crd__calibrator_affine_create(*state, &f.view, c & 2, &a));
    a.off = c & 4 ? .3 : 0;
    a.bias = c & 4 ? .2 : 0;
    a.ridge = c & 8 ? .1 : 0;
    check_derivatives(*state, &a);
    crd__calibrator_affine_clear(*state, &a);
    free_data(&f.data);
  }
}

/* The component common to all classes is preconditioned by the penalties alone. */
static double common(const crd__calibrator_affine *a, const double *residual, size_t t) {
  double sum = 0;
  for (size_t j = 0; j < CLASSES; j++)
    sum += residual[t < CLASSES * CLASSES ? j * CLASSES + t % CLASSES : CLASSES * CLASSES + j];
  return sum / (t < CLASSES * CLASSES ? 2 * a->off * (CLASSES - 1) : 2 * a->bias * CLASSES);
}

/* Otherwise the preconditioner is the inverse of each class's block. */
static void blocks_are_inverted(void **state) {
  fixture f;
  crd__calibrator_affine a;
  double theta[MOST] = { 0 }, gradient[MOST], image[MOST], back[MOST], value;
  set_up(&f, true);
  succeed(*state, crd__calibrator_affine_create(*state, &f.view, false, &a));
  a.off = .01;
  a.bias = .02;
  for (size_t j = 0; j < CLASSES; j++)
    theta[j * (CLASSES + 1)] = .1; /* so that no row is skipped */
  succeed(*state, crd__calibrator_affine_evaluate(*state, &a, theta, &value, gradient));
  succeed(*state, crd__calibrator_affine_prepare(*state, &a));
  for (size_t j = 0; j < CLASSES; j++) {
    double v[MOST] = { 0 }, own[MOST] = { 0 };
    for (size_t k = 0; k < CLASSES; k++) v[j * CLASSES + k] = 1 + (double)k;
    v[CLASSES * CLASSES + j] = -2;
    succeed(*state, crd__calibrator_affine_multiply(*state, &a, v, image));
    memcpy(own + j * CLASSES, image + j * CLASSES, CLASSES * sizeof *own);
    own[CLASSES * CLASSES + j] = image[CLASSES * CLASSES + j];
    succeed(*state, crd__calibrator_affine_precondition(*state, &a, own, back));
    for (size_t t = 0; t < MOST; t++) assert_true(near(back[t] - common(&a, own, t), v[t], 1e-6));
  }
  crd__calibrator_affine_clear(*state, &a);
  free_data(&f.data);
}

/* The pooled approximation by definition: its block j times (u, v). */
static void pooled_block(const crd__calibrator_affine *a, size_t j, const double *u, double v,
                         double *out) {
  double mass[CLASSES] = { 0 }, mean[CLASSES][CLASSES] = { { 0 } }, all = 0, most = 0;
  double c[CLASSES][CLASSES] = { { 0 } };
  for (size_t i = 0; i < ROWS; i++)
    for (size_t k = 0; k < CLASSES; k++) {
      const double p = a->p[i * CLASSES + k], q = a->weights[i] * p * (1 - p) / a->total;
      mass[k] += q;
      for (size_t l = 0; l < CLASSES; l++) mean[k][l] += q * a->data->logits[i * CLASSES + l];
    }
  for (size_t k = 0; k < CLASSES; k++) {
    all += mass[k];
    for (size_t l = 0; l < CLASSES; l++) mean[k][l] /= mass[k];
  }
  for (size_t i = 0; i < ROWS; i++)
    for (size_t k = 0; k < CLASSES; k++) {
      const double p = a->p[i * CLASSES + k], q = a->weights[i] * p * (1 - p) / a->total;
      const double *const x = a->data->logits + i * CLASSES;
      for (size_t l = 0; l < CLASSES * CLASSES; l++)
        c[l / CLASSES][l % CLASSES] += q / all * (x[l / CLASSES] - mean[k][l / CLASSES]) *
                                       (x[l % CLASSES] - mean[k][l % CLASSES]);
    }
  for (size_t k = 0; k < CLASSES; k++) most = fmax(most, c[k][k]);
  double along = v, own = 0;
  for (size_t k = 0; k < CLASSES; k++) along += mean[j][k] * u[k];
  for (size_t i = 0; i < ROWS; i++) {
    const double p = a->p[i * CLASSES + j], d = a->data->logits[i * CLASSES + j] - mean[j][j];
    own += a->weights[i] * p * (1 - p) / a->total * d * d;
  }
  for (size_t k = 0; k < CLASSES; k++) {
    out[k] = mass[j] * (along * mean[j][k] + (2 * a->off * CLASSES / all + 1e-8 * most) * u[k]);
    for (size_t l = 0; l < CLASSES; l++) out[k] += mass[j] * c[k][l] * u[l];
  }
  out[j] = mass[j] * along * mean[j][j] + own * u[j]; /* its own variance, and no penalty */
  for (size_t l = 0; l < CLASSES; l++) out[j] += l == j ? 0 : mass[j] * c[j][l] * u[l];
  out[CLASSES] = mass[j] * along + 2 * a->bias * v;
}

static void pool_is_inverted(void **state) {
  fixture f;
  crd__calibrator_affine a;
  double theta[MOST], gradient[MOST], residual[MOST], solution[MOST], value;
  set_up(&f, true);
  succeed(*state, crd__calibrator_affine_create(*state, &f.view, false, &a));
  a.off = .01;
  a.bias = .02;
  for (size_t t = 0; t < MOST; t++) {
    theta[t] = crd__random_uniform(1, 13, t) - .4;
    residual[t] = crd__random_uniform(1, 14, t) - .5;
  }
  succeed(*state, crd__calibrator_affine_evaluate(*state, &a, theta, &value, gradient));
  succeed(*state, crd__calibrator_affine_pool_prepare(*state, &a));
  succeed(*state, crd__calibrator_affine_pool_apply(*state, &a, residual, solution));
  for (size_t j = 0; j < CLASSES; j++) {
    double image[CLASSES + 1];
    pooled_block(&a, j, solution + j * CLASSES, solution[CLASSES * CLASSES + j], image);
    for (size_t k = 0; k < CLASSES; k++)
      assert_true(near(image[k], residual[j * CLASSES + k], 1e-9));
    assert_true(near(image[CLASSES], residual[CLASSES * CLASSES + j], 1e-9));
  }
  crd__calibrator_affine_clear(*state, &a);
  free_data(&f.data);
}

/* Preconditioned by blocks or pooled, the solver ends at the same point. */
static void pool_leads_where_blocks_do(void **state) {
  fixture f;
  double theta[2][MOST];
  set_up(&f, true);
  for (size_t pooled = 0; pooled < 2; pooled++) {
    crd_context *const ctx = *state;
    crd_certificate certificate;
    crd__calibrator_affine a;
    succeed(ctx, crd__calibrator_affine_create(ctx, &f.view, false, &a));
    if (pooled) {
      crd__free(&ctx->alloc, a.preconditioner.blocks);
      a.preconditioner.blocks = NULL;
    }
    a.off = 1e-3;
    a.bias = 2e-3;
    succeed(ctx, crd__calibrator_affine_start(ctx, &a, theta[pooled]));
    succeed(ctx, crd__calibrator_affine_fit(ctx, &a, 1e-12, theta[pooled], &certificate));
    assert_true(certificate.converged && certificate.gradient_norm <= 1e-12);
    assert_true(certificate.iterations <= 12);
    crd__calibrator_affine_clear(ctx, &a);
  }
  for (size_t t = 0; t < MOST; t++) assert_true(near(theta[0][t], theta[1][t], 1e-8));
  free_data(&f.data);
}

/* ---- Methods, through the public interface. */

static crd_calibrator *fit(crd_context *ctx, const test_data *data, const char *method,
                           const char *settings) {
  crd_predictions *const p = data_predictions(ctx, data, 0, data->rows);
  crd_calibrator *c = NULL;
  if (crd_calibrator_fit(ctx, method, settings, p, &c) != CRD_OK)
    fail_msg("%s: %s", method, crd_context_message(ctx));
  crd_predictions_destroy(p);
  return c;
}

static const double *learnt(const crd_calibrator *c, const char *name) {
  for (size_t i = 0; crd_calibrator_learnt(c, i); i++)
    if (strcmp(crd_calibrator_learnt(c, i)->name, name) == 0)
      return crd_calibrator_learnt(c, i)->values;
  fail_msg("%s was not learnt", name);
  return NULL;
}

/* With an enormous penalty a matrix is a vector without offsets: the diagonal is all that is left,
 * and vector scaling cannot do worse. A weaker penalty fits better. */
static void penalties_order_the_objective(void **state) {
  static const char *const settings[] = { "lambda=1e9", "lambda=1", "lambda=1e-6", "lambda=0" };
  fixture f;
  double last = INFINITY;
  set_up(&f, true);
  crd_calibrator *const v = fit(*state, &f.data, "vector", NULL);
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
    crd_calibrator *const c = fit(*state, &f.data, "matrix-odir", settings[i]);
    const crd_certificate *const certificate = crd_calibrator_certificate(c);
    assert_true(certificate->converged && certificate->gradient_norm < 1e-11);
    assert_true(certificate->objective < last);
    last = certificate->objective;
    if (i == 0) {
      assert_true(last >= crd_calibrator_certificate(v)->objective);
      assert_true(fabs(learnt(c, "W")[1]) < 1e-6 && fabs(learnt(c, "b")[1]) < 1e-6);
    }
    if (i == 3) { /* without a penalty: the same as `matrix`, up to the invariance of softmax */
      crd_calibrator *const m = fit(*state, &f.data, "matrix", NULL);
      for (size_t t = 0; t < CLASSES * CLASSES; t++)
        assert_true(near(learnt(c, "W")[t], learnt(m, "W")[t], 1e-9));
      double column = 0, sum = 0;
      for (size_t j = 0; j < CLASSES; j++) {
        column += learnt(m, "W")[j * CLASSES + 1];
        sum += learnt(m, "b")[j];
      }
      assert_true(near(column, 1, 1e-12) && near(sum, 0, 1e-12));
      crd_calibrator_destroy(m);
    }
    crd_calibrator_destroy(c);
  }
  crd_calibrator_destroy(v);
  free_data(&f.data);
}

/* mean with lambda K (K - 1) and mu K is sum with lambda and mu. */
static void conventions_differ_by_divisors(void **state) {
  fixture f;
  set_up(&f, false);
  crd_calibrator *const a = fit(*state, &f.data, "dirichlet-odir", "lambda=1.2,mu=0.4");
  crd_calibrator *const b = fit(*state, &f.data, "dirichlet-odir", "lambda=0.1,mu=0.1,odir=sum");
  for (size_t t = 0; t < CLASSES * CLASSES; t++)
    assert_true(near(learnt(a, "W")[t], learnt(b, "W")[t], 1e-9));
  crd_calibrator_destroy(a);
  crd_calibrator_destroy(b);
  free_data(&f.data);
}

/* Cross-validation chooses a value of its grid, the same for the same seed, and notes it. */
static void cross_validation_chooses(void **state) {
  fixture f;
  set_up(&f, true);
  crd_calibrator *const c = fit(*state, &f.data, "dirichlet-odir", NULL);
  const double lambda = learnt(c, "lambda")[0];
  char settings[64];
  assert_true(near(log10(lambda), round(log10(lambda)), 1e-12));
  assert_true(learnt(c, "mu")[0] == lambda);
  assert_non_null(strstr(crd_calibrator_certificate(c)->note, "cross-validation"));
  assert_string_equal(crd_calibrator_setting(c, 0), "cv");
  snprintf(settings, sizeof settings, "lambda=%g", lambda);
  crd_calibrator *const d = fit(*state, &f.data, "dirichlet-odir", settings);
  assert_memory_equal(learnt(c, "W"), learnt(d, "W"), CLASSES * CLASSES * sizeof(double));
  crd_calibrator_destroy(c);
  crd_calibrator_destroy(d);
  free_data(&f.data);
}

/* Degenerate data, and their certificates. */
typedef enum { RIGHT, WRONG, ONE_CLASS, NO_CLASS_3, CONSTANT, ENORMOUS, FEW, TROUBLES } trouble;

static void trouble_data(test_data *data, trouble kind) {
  for (size_t i = 0; i < data->rows; i++) {
    double *const z = data->scores + i * CLASSES;
    size_t top = 0;
    for (size_t k = 0; k < CLASSES; k++) {
      if (kind == CONSTANT) z[k] = 1;
      if (kind == ENORMOUS) z[k] *= 1e4;
      if (z[k] > z[top]) top = k;
    }
    if (kind == RIGHT) data->labels[i] = (int64_t)top;
    if (kind == WRONG) data->labels[i] = (int64_t)((top + 1 + i % 3) % CLASSES);
    if (kind == ONE_CLASS) data->labels[i] = 2;
    if (kind == NO_CLASS_3 && data->labels[i] == 3) data->labels[i] = 0;
  }
  if (kind == FEW) data->rows = 3;
}

static void trouble_has_an_answer(void **state) {
  static const char *const methods[] = { "vector", "matrix", "matrix-odir", "dirichlet-odir" };
  for (trouble kind = 0; kind < TROUBLES; kind++)
    for (size_t m = 0; m < 4; m++) {
      fixture f;
      set_up(&f, false);
      trouble_data(&f.data, kind);
      crd_calibrator *const c = fit(*state, &f.data, methods[m], NULL);
      const crd_certificate *const certificate = crd_calibrator_certificate(c);
      crd_predictions *const p = data_predictions(*state, &f.data, 0, f.data.rows);
      double out[ROWS * CLASSES];
      assert_int_equal(crd_calibrator_apply(*state, c, p, 0, f.data.rows, out, NULL, NULL), CRD_OK);
      for (size_t i = 0; i < f.data.rows * CLASSES; i++) assert_true(out[i] >= 0 && out[i] <= 1);
      assert_true(isfinite(certificate->objective) && isfinite(certificate->gradient_norm));
      if (!certificate->converged) assert_true(*certificate->note);
      if (kind == ONE_CLASS || kind == NO_CLASS_3 || kind == FEW)
        assert_true(certificate->converged && certificate->separable);
      if (kind == RIGHT && m < 2) assert_true(!certificate->converged && certificate->separable);
      if (kind == WRONG || kind == CONSTANT) assert_true(certificate->converged);
      crd_predictions_destroy(p);
      crd_calibrator_destroy(c);
      free_data(&f.data);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(derivatives_are_right),
    cmocka_unit_test(blocks_are_inverted),
    cmocka_unit_test(pool_is_inverted),
    cmocka_unit_test(pool_leads_where_blocks_do),
    cmocka_unit_test(penalties_order_the_objective),
    cmocka_unit_test(conventions_differ_by_divisors),
    cmocka_unit_test(cross_validation_chooses),
    cmocka_unit_test(trouble_has_an_answer),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
