/* brier_reliability_test.c -- the five terms add up to brier-top1, to the last digits. */
#include "support.h"

#include <math.h>

static void check_sum(crd_context *ctx, const crd_predictions *p, unsigned bins) {
  static const struct {
    const char *name;
    int sign;
  } terms[] = { { "brier-reliability", 1 },
                { "brier-resolution", -1 },
                { "brier-uncertainty", 1 },
                { "brier-within-variance", 1 },
                { "brier-within-covariance", -1 } };
  crd_result *result = NULL;
  assert_int_equal(
      crd_evaluate(ctx, p, &(crd_evaluate_options){ .metrics = "all", .bins = bins }, &result),
      CRD_OK);
  double sum = 0;
  for (size_t i = 0; i < sizeof terms / sizeof *terms; i++) {
    const double value = value_of(result, terms[i].name);
    if (!(value != 0 || bins == 1)) fail_msg("%s is 0 with %u bins", terms[i].name, bins);
    sum += terms[i].sign * value;
  }
  const double whole = value_of(result, "brier-top1");
  if (!(fabs(sum - whole) <= 1e-15)) fail_msg("%u bins: %.17g is not %.17g", bins, sum, whole);
  crd_result_destroy(result);
}

static void check_all(crd_context *ctx, crd_predictions *p) {
  static const unsigned bins[] = { 1, 4, 15, 1000 };
  for (size_t b = 0; b < sizeof bins / sizeof *bins; b++) check_sum(ctx, p, bins[b]);
  crd_predictions_destroy(p);
}

static void terms_add_up(void **state) {
  crd_context *const ctx = *state;
  static const size_t distinct[] = { 0, 60 };
  for (size_t i = 0; i < 4; i++) {
    test_data data = make_data((test_recipe){ .rows = 400 + i,
                                              .classes = 4,
                                              .seed = 70 + i,
                                              .spread = 2,
                                              .accuracy = 0.7,
                                              .distinct = distinct[i % 2],
                                              .weighted = i > 1 });
    check_all(ctx, data_predictions(ctx, &data, 0, data.rows));
    free_data(&data);
  }
}

static void terms_add_up_on_real_predictions(void **state) {
  crd_context *const ctx = *state;
  crd_predictions *p = NULL;
  assert_int_equal(
      crd_predictions_open(ctx, CREDENCE_SOURCE "/examples/wideresnet-16-4-cifar-10.npz", NULL, &p),
      CRD_OK);
  check_all(ctx, p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(terms_add_up),
    cmocka_unit_test(terms_add_up_on_real_predictions),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
