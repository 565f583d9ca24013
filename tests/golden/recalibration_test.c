/*
 * recalibration_test.c -- structured scaling and refinement against the numbers of probmetrics 1.3
 * (recalibration.json, by make-recalibration) on the data of fits.json, refinement on its folds.
 *
 * probmetrics fits structured scaling in float32 and stops early: its objective may be above ours,
 * never below it by more than rounding.
 */
#include "support.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CASES = 6, SHOWN = 5 /* rows whose probabilities are known */ };

static json_t *load(const char *path) {
  json_error_t error;
  json_t *const root = json_load_file(path, 0, &error);
  if (!root) fail_msg("%s: %s", path, error.text);
  return root;
}

static double number_of(const json_t *of, const char *name) {
  const json_t *const value = json_object_get(of, name);
  assert_true(json_is_number(value));
  return json_number_value(value);
}

/* ---- Data: integers over a power of 2. */

typedef struct {
  const char *name;
  size_t rows, classes;
  double *scores;
  int64_t *labels;
  crd_predictions *predictions;
} dataset;

static dataset make_dataset(crd_context *ctx, const json_t *c) {
  const json_t *const scores = json_object_get(c, "scores"), *const labels =
                                                                 json_object_get(c, "labels");
  dataset d = { .name = json_string_value(json_object_get(c, "name")),
                .rows = json_array_size(labels),
                .classes = (size_t)number_of(c, "classes") };
  const bool logits = strcmp(json_string_value(json_object_get(c, "input")), "logits") == 0;
  const size_t cells = d.rows * d.classes;
  d.scores = calloc(cells, sizeof *d.scores);
  d.labels = calloc(d.rows, sizeof *d.labels);
  for (size_t i = 0; i < cells; i++)
    d.scores[i] = json_number_value(json_array_get(scores, i)) / number_of(c, "scale");
  for (size_t i = 0; i < d.rows; i++)
    d.labels[i] = (int64_t)json_integer_value(json_array_get(labels, i));
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores =
                                            crd_array_matrix(d.scores, CRD_F64, d.rows, d.classes),
                                        .labels = crd_array_matrix(d.labels, CRD_I64, d.rows, 1),
                                        .input =
                                            logits ? CRD_INPUT_LOGITS : CRD_INPUT_PROBABILITIES };
  if (crd_predictions_create(ctx, &parts, &d.predictions) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  return d;
}

static void free_dataset(dataset *d) {
  crd_predictions_destroy(d->predictions);
  free(d->scores);
  free(d->labels);
}

/* Calls `check` for every case with its numbers. */
static void each_case(crd_context *ctx,
                      void (*check)(crd_context *ctx, const dataset *d, const json_t *expected)) {
  json_t *const fits = load(CREDENCE_SOURCE "/tests/golden/fits.json"), *c;
  json_t *const numbers = load(CREDENCE_SOURCE "/tests/golden/recalibration.json");
  size_t index, found = 0;
  json_array_foreach(json_object_get(fits, "cases"), index, c) {
    const json_t *const expected =
        json_object_get(numbers, json_string_value(json_object_get(c, "name")));
    if (!expected) continue;
    dataset d = make_dataset(ctx, c);
    check(ctx, &d, expected);
    free_dataset(&d);
    found++;
  }
  assert_int_equal(found, CASES);
  json_decref(fits);
  json_decref(numbers);
}

/* ---- Structured scaling. */

static void check_structured(crd_context *ctx, const dataset *d, const char *method,
                             const json_t *expected) {
  crd_calibrator *c = NULL;
  double p[SHOWN * 8];
  if (crd_calibrator_fit(ctx, method, NULL, d->predictions, &c) != CRD_OK ||
      crd_calibrator_apply(ctx, c, d->predictions, 0, SHOWN, p, NULL, NULL) != CRD_OK)
    fail_msg("%s: %s", method, crd_context_message(ctx));
  const crd_certificate *const certificate = crd_calibrator_certificate(c);
  const double theirs = number_of(expected, "objective");
  assert_true(certificate->converged);
  assert_true(
      near(crd_calibrator_learnt(c, 0)->values[0], number_of(expected, "temperature"), 1e-6));
  assert_true(certificate->objective <= theirs + 1e-7);
  assert_true(certificate->objective >= theirs - 1e-5);
  const json_t *const q = json_object_get(expected, "probabilities");
  assert_int_equal(json_array_size(q), SHOWN * d->classes);
  for (size_t i = 0; i < SHOWN * d->classes; i++)
    if (fabs(p[i] - json_number_value(json_array_get(q, i))) > 1e-3)
      fail_msg("%s: %s: probability %zu is %.9g, expected %.9g", d->name, method, i, p[i],
               json_number_value(json_array_get(q, i)));
  crd_calibrator_destroy(c);
}

static void check_both(crd_context *ctx, const dataset *d, const json_t *expected) {
  static const char *const methods[] = { "structured-vector", "structured-matrix" };
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    check_structured(ctx, d, methods[i], json_object_get(expected, methods[i]));
}

static void structured_scaling(void **state) { each_case(*state, check_both); }

/* ---- Refinement. */

static void check_refinement(crd_context *ctx, const dataset *d, const json_t *expected) {
  static const char *const names[] = { "nll-refinement",        "nll-calibration",
                                       "brier-refinement",      "brier-calibration",
                                       "brier-top1-refinement", "brier-top1-calibration" };
  const json_t *const numbers = json_object_get(expected, "refinement");
  const char *const folds = json_string_value(json_object_get(numbers, "fold"));
  unsigned *const fold = calloc(d->rows, sizeof *fold);
  const crd_result *result = NULL;
  assert_int_equal(strlen(folds), d->rows);
  for (size_t i = 0; i < d->rows; i++) fold[i] = (unsigned)(folds[i] - '0');
  const crd_recalibration how = { .size = sizeof how, .folds = 5, .fold = fold };
  const crd_evaluate_options options = { .size = sizeof options, .metrics = "all" };
  if (crd_predictions_recalibrate(ctx, d->predictions, &how) != CRD_OK ||
      crd_evaluate(ctx, d->predictions, &options, &result) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!near(value_of(result, names[i]), number_of(numbers, names[i]), 1e-7))
      fail_msg("%s: %s is %.12g, expected %.12g", d->name, names[i], value_of(result, names[i]),
               number_of(numbers, names[i]));
  crd_result_destroy(result);
  free(fold);
}

static void refinement(void **state) { each_case(*state, check_refinement); }

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(structured_scaling),
    cmocka_unit_test(refinement),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
