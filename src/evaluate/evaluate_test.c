/* evaluate_test.c -- looking up one metric of a result; limits of options. */
#include "support.h"

#include <math.h>

static void values_are_found_by_name(void **state) {
  static const double confidence[] = { .9, .8, .7, .6 };
  static const unsigned char correct[] = { 1, 1, 1, 1 };
  crd_evidence *const evidence = pairs_evidence(
      *state, confidence, correct, 4,
      &(crd_evaluate_options){
          .size = sizeof(crd_evaluate_options), .metrics = "accuracy,ece,auroc", .bins = 1 });
  const crd_result *result = NULL;
  if (crd_evidence_judge(*state, evidence, &result) != CRD_OK)
    fail_msg("%s", crd_context_message(*state));
  assert_int_equal(result->value_count, 3);
  for (size_t i = 0; i < result->value_count; i++)
    assert_ptr_equal(crd_result_value(result, result->values[i].metric->name), &result->values[i]);
  assert_true(crd_result_value(result, "accuracy")->value == 1);
  assert_true(near(crd_result_value(result, "ece")->value, .25, 1e-12));
  /* A metric without a value is found too, with its reason. */
  assert_true(isnan(crd_result_value(result, "auroc")->value));
  assert_non_null(crd_result_value(result, "auroc")->reason);
  assert_null(crd_result_value(result, "sce"));
  assert_null(crd_result_value(result, "ec"));
  assert_null(crd_result_value(result, ""));
  assert_null(crd_result_value(NULL, "ece"));
  crd_result_destroy(result);
  crd_evidence_destroy(evidence);
}

/* Of many rows there are fewer resamples than requested, but not of a number that is refused. */
static void too_many_resamples_are_refused(void **state) {
  enum { ROWS = 20000 };
  static float scores[ROWS][10];
  static int64_t labels[ROWS];
  const crd_predictions_parts parts = {
    .size = sizeof parts,
    .scores = { .data = scores, .dtype = CRD_F32, .rank = 2, .dims = { ROWS, 10 } },
    .labels = { .data = labels, .dtype = CRD_I64, .rank = 2, .dims = { ROWS, 1 } },
    .input = CRD_INPUT_LOGITS,
  };
  const crd_evaluate_options options = { .size = sizeof options,
                                         .metrics = "accuracy",
                                         .resamples = 1000001 };
  crd_predictions *predictions;
  const crd_result *result = NULL;
  assert_int_equal(crd_predictions_create(*state, &parts, &predictions), CRD_OK);
  assert_int_equal(crd_evaluate(*state, predictions, &options, &result), CRD_EUSAGE);
  assert_null(result);
  assert_string_equal(crd_context_message(*state), "1000001 resamples, allowed are 0 .. 1000000");
  crd_predictions_destroy(predictions);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(values_are_found_by_name),
    cmocka_unit_test(too_many_resamples_are_refused),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
