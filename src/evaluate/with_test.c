/* with_test.c -- results and tables with further parts, which borrow, and leave the first as it is.
 */
#include "credence/operating.h"
#include "credence/profile.h"
#include "credence/shift.h"
#include "support.h"

#include <string.h>

static const crd_result *evaluate(crd_context *ctx, const crd_predictions *p) {
  const crd_evaluate_options options = { .size = sizeof options, .metrics = "accuracy,ece,nll" };
  const crd_result *result = NULL;
  assert_int_equal(crd_evaluate(ctx, p, &options, &result), CRD_OK);
  return result;
}

static const test_recipe usual = {
  .rows = 60, .classes = 3, .seed = 1, .spread = 2, .accuracy = 0.7
};

static void parts_are_added_to_a_copy(void **state) {
  crd_context *const ctx = *state;
  test_data data = make_data(usual);
  crd_predictions *const p = data_predictions(ctx, &data, 0, data.rows);
  const crd_result *const values = evaluate(ctx, p), before = *values;
  const crd_result *with = NULL, *more = NULL;
  const crd_profile *profile = NULL;
  assert_int_equal(crd_profile_make(ctx, p, NULL, &profile), CRD_OK);
  static const char *const notes[] = { "look", "listen" };
  const crd_result_parts parts = {
    .size = sizeof parts, .profile = profile, .name = "ours", .notes = notes, .note_count = 2
  };
  assert_int_equal(crd_result_with(ctx, values, &parts, &with), CRD_OK);
  assert_memory_equal(values, &before, sizeof before);
  assert_ptr_equal(with->profile, profile);
  assert_string_equal(with->name, "ours");
  assert_ptr_equal(with->values, values->values);
  assert_ptr_equal(with->bins, values->bins);
  assert_int_equal(with->note_count, values->note_count + 2);
  assert_string_equal(with->notes[0], "look");
  assert_string_equal(with->notes[1], "listen");
  if (values->note_count) assert_ptr_equal(with->notes[2], values->notes[0]);
  /* What is not given stays. */
  assert_int_equal(crd_result_with(ctx, with, NULL, &more), CRD_OK);
  assert_memory_equal(more, with, sizeof *with);
  crd_result_destroy(more);
  crd_result_destroy(with);
  assert_true(value_of(values, "accuracy") > 0);
  crd_profile_destroy(profile);
  crd_result_destroy(values);
  crd_predictions_destroy(p);
  free_data(&data);
}

static void metrics_are_chosen(void **state) {
  crd_context *const ctx = *state;
  test_data data = make_data(usual);
  crd_predictions *const p = data_predictions(ctx, &data, 0, data.rows);
  const crd_result *const values = evaluate(ctx, p);
  const crd_result *some = NULL;
  crd_result_parts parts = { .size = sizeof parts, .metrics = "nll,accuracy" };
  assert_int_equal(crd_result_with(ctx, values, &parts, &some), CRD_OK);
  assert_int_equal(some->value_count, 2); /* in the order of the result */
  assert_string_equal(some->values[0].metric->name, "accuracy");
  assert_true(same_bits(some->values[1].value, value_of(values, "nll")));
  assert_null(crd_result_value(some, "ece"));
  crd_result_destroy(some);
  parts.metrics = "all";
  assert_int_equal(crd_result_with(ctx, values, &parts, &some), CRD_OK);
  assert_int_equal(some->value_count, 3);
  crd_result_destroy(some);
  static const char *const wrong[] = {
    "brier", "ece,brier", "ec", "eceece", "ece,", "", "ece,,nll"
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    some = values;
    parts.metrics = wrong[i];
    assert_int_equal(crd_result_with(ctx, values, &parts, &some), CRD_EUSAGE);
    assert_null(some);
    assert_non_null(strstr(crd_context_message(ctx), "does not have the metric '"));
  }
  crd_result_destroy(values);
  crd_predictions_destroy(p);
  free_data(&data);
}

static void shifted_sets_show_operating_points(void **state) {
  crd_context *const ctx = *state;
  static const crd_operating_table points = { .count = 0 };
  static const crd_result night = { .name = "night", .rows = 3 }, fog = { .name = "fog" };
  static const crd_shift items[] = { { .name = "night", .result = &night },
                                     { .name = "fog", .result = &fog } };
  static const crd_shift_table shift = { .count = 2, .items = items };
  const crd_operating_table *const operating[] = { &points, NULL };
  const crd_shift_table *with = NULL;
  assert_int_equal(crd_shift_table_with(ctx, &shift, operating, &with), CRD_OK);
  assert_int_equal(with->count, 2);
  assert_ptr_equal(with->items[0].result->operating, &points);
  assert_int_equal(with->items[0].result->rows, 3);
  assert_null(with->items[1].result->operating);
  assert_string_equal(with->items[1].name, "fog");
  assert_null(night.operating);
  crd_shift_table_destroy(with);
}

/* Tables of other metrics, which would be shown under these names, are refused. */
static void tables_have_the_same_metrics(void **state) {
  crd_context *const ctx = *state;
  test_data data = make_data(usual);
  crd_predictions *const p = data_predictions(ctx, &data, 0, data.rows);
  const crd_result *const values = evaluate(ctx, p);
  const crd_evaluate_options less = { .size = sizeof less, .metrics = "accuracy" };
  const crd_result *part = NULL, *with = NULL;
  assert_int_equal(crd_evaluate(ctx, p, &less, &part), CRD_OK);
  for (int shifted = 0; shifted <= 1; shifted++) {
    const crd_result *shown = values;
    const crd_group group = { .result = part };
    const crd_shift set = { .name = "night", .result = part };
    const crd_group_table groups = { 1, &group };
    const crd_shift_table shift = { .count = 1, .items = &set };
    crd_result_parts parts = { .size = sizeof parts,
                               .groups = shifted ? NULL : &groups,
                               .shift = shifted ? &shift : NULL };
    for (int narrower = 0; narrower <= 1; narrower++) { /* all of `values`, or nll alone */
      parts.metrics = narrower ? "nll" : NULL;
      with = values;
      assert_int_equal(crd_result_with(ctx, shown, &parts, &with), CRD_EUSAGE);
      assert_null(with);
      assert_non_null(strstr(crd_context_message(ctx), "do not begin with its metrics"));
    }
    parts.metrics = "accuracy";
    assert_int_equal(crd_result_with(ctx, shown, &parts, &with), CRD_OK);
    crd_result_destroy(with);
  }
  crd_result_destroy(part);
  crd_result_destroy(values);
  crd_predictions_destroy(p);
  free_data(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(parts_are_added_to_a_copy),
    cmocka_unit_test(metrics_are_chosen),
    cmocka_unit_test(tables_have_the_same_metrics),
    cmocka_unit_test(shifted_sets_show_operating_points),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
