/*
 * losses_test.c -- values and gradients by PyTorch's autograd (loss_golden.json): 64 rows of 5
 * classes in float64, and the same in float32.
 */
#include "support.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 64, CLASSES = 5 };

/* The expression of each entry (its `params`). */
static const struct {
  const char *entry, *expression;
} cases[] = {
  { "ce", "ce" },
  { "wce", "weighted-ce(weights=0.2,1.5,0.7,2,0.4)" },
  { "ls", "label-smoothing(epsilon=0.1)" },
  { "erl", "ce + 0.1*entropy" },
  { "focal", "focal(gamma=3)" },
  { "flsd", "focal-sd" },
  { "ifl", "inverse-focal(gamma=2)" },
  { "lpn", "ce + 0.05*lp-norm(p=1)" },
  { "dca", "ce + 10*dca" },
  { "brier", "brier" },
  { "dfl", "dual-focal(gamma=5)" },
  { "mmce", "ce + 2*mmce" },
  { "mmcew", "ce + 2*mmce-weighted" },
  { "sbece", "ce + 1*soft-ece" },
  { "avuc", "ce + 3*avuc" },
  { "crl", "ce + 1*crl" },
};

typedef struct {
  json_t *json;
  double z[ROWS * CLASSES], history[ROWS];
  float single[ROWS * CLASSES];
  int64_t y[ROWS];
} golden;

static bool read_golden(golden *g) {
  char path[512];
  json_error_t error;
  snprintf(path, sizeof path, "%s/golden/loss_golden.json", shared_folder());
  if (!is_there("golden losses", path)) return false;
  g->json = json_load_file(path, 0, &error);
  if (!g->json) fail_msg("%s: %s", path, error.text);
  for (size_t i = 0; i < ROWS; i++) {
    const json_t *const row = json_array_get(json_object_get(g->json, "z"), i);
    g->y[i] = json_integer_value(json_array_get(json_object_get(g->json, "y"), i));
    g->history[i] = json_number_value(json_array_get(json_object_get(g->json, "crl_counts"), i));
    for (size_t k = 0; k < CLASSES; k++) {
      g->z[i * CLASSES + k] = json_number_value(json_array_get(row, k));
      g->single[i * CLASSES + k] = (float)g->z[i * CLASSES + k];
    }
  }
  return true;
}

/* |found - wanted| <= slack. */
static void expect_near(const char *name, const char *what, double found, double wanted,
                        double slack) {
  if (!(fabs(found - wanted) <= slack))
    fail_msg("%s: %s is %.17g, expected %.17g", name, what, found, wanted);
}

/* Expects a number of an entry, within a relative tolerance. */
static void expect_number(const char *name, const json_t *entry, const char *key, double found,
                          double tolerance) {
  const double wanted = json_number_value(json_object_get(entry, key));
  expect_near(name, key, found, wanted, tolerance * fabs(wanted));
}

/* Expects the first row of the gradient, within a tolerance relative to its length. */
static void expect_row(const char *name, const json_t *entry, const void *gradient, crd_dtype dtype,
                       double tolerance) {
  double wanted[CLASSES], squares = 0;
  for (size_t k = 0; k < CLASSES; k++) {
    wanted[k] = json_number_value(json_array_get(json_object_get(entry, "grad_row0"), k));
    squares += wanted[k] * wanted[k];
  }
  for (size_t k = 0; k < CLASSES; k++) {
    const double found =
        dtype == CRD_F64 ? ((const double *)gradient)[k] : (double)((const float *)gradient)[k];
    expect_near(name, "the gradient", found, wanted[k], tolerance * sqrt(squares));
  }
}

static void check(crd_context *ctx, const golden *g, const char *entry, const char *expression,
                  crd_dtype dtype) {
  double gradient[ROWS * CLASSES];
  crd_loss *loss = NULL;
  crd_loss_value value = { 0 };
  const double tolerance = dtype == CRD_F64 ? 1e-12 : 1e-5;
  const void *const scores = dtype == CRD_F64 ? (const void *)g->z : g->single;
  const crd_array logits = crd_array_matrix(scores, dtype, ROWS, CLASSES);
  const crd_targets targets = { .size = sizeof targets,
                                .labels = crd_array_matrix(g->y, CRD_I64, ROWS, 1),
                                .history = crd_array_matrix(g->history, CRD_F64, ROWS, 1),
                                .epochs = 5 };
  const json_t *const wanted = json_object_get(json_object_get(g->json, "results"), entry);
  assert_non_null(wanted);
  if (crd_loss_create(ctx, expression, NULL, &loss) != CRD_OK ||
      crd_loss_evaluate(ctx, loss, &logits, &targets, &value, gradient) != CRD_OK)
    fail_msg("%s: %s", expression, crd_context_message(ctx));
  expect_number(expression, wanted, "value", value.value, tolerance);
  expect_number(expression, wanted, "grad_l2", value.gradient_norm, tolerance);
  expect_row(expression, wanted, gradient, dtype, tolerance);
  crd_loss_destroy(loss);
}

static void losses_are_autograds(void **state) {
  golden g;
  if (!read_golden(&g)) return;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    check(*state, &g, cases[i].entry, cases[i].expression, CRD_F64);
    check(*state, &g, cases[i].entry, cases[i].expression, CRD_F32);
  }
  json_decref(g.json);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(losses_are_autograds) };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
