/* shift_test.c -- calibrators fitted on clean data, applied to shifted sets. */
#include "contest/testing.h"

#include <string.h>

enum { ROWS = 1500, RESAMPLES = 60 };

/* Calibration and test rows that are overconfident by a factor of 2.5, and a shifted set whose
 * logits are scaled by another factor. */
typedef struct {
  sample calibrate, test, shifted;
  const crd_contest *contest;
} trial;

static crd_status try(crd_context *ctx, double scale, const char *methods, trial *t) {
  *t = (trial){ .calibrate = make(ctx, (recipe){ ROWS, 1, 2.5, 0, 0 }),
                .test = make(ctx, (recipe){ ROWS, 101, 2.5, 0, 0 }),
                .shifted = make(ctx, (recipe){ ROWS, 201, scale, 0, 0 }) };
  const crd_shift_set set = { "noise:3", t->shifted.predictions };
  const crd_contest_options options = { .size = sizeof options,
                                        .methods = methods,
                                        .resamples = RESAMPLES,
                                        .shift = &set,
                                        .shift_count = 1 };
  return crd_contest_run(ctx, t->calibrate.predictions, t->test.predictions, &options, &t->contest);
}

static void finish(trial *t) {
  crd_contest_destroy(t->contest);
  drop(&t->calibrate);
  drop(&t->test);
  drop(&t->shifted);
}

/* Fit, apply and evaluate, without a contest. */
static void values_are_those_of_the_calibrator(void **state) {
  crd_context *const ctx = *state;
  trial t;
  assert_int_equal(try(ctx, 2.5, "temperature,vector", &t), CRD_OK);
  assert_int_equal(t.contest->shift_count, 1);
  const crd_contest_shift *const set = &t.contest->shift[0];
  assert_string_equal(set->name, "noise:3");
  assert_string_equal(set->family, "noise");
  assert_true(set->severity == 3 && set->rows == ROWS);
  const crd_evaluate_options what = { .size = sizeof what,
                                      .metrics = "ece,nll,auroc",
                                      .resamples = RESAMPLES };
  crd_evidence *plain = NULL;
  assert_int_equal(crd_evidence_gather(ctx, t.shifted.predictions, &what, 0, &plain), CRD_OK);
  for (size_t i = 1; i < 3; i++) {
    crd_calibrator *c = NULL;
    crd_predictions *calibrated = NULL;
    crd_evidence *evidence = NULL;
    const crd_result *result = NULL;
    const crd_comparison *comparison = NULL;
    assert_int_equal(
        crd_calibrator_fit(ctx, t.contest->candidates[i].name, NULL, t.calibrate.predictions, &c),
        CRD_OK);
    assert_int_equal(crd_calibrator_calibrate(ctx, c, t.shifted.predictions, &calibrated), CRD_OK);
    assert_int_equal(crd_evidence_gather(ctx, calibrated, &what, 0, &evidence), CRD_OK);
    assert_int_equal(crd_evidence_judge(ctx, evidence, &result), CRD_OK);
    assert_int_equal(crd_evidence_compare(ctx, plain, evidence, &comparison), CRD_OK);
    for (size_t m = 0; m < result->value_count; m++) {
      const char *const name = result->values[m].metric->name;
      const crd_metric_value *const v = crd_result_value(set->candidates[i].result, name);
      assert_true(same_bits(v->value, result->values[m].value));
      const crd_comparison *const against = set->candidates[i].against_identity;
      for (size_t k = 0; k < against->count; k++)
        if (against->items[k].metric == v->metric) {
          assert_true(same_bits(against->items[k].value, comparison->items[m].value));
          assert_true(same_bits(against->items[k].low, comparison->items[m].low));
        }
    }
    crd_comparison_destroy(comparison);
    crd_result_destroy(result);
    crd_evidence_destroy(evidence);
    crd_predictions_destroy(calibrated);
    crd_calibrator_destroy(c);
  }
  assert_null(set->candidates[0].against_identity);
  crd_evidence_destroy(plain);
  finish(&t);
}

static void helps_where_the_fault_is_the_same(void **state) {
  trial t;
  assert_int_equal(try(*state, 2.5, "temperature,vector", &t), CRD_OK);
  assert_non_null(
      strstr(t.contest->shift[0].verdict, "On noise:3, all 2 methods still lower NLL, "));
  assert_non_null(
      strstr(t.contest->shift[0].verdict, " temperature, chosen on clean data: ECE 0."));
  finish(&t);
}

/* Scores that are not overconfident there are made underconfident. */
static void harms_where_it_is_another(void **state) {
  trial t;
  assert_int_equal(try(*state, 0.4, "temperature", &t), CRD_OK);
  assert_non_null(strstr(t.contest->shift[0].verdict, "On noise:3, temperature raises NLL (0."));
  assert_true(t.contest->shift[0].candidates[1].against_identity->items[0].value ==
              0); /* accuracy */
  finish(&t);
}

/* What failed on the calibration rows has no result on shifted ones. */
static void failures_stay_failures(void **state) {
  trial t;
  assert_int_equal(try(*state, 2.5, "density-ratio", &t), CRD_OK);
  const crd_shifted_candidate *const c = &t.contest->shift[0].candidates[1];
  assert_true(!c->result && !c->against_identity);
  assert_string_equal(c->failure, t.contest->candidates[1].failure);
  finish(&t);
}

static void invalid_sets_are_refused(void **state) {
  crd_context *const ctx = *state;
  sample a = make(ctx, (recipe){ 100, 1, 2.5, 0, 0 });
  crd_predictions *bare = NULL;
  const crd_contest *contest = NULL;
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores = crd_array_matrix(a.scores, CRD_F64, 100, CLASSES),
                                        .labels_optional = 1,
                                        .input = CRD_INPUT_LOGITS,
                                        .name = "new.npy" };
  assert_int_equal(crd_predictions_create(ctx, &parts, &bare), CRD_OK);
  const crd_shift_set set = { "new", bare }, labelled = { "old", a.predictions };
  crd_contest_options options = {
    .size = sizeof options, .methods = "temperature", .shift = &set, .shift_count = 1
  };
  assert_int_equal(crd_contest_split(ctx, a.predictions, .5, &options, &contest), CRD_EINPUT);
  assert_non_null(strstr(crd_context_message(ctx), "new.npy: no labels"));
  options.shift = &labelled;
  assert_int_equal(crd_contest_folds(ctx, a.predictions, 2, &options, &contest), CRD_EUSAGE);
  assert_non_null(strstr(crd_context_message(ctx), "cross-validation"));
  assert_null(contest);
  crd_predictions_destroy(bare);
  drop(&a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(values_are_those_of_the_calibrator),
    cmocka_unit_test(helps_where_the_fault_is_the_same),
    cmocka_unit_test(harms_where_it_is_another),
    cmocka_unit_test(failures_stay_failures),
    cmocka_unit_test(invalid_sets_are_refused),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
