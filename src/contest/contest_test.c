/* contest_test.c -- contests on data with a known best method, and their verdicts. */
#include "contest/testing.h"

#include "calibrator/calibrator.h"
#include "contest/contest.h"

#include <string.h>

/* Fits on one sample, and tests on another from the same distribution. */
static const crd_contest *hold(crd_context *ctx, recipe r, const char *methods) {
  const crd_contest *contest = NULL;
  recipe other = r;
  other.seed += 100;
  sample calibrate = make(ctx, r), test = make(ctx, other);
  const crd_contest_options options = { .size = sizeof options,
                                        .methods = methods,
                                        .resamples = 60 };
  if (crd_contest_run(ctx, calibrate.predictions, test.predictions, &options, &contest) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  drop(&calibrate);
  drop(&test);
  return contest;
}

static void expect(const crd_contest *contest, const char *chosen, const char *words) {
  if (strcmp(contest->chosen->name, chosen) != 0)
    fail_msg("chosen is %s, expected %s: %s", contest->chosen->name, chosen, contest->verdict);
  if (!strstr(contest->verdict, words)) fail_msg("'%s' does not say '%s'", contest->verdict, words);
  crd_contest_destroy(contest);
}

static const char some[] = "temperature,platt";

static void too_sure_by_one_factor(void **state) {
  expect(hold(*state, (recipe){ 2000, 1, 2.5, 0, 0 }, some), "temperature",
         "Choose temperature: ECE 0.");
}

/* A difference whose sign no resample changes stays significant after correction. */
static void corrected_differences_can_be_seen(void **state) {
  const crd_contest *const c =
      hold(*state, (recipe){ 2000, 1, 2.5, 0, 0 }, "temperature,platt,vector");
  for (size_t i = 1; i < c->count; i++)
    for (size_t m = 0; m < c->candidates[i].against_identity->count; m++) {
      const crd_difference *const d = &c->candidates[i].against_identity->items[m];
      if (strcmp(d->metric->name, "nll") == 0) assert_true(d->p < 1e-4);
      assert_true(isnan(d->p) || (d->p >= 0 && d->p <= 1));
    }
  crd_contest_destroy(c);
}

static void not_sure_enough(void **state) {
  expect(hold(*state, (recipe){ 2000, 2, 0.4, 0, 0 }, some), "temperature", "Choose temperature");
}

static void calibrated_already(void **state) {
  expect(hold(*state, (recipe){ 2000, 3, 1, 0, 0 }, some), "identity",
         "Keep the probabilities uncalibrated");
}

static void one_class_is_favoured(void **state) {
  expect(hold(*state, (recipe){ 2000, 4, 1, 2.5, 0 }, some), "platt", "Choose platt");
}

/* A temperature changes calibration only: recalibrated once more by temperature scaling, the rows
 * have the losses of the uncalibrated ones after recalibration. */
static void a_temperature_keeps_refinement(void **state) {
  sample calibrate = make(*state, (recipe){ 600, 1, 2.5, 0, 0 }),
         test = make(*state, (recipe){ 600, 101, 2.5, 0, 0 });
  const crd_contest_options options = { .size = sizeof options,
                                        .methods = "temperature",
                                        .metrics = "nll-refinement,nll-calibration",
                                        .resamples = 20 };
  const crd_contest *c = NULL;
  if (crd_contest_run(*state, calibrate.predictions, test.predictions, &options, &c) != CRD_OK)
    fail_msg("%s", crd_context_message(*state));
  const crd_result *const before = c->candidates[0].result, *const after = c->candidates[1].result;
  assert_true(near(value_of(before, "nll-refinement"), value_of(after, "nll-refinement"), 1e-8));
  assert_true(value_of(before, "nll-calibration") > .05);
  assert_true(fabs(value_of(after, "nll-calibration")) < .02);
  crd_contest_destroy(c);
  drop(&calibrate);
  drop(&test);
}

static void too_few_rows_to_tell(void **state) {
  expect(hold(*state, (recipe){ 40, 5, 1.3, 0, 0 }, some), "identity", "Keep the probabilities");
}

/* Temperature scaling cannot correct these data; binning can, but makes most confidences equal. */
static void the_lowest_error_costs_too_much(void **state) {
  const crd_contest *const c = hold(
      *state, (recipe){ .rows = 2000, .seed = 9, .scale = 2, .power = 2 }, "temperature,histogram");
  assert_non_null(strstr(c->verdict, "points of AUROC"));
  expect(c, "temperature", "histogram has the lowest ECE (0.");
}

/* The best score does not compensate for lost AUROC. */
static void refinement_is_not_for_sale(void **state) {
  const crd_contest *const contest = hold(*state, (recipe){ 2000, 4, 1, 2.5, 0 }, some);
  crd__contest *const t = (crd__contest *)contest;
  assert_string_equal(contest->chosen->name, "platt");
  const crd_comparison *const c = t->items[2].against_identity;
  for (size_t m = 0; m < c->count; m++) {
    crd_difference *const d = (crd_difference *)(uintptr_t)&c->items[m];
    if (strcmp(d->metric->name, "auroc") != 0) continue;
    d->value = -.1;
    d->low = -.15;
    d->high = -.05;
  }
  assert_int_equal(crd__contest_judge(*state, t), CRD_OK);
  assert_string_not_equal(contest->chosen->name, "platt");
  crd_contest_destroy(contest);
}

/* Methods that did not converge, or failed, are named and not chosen. */
static void failed_methods_are_not_chosen(void **state) {
  const crd_contest *contest = hold(*state, (recipe){ 2000, 1, 2.5, 0, 0 }, some);
  crd__contest *const t = (crd__contest *)contest;
  ((crd_calibrator *)(uintptr_t)t->items[1].calibrator)->fit.certificate.converged = 0;
  assert_int_equal(crd__contest_judge(*state, t), CRD_OK);
  expect(contest, "platt", "temperature did not converge and was left out.");
}

/* ---- The rest of a contest. */

static void candidates_are_listed(void **state) {
  const crd_contest *const c = hold(*state, (recipe){ 300, 6, 2, 0, 0 },
                                    "platt(scope=top-1),temperature,platt(scope=top-1)");
  assert_int_equal(c->count, 3);
  assert_string_equal(c->candidates[0].name, "identity");
  assert_string_equal(c->candidates[1].name, "platt(scope=top-1)");
  assert_string_equal(c->candidates[1].method->name, "platt");
  assert_null(c->candidates[0].against_identity);
  assert_non_null(c->candidates[0].against_temperature);
  assert_null(c->candidates[2].against_temperature);
  crd_contest_destroy(c);
}

/* Counts how often work was reported. */
static void count_progress(void *self, const char *stage, uint64_t done, uint64_t total) {
  (void)stage;
  (void)done;
  (void)total;
  ++*(unsigned *)self;
}

/* A list with an invalid last entry fails before anything is fitted. */
static void invalid_lists_fail(void **state) {
  static const struct {
    const char *methods, *message;
  } cases[] = { { "temperature,nothing-like-it", "no method is called 'nothing-like-it'" },
                { "temprature", "no method is called 'temprature'; did you mean 'temperature'?" },
                { "platt(scope=top-1", "'platt(scope=top-1': expected ')'" },
                { "platt(scope=up)", "platt: scope=up, allowed are: one-vs-rest top-1" } };
  sample s = make(*state, (recipe){ 50, 7, 1, 0, 0 });
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const crd_contest *contest = NULL;
    const crd_contest_options options = { .size = sizeof options, .methods = cases[i].methods };
    unsigned reports = 0;
    crd_context_set_progress(*state, count_progress, &reports);
    assert_int_equal(crd_contest_split(*state, s.predictions, .5, &options, &contest), CRD_EUSAGE);
    crd_context_set_progress(*state, NULL, NULL);
    assert_int_equal(reports, 0);
    assert_non_null(strstr(crd_context_message(*state), cases[i].message));
    assert_null(contest);
  }
  drop(&s);
}

/* Every row is tested once, by a calibrator that has not seen it. */
static void folds_and_splits(void **state) {
  const crd_contest *contest = NULL;
  sample s = make(*state, (recipe){ 200, 8, 2, 0, 0 });
  const crd_contest_options options = { .size = sizeof options, .methods = some };
  assert_int_equal(crd_contest_folds(*state, s.predictions, 4, &options, &contest), CRD_OK);
  assert_int_equal(contest->folds, 4);
  assert_int_equal(contest->test_rows, 200);
  assert_int_equal(contest->candidates[1].result->rows, 200);
  crd_contest_destroy(contest);
  assert_int_equal(crd_contest_split(*state, s.predictions, .25, &options, &contest), CRD_OK);
  assert_int_equal(contest->calibrate_rows, 50);
  assert_int_equal(contest->test_rows, 150);
  crd_contest_destroy(contest);
  drop(&s);
}

/* R's p.adjust(c(.01, .04, .03, NA, .005, .04), "holm"). */
static void holms_correction(void **state) {
  const double p[] = { .01, .04, .03, (double)NAN, .005, .04 };
  const double expected[] = { .04, .09, .09, (double)NAN, .025, .09 };
  double out[6];
  (void)state;
  crd__contest_holm(p, 6, out);
  for (size_t i = 0; i < 6; i++) assert_true(near(out[i], expected[i], 1e-15));
}

/* Profiles outlive the predictions; only uncalibrated ones have temperatures. */
static void candidates_have_profiles(void **state) {
  enum { ROWS = 300 };
  static const char *const names[] = { "left", "right" };
  const crd_contest_options options = { .size = sizeof options,
                                        .methods = "temperature,histogram,vector",
                                        .resamples = 10,
                                        .profile = CRD_PROFILE_ALL };
  crd_context *const ctx = *state;
  int64_t groups[ROWS];
  sample s = make(ctx, (recipe){ .rows = ROWS, .seed = 3, .scale = 2 });
  crd_predictions_destroy(s.predictions);
  for (size_t i = 0; i < ROWS; i++) groups[i] = i % 2;
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores =
                                            crd_array_matrix(s.scores, CRD_F64, ROWS, CLASSES),
                                        .labels = crd_array_matrix(s.labels, CRD_I64, ROWS, 1),
                                        .groups = crd_array_matrix(groups, CRD_I64, ROWS, 1),
                                        .group_names = names,
                                        .group_name_count = 2,
                                        .input = CRD_INPUT_LOGITS };
  for (int folds = 0; folds < 2; folds++) {
    const crd_contest *contest = NULL;
    assert_int_equal(crd_predictions_create(ctx, &parts, &s.predictions), CRD_OK);
    if ((folds ? crd_contest_folds(ctx, s.predictions, 2, &options, &contest)
               : crd_contest_run(ctx, s.predictions, s.predictions, &options, &contest)) != CRD_OK)
      fail_msg("%s", crd_context_message(ctx));
    crd_predictions_destroy(s.predictions);
    assert_int_equal(contest->count, 4);
    for (size_t i = 0; i < contest->count; i++) {
      const crd_result *const r = contest->candidates[i].result;
      double gaps = 0;
      assert_non_null(r->profile);
      assert_int_equal(r->profile->temperature_count, i == 0 ? 61 : 0);
      assert_int_equal(r->profile->class_count, CLASSES);
      assert_true(r->profile->smooth_count > 1 && r->profile->smooth[0].low >= 0);
      assert_string_equal(r->profile->groups->items[1].name, "right");
      for (size_t b = 0; b < r->profile->by_bins_count; b++)
        if (r->profile->by_bins[b].bins == 15) gaps = r->profile->by_bins[b].ece;
      assert_true(same_bits(gaps, value_of(r, "ece")));
    }
    crd_contest_destroy(contest);
  }
  free(s.scores);
  free(s.labels);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(too_sure_by_one_factor),
    cmocka_unit_test(corrected_differences_can_be_seen),
    cmocka_unit_test(not_sure_enough),
    cmocka_unit_test(calibrated_already),
    cmocka_unit_test(one_class_is_favoured),
    cmocka_unit_test(a_temperature_keeps_refinement),
    cmocka_unit_test(too_few_rows_to_tell),
    cmocka_unit_test(the_lowest_error_costs_too_much),
    cmocka_unit_test(refinement_is_not_for_sale),
    cmocka_unit_test(failed_methods_are_not_chosen),
    cmocka_unit_test(candidates_are_listed),
    cmocka_unit_test(invalid_lists_fail),
    cmocka_unit_test(folds_and_splits),
    cmocka_unit_test(holms_correction),
    cmocka_unit_test(candidates_have_profiles),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
