/* predictions_test.c -- invalid values and shapes are named; inferred kinds, labels, names. */
#include "data/predictions.h"
#include "data/rows.h"
#include "support.h"

#include <math.h>
#include <string.h>

static const float logits[4][3] = { { 2, 1, 0 }, { 0, 3, 1 }, { 1, 0, 5 }, { 0, 1, 0 } };
static const float probabilities[4][3] = {
  { .7f, .2f, .1f }, { .1f, .8f, .1f }, { 0, 0, 1 }, { .3f, .4f, .3f }
};
static const int32_t labels[4] = { 0, 1, 1, 2 };

static crd_predictions_parts parts(void) {
  return (crd_predictions_parts){ .size = sizeof(crd_predictions_parts),
                                  .scores = crd_array_matrix(logits, CRD_F32, 4, 3),
                                  .labels = crd_array_matrix(labels, CRD_I32, 4, 1),
                                  .name = "dump.npz",
                                  .scores_name = "logits" };
}

/* Creates and evaluates: the error message must contain all of `words` (separated by '|'). */
static void refused(crd_context *ctx, crd_predictions_parts p, const char *words) {
  crd_predictions *predictions = NULL;
  const crd_result *result = NULL;
  crd_status status = crd_predictions_create(ctx, &p, &predictions);
  if (status == CRD_OK)
    status = crd_evaluate(
        ctx, predictions,
        &(crd_evaluate_options){ .size = sizeof(crd_evaluate_options), .metrics = "all" }, &result);
  crd_predictions_destroy(predictions);
  assert_int_equal(status, CRD_EINPUT);
  assert_null(result);
  for (const char *at = words; *at;) {
    char word[100] = { 0 };
    const size_t length = strcspn(at, "|");
    memcpy(word, at, length);
    if (!strstr(crd_context_message(ctx), word))
      fail_msg("'%s' does not say '%s'", crd_context_message(ctx), word);
    at += length + (at[length] == '|');
  }
}

static void bad_values_are_named(void **state) {
  float bad[4][3];
  const float values[] = { (float)NAN, (float)INFINITY, -(float)INFINITY };
  static const char *const words[] = { "dump.npz: logits row 2, class 1 is NaN",
                                       "dump.npz: logits row 2, class 1 is infinite",
                                       "dump.npz: logits row 2, class 1 is minus infinity" };
  for (size_t i = 0; i < 3; i++) {
    crd_predictions_parts p = parts();
    memcpy(bad, logits, sizeof bad);
    bad[2][1] = values[i];
    p.scores.data = bad;
    refused(*state, p, words[i]);
    p.input = CRD_INPUT_PROBABILITIES;
    refused(*state, p, "logits row");
  }
}

static void classes_have_names(void **state) {
  static const char *const names[3] = { "cat", "gr\xc3\xbc\xc3\x9f", "" };
  static const size_t rows[2] = { 3, 1 };
  crd_predictions *p = NULL, *picked = NULL;
  crd_predictions_parts with = parts();
  assert_int_equal(crd_predictions_create(*state, &with, &p), CRD_OK);
  assert_null(crd_predictions_class_name(p, 0));
  crd_predictions_destroy(p);
  with.class_names = names;
  with.class_name_count = 3;
  assert_int_equal(crd_predictions_create(*state, &with, &p), CRD_OK);
  assert_int_equal(crd__data_predictions_pick(*state, p, rows, 2, &picked), CRD_OK);
  assert_string_equal(crd_predictions_class_name(p, 0), "cat");
  assert_string_equal(crd_predictions_class_name(picked, 1), names[1]);
  assert_null(crd_predictions_class_name(p, 2));
  assert_null(crd_predictions_class_name(p, 3));
  crd_predictions_destroy(picked);
  crd_predictions_destroy(p);
  with.class_name_count = 2;
  refused(*state, with, "dump.npz: 2 class names for 3 classes");
}

/* As many whole characters as fit, and no control characters. */
static void named_classes_are_named(void **state) {
  static const struct {
    const char *name, *words;
  } cases[] = {
    { "gr\xc3\xbc\xc3\x9f", "row 2, class 1 (gr\xc3\xbc\xc3\x9f) is NaN" },
    { "\x1b[31m\xff\xc2\x9b", "class 1 (?[31m?\?) is NaN" },
    { "x\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
      "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
      "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4",
      "\xc3\xa4\xc3\xa4) is NaN" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *const names[3] = { "a", cases[i].name, "c" };
    float bad[4][3];
    crd_predictions_parts p = parts();
    memcpy(bad, logits, sizeof bad);
    bad[2][1] = (float)NAN;
    p.scores.data = bad;
    p.class_names = names;
    p.class_name_count = 3;
    refused(*state, p, cases[i].words);
  }
}

static void rows_are_numbered_as_in_the_file(void **state) {
  crd_predictions_parts p = parts();
  static const int32_t bad[4] = { 0, 1, 3, 2 };
  p.labels.data = bad;
  p.first_row = 5000;
  refused(*state, p, "dump.npz: labels row 5002: found class 3, allowed are 0 .. 2");
}

static void bad_labels_are_named(void **state) {
  crd_predictions_parts p = parts();
  static const int32_t negative[4] = { 0, -1, 1, 2 };
  static const double fraction[4] = { 0, 1, 1.5, 2 };
  static const unsigned char two[4][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 1, 1 }, { 0, 0, 1 } };
  static const unsigned char none[4][3] = { { 1, 0, 0 }, { 0, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
  static const unsigned char other[4][3] = { { 1, 0, 0 }, { 0, 2, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
  p.labels.data = negative;
  refused(*state, p, "labels row 1: found class -1, allowed are 0 .. 2");
  p.labels = crd_array_matrix(fraction, CRD_F64, 4, 1);
  refused(*state, p, "labels row 2: found 1.5, expected an integer 0 .. 2");
  p.labels = crd_array_matrix(two, CRD_U8, 4, 3);
  refused(*state, p, "labels row 2: 2 classes are marked");
  p.labels = crd_array_matrix(none, CRD_U8, 4, 3);
  refused(*state, p, "labels row 1: 0 classes are marked");
  p.labels = crd_array_matrix(other, CRD_U8, 4, 3);
  refused(*state, p, "labels row 1, class 1: found 2");
  p.labels = crd_array_matrix(labels, CRD_I32, 3, 1);
  refused(*state, p, "dump.npz: 3 labels for 4 rows");
  p.labels = crd_array_matrix(two, CRD_U8, 4, 2);
  refused(*state, p, "labels have 2 columns, expected 1 (class indices) or 3 (one-hot)");
  p.labels.data = NULL;
  refused(*state, p, "no labels");
}

static void bad_probabilities_are_named(void **state) {
  float bad[4][3];
  crd_predictions_parts p = parts();
  p.input = CRD_INPUT_PROBABILITIES;
  p.scores_name = "probs";
  p.scores.data = bad;
  memcpy(bad, probabilities, sizeof bad);
  bad[1][2] = .2f;
  refused(*state, p, "probs row 1 sums to 1.1|sum to 1 within 0.01");
  memcpy(bad, probabilities, sizeof bad);
  bad[3][0] = -.25f;
  refused(*state, p, "probs row 3 holds -0.25, probabilities lie in [0, 1]");
  bad[3][0] = 1.5f;
  refused(*state, p, "probs row 3 holds 1.5");
}

static void empty_and_mismatched_shapes(void **state) {
  crd_predictions_parts p = parts();
  p.scores.dims[0] = 0;
  refused(*state, p, "logits is empty");
  p = parts();
  static const double weights[4] = { 1, 2, -1, 1 }, wide[4] = { 1e-30, 1, 1, 1 }, zero[4] = { 0 };
  p.weights = crd_array_matrix(weights, CRD_F64, 4, 1);
  refused(*state, p, "weights row 2: found -1, expected a number not below 0");
  p.weights = crd_array_matrix(wide, CRD_F64, 4, 1);
  refused(*state, p, "weights range from 1e-30 to 1");
  p.weights = crd_array_matrix(zero, CRD_F64, 4, 1);
  refused(*state, p, "all weights are 0, expected at least one above 0");
  p.weights = crd_array_matrix(weights, CRD_F64, 3, 1);
  refused(*state, p, "3 weights for 4 rows");
  p = parts();
  p.features = crd_array_matrix(weights, CRD_F64, 2, 2);
  refused(*state, p, "dump.npz: 2 rows of features for 4 rows");
  p.features = crd_array_matrix(weights, CRD_F64, 4, 0);
  refused(*state, p, "features have no columns");
}

static void bad_pairs_are_named(void **state) {
  static const float confidence[3] = { .5f, .9f, 1.5f };
  static const uint8_t correct[3] = { 0, 1, 2 };
  crd_predictions_parts p = { .size = sizeof p,
                              .scores = crd_array_matrix(confidence, CRD_F32, 3, 1),
                              .input = CRD_INPUT_PAIRS,
                              .scores_name = "confidence" };
  refused(*state, p, "need `correct`");
  p.correct = crd_array_matrix(correct, CRD_U8, 3, 1);
  refused(*state, p, "confidence row 2: found 1.5, confidences lie in [0, 1]");
  p.scores = crd_array_slice(p.scores, 0, 2);
  p.correct = crd_array_slice(p.correct, 1, 3);
  refused(*state, p, "correct row 1: found 2, expected 0 or 1");
}

static crd_input recognised(crd_context *ctx, crd_predictions_parts p, const char *note) {
  crd_predictions *predictions = NULL;
  if (crd_predictions_create(ctx, &p, &predictions) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  const crd_input input = crd_predictions_input(predictions);
  if (note) assert_non_null(strstr(crd_predictions_note(predictions, 0), note));
  else assert_null(crd_predictions_note(predictions, 0));
  crd_predictions_destroy(predictions);
  return input;
}

static void inferred_kinds_have_a_note(void **state) {
  crd_predictions_parts p = parts();
  assert_int_equal(recognised(*state, p, "read as logits"), CRD_INPUT_LOGITS);
  p.scores.data = probabilities;
  assert_int_equal(recognised(*state, p, "read as probabilities"), CRD_INPUT_PROBABILITIES);
  p.input = CRD_INPUT_LOGITS;
  assert_int_equal(recognised(*state, p, NULL), CRD_INPUT_LOGITS);
  static const float almost[4][3] = {
    { .5f, .5f, 0 }, { 1, 0, 0 }, { .5f, .2f, .1f }, { 0, 1, 0 }
  };
  p.input = CRD_INPUT_AUTO;
  p.scores.data = almost;
  assert_int_equal(recognised(*state, p, "row 2 sums to 0.8"), CRD_INPUT_LOGITS);
}

/* A declared kind is not checked when predictions are created, but when rows are read. */
static void declared_kinds_can_be_believed(void **state) {
  static const float off[4][3] = { { .5f, .5f, 0 }, { 1, 0, 0 }, { .5f, .2f, .1f }, { 0, 1, 0 } };
  crd_predictions_parts p = parts();
  p.scores.data = off;
  p.input = CRD_INPUT_PROBABILITIES;
  crd_predictions *predictions = NULL;
  const crd_result *result = NULL;
  assert_int_equal(crd_predictions_create(*state, &p, &predictions), CRD_EINPUT);
  p.trusted = 1;
  assert_int_equal(crd_predictions_create(*state, &p, &predictions), CRD_OK);
  assert_int_equal(crd_evaluate(*state, predictions, NULL, &result), CRD_EINPUT);
  assert_non_null(strstr(crd_context_message(*state), "row 2 sums to 0.8"));
  crd_predictions_destroy(predictions);
}

static double measure(crd_context *ctx, crd_predictions_parts p, const char *metric) {
  crd_predictions *predictions = NULL;
  const crd_result *result = NULL;
  if (crd_predictions_create(ctx, &p, &predictions) != CRD_OK ||
      crd_evaluate(
          ctx, predictions,
          &(crd_evaluate_options){ .size = sizeof(crd_evaluate_options), .metrics = metric },
          &result) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  const double value = result->values[0].value;
  crd_result_destroy(result);
  crd_predictions_destroy(predictions);
  return value;
}

/* One column of scores is the score of class 1; the two binary modes differ. */
static void binary_scores(void **state) {
  static const double p1[4] = { .9, .2, .6, .5 };
  static const double z[4] = { 2, -3, .5, 0 };
  static const int32_t y[4] = { 1, 0, 0, 1 };
  crd_predictions_parts p = { .size = sizeof p,
                              .scores = crd_array_matrix(p1, CRD_F64, 4, 1),
                              .labels = crd_array_matrix(y, CRD_I32, 4, 1) };
  assert_true(near(measure(*state, p, "accuracy"), .5, 0)); /* 0.5 is a tie: class 0 */
  assert_true(near(measure(*state, p, "confidence"), (.9 + .8 + .6 + .5) / 4, 1e-15));
  assert_true(near(measure(*state, p, "nll"), -(log(.9) + log(.8) + log(.4) + log(.5)) / 4, 1e-15));
  p.binary = CRD_BINARY_POS;
  assert_true(near(measure(*state, p, "accuracy"), .5, 0));
  assert_true(near(measure(*state, p, "confidence"), (.9 + .2 + .6 + .5) / 4, 1e-15));
  assert_true(near(measure(*state, p, "brier-top1"), (.01 + .04 + .36 + .25) / 4, 1e-15));
  assert_true(near(measure(*state, p, "auroc"), .75, 1e-15));
  p.scores.data = z;
  double mean = 0;
  for (size_t i = 0; i < 4; i++) mean += 1 / (1 + exp(-z[i])) / 4;
  assert_true(near(measure(*state, p, "confidence"), mean, 1e-15));
}

static void labels_come_in_many_types(void **state) {
  crd_predictions_parts p = parts();
  static const uint8_t small[4] = { 0, 1, 1, 2 };
  static const double wide[4] = { 0, 1, 1, 2 };
  static const unsigned char hot[4][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
  static const unsigned char big_endian[4][8] = { { 0 }, { [7] = 1 }, { [7] = 1 }, { [7] = 2 } };
  const double expected = measure(*state, p, "nll");
  const crd_array views[] = { crd_array_matrix(small, CRD_U8, 4, 1),
                              crd_array_matrix(wide, CRD_F64, 4, 1),
                              crd_array_matrix(hot, CRD_BOOL, 4, 3),
                              crd_array_matrix(big_endian, CRD_I64, 4, 1) };
  for (size_t i = 0; i < 4; i++) {
    p.labels = views[i];
    p.labels.swapped = i == 3;
    assert_true(same_bits(measure(*state, p, "nll"), expected));
  }
}

/* NLL is 690.8 = -log(1e-300) for a probability of 0, with a note that counts the rows. */
static void zero_probability_of_the_truth(void **state) {
  crd_predictions_parts p = parts();
  crd_predictions *predictions = NULL;
  const crd_result *result = NULL;
  p.scores.data = probabilities; /* row 2 gives class 1 probability 0 */
  p.input = CRD_INPUT_PROBABILITIES;
  assert_int_equal(crd_predictions_create(*state, &p, &predictions), CRD_OK);
  assert_int_equal(crd_evaluate(*state, predictions, NULL, &result), CRD_OK);
  assert_true(near(value_of(result, "nll") * 4,
                   -log(1e-300) - log((double).7f) - log((double).8f) - log((double).3f), 1e-6));
  assert_int_equal(result->note_count, 1);
  assert_non_null(strstr(result->notes[0], "1 row gives"));
  crd_result_destroy(result);
  crd_predictions_destroy(predictions);
}

/* A loss too large for exact sums is an error, with its row. */
static void overflowing_terms_are_named(void **state) {
  static const double huge[2][2] = { { 0, 1 }, { 0, 1e13 } };
  static const int32_t y[2] = { 0, 0 };
  const crd_predictions_parts p = { .size = sizeof p,
                                    .scores = crd_array_matrix(huge, CRD_F64, 2, 2),
                                    .labels = crd_array_matrix(y, CRD_I32, 2, 1) };
  refused(*state, p, "scores row 1: negative log-likelihood 1e+13");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(bad_values_are_named),
    cmocka_unit_test(rows_are_numbered_as_in_the_file),
    cmocka_unit_test(bad_labels_are_named),
    cmocka_unit_test(bad_probabilities_are_named),
    cmocka_unit_test(empty_and_mismatched_shapes),
    cmocka_unit_test(bad_pairs_are_named),
    cmocka_unit_test(inferred_kinds_have_a_note),
    cmocka_unit_test(declared_kinds_can_be_believed),
    cmocka_unit_test(binary_scores),
    cmocka_unit_test(labels_come_in_many_types),
    cmocka_unit_test(zero_probability_of_the_truth),
    cmocka_unit_test(overflowing_terms_are_named),
    cmocka_unit_test(classes_have_names),
    cmocka_unit_test(named_classes_are_named),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
