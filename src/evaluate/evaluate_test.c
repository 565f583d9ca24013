/* evaluate_test.c -- looking up one metric of a result. */
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

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(values_are_found_by_name),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
