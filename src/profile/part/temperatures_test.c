/* temperatures_test.c -- metrics at each temperature against temperature scaling, then evaluation.
 */
#include "profile/kinds_test.h"

#include <stdio.h>

static void check_temperature(crd_context *ctx, const kind *k, const crd_temperature_point *at,
                              unsigned bins) {
  const bool pairs = crd_predictions_classes(k->predictions) == 0;
  char settings[64];
  crd_calibrator *calibrator = NULL;
  crd_predictions *calibrated = NULL;
  snprintf(settings, sizeof settings, "temperature=%.17g", at->temperature);
  assert_int_equal(
      crd_calibrator_fit(ctx, "temperature-fixed", settings, k->predictions, &calibrator), CRD_OK);
  assert_int_equal(crd_calibrator_calibrate(ctx, calibrator, k->predictions, &calibrated), CRD_OK);
  const crd_result *const r =
      result_of(ctx, calibrated, "ece,confidence,nll,brier,nll-top1,brier-top1", bins);
  assert_true(near(at->confidence, value_of(r, "confidence"), 1e-13));
  assert_true(near(at->nll, value_of(r, pairs ? "nll-top1" : "nll"), 1e-12));
  assert_true(near(at->brier, value_of(r, pairs ? "brier-top1" : "brier"), 1e-13));
  assert_true(near(at->ece, value_of(r, "ece"), 1e-13));
  for (unsigned m = 0; 300 % bins == 0 && m < bins; m++)
    assert_int_equal(coarse_bin(&at->bins, bins, m).rows, r->bins[m].rows);
  crd_result_destroy(r);
  crd_predictions_destroy(calibrated);
  crd_calibrator_destroy(calibrator);
}

/* Each point equals temperature scaling followed by evaluation; T = 1 equals evaluation. */
static void temperatures_are_calibrators(void **state) {
  crd_context *const ctx = *state;
  for (size_t n = 0; n < KINDS; n++) {
    kind k;
    open_kind(ctx, n, &k);
    const unsigned bins = n % 2 ? 15 : 11;
    const crd_profile *const p =
        profile_of(ctx, k.predictions,
                   (crd_profile_options){ .size = sizeof(crd_profile_options),
                                          .parts = CRD_PROFILE_TEMPERATURES | CRD_PROFILE_BINS,
                                          .bins = bins });
    const bool pairs = crd_predictions_classes(k.predictions) == 0;
    const crd_result *const r =
        result_of(ctx, k.predictions, "ece,confidence,nll,brier,nll-top1,brier-top1", bins);
    assert_int_equal(p->temperature_count, 61);
    for (size_t i = 0; i < 61; i++) {
      const crd_temperature_point *const at = &p->temperatures[i];
      char text[32], *end;
      snprintf(text, sizeof text, "%.3g", at->temperature);
      assert_true(strtod(text, &end) == at->temperature); /* temperatures have three digits */
      assert_true(near(log10(at->temperature), ((double)i - 30) / 30, 0.003));
      if (i != 30 && (i + n) % 9 == 0) check_temperature(ctx, &k, at, bins);
    }
    const crd_temperature_point *const one = &p->temperatures[30];
    assert_true(one->temperature == 1);
    assert_true(same_bits(one->ece, value_of(r, "ece")));
    assert_true(same_bits(one->confidence, value_of(r, "confidence")));
    assert_true(same_bits(one->nll, value_of(r, pairs ? "nll-top1" : "nll")));
    assert_true(same_bits(one->brier, value_of(r, pairs ? "brier-top1" : "brier")));
    assert_int_equal(one->bins.count, p->bins.count);
    assert_memory_equal(one->bins.items, p->bins.items, p->bins.count * sizeof(crd_fine_bin));
    crd_result_destroy(r);
    crd_profile_destroy(p);
    close_kind(&k);
  }
}

/* With exact zeros the curve has its minimum at the fitted temperature, with the fitted floor. */
static void zeros_are_read_as_calibrators_do(void **state) {
  enum { ROWS = 400, CLASSES = 5 };
  test_data d = make_data((test_recipe){ ROWS, CLASSES, 7, 4, .8, 0, false, false });
  for (size_t i = 0; i < ROWS; i++) {
    double *const row = d.scores + i * CLASSES, mass = 0;
    for (size_t k = 0; k < CLASSES; k++) mass += row[k] = exp(row[k]);
    for (size_t k = 0; k < CLASSES; k++) row[k] = rint(1000 * row[k] / mass) / 1000;
  }
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores =
                                            crd_array_matrix(d.scores, CRD_F64, ROWS, CLASSES),
                                        .labels = crd_array_matrix(d.labels, CRD_I64, ROWS, 1),
                                        .input = CRD_INPUT_PROBABILITIES };
  kind k = { 0 };
  crd_calibrator *fitted = NULL;
  size_t best = 0;
  assert_int_equal(crd_predictions_create(*state, &parts, &k.predictions), CRD_OK);
  assert_int_equal(crd_calibrator_fit(*state, "temperature", NULL, k.predictions, &fitted), CRD_OK);
  const crd_profile *const p = profile_of(
      *state, k.predictions,
      (crd_profile_options){
          .size = sizeof(crd_profile_options), .parts = CRD_PROFILE_TEMPERATURES, .bins = 15 });
  for (size_t i = 0; i < p->temperature_count; i++)
    if (p->temperatures[i].nll < p->temperatures[best].nll) best = i;
  const double t = crd_calibrator_learnt(fitted, 0)->values[0];
  assert_true(fabs(log10(p->temperatures[best].temperature / t)) < 1. / 30);
  assert_true(p->temperatures[best].nll >= crd_calibrator_certificate(fitted)->objective);
  check_temperature(*state, &k, &p->temperatures[best], 15);
  crd_profile_destroy(p);
  crd_calibrator_destroy(fitted);
  crd_predictions_destroy(k.predictions);
  free_data(&d);
}

/* Logits so large that small temperatures exceed the range of exact sums. */
static void huge_logits_have_temperatures(void **state) {
  static const double logits[] = { 0, 9e11, 5, 0, 3, -1e11 }, weights[] = { 1, 1, 0 };
  static const int64_t labels[] = { 0, 0, 1 };
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores = crd_array_matrix(logits, CRD_F64, 3, 2),
                                        .labels = crd_array_matrix(labels, CRD_I64, 3, 1),
                                        .weights = crd_array_matrix(weights, CRD_F64, 3, 1),
                                        .input = CRD_INPUT_LOGITS };
  crd_context *const ctx = *state;
  crd_predictions *predictions = NULL;
  assert_int_equal(crd_predictions_create(ctx, &parts, &predictions), CRD_OK);
  const crd_profile *const p =
      profile_of(ctx, predictions, (crd_profile_options){ .size = sizeof(crd_profile_options) });
  assert_true(near(p->temperatures[60].nll, 9e11 / 10 / 2, 1e-9));
  assert_true(near(p->temperatures[0].nll, 0x1p39, 1e-9));
  crd_profile_destroy(p);
  crd_predictions_destroy(predictions);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(temperatures_are_calibrators),
    cmocka_unit_test(zeros_are_read_as_calibrators_do),
    cmocka_unit_test(huge_logits_have_temperatures),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
