/* weighted_ce_test.c -- class weights: their origin and their normalisation. */
#include "losses.h"

#include <math.h>
#include <string.h>

enum { ROWS = 40, CLASSES = 4 };

static const double counts[CLASSES] = { 10, 40, 0, 150 };
static const crd_loss_options options = { .size = sizeof options,
                                          .classes = CLASSES,
                                          .class_counts = counts };

/* Row by row, from cross-entropies of single rows. */
static void expect_weights(crd_context *ctx, const char *expression, const double *v) {
  test_data data = make_data((test_recipe){ ROWS, CLASSES, 5, 3, .6, 0, true, false });
  double gradient[ROWS * CLASSES], row[CLASSES], value = 0, sum = 0;
  const double found = loss_of(
      ctx, expression, &options,
      (small_batch){ ROWS, CLASSES, data.scores, data.labels, NULL, data.weights }, gradient);
  for (size_t i = 0; i < ROWS; i++) sum += data.weights[i] * v[data.labels[i]];
  for (size_t i = 0; i < ROWS; i++) {
    const double share = data.weights[i] * v[data.labels[i]] / sum;
    value +=
        share *
        loss_of(ctx, "ce", NULL,
                (small_batch){ .rows = 1, CLASSES, data.scores + i * CLASSES, data.labels + i },
                row);
    for (size_t k = 0; k < CLASSES; k++)
      assert_true(fabs(gradient[i * CLASSES + k] - share * row[k]) <= 1e-15);
  }
  assert_true(near(found, value, 1e-14));
  free_data(&data);
}

static void weights_are_made_of_counts(void **state) {
  expect_weights(*state, "weighted-ce", (const double[]){ 5, 1.25, 0, 200. / 600 });
  expect_weights(*state, "weighted-ce(weights=one-minus-frequency)",
                 (const double[]){ .95, .8, 1, .25 });
  expect_weights(*state, "weighted-ce(weights=0.2,1.5,0,2e3)", (const double[]){ .2, 1.5, 0, 2e3 });
}

static void nothing_weighs_nothing(void **state) {
  const double z[4] = { 1, 2, 3, 4 };
  const int64_t y[2] = { 0, 0 };
  double g[4] = { 7, 7, 7, 7 };
  assert_true(loss_of(*state, "weighted-ce(weights=0,1)", NULL, (small_batch){ .rows = 2, 2, z, y },
                      g) == 0);
  for (size_t k = 0; k < 4; k++) assert_true(g[k] == 0);
}

/* Mixup: soft targets mixed from a batch and its permutation have the mixture of both losses. */
static void a_mixed_batch_has_the_mixed_loss(void **state) {
  static const double share = .3;
  static const char *const text = "weighted-ce(weights=0.2,1.5,0,2)";
  test_data data = make_data((test_recipe){ ROWS, CLASSES, 6, 3, .6, 0, false, false });
  double a[ROWS * CLASSES], b[ROWS * CLASSES], mixed[ROWS * CLASSES];
  double shares[ROWS * CLASSES] = { 0 };
  int64_t turned[ROWS];
  for (size_t i = 0; i < ROWS; i++) {
    turned[i] = data.labels[(i + 7) % ROWS];
    shares[i * CLASSES + (size_t)data.labels[i]] += share;
    shares[i * CLASSES + (size_t)turned[i]] += 1 - share;
  }
  small_batch batch = { .rows = ROWS, CLASSES, data.scores, data.labels };
  const double first = loss_of(*state, text, NULL, batch, a);
  batch.labels = turned;
  const double second = loss_of(*state, text, NULL, batch, b);
  batch.shares = shares;
  assert_true(
      near(loss_of(*state, text, NULL, batch, mixed), share * first + (1 - share) * second, 1e-14));
  for (size_t i = 0; i < sizeof mixed / sizeof *mixed; i++)
    assert_true(fabs(mixed[i] - share * a[i] - (1 - share) * b[i]) <= 1e-15);
  free_data(&data);
}

/* ---- Failures. */

static void expect_unfit(crd_context *ctx, const char *expression, size_t classes,
                         const char *part) {
  const double z[8] = { 0 };
  const int64_t y = 0;
  const crd_array logits = crd_array_matrix(z, CRD_F64, 1, classes);
  const crd_targets targets = { .size = sizeof targets,
                                .labels = crd_array_matrix(&y, CRD_I64, 1, 1) };
  crd_loss *loss;
  crd_loss_value value;
  assert_int_equal(crd_loss_create(ctx, expression, &options, &loss), CRD_OK);
  assert_int_equal(crd_loss_evaluate(ctx, loss, &logits, &targets, &value, NULL), CRD_EUSAGE);
  assert_non_null(strstr(crd_context_message(ctx), part));
  crd_loss_destroy(loss);
}

static void weights_must_fit_the_classes(void **state) {
  expect_unfit(*state, "ce + weighted-ce(weights=1,2)", 3,
               "weights of 2 classes for logits of 3 classes");
  expect_unfit(*state, "weighted-ce", 5, "counts of 4 classes for logits of 5 classes");
}

static void impossible_weights_are_refused(void **state) {
  static const double none[2] = { 0, 0 }, negative[2] = { 4, -1 };
  const crd_loss_options empty = { .size = sizeof empty, .classes = 2, .class_counts = none };
  const crd_loss_options below = { .size = sizeof below, .classes = 2, .class_counts = negative };
  expect_refused(*state, "weighted-ce", NULL, "class counts of the training set");
  expect_refused(*state, "weighted-ce(weights=one-minus-frequency)", NULL, "which are missing");
  expect_refused(*state, "weighted-ce", &empty, "the sum of the counts is 0");
  expect_refused(*state, "weighted-ce", &below, "count of class 1 is -1");
  expect_refused(*state, "weighted-ce(weights=1,-2)", NULL, "weight of class 1 is -2");
  expect_refused(*state, "weighted-ce(weights=1,inf)", NULL, "weight of class 1 is inf");
  expect_refused(*state, "weighted-ce(weights=0,0)", NULL, "the sum of the weights is 0");
  expect_refused(*state, "weighted-ce(weights=often)", NULL, "inverse-frequency");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(weights_are_made_of_counts),
    cmocka_unit_test(nothing_weighs_nothing),
    cmocka_unit_test(a_mixed_batch_has_the_mixed_loss),
    cmocka_unit_test(weights_must_fit_the_classes),
    cmocka_unit_test(impossible_weights_are_refused),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
