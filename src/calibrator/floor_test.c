/*
 * floor_test.c -- the fitted floor against a search in plain loops, data without exact zeros, and
 * calibrators saved before there was a floor.
 */
#include "calibrator/calibrator.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 600, CLASSES = 6 };

/* Softmax of logits, rounded to `decimals`; 0: not rounded. */
static test_data rounded(int decimals, bool weighted) {
  test_data d = make_data((test_recipe){ .rows = ROWS,
                                         .classes = CLASSES,
                                         .seed = 11,
                                         .spread = 4,
                                         .accuracy = .8,
                                         .weighted = weighted });
  const double scale = pow(10, decimals);
  for (size_t i = 0; i < ROWS; i++) {
    double *const z = d.scores + i * CLASSES, top = z[0], mass = 0;
    for (size_t k = 1; k < CLASSES; k++) top = fmax(top, z[k]);
    for (size_t k = 0; k < CLASSES; k++) mass += z[k] = exp(z[k] - top);
    for (size_t k = 0; k < CLASSES; k++)
      z[k] = decimals ? rint(z[k] / mass * scale) / scale : z[k] / mass;
  }
  return d;
}

static crd_predictions *probabilities_of(crd_context *ctx, const test_data *d) {
  const crd_predictions_parts parts = {
    .size = sizeof parts,
    .scores = crd_array_matrix(d->scores, CRD_F64, d->rows, d->classes),
    .labels = crd_array_matrix(d->labels, CRD_I64, d->rows, 1),
    .weights = d->weights ? crd_array_matrix(d->weights, CRD_F64, d->rows, 1) : (crd_array){ 0 },
    .input = CRD_INPUT_PROBABILITIES,
  };
  crd_predictions *p = NULL;
  assert_int_equal(crd_predictions_create(ctx, &parts, &p), CRD_OK);
  return p;
}

static crd_calibrator *fit(crd_context *ctx, const char *method, const crd_predictions *p,
                           double floor) {
  crd_calibrator *c = NULL;
  if (crd_calibrator_fit_with(ctx, method, NULL,
                              &(crd_fit_options){ .size = sizeof(crd_fit_options), .floor = floor },
                              p, &c) != CRD_OK)
    fail_msg("%s: %s", method, crd_context_message(ctx));
  return c;
}

static const crd_learnt *learnt(const crd_calibrator *c, const char *name) {
  for (size_t i = 0; crd_calibrator_learnt(c, i); i++)
    if (strcmp(crd_calibrator_learnt(c, i)->name, name) == 0) return crd_calibrator_learnt(c, i);
  return NULL;
}

/* ---- By plain loops. */

static double nll(const test_data *d, double floor, double b) {
  double sum = 0, total = 0;
  for (size_t i = 0; i < d->rows; i++) {
    const double weight = d->weights ? d->weights[i] : 1;
    double mass = 0;
    for (size_t k = 0; k < d->classes; k++)
      mass += pow(fmax(d->scores[i * d->classes + k], floor), b);
    const double own = fmax(d->scores[i * d->classes + (size_t)d->labels[i]], floor);
    sum += weight * (log(mass) - b * log(own));
    total += weight;
  }
  return sum / total;
}

/* The minimum over b, by ternary search of a convex function. */
static double best_nll(const test_data *d, double floor) {
  double low = 0.01, high = 10;
  for (int i = 0; i < 60; i++) {
    const double a = low + (high - low) / 3, b = high - (high - low) / 3;
    if (nll(d, floor, a) < nll(d, floor, b)) high = b;
    else low = a;
  }
  return nll(d, floor, (low + high) / 2);
}

static double slow_floor(const test_data *d) {
  double resolution = 1, best = INFINITY, floor = 0;
  for (size_t i = 0; i < d->rows * d->classes; i++)
    if (d->scores[i] > 0) resolution = fmin(resolution, d->scores[i]);
  for (int half = 0; half <= 12; half++) {
    const double candidate = resolution * pow(10, -half / 2.), value = best_nll(d, candidate);
    if (!(value < best)) continue;
    best = value;
    floor = candidate;
  }
  return floor;
}

static void likelihood_chooses(void **state) {
  double previous = 1;
  for (int decimals = 3; decimals <= 6; decimals++)
    for (int weighted = 0; weighted < 2; weighted++) {
      test_data d = rounded(decimals, weighted);
      crd_predictions *const p = probabilities_of(*state, &d);
      crd_calibrator *const c = fit(*state, "temperature", p, 0);
      assert_non_null(learnt(c, "floor"));
      const double floor = learnt(c, "floor")->values[0], expected = slow_floor(&d);
      if (!near(log10(floor), log10(expected), 1e-9))
        fail_msg("%d decimals: %g, expected %g", decimals, floor, expected);
      assert_true(near(crd_calibrator_certificate(c)->objective, best_nll(&d, expected), 1e-9));
      if (!weighted) assert_true(floor < previous);
      if (!weighted) previous = floor;
      crd_calibrator_destroy(c);
      crd_predictions_destroy(p);
      free_data(&d);
    }
}

/* Every method that reads logarithms has the floor of temperature scaling. */
static void all_methods_share_it(void **state) {
  test_data d = rounded(3, false);
  crd_predictions *const p = probabilities_of(*state, &d);
  const double floor = slow_floor(&d);
  for (size_t m = 0; crd_method_at(m); m++) {
    if (crd_method_at(m)->needs_features) continue;
    crd_calibrator *const c = fit(*state, crd_method_at(m)->name, p, 0);
    const bool none = crd__calibrator_method_at(m)->as_is;
    assert_true(!learnt(c, "floor") == none);
    if (!none) assert_true(near(learnt(c, "floor")->values[0] / floor, 1, 1e-9));
    crd_calibrator_destroy(c);
  }
  crd_predictions_destroy(p);
  free_data(&d);
}

static void counts_values(void **state) {
  test_data d = rounded(3, false);
  crd_predictions *const p = probabilities_of(*state, &d);
  crd_calibrator *const c = fit(*state, "temperature", p, 0);
  size_t values = 0, rows = 0;
  for (size_t i = 0; i < ROWS; i++) {
    size_t here = 0;
    for (size_t k = 0; k < CLASSES; k++) here += d.scores[i * CLASSES + k] == 0;
    values += here;
    rows += here > 0;
  }
  assert_int_equal(crd_calibrator_certificate(c)->values_floored, values);
  assert_int_equal(crd_calibrator_certificate(c)->rows_clipped, rows);
  crd_calibrator_destroy(c);
  crd_predictions_destroy(p);
  free_data(&d);
}

/* Data without zeros learn no floor, and the temperature of their logits. */
static void none_where_there_are_no_zeros(void **state) {
  test_data d = rounded(0, false);
  crd_predictions *const p = probabilities_of(*state, &d);
  crd_calibrator *const c = fit(*state, "temperature", p, 0);
  for (size_t i = 0; i < ROWS * CLASSES; i++) d.scores[i] = log(d.scores[i]);
  crd_predictions *const z = data_predictions(*state, &d, 0, ROWS);
  crd_calibrator *const logits = fit(*state, "temperature", z, 0);
  assert_null(learnt(c, "floor"));
  assert_int_equal(crd_calibrator_certificate(c)->values_floored, 0);
  assert_true(
      near(learnt(c, "temperature")->values[0], learnt(logits, "temperature")->values[0], 1e-9));
  crd_calibrator_destroy(c);
  crd_calibrator_destroy(logits);
  crd_predictions_destroy(z);
  crd_predictions_destroy(p);
  free_data(&d);
}

/* ---- A given floor. */

static void given_floors_are_used(void **state) {
  test_data d = rounded(3, false);
  crd_predictions *const p = probabilities_of(*state, &d);
  crd_calibrator *const c = fit(*state, "temperature", p, 1e-5);
  double out[CLASSES], mass = 0;
  assert_true(same_bits(learnt(c, "floor")->values[0], 1e-5));
  const double b = 1 / learnt(c, "temperature")->values[0];
  assert_true(near(crd_calibrator_certificate(c)->objective, best_nll(&d, 1e-5), 1e-9));
  for (size_t i = 0; i < ROWS; i++, mass = 0) {
    const double *const row = d.scores + i * CLASSES;
    assert_int_equal(crd_calibrator_apply(*state, c, p, i, 1, out, NULL, NULL), CRD_OK);
    for (size_t k = 0; k < CLASSES; k++) mass += pow(fmax(row[k], 1e-5), b);
    for (size_t k = 0; k < CLASSES; k++)
      assert_true(near(out[k], pow(fmax(row[k], 1e-5), b) / mass, 1e-12));
  }
  crd_calibrator_destroy(c);
  crd_predictions_destroy(p);
  free_data(&d);
}

static void bad_floors_are_refused(void **state) {
  static const double values[] = { -1, 1e-301, 0.0834, 1, (double)NAN, (double)INFINITY };
  test_data d = rounded(3, false);
  crd_predictions *const p = probabilities_of(*state, &d);
  crd_predictions *const z = data_predictions(*state, &d, 0, ROWS);
  crd_calibrator *c;
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    const crd_fit_options options = { .size = sizeof options, .floor = values[i] };
    assert_int_equal(crd_calibrator_fit_with(*state, "temperature", NULL, &options, p, &c),
                     CRD_EUSAGE);
    assert_null(c);
  }
  assert_int_equal(crd_calibrator_fit_with(
                       *state, "temperature", NULL,
                       &(crd_fit_options){ .size = sizeof(crd_fit_options), .floor = .01 }, z, &c),
                   CRD_EUSAGE);
  assert_non_null(strstr(crd_context_message(*state), "logits"));
  crd_predictions_destroy(z);
  crd_predictions_destroy(p);
  free_data(&d);
}

/* ---- One number for each row: 1 - s has a resolution of its own. */

static void binary_scores_in_single_precision(void **state) {
  static float s[ROWS];
  static int64_t labels[ROWS];
  crd_predictions *p = NULL;
  for (size_t i = 0; i < ROWS; i++) {
    const double z = ((double)(i * 37 % ROWS) / ROWS - .5) * 60; /* log-odds from -30 to 30 */
    s[i] = (float)(1 / (1 + exp(-z)));
    labels[i] = (double)(i * 53 % 101) / 101 < 1 / (1 + exp(-z / 3));
  }
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores = crd_array_matrix(s, CRD_F32, ROWS, 1),
                                        .labels = crd_array_matrix(labels, CRD_I64, ROWS, 1),
                                        .input = CRD_INPUT_PROBABILITIES };
  assert_int_equal(crd_predictions_create(*state, &parts, &p), CRD_OK);
  crd_calibrator *const c = fit(*state, "temperature", p, 0);
  const crd_learnt *const floor = learnt(c, "floor");
  assert_int_equal(floor->start[1], 2);
  assert_true(floor->values[0] >= 0x1p-24 * 1e-6 * .999 && floor->values[0] <= 0x1p-24);
  assert_true(same_bits(floor->values[1], 1e-300)); /* no score is 0 */
  assert_true(learnt(c, "temperature")->values[0] > 2 && learnt(c, "temperature")->values[0] < 4);
  crd_calibrator_destroy(c);
  crd_predictions_destroy(p);
}

static void confidences_of_one(void **state) {
  static double confidence[ROWS];
  static unsigned char correct[ROWS];
  for (size_t i = 0; i < ROWS; i++) {
    confidence[i] = rint(1000 - 1000 * exp(-(double)(i % 100) / 9)) / 1000;
    correct[i] = i * 53 % 101 < 20 + 75 * confidence[i];
  }
  crd_calibrator *const c =
      fit_pairs(*state, "temperature", NULL, (test_pairs){ ROWS, confidence, correct, NULL });
  const crd_learnt *const floor = learnt(c, "floor");
  assert_true(floor->values[0] >= 1e-9 * .999 && floor->values[0] <= 1e-3 * 1.001);
  const double t = learnt(c, "temperature")->values[0];
  const double odds = log1p(-floor->values[0]) - log(floor->values[0]);
  assert_true(near(calibrated(*state, c, 1), 1 / (1 + exp(-odds / t)), 1e-12));
  crd_calibrator_destroy(c);
}

/* Scores of 0 and 1 alone, which carry only the predicted class. */
static void hard_predictions(void **state) {
  test_data d = rounded(3, false);
  size_t hits = 0;
  for (size_t i = 0; i < ROWS; i++) {
    double *const row = d.scores + i * CLASSES;
    const size_t top = crd__calibrator_argmax(row, CLASSES);
    hits += (size_t)d.labels[i] == top;
    for (size_t k = 0; k < CLASSES; k++) row[k] = k == top;
  }
  crd_predictions *const p = probabilities_of(*state, &d);
  crd_calibrator *const c = fit(*state, "temperature", p, 0);
  double confidence;
  size_t predicted;
  assert_int_equal(crd_calibrator_apply(*state, c, p, 5, 1, NULL, &confidence, &predicted), CRD_OK);
  assert_true(near(confidence, (double)hits / ROWS, 1e-6));
  assert_int_equal(predicted, crd__calibrator_argmax(d.scores + 5 * CLASSES, CLASSES));
  static const size_t absent[][2] = {
    { ROWS, 1 }, { ROWS - 1, 2 }, { 1, SIZE_MAX }, { SIZE_MAX, 2 }
  };
  for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
    assert_int_equal(crd_calibrator_apply(*state, c, p, absent[i][0], absent[i][1], NULL,
                                          &confidence, &predicted),
                     CRD_EUSAGE);
  assert_int_equal(crd_calibrator_apply(*state, c, p, ROWS, 0, NULL, NULL, NULL), CRD_OK);
  crd_calibrator_destroy(c);
  crd_predictions_destroy(p);
  free_data(&d);
}

/* ---- Files. */

static void files_keep_it(void **state) {
  test_data d = rounded(3, false);
  crd_predictions *const p = probabilities_of(*state, &d);
  crd_calibrator *const c = fit(*state, "dirichlet-odir", p, 0), *again = NULL;
  char path[256];
  double a[CLASSES], b[CLASSES];
  crd_output *output = NULL;
  temporary_path(path, "floor.json");
  assert_int_equal(crd_output_open(*state, path, &output), CRD_OK);
  assert_int_equal(crd_calibrator_save(*state, c, output), CRD_OK);
  assert_int_equal(crd_output_commit(*state, output), CRD_OK);
  assert_int_equal(crd_calibrator_load(*state, path, &again), CRD_OK);
  assert_int_equal(crd_calibrator_certificate(again)->values_floored,
                   crd_calibrator_certificate(c)->values_floored);
  for (size_t i = 0; i < ROWS; i++) {
    assert_int_equal(crd_calibrator_apply(*state, c, p, i, 1, a, NULL, NULL), CRD_OK);
    assert_int_equal(crd_calibrator_apply(*state, again, p, i, 1, b, NULL, NULL), CRD_OK);
    for (size_t k = 0; k < CLASSES; k++) assert_true(same_bits(a[k], b[k]));
  }
  remove(path);
  crd_calibrator_destroy(c);
  crd_calibrator_destroy(again);
  crd_predictions_destroy(p);
  free_data(&d);
}

/* Calibrators saved when 0 was read as 1e-300 still read it so. */
static void files_from_before(void **state) {
  static const double row[] = { .9, .1, 0 };
  static const int64_t label = 0;
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores = crd_array_matrix(row, CRD_F64, 1, 3),
                                        .labels = crd_array_matrix(&label, CRD_I64, 1, 1),
                                        .input = CRD_INPUT_PROBABILITIES };
  crd_predictions *p = NULL;
  crd_calibrator *c = NULL;
  double out[3];
  assert_int_equal(crd_predictions_create(*state, &parts, &p), CRD_OK);
  if (crd_calibrator_load(*state, CREDENCE_SOURCE "/tests/golden/calibrators/before-floor.json",
                          &c) != CRD_OK)
    fail_msg("%s", crd_context_message(*state));
  const double b = 1 / learnt(c, "temperature")->values[0];
  const double zero = exp(b * log(1e-300)), mass = pow(.9, b) + pow(.1, b) + zero;
  assert_int_equal(crd_calibrator_apply(*state, c, p, 0, 1, out, NULL, NULL), CRD_OK);
  assert_true(near(out[0], pow(.9, b) / mass, 1e-12));
  assert_true(near(out[2] / (zero / mass), 1, 1e-9));
  crd_calibrator_destroy(c);
  crd_predictions_destroy(p);
}

static void forged_floors_are_refused(void **state) {
  static const char *const floors[] = {
    "[]", "[0.1, 0.1]", "0.2", "1e-301", "-1", "[[0.1], [0.1]]"
  };
  for (size_t i = 0; i < sizeof floors / sizeof *floors; i++) {
    char text[1024];
    crd_calibrator *c;
    snprintf(text, sizeof text,
             "{\"credence\": \"calibrator\", \"version\": 1, \"name\": \"temperature\", "
             "\"settings\": {\"compat\": \"none\"}, \"classes\": 3, \"input\": \"probabilities\", "
             "\"rows\": 8, \"certificate\": {\"iterations\": 1, \"rows_clipped\": 0, "
             "\"argmax_changes\": 0, \"note\": \"\"}, \"parameters\": {\"temperature\": 1, "
             "\"floor\": %s}}",
             floors[i]);
    assert_int_equal(crd__calibrator_read(*state, text, strlen(text), true, &c), CRD_EINPUT);
    assert_null(c);
  }
}

/* ---- Suspicious temperatures. */

static void suspicious_temperatures(void **state) {
  test_data d = rounded(3, false);
  crd_predictions *const fine = probabilities_of(*state, &d);
  crd_calibrator *c = fit(*state, "temperature", fine, 0);
  assert_false(crd_calibrator_certificate(c)->suspicious);
  crd_calibrator_destroy(c);
  crd_predictions_destroy(fine);
  for (size_t i = 0; i < ROWS; i++) d.labels[i] = (int64_t)(i * 7 % CLASSES); /* of other rows */
  crd_predictions *const shuffled = probabilities_of(*state, &d);
  c = fit(*state, "temperature", shuffled, 0);
  assert_true(crd_calibrator_certificate(c)->suspicious);
  assert_non_null(strstr(crd_calibrator_certificate(c)->note, "do labels and scores belong"));
  crd_calibrator_destroy(c);
  c = fit(*state, "temperature-fixed", shuffled, 0); /* nothing is fitted */
  assert_false(crd_calibrator_certificate(c)->suspicious);
  crd_calibrator_destroy(c);
  crd_predictions_destroy(shuffled);
  free_data(&d);
}

static void percentages_are_named(void **state) {
  test_data d = rounded(0, false);
  for (size_t i = 0; i < ROWS * CLASSES; i++) d.scores[i] *= 100;
  crd_predictions *const p = data_predictions(*state, &d, 0, ROWS);
  crd_calibrator *const c = fit(*state, "temperature", p, 0);
  assert_true(crd_calibrator_certificate(c)->suspicious);
  assert_non_null(strstr(crd_calibrator_certificate(c)->note, "percentages"));
  crd_calibrator_destroy(c);
  crd_predictions_destroy(p);
  free_data(&d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(likelihood_chooses),
    cmocka_unit_test(all_methods_share_it),
    cmocka_unit_test(counts_values),
    cmocka_unit_test(none_where_there_are_no_zeros),
    cmocka_unit_test(given_floors_are_used),
    cmocka_unit_test(bad_floors_are_refused),
    cmocka_unit_test(binary_scores_in_single_precision),
    cmocka_unit_test(confidences_of_one),
    cmocka_unit_test(hard_predictions),
    cmocka_unit_test(files_keep_it),
    cmocka_unit_test(files_from_before),
    cmocka_unit_test(forged_floors_are_refused),
    cmocka_unit_test(suspicious_temperatures),
    cmocka_unit_test(percentages_are_named),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
