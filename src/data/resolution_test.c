/*
 * resolution_test.c -- rounded probabilities: the tolerance of their sums, the grids that count,
 * values that exceed [0, 1], and error messages that do not contradict themselves.
 */
#include "data/resolution.h"
#include "data/rows.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 50, CLASSES_MAX = 200 };

typedef struct {
  double p[ROWS * CLASSES_MAX];
  int64_t labels[ROWS];
  size_t classes;
} table;

/* Softmax of some logits. */
static table *soft(size_t classes) {
  table *const t = calloc(1, sizeof *t);
  test_data d = make_data((test_recipe){ ROWS, classes, 3, 2, .7, 0, false, false });
  t->classes = classes;
  for (size_t i = 0; i < ROWS; i++) {
    double mass = 0;
    for (size_t k = 0; k < classes; k++) mass += exp(d.scores[i * classes + k]);
    for (size_t k = 0; k < classes; k++)
      t->p[i * classes + k] = exp(d.scores[i * classes + k]) / mass;
    t->labels[i] = d.labels[i];
  }
  free_data(&d);
  return t;
}

static table *rounded(size_t classes, double unit) {
  table *const t = soft(classes);
  for (size_t i = 0; i < ROWS * classes; i++) t->p[i] = rint(t->p[i] / unit) * unit;
  return t;
}

static crd_status make(crd_context *ctx, const table *t, crd_input input, crd_predictions **out) {
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores = crd_array_matrix(t->p, CRD_F64, ROWS, t->classes),
                                        .labels = crd_array_matrix(t->labels, CRD_I64, ROWS, 1),
                                        .input = input };
  return crd_predictions_create(ctx, &parts, out);
}

/* The tolerance of a table whose kind is inferred. */
static double tolerance_of(crd_context *ctx, const table *t) {
  double row[CLASSES_MAX];
  crd_predictions *p = NULL;
  assert_int_equal(make(ctx, t, CRD_INPUT_LOGITS, &p), CRD_OK);
  const double tolerance = crd__data_resolution_tolerance(p, row);
  crd_predictions_destroy(p);
  return tolerance;
}

static void grids_are_found(void **state) {
  static const struct {
    size_t classes;
    double unit, expected;
  } cases[] = { { 100, 1e-3, .05 }, { 200, 1e-3, .1 },           { 10, 1e-2, .05 },
                { 20, 1e-3, .01 },  { 10, 1e-3, .01 },           { 200, 1e-4, .01 },
                { 4, .1, .2 },      { 30, 1. / 255, 15. / 255 }, { 100, 1. / 512, 50. / 512 } };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int single = 0; single < 2; single++) {
      table *const t = rounded(cases[i].classes, cases[i].unit);
      for (size_t j = 0; single && j < ROWS * t->classes; j++) t->p[j] = (float)t->p[j];
      const double found = tolerance_of(*state, t);
      if (!near(found, cases[i].expected, 1e-6))
        fail_msg("%zu classes, unit %g: %g, expected %g", cases[i].classes, cases[i].unit, found,
                 cases[i].expected);
      free(t);
    }
}

static void other_numbers_have_none(void **state) {
  for (int kind = 0; kind < 4; kind++) {
    table *const t = kind == 3 ? rounded(100, 1e-3) : soft(100);
    for (size_t i = 0; i < ROWS * 100; i++) {
      if (kind == 1) t->p[i] = (float)t->p[i];
      if (kind == 2)
        t->p[i] = rint(t->p[i] * 2048 / exp2(ilogb(t->p[i]))) / 2048 * exp2(ilogb(t->p[i]));
    }
    if (kind == 3) t->p[7] = .1234567; /* one that is off the grid */
    assert_true(tolerance_of(*state, t) == .01);
    free(t);
  }
}

/* Row sums of rounded values are far from 1, but they are read as probabilities. */
static void rounded_rows_are_probabilities(void **state) {
  table *const t = rounded(200, 1e-3);
  crd_predictions *p = NULL;
  double worst = 0;
  for (size_t i = 0; i < ROWS; i++) {
    double sum = 0;
    for (size_t k = 0; k < 200; k++) sum += t->p[i * 200 + k];
    worst = fmax(worst, fabs(sum - 1));
  }
  assert_true(worst > .0101);
  for (int declared = 0; declared < 2; declared++) {
    assert_int_equal(make(*state, t, declared ? CRD_INPUT_PROBABILITIES : CRD_INPUT_AUTO, &p),
                     CRD_OK);
    assert_int_equal(crd_predictions_input(p), CRD_INPUT_PROBABILITIES);
    crd_evidence *evidence = NULL;
    assert_int_equal(crd_evidence_gather(*state, p, NULL, 0, &evidence), CRD_OK);
    crd_evidence_destroy(evidence);
    crd_predictions_destroy(p);
  }
  free(t);
}

static void logits_within_one_stay_logits(void **state) {
  table *const t = soft(5);
  crd_predictions *p = NULL;
  for (int decimals = 1; decimals <= 3; decimals++) {
    const double scale = pow(10, decimals);
    for (size_t i = 0; i < ROWS * 5; i++)
      t->p[i] = rint((double)(i * 7919 % 1000) / 1000 * scale) / scale;
    assert_int_equal(make(*state, t, CRD_INPUT_AUTO, &p), CRD_OK);
    assert_int_equal(crd_predictions_input(p), CRD_INPUT_LOGITS);
    crd_predictions_destroy(p);
  }
  free(t);
}

/* ---- Values outside [0, 1]. */

static void excess_is_clipped(void **state) {
  static const double rows[][3] = {
    { 1.0000012, 0, 0 }, { 1.00001, -1e-9, 0 }, { .2, .3, .5 }, { 1.009, -.005, 0 }
  };
  double p[12], clipped[3];
  const int64_t labels[] = { 0, 0, 2, 1 };
  crd_predictions *predictions = NULL;
  crd__data_row_reader *reader = NULL;
  crd__data_rows out;
  memcpy(p, rows, sizeof p);
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores = crd_array_matrix(p, CRD_F64, 4, 3),
                                        .labels = crd_array_matrix(labels, CRD_I64, 4, 1) };
  assert_int_equal(crd_predictions_create(*state, &parts, &predictions), CRD_OK);
  assert_int_equal(crd_predictions_input(predictions), CRD_INPUT_PROBABILITIES);
  assert_non_null(crd_predictions_note(predictions, 0));
  const char *const first = crd_predictions_note(predictions, 0);
  const char *const second = crd_predictions_note(predictions, 1);
  const char *const note = strstr(first, "clipped") ? first : second;
  assert_string_equal(note, "5 values lie outside [0, 1], by 0.009 at most: rounding, clipped");
  assert_int_equal(
      crd__data_row_reader_create(*state, predictions, CRD__NEED_PROBABILITIES, &reader), CRD_OK);
  assert_int_equal(crd__data_row_reader_read(*state, reader, 0, 4, &out), CRD_OK);
  for (size_t i = 0; i < 4; i++) {
    double sum = 0;
    for (size_t k = 0; k < 3; k++) sum += clipped[k] = fmin(fmax(rows[i][k], 0), 1);
    for (size_t k = 0; k < 3; k++)
      assert_true(near(out.probabilities[3 * i + k], clipped[k] / sum, 1e-15));
  }
  crd__data_row_reader_destroy(reader);
  crd_predictions_destroy(predictions);
}

/* Rounding errors of a float32 softmax are not clipped or noted. */
static void traces_are_left(void **state) {
  const float p[] = { 1.0000001F, 0, 0, .25F, .25F, .5F };
  const int64_t labels[] = { 0, 2 };
  crd_predictions *predictions = NULL;
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores = crd_array_matrix(p, CRD_F32, 2, 3),
                                        .labels = crd_array_matrix(labels, CRD_I64, 2, 1),
                                        .input = CRD_INPUT_PROBABILITIES };
  assert_int_equal(crd_predictions_create(*state, &parts, &predictions), CRD_OK);
  assert_null(crd_predictions_note(predictions, 0));
  assert_false(predictions->clips);
  crd_predictions_destroy(predictions);
}

/* One score for each row: neither s nor 1 - s may leave [0, 1]. */
static void single_scores_and_confidences(void **state) {
  const float s[] = { 1.0000001F, .5F, -1e-7F, .25F };
  const int64_t labels[] = { 1, 0, 0, 1 };
  for (int pairs = 0; pairs < 2; pairs++) {
    crd_predictions *p = NULL;
    crd__data_row_reader *reader = NULL;
    crd__data_rows out;
    const crd_array column = crd_array_matrix(labels, CRD_I64, 4, 1);
    crd_predictions_parts parts = { .size = sizeof parts,
                                    .scores = crd_array_matrix(s, CRD_F32, 4, 1),
                                    .input = pairs ? CRD_INPUT_PAIRS : CRD_INPUT_PROBABILITIES };
    *(pairs ? &parts.correct : &parts.labels) = column;
    assert_int_equal(crd_predictions_create(*state, &parts, &p), CRD_OK);
    assert_non_null(strstr(crd_predictions_note(p, 0), pairs ? "1 value lies" : "2 values lie"));
    assert_int_equal(
        crd__data_row_reader_create(*state, p, pairs ? 0 : CRD__NEED_PROBABILITIES, &reader),
        CRD_OK);
    assert_int_equal(crd__data_row_reader_read(*state, reader, 0, 4, &out), CRD_OK);
    assert_true(out.confidence[0] == 1 && out.confidence[2] == (pairs ? 0 : 1));
    for (size_t i = 0; !pairs && i < 8; i++)
      assert_true(out.probabilities[i] >= 0 && out.probabilities[i] <= 1);
    crd__data_row_reader_destroy(reader);
    crd_predictions_destroy(p);
  }
}

static void refused(crd_context *ctx, double a, double b, const char *words) {
  const double p[] = { .5, .5, a, b };
  const int64_t labels[] = { 0, 0 };
  crd_predictions *out = NULL;
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores = crd_array_matrix(p, CRD_F64, 2, 2),
                                        .labels = crd_array_matrix(labels, CRD_I64, 2, 1),
                                        .input = CRD_INPUT_PROBABILITIES };
  assert_int_equal(crd_predictions_create(ctx, &parts, &out), CRD_EINPUT);
  if (!strstr(crd_context_message(ctx), words))
    fail_msg("%s, expected %s", crd_context_message(ctx), words);
}

static void sentences_show_the_digits_that_count(void **state) {
  refused(*state, .9, .08999999, "sums to 0.98999999, probabilities sum to 1 within 0.01");
  refused(*state, .9, .11000001, "sums to 1.01000001, probabilities sum to 1 within 0.01");
  refused(*state, .9, .05, "sums to 0.95, probabilities");
  refused(*state, 1.0100000001, 0, "holds 1.0100000001, probabilities lie in [0, 1]");
  refused(*state, 1, -.01000002, "holds -0.01000002, probabilities lie in [0, 1]");
  refused(*state, 1.5, 0, "holds 1.5, probabilities");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(grids_are_found),
    cmocka_unit_test(other_numbers_have_none),
    cmocka_unit_test(rounded_rows_are_probabilities),
    cmocka_unit_test(logits_within_one_stay_logits),
    cmocka_unit_test(excess_is_clipped),
    cmocka_unit_test(traces_are_left),
    cmocka_unit_test(single_scores_and_confidences),
    cmocka_unit_test(sentences_show_the_digits_that_count),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
