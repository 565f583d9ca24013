/* predictions_test.c -- the loss of predictions equals the loss of the same arrays. */
#include "support.h"

#include <math.h>
#include <string.h>

enum { ROWS = 40, CLASSES = 3 };
static const char expression[] = "ce + 10*dca";
static test_data data;

static crd_predictions_parts data_parts(void) {
  return (crd_predictions_parts){ .size = sizeof(crd_predictions_parts),
                                  .scores = crd_array_matrix(data.scores, CRD_F64, ROWS, CLASSES),
                                  .labels = crd_array_matrix(data.labels, CRD_I64, ROWS, 1),
                                  .weights = crd_array_matrix(data.weights, CRD_F64, ROWS, 1) };
}

static crd_loss_value ask(crd_context *ctx, const char *sum, const crd_predictions_parts *parts,
                          const crd_loss_reading *how) {
  crd_predictions *p = NULL;
  crd_loss *loss = NULL;
  crd_loss_value value = { 0 };
  if (crd_predictions_create(ctx, parts, &p) != CRD_OK ||
      crd_loss_create(ctx, sum, NULL, &loss) != CRD_OK ||
      crd_loss_predictions(ctx, loss, p, how, &value) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  crd_loss_destroy(loss);
  crd_predictions_destroy(p);
  return value;
}

static crd_loss_value direct(crd_context *ctx, const double *logits, const crd_targets *targets) {
  const crd_array view = crd_array_matrix(logits, CRD_F64, ROWS, CLASSES);
  double gradient[ROWS * CLASSES];
  crd_loss *loss = NULL;
  crd_loss_value value;
  assert_int_equal(crd_loss_create(ctx, expression, NULL, &loss), CRD_OK);
  assert_int_equal(crd_loss_evaluate(ctx, loss, &view, targets, &value, gradient), CRD_OK);
  crd_loss_destroy(loss);
  return value;
}

static void expect_same(crd_loss_value a, crd_loss_value b) {
  assert_true(same_bits(a.value, b.value));
  assert_true(same_bits(a.gradient_norm, b.gradient_norm));
  assert_int_equal(a.term_count, b.term_count);
  for (size_t i = 0; i < a.term_count; i++) assert_true(same_bits(a.terms[i], b.terms[i]));
}

static void labels_and_weights_are_handed_over(void **state) {
  const crd_predictions_parts parts = data_parts();
  const crd_targets targets = { .size = sizeof targets,
                                .labels = parts.labels,
                                .weights = parts.weights };
  expect_same(ask(*state, expression, &parts, NULL), direct(*state, data.scores, &targets));
}

/* One-hot rows are labels, also for a loss without soft labels; other shares are soft labels. */
static void labels_may_be_rows(void **state) {
  double one_hot[ROWS * CLASSES] = { 0 };
  crd_predictions_parts parts = data_parts();
  for (size_t i = 0; i < ROWS; i++) one_hot[i * CLASSES + (size_t)data.labels[i]] = 1;
  const crd_loss_value labels = ask(*state, "focal", &parts, NULL);
  parts.labels = crd_array_matrix(one_hot, CRD_F64, ROWS, CLASSES);
  expect_same(ask(*state, "focal", &parts, NULL), labels);
  for (size_t i = 0; i < ROWS * CLASSES; i++) one_hot[i] = 0.7 * one_hot[i] + 0.1;
  const crd_targets targets = { .size = sizeof targets,
                                .labels = parts.labels,
                                .weights = parts.weights };
  expect_same(ask(*state, expression, &parts, NULL), direct(*state, data.scores, &targets));
}

static void ignored_rows_are_not_there(void **state) {
  int64_t labels[ROWS];
  double weights[ROWS];
  const int64_t ignored = -100;
  crd_predictions_parts parts = data_parts();
  for (size_t i = 0; i < ROWS; i++) {
    labels[i] = i % 7 ? data.labels[i] : ignored;
    weights[i] = i % 7 ? data.weights[i] : 0;
  }
  const crd_targets targets = { .size = sizeof targets,
                                .labels = parts.labels,
                                .weights = crd_array_matrix(weights, CRD_F64, ROWS, 1) };
  parts.labels = crd_array_matrix(labels, CRD_I64, ROWS, 1);
  expect_same(ask(*state, expression, &parts,
                  &(crd_loss_reading){ .size = sizeof(crd_loss_reading), .ignored = &ignored }),
              direct(*state, data.scores, &targets));
}

/* log softmax equals the logits up to a constant; probabilities of 0 are counted. */
static void probabilities_are_read_as_logarithms(void **state) {
  double p[ROWS * CLASSES];
  crd_predictions_parts parts = data_parts();
  const crd_loss_value logits = ask(*state, expression, &parts, NULL);
  for (size_t i = 0; i < ROWS; i++) {
    double mass = 0;
    for (size_t k = 0; k < CLASSES; k++) mass += exp(data.scores[i * CLASSES + k]);
    for (size_t k = 0; k < CLASSES; k++)
      p[i * CLASSES + k] = exp(data.scores[i * CLASSES + k]) / mass;
  }
  parts.scores = crd_array_matrix(p, CRD_F64, ROWS, CLASSES);
  parts.input = CRD_INPUT_PROBABILITIES;
  crd_loss_value found = ask(*state, expression, &parts, NULL);
  assert_true(near(found.value, logits.value, 1e-13));
  assert_true(near(found.gradient_norm, logits.gradient_norm, 1e-13));
  assert_int_equal(found.floored, 0);
  p[0] = 0;
  p[1] = p[2] = 0.5;
  found = ask(*state, expression, &parts, NULL);
  assert_true(isfinite(found.value));
  assert_int_equal(found.floored, 1);
}

static void classes_are_counted(void **state) {
  double counts[CLASSES], wanted[CLASSES] = { 0 };
  const int64_t ignored = 1;
  const crd_predictions_parts parts = data_parts();
  crd_predictions *p = NULL;
  assert_int_equal(crd_predictions_create(*state, &parts, &p), CRD_OK);
  for (size_t i = 0; i < ROWS; i++) wanted[data.labels[i]]++;
  assert_int_equal(crd_predictions_class_counts(*state, p, NULL, counts), CRD_OK);
  for (size_t k = 0; k < CLASSES; k++) assert_true(counts[k] == wanted[k]);
  assert_true(wanted[1] > 0);
  assert_int_equal(crd_predictions_class_counts(*state, p, &ignored, counts), CRD_OK);
  for (size_t k = 0; k < CLASSES; k++) assert_true(counts[k] == (k == 1 ? 0 : wanted[k]));
  crd_predictions_destroy(p);
}

static void expect_refusal(crd_context *ctx, const crd_predictions_parts *parts, const char *word) {
  crd_predictions *p = NULL;
  crd_loss *loss = NULL;
  crd_loss_value value = { .value = 7 };
  assert_int_equal(crd_predictions_create(ctx, parts, &p), CRD_OK);
  assert_int_equal(crd_loss_create(ctx, expression, NULL, &loss), CRD_OK);
  assert_int_equal(crd_loss_predictions(ctx, loss, p, NULL, &value), CRD_EINPUT);
  if (!strstr(crd_context_message(ctx), word)) fail_msg("%s", crd_context_message(ctx));
  assert_true(value.value == 7);
  crd_loss_destroy(loss);
  crd_predictions_destroy(p);
}

static void bad_predictions_are_refused(void **state) {
  double bad[ROWS * CLASSES];
  crd_predictions_parts parts = data_parts();
  parts.name = "rows.npz";
  memcpy(bad, data.scores, sizeof bad);
  bad[4] = (double)NAN;
  parts.input = CRD_INPUT_LOGITS;
  parts.trusted = 1;
  parts.scores = crd_array_matrix(bad, CRD_F64, ROWS, CLASSES);
  expect_refusal(*state, &parts, "rows.npz: scores row 1, class 1 is NaN");
  for (size_t i = 0; i < ROWS * CLASSES; i++) bad[i] = 0.5;
  parts = data_parts();
  parts.labels = crd_array_matrix(bad, CRD_F64, ROWS, CLASSES);
  expect_refusal(*state, &parts, "labels row 0: class probabilities do not sum to 1");
  parts = data_parts();
  parts.labels = (crd_array){ 0 };
  parts.labels_optional = 1;
  expect_refusal(*state, &parts, "no labels");
  parts = (crd_predictions_parts){ .size = sizeof(crd_predictions_parts),
                                   .scores = crd_array_matrix(bad, CRD_F64, ROWS, 1),
                                   .correct = crd_array_matrix(data.labels, CRD_I64, ROWS, 1),
                                   .input = CRD_INPUT_PAIRS };
  expect_refusal(*state, &parts, "confidences only");
}

static int set_up(void **state) {
  data = make_data((test_recipe){ .rows = ROWS,
                                  .classes = CLASSES,
                                  .seed = 50,
                                  .spread = 2,
                                  .accuracy = 0.7,
                                  .weighted = true });
  return open_context(state);
}

static int tear_down(void **state) {
  free_data(&data);
  return close_context(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(labels_and_weights_are_handed_over),
    cmocka_unit_test(labels_may_be_rows),
    cmocka_unit_test(ignored_rows_are_not_there),
    cmocka_unit_test(probabilities_are_read_as_logarithms),
    cmocka_unit_test(classes_are_counted),
    cmocka_unit_test(bad_predictions_are_refused),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
