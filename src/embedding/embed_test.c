/* embed_test.c -- which rows are embedded, from which inputs, the same bits, errors. */
#include "support.h"

#include <math.h>
#include <string.h>

enum { ROWS = 120, CLASSES = 4 };

static const crd_embed_options brief = { .size = sizeof brief, .perplexity = 8, .iterations = 260 };

static test_data make_rows(void) {
  return make_data(
      (test_recipe){ .rows = ROWS, .classes = CLASSES, .seed = 11, .spread = 4, .accuracy = 0.8 });
}

static crd_predictions_parts parts_of(const test_data *data) {
  return (crd_predictions_parts){ .size = sizeof(crd_predictions_parts),
                                  .scores =
                                      crd_array_matrix(data->scores, CRD_F64, data->rows, CLASSES),
                                  .labels = crd_array_matrix(data->labels, CRD_I64, data->rows, 1),
                                  .name = "rows.npz" };
}

static const crd_embedding *embed(crd_context *ctx, const crd_predictions_parts *parts,
                                  const crd_embed_options *options) {
  crd_predictions *p = NULL;
  const crd_embedding *e = NULL;
  assert_int_equal(crd_predictions_create(ctx, parts, &p), CRD_OK);
  if (crd_embed(ctx, p, options, &e) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  crd_predictions_destroy(p);
  return e;
}

static bool same_points(const crd_embedding *a, const crd_embedding *b) {
  return a->count == b->count && memcmp(a->row, b->row, a->count * sizeof *a->row) == 0 &&
         memcmp(a->x, b->x, a->count * sizeof *a->x) == 0 &&
         memcmp(a->y, b->y, a->count * sizeof *a->y) == 0;
}

/* Naive reference: true class and predicted class. */
static void expect_truth(const test_data *data, const crd_embedding *e) {
  for (size_t i = 0; i < e->count; i++) {
    const double *const scores = data->scores + e->row[i] * CLASSES;
    size_t best = 0;
    for (size_t k = 1; k < CLASSES; k++)
      if (scores[k] > scores[best]) best = k;
    assert_int_equal(e->label[i], data->labels[e->row[i]]);
    assert_int_equal(e->correct[i], best == e->label[i]);
    assert_true(isfinite(e->x[i]) && isfinite(e->y[i]));
  }
}

static void the_same_bits_for_any_threads(void **state) {
  crd_context *const ctx = *state;
  test_data data = make_rows();
  const crd_predictions_parts parts = parts_of(&data);
  crd_context_set_threads(ctx, 1);
  const crd_embedding *const one = embed(ctx, &parts, &brief), *const again =
                                                                   embed(ctx, &parts, &brief);
  crd_context_set_threads(ctx, 3);
  const crd_embedding *const three = embed(ctx, &parts, &brief);
  crd_context_set_threads(ctx, 0);
  assert_true(same_points(one, again) && same_points(one, three));
  assert_string_equal(one->name, "rows.npz");
  assert_int_equal(one->count, ROWS);
  assert_int_equal(one->all_rows, ROWS);
  assert_int_equal(one->classes, CLASSES);
  assert_false(one->features);
  for (size_t i = 0; i < ROWS; i++) assert_int_equal(one->row[i], i);
  expect_truth(&data, one);
  crd_embedding_destroy(one);
  crd_embedding_destroy(again);
  crd_embedding_destroy(three);
  free_data(&data);
}

/* Row indices ascend, match their labels, depend on the seed only, and are equally likely. */
static void some_rows_are_drawn(void **state) {
  enum { SEEDS = 60, SOME = 40 };
  crd_context *const ctx = *state;
  test_data data = make_rows();
  const crd_predictions_parts parts = parts_of(&data);
  const crd_embed_options some = {
    .size = sizeof some, .rows = SOME, .perplexity = 5, .iterations = 1
  };
  size_t drawn[ROWS] = { 0 };
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    crd_context_set_seed(ctx, seed);
    const crd_embedding *const e = embed(ctx, &parts, &some);
    assert_int_equal(e->count, SOME);
    assert_int_equal(e->all_rows, ROWS);
    for (size_t i = 0; i < SOME; i++) {
      if (i) assert_true(e->row[i] > e->row[i - 1]);
      assert_true(e->row[i] < ROWS);
      drawn[e->row[i]]++;
    }
    expect_truth(&data, e);
    crd_embedding_destroy(e);
  }
  crd_context_set_seed(ctx, 0);
  for (size_t i = 0; i < ROWS; i++) /* 20 expected, standard deviation 3.7 */
    if (drawn[i] < 4 || drawn[i] > 36) fail_msg("row %zu: %zu times", i, drawn[i]);
  free_data(&data);
}

/* Subsampled rows have the same points as the same rows in their own file. */
static void drawn_rows_keep_their_numbers(void **state) {
  enum { SOME = 40 };
  crd_context *const ctx = *state;
  const crd_embed_options some = {
    .size = sizeof some, .rows = SOME, .perplexity = 5, .iterations = 20
  };
  double features[SOME * TEST_FEATURES], scores[SOME * CLASSES];
  int64_t labels[SOME];
  test_data data = make_rows();
  for (size_t with = 0; with < 2; with++) {
    crd_predictions_parts parts = parts_of(&data);
    if (with) parts.features = data_features(&data);
    const crd_embedding *const drawn = embed(ctx, &parts, &some);
    for (size_t i = 0; i < SOME; i++) {
      const size_t row = drawn->row[i];
      labels[i] = data.labels[row];
      memcpy(scores + i * CLASSES, data.scores + row * CLASSES, CLASSES * sizeof *scores);
      memcpy(features + i * TEST_FEATURES, data.features + row * TEST_FEATURES,
             TEST_FEATURES * sizeof *data.features);
    }
    parts.scores = crd_array_matrix(scores, CRD_F64, SOME, CLASSES);
    parts.labels = crd_array_matrix(labels, CRD_I64, SOME, 1);
    if (with) parts.features = crd_array_matrix(features, CRD_F64, SOME, TEST_FEATURES);
    const crd_embedding *const own = embed(ctx, &parts, &some);
    assert_memory_equal(drawn->x, own->x, SOME * sizeof *own->x);
    assert_memory_equal(drawn->y, own->y, SOME * sizeof *own->y);
    crd_embedding_destroy(drawn);
    crd_embedding_destroy(own);
  }
  free_data(&data);
}

/* Features are used if given: with the logits as features, the result is the same as without. */
static void features_come_first(void **state) {
  crd_context *const ctx = *state;
  test_data data = make_rows();
  crd_predictions_parts parts = parts_of(&data);
  const crd_embedding *const by_logits = embed(ctx, &parts, &brief);
  parts.features = data_features(&data);
  const crd_embedding *const by_features = embed(ctx, &parts, &brief);
  assert_true(by_features->features);
  assert_false(same_points(by_logits, by_features));
  expect_truth(&data, by_features);
  parts.features = parts.scores;
  const crd_embedding *const same = embed(ctx, &parts, &brief);
  assert_true(same->features && same_points(by_logits, same));
  crd_embedding_destroy(by_logits);
  crd_embedding_destroy(by_features);
  crd_embedding_destroy(same);
  free_data(&data);
}

/* A probability of 0 is as far away as one of 2.2e-16, not farther. */
static void zeros_are_not_far_away(void **state) {
  crd_context *const ctx = *state;
  test_data data = make_rows();
  double small[ROWS * CLASSES], zero[ROWS * CLASSES];
  for (size_t i = 0; i < ROWS * CLASSES; i++) {
    const bool least = i % CLASSES == CLASSES - 1;
    const double p = (double)(1 + i / CLASSES % 7 * (i % CLASSES)) / 100;
    small[i] = least ? 0x1p-60 : p;
    zero[i] = least ? 0 : p;
  }
  for (size_t i = 0; i < ROWS; i++) { /* the first class gets the remaining probability */
    const double others = zero[i * CLASSES + 1] + zero[i * CLASSES + 2];
    small[i * CLASSES] = zero[i * CLASSES] = 1 - others;
  }
  crd_predictions_parts parts = parts_of(&data);
  parts.input = CRD_INPUT_PROBABILITIES;
  parts.scores = crd_array_matrix(small, CRD_F64, ROWS, CLASSES);
  const crd_embedding *const a = embed(ctx, &parts, &brief);
  parts.scores = crd_array_matrix(zero, CRD_F64, ROWS, CLASSES);
  const crd_embedding *const b = embed(ctx, &parts, &brief);
  assert_true(same_points(a, b));
  crd_embedding_destroy(a);
  crd_embedding_destroy(b);
  free_data(&data);
}

static void expect_refused(crd_context *ctx, const crd_predictions_parts *parts,
                           const crd_embed_options *options, const char *sentence) {
  crd_predictions *p = NULL;
  const crd_embedding *e = (crd_embedding *)&p;
  assert_int_equal(crd_predictions_create(ctx, parts, &p), CRD_OK);
  assert_int_equal(crd_embed(ctx, p, options, &e), CRD_EINPUT);
  assert_null(e);
  if (!strstr(crd_context_message(ctx), sentence))
    fail_msg("%s, expected %s", crd_context_message(ctx), sentence);
  crd_predictions_destroy(p);
}

static void refusals_are_sentences(void **state) {
  crd_context *const ctx = *state;
  static const unsigned char correct[] = { 1, 0, 1, 1, 0 };
  static const double confidence[] = { .5, .6, .7, .8, .9 };
  test_data data = make_rows();
  crd_predictions_parts parts = parts_of(&data);
  expect_refused(ctx, &parts,
                 &(crd_embed_options){ .size = sizeof(crd_embed_options), .perplexity = ROWS },
                 "rows.npz: t-SNE: perplexity 120 for 120 rows, allowed is 1 to 119");
  expect_refused(ctx, &parts,
                 &(crd_embed_options){ .size = sizeof(crd_embed_options), .perplexity = -1 },
                 "perplexity -1");
  expect_refused(ctx, &parts, &(crd_embed_options){ .size = sizeof(crd_embed_options), .rows = 3 },
                 "rows.npz: t-SNE: 3 rows of 4 columns, expected at least 4 rows");
  data.labels[7] = CLASSES;
  expect_refused(ctx, &parts, NULL, "labels row 7");
  data.labels[7] = 0;
  data.scores[4 * 9 + 2] = NAN;
  parts.input = CRD_INPUT_LOGITS;
  expect_refused(ctx, &parts, NULL, "row 9, class 2 is NaN");
  data.scores[4 * 9 + 2] = 0;
  data.features[TEST_FEATURES * 5 + 1] = INFINITY;
  parts.features = data_features(&data);
  expect_refused(ctx, &parts, NULL, "rows.npz: features row 5, column 1 is infinite");
  parts.features = (crd_array){ 0 };
  parts.labels = (crd_array){ 0 };
  parts.labels_optional = 1;
  expect_refused(ctx, &parts, NULL, "rows.npz: no labels");
  parts = (crd_predictions_parts){ .size = sizeof(crd_predictions_parts),
                                   .scores = crd_array_matrix(confidence, CRD_F64, 5, 1),
                                   .correct = crd_array_matrix(correct, CRD_U8, 5, 1),
                                   .input = CRD_INPUT_PAIRS,
                                   .name = "pairs" };
  expect_refused(ctx, &parts, NULL, "pairs: found confidences of the predicted class only");
  free_data(&data);
}

/* One row is too few; with four rows each has three neighbours, and the perplexity is 1. */
static void few_rows_have_a_perplexity(void **state) {
  crd_context *const ctx = *state;
  static const struct {
    size_t rows;
    double perplexity;
  } cases[] = { { 4, 1 }, { 10, 3 }, { 91, 30 }, { 120, 30 } };
  test_data data = make_rows();
  crd_predictions_parts parts = parts_of(&data);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const crd_embed_options options = { .size = sizeof options,
                                        .rows = cases[i].rows,
                                        .iterations = 2 };
    const crd_embedding *const e = embed(ctx, &parts, &options);
    assert_true(e->perplexity == cases[i].perplexity);
    crd_embedding_destroy(e);
  }
  parts.scores.dims[0] = parts.labels.dims[0] = 1;
  expect_refused(ctx, &parts, NULL, "1 rows of 4 columns, expected at least 4 rows");
  free_data(&data);
}

static void interrupt_at(void *self, const char *stage, uint64_t done, uint64_t total) {
  (void)total;
  if (strcmp(stage, "arranging points") == 0 && done == 5) crd_context_interrupt(self);
}

static void it_can_be_interrupted(void **state) {
  (void)state;
  crd_context *const ctx = test_context();
  test_data data = make_rows();
  const crd_predictions_parts parts = parts_of(&data);
  crd_predictions *p = NULL;
  const crd_embedding *e = NULL;
  assert_int_equal(crd_predictions_create(ctx, &parts, &p), CRD_OK);
  crd_context_set_progress(ctx, interrupt_at, ctx);
  assert_int_equal(crd_embed(ctx, p, NULL, &e), CRD_EINTERRUPTED);
  assert_null(e);
  crd_predictions_destroy(p);
  free_data(&data);
  crd_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_same_bits_for_any_threads),
    cmocka_unit_test(some_rows_are_drawn),
    cmocka_unit_test(features_come_first),
    cmocka_unit_test(drawn_rows_keep_their_numbers),
    cmocka_unit_test(zeros_are_not_far_away),
    cmocka_unit_test(refusals_are_sentences),
    cmocka_unit_test(few_rows_have_a_perplexity),
    cmocka_unit_test(it_can_be_interrupted),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
