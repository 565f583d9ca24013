/* density_ratio_test.c -- compared with the definition in plain loops; data with proximity bias.
 */
#include "support.h"

#include "base/random.h"
#include "data/predictions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 120, NEW = 40, ALL = ROWS + NEW, WIDTH = 6, CLASSES = 3 };

/* The first ROWS rows are fitted on; all of them are applied to. */
typedef struct {
  double logits[ALL * CLASSES], features[ALL * WIDTH], weights[ALL];
  int64_t labels[ALL];
} sample;

static crd_predictions *predictions(crd_context *ctx, const sample *s, size_t rows) {
  crd_predictions *p = NULL;
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores =
                                            crd_array_matrix(s->logits, CRD_F64, rows, CLASSES),
                                        .labels = crd_array_matrix(s->labels, CRD_I64, rows, 1),
                                        .weights = crd_array_matrix(s->weights, CRD_F64, rows, 1),
                                        .features =
                                            crd_array_matrix(s->features, CRD_F64, rows, WIDTH),
                                        .input = CRD_INPUT_LOGITS,
                                        .name = "sample" };
  if (crd_predictions_create(ctx, &parts, &p) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  return p;
}

static double uniform(uint64_t stream, size_t i) { return crd__random_uniform(5, stream, i); }

static void draw(sample *s, bool weighted) {
  for (size_t i = 0; i < ALL * CLASSES; i++) s->logits[i] = 4 * uniform(1, i);
  for (size_t i = 0; i < ALL * WIDTH; i++) s->features[i] = 3 * uniform(2, i) - 1;
  for (size_t i = 0; i < ALL; i++) {
    s->labels[i] = (int64_t)(3 * uniform(3, i));
    s->weights[i] = weighted ? (double)(i * 7 % 4) : 1;
  }
  memset(s->features + 9 * WIDTH, 0, WIDTH * sizeof *s->features); /* a row without a direction */
  memcpy(s->features + 31 * WIDTH, s->features + 30 * WIDTH,
         WIDTH * sizeof *s->features); /* copies */
  memcpy(s->features + ROWS * WIDTH, s->features + 30 * WIDTH, WIDTH * sizeof *s->features);
}

/* ---- The definition. */

static double distance(const sample *s, size_t i, size_t k) {
  double a = 0, b = 0, sum = 0;
  for (size_t j = 0; j < WIDTH; j++) {
    a += s->features[i * WIDTH + j] * s->features[i * WIDTH + j];
    b += s->features[k * WIDTH + j] * s->features[k * WIDTH + j];
  }
  for (size_t j = 0; j < WIDTH; j++) {
    const double x = a > 0 ? s->features[i * WIDTH + j] / sqrt(a) : 0;
    const double y = b > 0 ? s->features[k * WIDTH + j] / sqrt(b) : 0;
    sum += (x - y) * (x - y);
  }
  return sqrt(sum);
}

/* Leaves out the row itself, or the first of its duplicates. */
static double slow_proximity(const sample *s, size_t i, size_t neighbours, bool mean_exp) {
  double distances[ROWS], sum = 0;
  size_t count = 0, own = ROWS;
  for (size_t k = 0; k < ROWS && own == ROWS; k++)
    if (s->weights[k] > 0 && (k == i || distance(s, i, k) == 0)) own = k;
  for (size_t k = 0; k < ROWS; k++)
    if (s->weights[k] > 0 && k != own) distances[count++] = distance(s, i, k);
  if (count < neighbours) neighbours = count;
  for (size_t n = 0; n < neighbours; n++) {
    size_t least = n;
    for (size_t k = n + 1; k < count; k++)
      if (distances[k] < distances[least]) least = k;
    const double d = distances[least];
    distances[least] = distances[n];
    sum += mean_exp ? exp(-d) : d;
  }
  return mean_exp ? sum / (double)neighbours : exp(-sum / (double)neighbours);
}

static double slow_confidence(const sample *s, size_t i, size_t *top) {
  const double *const z = s->logits + i * CLASSES;
  double mass = 0;
  *top = 0;
  for (size_t k = 1; k < CLASSES; k++)
    if (z[k] > z[*top]) *top = k;
  for (size_t k = 0; k < CLASSES; k++) mass += exp(z[k] - z[*top]);
  return 1 / mass;
}

typedef struct {
  double c[ALL], d[ALL];
  bool right[ALL];
} points;

static double slow_bandwidth(const sample *s, const points *p, const double *x, bool right) {
  double n = 0, squares = 0, mean = 0, variance = 0;
  for (size_t i = 0; i < ROWS; i++)
    if (p->right[i] == right) {
      n += s->weights[i];
      squares += s->weights[i] * s->weights[i];
      mean += s->weights[i] * x[i];
    }
  for (size_t i = 0; i < ROWS; i++)
    if (p->right[i] == right) variance += s->weights[i] * pow(x[i] - mean / n, 2) / n;
  return 1.06 * sqrt(variance) * pow(n * n / squares, -1. / 6);
}

static double gauss(double x, double h) {
  return exp(-x * x / (2 * h * h)) / (h * sqrt(2 * 3.14159265358979324));
}

/* The density of correct or wrong rows, times their number. */
static double slow_mass(const sample *s, const points *p, double c, double d, bool right,
                        double factor) {
  const double h = factor * slow_bandwidth(s, p, p->c, right);
  const double g = factor * slow_bandwidth(s, p, p->d, right);
  double n = 0, sum = 0;
  for (size_t i = 0; i < ROWS; i++)
    if (p->right[i] == right) {
      n += s->weights[i];
      sum += s->weights[i] * gauss(c - p->c[i], h) * gauss(d - p->d[i], g);
    }
  return n * (sum / n + 1e-10);
}

static void check(crd_context *ctx, const sample *s, const char *settings, size_t neighbours,
                  bool mean_exp, double factor) {
  crd_predictions *const some = predictions(ctx, s, ROWS), *const all = predictions(ctx, s, ALL);
  crd_calibrator *c = NULL;
  double out[ALL * CLASSES], confidence[ALL];
  size_t predicted[ALL], top;
  points p;
  if (crd_calibrator_fit(ctx, "density-ratio", settings, some, &c) != CRD_OK ||
      crd_calibrator_apply(ctx, c, all, 0, ALL, out, confidence, predicted) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  for (size_t i = 0; i < ALL; i++) {
    p.c[i] = slow_confidence(s, i, &top);
    p.d[i] = slow_proximity(s, i, neighbours, mean_exp);
    p.right[i] = s->labels[i] == (int64_t)top;
  }
  for (size_t i = 0; i < ALL; i++) {
    const double conf = slow_confidence(s, i, &top);
    const double right = slow_mass(s, &p, p.c[i], p.d[i], true, factor);
    const double q = right / (right + slow_mass(s, &p, p.c[i], p.d[i], false, factor));
    assert_int_equal(predicted[i], top);
    assert_true(same_bits(confidence[i], out[i * CLASSES + top]));
    if (!near(confidence[i], q, 1e-12))
      fail_msg("'%s', row %zu: %.17g, expected %.17g", settings, i, confidence[i], q);
    for (size_t k = 0; k < CLASSES; k++) { /* the others keep their proportions */
      const double was = conf * exp(s->logits[i * CLASSES + k] - s->logits[i * CLASSES + top]);
      if (k != top) assert_true(near(out[i * CLASSES + k], was * (1 - q) / (1 - conf), 1e-12));
    }
  }
  crd_calibrator_destroy(c);
  crd_predictions_destroy(some);
  crd_predictions_destroy(all);
}

static void is_what_the_definition_says(void **state) {
  static sample s;
  for (int weighted = 0; weighted < 2; weighted++) {
    draw(&s, weighted);
    check(*state, &s, "", 10, false, 1);
    check(*state, &s, "proximity=mean-exp", 10, true, 1);
    check(*state, &s, "neighbours=1", 1, false, 1);
    check(*state, &s, "neighbours=100,bandwidth=0.5", 100, false, .5);
  }
}

/* ---- Proximity bias: equal confidences, rows in a dense region or alone. */

/* Two of three rows are close together and correct in 95 % of cases; the others are scattered, and
 * correct in half of them. */
enum { MANY = 1500 };
typedef struct {
  double logits[2 * MANY], features[8 * MANY];
  int64_t labels[MANY], groups[MANY];
} world;

static crd_predictions *make_world(crd_context *ctx, uint64_t seed, world *w) {
  crd_predictions *p = NULL;
  for (size_t i = 0; i < MANY; i++) {
    const bool far = i % 3 == 0;
    const double share = far ? .5 : .95;
    for (size_t j = 0; j < 8; j++)
      w->features[8 * i + j] = far ? crd__random_uniform(seed, 1, 8 * i + j) - .5
                                   : 1 + .2 * crd__random_uniform(seed, 1, 8 * i + j);
    w->logits[2 * i] = 0;
    w->logits[2 * i + 1] = 2 + crd__random_uniform(seed, 2, i) / 10;
    w->labels[i] = crd__random_uniform(seed, 3, i) < share;
    w->groups[i] = far;
  }
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores = crd_array_matrix(w->logits, CRD_F64, MANY, 2),
                                        .labels = crd_array_matrix(w->labels, CRD_I64, MANY, 1),
                                        .groups = crd_array_matrix(w->groups, CRD_I64, MANY, 1),
                                        .features = crd_array_matrix(w->features, CRD_F64, MANY, 8),
                                        .input = CRD_INPUT_LOGITS };
  if (crd_predictions_create(ctx, &parts, &p) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  return p;
}

/* NLL of all rows, then ECE of the rows that are close and of those that are not. */
static void judge(crd_context *ctx, const char *method, const crd_predictions *train,
                  const crd_predictions *test, double out[3]) {
  const crd_evaluate_options what = { .size = sizeof what, .metrics = "nll,ece" };
  crd_calibrator *c = NULL;
  crd_predictions *calibrated = NULL;
  const crd_result *result = NULL;
  const crd_group_table *groups = NULL;
  if (crd_calibrator_fit(ctx, method, NULL, train, &c) != CRD_OK ||
      crd_calibrator_calibrate(ctx, c, test, &calibrated) != CRD_OK ||
      crd_evaluate(ctx, calibrated, &what, &result) != CRD_OK ||
      crd_evaluate_groups(ctx, calibrated, &what, &groups) != CRD_OK)
    fail_msg("%s: %s", method, crd_context_message(ctx));
  assert_int_equal(groups->count, 2);
  out[0] = value_of(result, "nll");
  for (size_t g = 0; g < 2; g++) out[1 + g] = value_of(groups->items[g].result, "ece");
  crd_group_table_destroy(groups);
  crd_result_destroy(result);
  crd_predictions_destroy(calibrated);
  crd_calibrator_destroy(c);
}

static void sees_what_confidence_does_not_show(void **state) {
  static world first, second;
  double plain[3], ours[3];
  crd_predictions *const train = make_world(*state, 1, &first);
  crd_predictions *const test = make_world(*state, 2, &second);
  judge(*state, "temperature", train, test, plain);
  judge(*state, "density-ratio", train, test, ours);
  assert_true(plain[1] > .1 &&
              plain[2] > .25); /* calibrated overall, miscalibrated in each group */
  assert_true(ours[1] < .03 && ours[2] < .06);
  assert_true(ours[0] < plain[0] - .1);
  crd_predictions_destroy(train);
  crd_predictions_destroy(test);
}

/* ---- Edges. */

/* Far from all calibration rows the result is the accuracy. */
static void far_away_is_the_share(void **state) {
  static sample s;
  double confidence[ALL];
  draw(&s, false);
  for (size_t i = 0; i < ROWS; i++) { /* confident of all rows, one in four correct */
    for (size_t k = 0; k < CLASSES; k++) s.logits[i * CLASSES + k] = k == 0 ? 9 : 0;
    s.labels[i] = i % 4 > 0;
  }
  crd_predictions *const some = predictions(*state, &s, ROWS), *const all =
                                                                   predictions(*state, &s, ALL);
  crd_calibrator *c = NULL;
  assert_int_equal(crd_calibrator_fit(*state, "density-ratio", NULL, some, &c), CRD_OK);
  assert_string_equal(crd_calibrator_certificate(c)->bounds, "bandwidth");
  assert_int_equal(crd_calibrator_apply(*state, c, all, 0, ALL, NULL, confidence, NULL), CRD_OK);
  for (size_t i = ROWS; i < ALL; i++) assert_true(near(confidence[i], .25, 1e-12));
  crd_calibrator_destroy(c);
  crd_predictions_destroy(some);
  crd_predictions_destroy(all);
}

/* A single wrong row is too few for a density. */
static void one_row_is_no_density(void **state) {
  static sample s;
  double confidence[ROWS];
  size_t top;
  draw(&s, false);
  for (size_t i = 0; i < ROWS; i++) {
    slow_confidence(&s, i, &top);
    s.labels[i] = (int64_t)(i == 7 ? (top + 1) % CLASSES : top);
  }
  crd_predictions *const p = predictions(*state, &s, ROWS);
  crd_calibrator *c = NULL;
  assert_int_equal(crd_calibrator_fit(*state, "density-ratio", NULL, p, &c), CRD_OK);
  assert_non_null(strstr(crd_calibrator_certificate(c)->note, "119 correct and 1 wrong rows"));
  assert_int_equal(crd_calibrator_apply(*state, c, p, 0, ROWS, NULL, confidence, NULL), CRD_OK);
  for (size_t i = 0; i < ROWS; i++) assert_true(near(confidence[i], 119. / 120, 1e-12));
  crd_calibrator_destroy(c);
  crd_predictions_destroy(p);
}

/* Folds and splits, which pick rows without copying them, give the same fit as copies of these
 * rows. */
static void picked_rows_bring_their_features(void **state) {
  static sample all, some;
  enum { PICKED = 60 };
  size_t rows[PICKED];
  double picked[PICKED * CLASSES], copied[PICKED * CLASSES];
  draw(&all, true);
  for (size_t i = 0; i < PICKED; i++) {
    const size_t from = rows[i] = (i * 37 + 11) % ROWS;
    memcpy(some.logits + i * CLASSES, all.logits + from * CLASSES, CLASSES * sizeof *some.logits);
    memcpy(some.features + i * WIDTH, all.features + from * WIDTH, WIDTH * sizeof *some.features);
    some.labels[i] = all.labels[from];
    some.weights[i] = all.weights[from];
  }
  crd_predictions *const p = predictions(*state, &all, ALL), *q = NULL;
  crd_predictions *const copies = predictions(*state, &some, PICKED);
  crd_calibrator *c = NULL, *d = NULL;
  assert_int_equal(crd__data_predictions_pick(*state, p, rows, PICKED, &q), CRD_OK);
  assert_int_equal(crd_calibrator_fit(*state, "density-ratio", NULL, q, &c), CRD_OK);
  assert_int_equal(crd_calibrator_fit(*state, "density-ratio", NULL, copies, &d), CRD_OK);
  assert_int_equal(crd_calibrator_apply(*state, c, q, 0, PICKED, picked, NULL, NULL), CRD_OK);
  assert_int_equal(crd_calibrator_apply(*state, d, copies, 0, PICKED, copied, NULL, NULL), CRD_OK);
  assert_memory_equal(picked, copied, sizeof picked);
  crd_calibrator_destroy(c);
  crd_calibrator_destroy(d);
  crd_predictions_destroy(q);
  crd_predictions_destroy(p);
  crd_predictions_destroy(copies);
}

static void features_must_be_there_and_fit(void **state) {
  static sample s;
  double out[ALL * CLASSES];
  draw(&s, false);
  crd_predictions *const p = predictions(*state, &s, ROWS);
  crd_predictions_parts parts = { .size = sizeof parts,
                                  .scores = crd_array_matrix(s.logits, CRD_F64, ROWS, CLASSES),
                                  .labels = crd_array_matrix(s.labels, CRD_I64, ROWS, 1),
                                  .name = "other" };
  crd_predictions *other = NULL;
  crd_calibrator *c = NULL, *none = NULL;
  assert_int_equal(crd_calibrator_fit(*state, "density-ratio", NULL, p, &c), CRD_OK);
  assert_int_equal(crd_predictions_create(*state, &parts, &other), CRD_OK);
  assert_int_equal(crd_calibrator_fit(*state, "density-ratio", NULL, other, &none), CRD_EINPUT);
  assert_string_equal(crd_context_message(*state),
                      "other: density-ratio needs features (an array `features`, one row for each "
                      "row of scores)");
  crd_predictions_destroy(other);
  parts.features = crd_array_matrix(s.features, CRD_F64, ROWS, WIDTH - 1);
  assert_int_equal(crd_predictions_create(*state, &parts, &other), CRD_OK);
  assert_int_equal(crd_calibrator_apply(*state, c, other, 0, ROWS, out, NULL, NULL), CRD_EINPUT);
  assert_string_equal(crd_context_message(*state),
                      "other: features have 5 columns, the calibrator was fitted on 6");
  crd_predictions_destroy(other);
  s.features[17 * WIDTH + 4] = (double)-INFINITY;
  parts.features = crd_array_matrix(s.features, CRD_F64, ROWS, WIDTH);
  parts.first_row = 100;
  assert_int_equal(crd_predictions_create(*state, &parts, &other), CRD_OK);
  assert_int_equal(crd_calibrator_apply(*state, c, other, 0, ROWS, out, NULL, NULL), CRD_EINPUT);
  assert_string_equal(crd_context_message(*state),
                      "other: features row 117, column 4 is minus infinity, expected a finite "
                      "number");
  crd_predictions_destroy(other);
  crd_predictions_destroy(p);
  crd_calibrator_destroy(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(is_what_the_definition_says),
    cmocka_unit_test(sees_what_confidence_does_not_show),
    cmocka_unit_test(far_away_is_the_share),
    cmocka_unit_test(one_row_is_no_density),
    cmocka_unit_test(picked_rows_bring_their_features),
    cmocka_unit_test(features_must_be_there_and_fit),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
