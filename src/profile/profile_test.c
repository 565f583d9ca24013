/* profile_test.c -- requested parts are filled, with the same bits for any number of threads. */
#include "data/predictions.h"
#include "profile/kinds_test.h"

static void same_bins(const crd_fine_bins *a, const crd_fine_bins *b) {
  assert_int_equal(a->count, b->count);
  assert_memory_equal(a->items, b->items, a->count * sizeof *a->items);
}

static void same_curve(const crd_curve *a, const crd_curve *b) {
  assert_int_equal(a->count, b->count);
  assert_memory_equal(a->points, b->points, a->count * sizeof *a->points);
}

static void same_profile(const crd_profile *a, const crd_profile *b) {
  same_bins(&a->bins, &b->bins);
  same_curve(&a->roc, &b->roc);
  same_curve(&a->precision_right, &b->precision_right);
  same_curve(&a->precision_wrong, &b->precision_wrong);
  same_curve(&a->risk_coverage, &b->risk_coverage);
  same_curve(&a->risk_coverage_best, &b->risk_coverage_best);
  same_curve(&a->density_right, &b->density_right);
  same_curve(&a->density_wrong, &b->density_wrong);
  for (size_t i = 0; i < a->by_bins_count; i++) {
    assert_true(same_bits(a->by_bins[i].ece, b->by_bins[i].ece));
    assert_true(same_bits(a->by_bins[i].aece, b->by_bins[i].aece));
  }
  assert_true(same_bits(a->smooth_bandwidth, b->smooth_bandwidth));
  assert_memory_equal(a->smooth, b->smooth, a->smooth_count * sizeof *a->smooth);
  for (size_t i = 0; i < a->temperature_count; i++) {
    assert_true(same_bits(a->temperatures[i].nll, b->temperatures[i].nll));
    assert_true(same_bits(a->temperatures[i].brier, b->temperatures[i].brier));
    same_bins(&a->temperatures[i].bins, &b->temperatures[i].bins);
  }
  for (size_t i = 0; i < a->class_count; i++) {
    assert_int_equal(a->classes[i].number, b->classes[i].number);
    assert_true(same_bits(a->classes[i].error, b->classes[i].error));
    same_bins(&a->classes[i].bins, &b->classes[i].bins);
  }
}

static void threads_change_nothing(void **state) {
  const crd_profile_options options = { .size = sizeof options, .resamples = 21 };
  crd_context *const one = test_context(), *const three = test_context();
  (void)state;
  crd_context_set_threads(one, 1);
  crd_context_set_threads(three, 3);
  test_data data = make_data((test_recipe){
      .rows = 9001, .classes = 4, .seed = 77, .spread = 2, .accuracy = .6, .weighted = true });
  crd_predictions *const p = data_predictions(one, &data, 0, data.rows);
  const crd_profile *const a = profile_of(one, p, options), *const b =
                                                                profile_of(three, p, options);
  crd_predictions_destroy(p);
  same_profile(a, b);
  crd_profile_destroy(a);
  crd_profile_destroy(b);
  free_data(&data);
  crd_context_destroy(one);
  crd_context_destroy(three);
}

/* Parts that were not requested, or that predictions do not allow, are empty. */
static void parts_come_as_asked(void **state) {
  crd_context *const ctx = *state;
  for (size_t n = 0; n < KINDS; n++)
    for (unsigned parts = 1; parts <= CRD_PROFILE_ALL; parts++) {
      if ((parts + n) % 9) continue;
      kind k;
      open_kind(ctx, n, &k);
      const bool classes = crd_predictions_classes(k.predictions) > 0;
      const crd_profile *const p =
          profile_of(ctx, k.predictions,
                     (crd_profile_options){ .size = sizeof(crd_profile_options), .parts = parts });
      assert_int_equal(p->parts, parts);
      assert_int_equal(p->bins.count > 0, !!(parts & CRD_PROFILE_BINS));
      assert_int_equal(p->risk_coverage.count > 0, !!(parts & CRD_PROFILE_CURVES));
      assert_int_equal(p->by_bins_count > 0, !!(parts & CRD_PROFILE_CURVES));
      assert_int_equal(p->smooth_count > 0, !!(parts & CRD_PROFILE_SMOOTH));
      assert_int_equal(p->class_count > 0, parts & CRD_PROFILE_CLASSES && classes);
      assert_int_equal(p->temperature_count > 0, !!(parts & CRD_PROFILE_TEMPERATURES));
      assert_int_equal(p->groups != NULL, !!(parts & CRD_PROFILE_GROUPS));
      if (p->groups) assert_int_equal(p->groups->items[0].result->value_count, 3);
      crd_profile_destroy(p);
      close_kind(&k);
    }
  crd_profile_destroy(NULL);
}

/* Predictions without groups have none; a separate confidence has no temperatures. */
static void missing_parts_stay_empty(void **state) {
  static const double p[] = { .2, .8, .6, .4 }, confidence[] = { .7, .5 };
  static const int64_t labels[] = { 1, 1 }, predicted[] = { 1, 0 };
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores = crd_array_matrix(p, CRD_F64, 2, 2),
                                        .labels = crd_array_matrix(labels, CRD_I64, 2, 1),
                                        .confidence = crd_array_matrix(confidence, CRD_F64, 2, 1),
                                        .predicted = crd_array_matrix(predicted, CRD_I64, 2, 1),
                                        .input = CRD_INPUT_PROBABILITIES };
  crd_context *const ctx = *state;
  crd_predictions *predictions = NULL;
  assert_int_equal(crd_predictions_create(ctx, &parts, &predictions), CRD_OK);
  const crd_profile *const profile =
      profile_of(ctx, predictions, (crd_profile_options){ .size = sizeof(crd_profile_options) });
  crd_predictions_destroy(predictions);
  assert_null(profile->groups);
  assert_int_equal(profile->temperature_count, 0);
  assert_int_equal(profile->bins.count, 2);
  assert_int_equal(profile->bins.items[1].index, 209); /* 0.7 is the upper edge of (209, 210] */
  crd_profile_destroy(profile);
}

/* A split of weighted rows may have a total weight of 0. */
static void weightless_rows_are_refused(void **state) {
  static const double p[] = { .2, .8, .4, .6 }, weights[] = { 0, 1 };
  static const int64_t labels[] = { 1, 1 };
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores = crd_array_matrix(p, CRD_F64, 2, 2),
                                        .labels = crd_array_matrix(labels, CRD_I64, 2, 1),
                                        .weights = crd_array_matrix(weights, CRD_F64, 2, 1),
                                        .input = CRD_INPUT_PROBABILITIES,
                                        .name = "empty.npz" };
  crd_context *const ctx = *state;
  crd_predictions *predictions = NULL, *picked = NULL;
  const crd_profile *profile = NULL;
  assert_int_equal(crd_predictions_create(ctx, &parts, &predictions), CRD_OK);
  assert_int_equal(crd__data_predictions_pick(ctx, predictions, (size_t[]){ 0 }, 1, &picked),
                   CRD_OK);
  assert_int_equal(crd_profile_make(ctx, picked, NULL, &profile), CRD_EINPUT);
  assert_null(profile);
  assert_string_equal(crd_context_message(ctx), "empty.npz: all weights are 0");
  crd_predictions_destroy(picked);
  crd_predictions_destroy(predictions);
}

/* Scaling all weights changes nothing. */
static void weights_are_the_callers(void **state) {
  static const double p[] = { .2, .8, .6, .4 }, weights[] = { 3e9, 1e9 };
  static const int64_t labels[] = { 1, 1 };
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores = crd_array_matrix(p, CRD_F64, 2, 2),
                                        .labels = crd_array_matrix(labels, CRD_I64, 2, 1),
                                        .weights = crd_array_matrix(weights, CRD_F64, 2, 1),
                                        .input = CRD_INPUT_PROBABILITIES };
  crd_context *const ctx = *state;
  crd_predictions *predictions = NULL;
  assert_int_equal(crd_predictions_create(ctx, &parts, &predictions), CRD_OK);
  const crd_profile *const profile =
      profile_of(ctx, predictions, (crd_profile_options){ .size = sizeof(crd_profile_options) });
  assert_true(profile->bins.items[0].weight == 1e9 && profile->bins.items[1].correct == 3e9);
  assert_true(profile->classes[0].bins.items[0].weight == 3e9);
  assert_true(profile->temperatures[30].bins.items[1].weight == 3e9);
  crd_profile_destroy(profile);
  crd_predictions_destroy(predictions);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(threads_change_nothing),   cmocka_unit_test(parts_come_as_asked),
    cmocka_unit_test(missing_parts_stay_empty), cmocka_unit_test(weightless_rows_are_refused),
    cmocka_unit_test(weights_are_the_callers),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
