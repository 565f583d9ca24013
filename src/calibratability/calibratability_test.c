/*
 * calibratability_test.c -- columns are those of contests and of a search by plain loops; draws of
 * all rows are the fit itself; inputs that cannot be compared fail.
 */
#include "calibratability/calibratability.h"
#include "contest/testing.h"

#include <string.h>

enum { ROWS = 600, RUNS = 5 };

/* Two seeds of "ce", overconfident, and of "ls", underconfident, and one of "focal". */
typedef struct {
  sample calibrate[RUNS], test[RUNS];
  crd_trained_run runs[RUNS];
} trainings;

static trainings train(crd_context *ctx) {
  static const char *const names[RUNS] = { "ls", "ce", "focal", "ls", "ce" };
  static const double scales[RUNS] = { 0.7, 2, 1.1, 0.75, 2.2 };
  trainings t;
  for (size_t i = 0; i < RUNS; i++) {
    t.calibrate[i] = make(ctx, (recipe){ ROWS, 10 + i, .scale = scales[i] });
    t.test[i] = make(ctx, (recipe){ ROWS, 30 + i, .scale = scales[i] });
    t.runs[i] = (crd_trained_run){ names[i], t.test[i].predictions, t.calibrate[i].predictions };
  }
  return t;
}

static void drop_all(trainings *t) {
  for (size_t i = 0; i < RUNS; i++) {
    drop(&t->calibrate[i]);
    drop(&t->test[i]);
  }
}

static const crd_calibratability *measure(crd_context *ctx, const trainings *t, size_t count,
                                          const crd_calibratability_options *options) {
  const crd_calibratability *results = NULL;
  if (crd_calibratability_measure(ctx, t->runs, count, options, &results) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  return results;
}

static size_t column(const crd_calibratability *r, const char *name) {
  size_t k = 0;
  while (k < r->column_count && strcmp(r->columns[k].name, name) != 0) k++;
  if (k == r->column_count) fail_msg("no column '%s'", name);
  return k;
}

static const crd_series_value *value(const crd_calibratability *r, size_t item, const char *name) {
  return &r->items[item].values[column(r, name)];
}

/* ---- Columns. */

/* ECE at a temperature, by its definition. */
static double slow_ece(const sample *s, double temperature, size_t bins) {
  double sums[100] = { 0 }, error = 0;
  for (size_t i = 0; i < ROWS; i++) {
    const double *const z = s->scores + i * CLASSES;
    size_t top = 0, bin = 0;
    double mass = 0;
    for (size_t k = 1; k < CLASSES; k++) top = z[k] > z[top] ? k : top;
    for (size_t k = 0; k < CLASSES; k++) mass += exp((z[k] - z[top]) / temperature);
    while (bin + 1 < bins && 1 / mass > (double)(bin + 1) / (double)bins) bin++;
    sums[bin] += 1 / mass - (s->labels[i] == (int64_t)top);
  }
  for (size_t m = 0; m < bins; m++) error += fabs(sums[m]) / ROWS;
  return error;
}

static void oracle_is_that_of_plain_loops(void **state) {
  trainings t = train(*state);
  const crd_calibratability *const r =
      measure(*state, &t, RUNS,
              &(crd_calibratability_options){
                  .size = sizeof(crd_calibratability_options), .baseline = "ls", .bins = 10 });
  const size_t places[RUNS][2] = { { 0, 0 }, { 1, 0 }, { 2, 0 }, { 0, 1 }, { 1, 1 } };
  for (size_t i = 0; i < RUNS; i++) {
    double best = 1, at = 0;
    for (int g = 1; g <= 1000; g++) {
      const double ece = slow_ece(&t.test[i], g / 100.0, 10);
      if (ece < best - 1e-12) best = ece, at = g / 100.0;
    }
    const size_t item = places[i][0], run = places[i][1];
    const double before = value(r, item, "ece")->values[run];
    assert_true(near(before, slow_ece(&t.test[i], 1, 10), 1e-12));
    assert_true(near(value(r, item, "oracle ece")->values[run], best, 1e-12));
    assert_true(near(value(r, item, "oracle T")->values[run], at, 1e-12));
    assert_true(near(value(r, item, "headroom")->values[run], before - best, 1e-12));
  }
  crd_calibratability_destroy(r);
  drop_all(&t);
}

static void columns_are_those_of_contests(void **state) {
  trainings t = train(*state);
  const crd_calibratability *const r =
      measure(*state, &t, RUNS,
              &(crd_calibratability_options){ .size = sizeof(crd_calibratability_options),
                                              .baseline = "ce",
                                              .methods = "temperature,platt(scope=top-1)" });
  static const size_t from[] = { 1, 4, 0, 3, 2 }, items[] = { 0, 0, 1, 1, 2 };
  static const size_t at[] = { 0, 1, 0, 1, 0 };
  assert_int_equal(r->count, 3);
  assert_string_equal(r->items[0].name, "ce");
  assert_string_equal(r->items[1].name, "ls");
  assert_string_equal(r->methods[1], "platt(scope=top-1)");
  for (size_t i = 0; i < RUNS; i++) {
    const crd_trained_run *const run = &t.runs[from[i]];
    const crd_contest_options what = { .size = sizeof what,
                                       .methods = "temperature,platt(scope=top-1)" };
    const crd_contest *c = NULL;
    assert_int_equal(crd_contest_run(*state, run->calibrate, run->test, &what, &c), CRD_OK);
    const struct {
      const char *name, *metric;
      size_t candidate;
    } table[] = { { "accuracy", "accuracy", 0 },
                  { "ece", "ece", 0 },
                  { "nll", "nll", 0 },
                  { "auroc", "auroc", 0 },
                  { "after temperature", "ece", 1 },
                  { "after platt", "ece", 2 } };
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
      assert_true(
          value(r, items[i], table[k].name)->values[at[i]] ==
          crd_result_value(c->candidates[table[k].candidate].result, table[k].metric)->value);
    assert_true(value(r, items[i], "T of temperature")->values[at[i]] ==
                c->candidates[1].learnt[0].values[0]);
    crd_contest_destroy(c);
  }
  assert_true(value(r, 0, "T of temperature")->mean > 1.8);
  assert_true(value(r, 1, "T of temperature")->mean < 0.85);
  crd_calibratability_destroy(r);
  drop_all(&t);
}

static void gaps_are_against_the_baseline(void **state) {
  trainings t = train(*state);
  const crd_calibratability *const r = measure(*state, &t, RUNS, NULL);
  assert_string_equal(r->items[0].name, "ls"); /* the first */
  assert_null(r->items[0].gaps);
  const size_t k = column(r, "after histogram");
  const crd_calibratability_gap *const ce = &r->items[1].gaps[k], *const focal =
                                                                      &r->items[2].gaps[k];
  assert_true(
      near(ce->value, value(r, 1, "after histogram")->mean - r->items[0].values[k].mean, 1e-15));
  const crd_calibratability_gap again =
      crd__calibratability_gap(&r->items[1].values[k], &r->items[0].values[k]);
  assert_true(ce->p == again.p && ce->p_corrected == ce->p); /* one test: nothing to correct */
  assert_true(isnan(focal->p) && focal->reason);
  assert_true(near(focal->value, r->items[2].values[k].mean - r->items[0].values[k].mean, 1e-15));
  crd_calibratability_destroy(r);
  drop_all(&t);
}

/* Without calibration rows the test rows are divided, alike for all runs. */
static void rows_are_divided(void **state) {
  trainings t = train(*state);
  for (size_t i = 0; i < RUNS; i++) t.runs[i].calibrate = NULL;
  const crd_calibratability *const r = measure(
      *state, &t, RUNS,
      &(crd_calibratability_options){ .size = sizeof(crd_calibratability_options), .split = 0.25 });
  assert_int_equal(r->calibrate_rows_min + r->test_rows_max, ROWS);
  assert_true(r->calibrate_rows_max > 130 && r->calibrate_rows_max < 170);
  const crd_contest *c = NULL;
  const crd_contest_options what = { .size = sizeof what, .methods = "temperature" };
  assert_int_equal(crd_contest_split(*state, t.runs[0].test, 0.25, &what, &c), CRD_OK);
  assert_true(value(r, 0, "after temperature")->values[0] ==
              crd_result_value(c->candidates[1].result, "ece")->value);
  crd_contest_destroy(c);
  crd_calibratability_destroy(r);
  drop_all(&t);
}

/* ---- Sizes. */

static void sizes_are_drawn(void **state) {
  trainings t = train(*state);
  static const size_t sizes[] = { 50, 300, 0 };
  const crd_calibratability_options options = { .size = sizeof options,
                                                .baseline = "ce",
                                                .methods = "temperature,histogram",
                                                .sizes = sizes,
                                                .size_count = 3,
                                                .draws = 4 };
  const crd_calibratability *const r = measure(*state, &t, RUNS, &options);
  const crd_sized *const sized = r->items[0].sized;
  const crd_series_value temperature[] = { sized[0].ece, sized[1].ece, sized[2].ece };
  const crd_series_value histogram[] = { sized[3].ece, sized[4].ece, sized[5].ece };
  assert_true(sized[0].rows == 50 && sized[5].rows == ROWS);
  assert_string_equal(r->name, "ce, ls, focal");
  assert_int_equal(temperature[0].runs, 8); /* two runs, four draws */
  assert_int_equal(temperature[2].runs, 2); /* all rows can be drawn once */
  assert_true(near(temperature[2].mean, value(r, 0, "after temperature")->mean, 1e-15));
  assert_true(near(histogram[2].mean, value(r, 0, "after histogram")->mean, 1e-15));
  assert_true(histogram[0].mean > histogram[1].mean && histogram[0].mean > temperature[0].mean);
  assert_true(temperature[0].std > 0 && temperature[0].values[0] != temperature[0].values[1]);
  /* The same numbers with one thread, and others with another seed. */
  crd_context_set_threads(*state, 1);
  const crd_calibratability *const same = measure(*state, &t, RUNS, &options);
  crd_context_set_threads(*state, 0);
  crd_context_set_seed(*state, 9);
  const crd_calibratability *const other = measure(*state, &t, RUNS, &options);
  crd_context_set_seed(*state, 0);
  for (size_t d = 0; d < 8; d++)
    assert_true(same->items[0].sized[0].ece.values[d] == temperature[0].values[d]);
  assert_true(other->items[0].sized[0].ece.mean != temperature[0].mean);
  assert_true(other->items[0].sized[2].ece.mean == temperature[2].mean);
  crd_calibratability_destroy(r);
  crd_calibratability_destroy(same);
  crd_calibratability_destroy(other);
  drop_all(&t);
}

/* ---- Failures. */

static void expect(crd_context *ctx, const trainings *t, size_t count,
                   const crd_calibratability_options *options, crd_status status,
                   const char *words) {
  const crd_calibratability *r;
  assert_int_equal(crd_calibratability_measure(ctx, t->runs, count, options, &r), status);
  assert_null(r);
  if (!strstr(crd_context_message(ctx), words)) fail_msg("%s", crd_context_message(ctx));
}

static void what_cannot_be_compared_fails(void **state) {
  trainings t = train(*state);
  static const size_t many[] = { 100, ROWS + 1 };
  expect(*state, &t, 0, NULL, CRD_EUSAGE, "no runs");
  expect(*state, &t, 2,
         &(crd_calibratability_options){ .size = sizeof(crd_calibratability_options),
                                         .baseline = "CE" },
         CRD_EUSAGE, "baseline is 'CE', allowed are the names of runs: 'ls'");
  expect(
      *state, &t, 2,
      &(crd_calibratability_options){ .size = sizeof(crd_calibratability_options), .bins = 1001 },
      CRD_EUSAGE, "up to 1000");
  expect(*state, &t, 2,
         &(crd_calibratability_options){ .size = sizeof(crd_calibratability_options), .split = 1 },
         CRD_EUSAGE, "split");
  expect(*state, &t, 2,
         &(crd_calibratability_options){ .size = sizeof(crd_calibratability_options),
                                         .methods = "temprature" },
         CRD_EUSAGE, "temprature");
  expect(*state, &t, 2,
         &(crd_calibratability_options){
             .size = sizeof(crd_calibratability_options), .sizes = many, .size_count = 2 },
         CRD_EUSAGE, "asks for 601 calibration rows, there are 600");
  t.test[1].scores[7] = (double)NAN;
  expect(*state, &t, 2, NULL, CRD_EINPUT, "row 1, class 3 is NaN");
  drop_all(&t);
}

static crd_predictions *binary(crd_context *ctx, crd_binary which, const double *z,
                               const int64_t *labels) {
  crd_predictions *p = NULL;
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores = crd_array_matrix(z, CRD_F64, 4, 2),
                                        .labels = crd_array_matrix(labels, CRD_I64, 4, 1),
                                        .input = CRD_INPUT_LOGITS,
                                        .binary = which,
                                        .name = "two.npz" };
  assert_int_equal(crd_predictions_create(ctx, &parts, &p), CRD_OK);
  return p;
}

static void classes_must_be_the_same(void **state) {
  static const double z[] = { 1, 0, 0, 1, 2, 0, 0, 3 };
  static const int64_t labels[] = { 0, 1, 0, 1 };
  trainings t = train(*state);
  crd_predictions *const top = binary(*state, CRD_BINARY_TOP, z, labels);
  crd_predictions *const pos = binary(*state, CRD_BINARY_POS, z, labels);
  t.runs[1].test = top;
  expect(*state, &t, 2, NULL, CRD_EINPUT, "two.npz has 2 classes");
  t.runs[0].test = pos;
  expect(*state, &t, 2, NULL, CRD_EUSAGE, "binary is not supported");
  crd_predictions_destroy(top);
  crd_predictions_destroy(pos);
  drop_all(&t);
}

/* All rows correct: every temperature below 1 improves, AUROC does not exist, nothing fails. */
static void all_correct_is_measured(void **state) {
  trainings t = train(*state);
  for (size_t i = 0; i < RUNS; i++)
    for (size_t n = 0; n < ROWS; n++) {
      size_t top = 0;
      for (size_t k = 1; k < CLASSES; k++)
        if (t.test[i].scores[n * CLASSES + k] > t.test[i].scores[n * CLASSES + top]) top = k;
      t.test[i].labels[n] = (int64_t)top;
    }
  const crd_calibratability *const r = measure(*state, &t, RUNS, NULL);
  assert_true(value(r, 0, "accuracy")->mean == 1);
  assert_true(value(r, 0, "oracle T")->mean == 0.01);
  assert_true(value(r, 0, "auroc")->runs == 0 && isnan(value(r, 0, "auroc")->mean));
  assert_true(value(r, 0, "headroom")->mean > 0.1);
  crd_calibratability_destroy(r);
  drop_all(&t);
}

static void memory_may_fail(void **state) {
  static const size_t sizes[] = { 20 };
  const crd_calibratability_options options = {
    .size = sizeof options, .methods = "temperature", .sizes = sizes, .size_count = 1, .draws = 1
  };
  sample few[2] = { make(*state, (recipe){ 30, 1, .scale = 2 }),
                    make(*state, (recipe){ 30, 2, .scale = 1 }) };
  const crd_trained_run runs[] = { { "ce", few[0].predictions, few[1].predictions },
                                   { "ls", few[1].predictions, few[0].predictions } };
  bool done = false;
  for (long n = 0; !done; n++) {
    test_allocator counts = { .fail_at = -1 };
    const crd_allocator alloc = failing_allocator(&counts);
    crd_context *ctx = NULL;
    const crd_calibratability *r = NULL;
    assert_int_equal(crd_context_create(&alloc, &ctx), CRD_OK);
    crd_context_set_threads(ctx, 1);
    counts.fail_at = counts.calls + n;
    const crd_status status = crd_calibratability_measure(ctx, runs, 2, &options, &r);
    assert_true(status == CRD_OK || (status == CRD_ENOMEM && !r));
    done = status == CRD_OK;
    crd_calibratability_destroy(r);
    crd_context_destroy(ctx);
    assert_int_equal(counts.live, 0);
  }
  drop(&few[0]);
  drop(&few[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(oracle_is_that_of_plain_loops),
    cmocka_unit_test(columns_are_those_of_contests),
    cmocka_unit_test(gaps_are_against_the_baseline),
    cmocka_unit_test(rows_are_divided),
    cmocka_unit_test(sizes_are_drawn),
    cmocka_unit_test(what_cannot_be_compared_fails),
    cmocka_unit_test(classes_must_be_the_same),
    cmocka_unit_test(all_correct_is_measured),
    cmocka_unit_test(memory_may_fail),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
