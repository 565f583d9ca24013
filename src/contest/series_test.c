/*
 * series_test.c -- series of hand-made contests: moments and tests are those of NumPy and SciPy,
 * and a run that does not fit leaves the series unchanged.
 */
#include "support.h"

#include <math.h>
#include <string.h>

enum { RUNS = 4, METHODS = 3, METRICS = 2 };

/* The values of ECE and accuracy, run by run; vector fails in the second. */
static const double eces[METHODS][RUNS] = { { 0.10, 0.14, 0.11, 0.13 },
                                            { 0.04, 0.07, 0.03, 0.08 },
                                            { 0.05, (double)NAN, 0.02, 0.16 } };
static const double accuracies[METHODS][RUNS] = { { 0.75, 0.80, 0.70, 0.85 },
                                                  { 0.75, 0.80, 0.70, 0.85 },
                                                  { 0.80, (double)NAN, 0.65, 0.85 } };
static const size_t calibrate_rows[RUNS] = { 60, 60, 61, 59 };
static const size_t test_rows[RUNS] = { 40, 40, 39, 41 };

/* One contest and everything that it points to. */
typedef struct {
  crd_contest contest;
  crd_candidate candidates[METHODS];
  crd_result results[METHODS];
  crd_metric_value values[METHODS][METRICS];
  crd_certificate certificates[METHODS];
  crd_learnt learnt;
  double temperature;
  size_t start[2];
} hand_made;

static void make(hand_made *h, size_t run) {
  static const char *const names[] = { "identity", "temperature", "vector" };
  static const char *const notes[] = { "a note" };
  *h = (hand_made){ .temperature = 1.5 + 0.25 * (double)run, .start = { 0, 1 } };
  h->learnt = (crd_learnt){
    .name = "temperature", .parts = 1, .start = h->start, .values = &h->temperature
  };
  for (size_t i = 0; i < METHODS; i++) {
    crd_candidate *const c = &h->candidates[i];
    const bool failed = isnan(eces[i][run]);
    h->values[i][0] = (crd_metric_value){ crd_metric_find("ece"), .value = eces[i][run] };
    h->values[i][1] =
        (crd_metric_value){ crd_metric_find("accuracy"), .value = accuracies[i][run] };
    h->results[i] = (crd_result){ .value_count = METRICS, .values = h->values[i] };
    h->certificates[i].converged = !(i == 1 && run == 3);
    *c = (crd_candidate){ .name = names[i],
                          .certificate = &h->certificates[i],
                          .result = failed ? NULL : &h->results[i],
                          .failure = failed ? "it fails" : NULL,
                          .seconds = (double)i + 0.5 * (double)run };
  }
  h->candidates[1].learnt = &h->learnt;
  h->candidates[1].learnt_count = 1;
  h->contest = (crd_contest){ .calibrate_name = "val.npz",
                              .test_name = "test.npz",
                              .calibrate_rows = calibrate_rows[run],
                              .test_rows = test_rows[run],
                              .count = METHODS,
                              .candidates = h->candidates,
                              .chosen = &h->candidates[run == 2 ? 2 : 1],
                              .note_count = 1,
                              .notes = notes };
}

static crd_series *hold(crd_context *ctx, crd_series_kind kind, size_t runs) {
  const crd_series_options options = { .size = sizeof options,
                                       .kind = kind,
                                       .caption = "what differs" };
  crd_series *series = NULL;
  assert_int_equal(crd_series_create(ctx, &options, &series), CRD_OK);
  for (size_t run = 0; run < runs; run++) {
    hand_made h;
    make(&h, run);
    assert_int_equal(crd_series_add(ctx, series, &h.contest), CRD_OK);
    memset(&h, 0x5a, sizeof h); /* nothing of it is borrowed */
  }
  return series;
}

static void expect_moments(const crd_series_value *v, size_t runs, double mean, double std) {
  assert_int_equal(v->runs, runs);
  assert_true(near(v->mean, mean, 1e-15));
  assert_true(near(v->std, std, 1e-15));
}

/* numpy.nanmean, numpy.nanstd(ddof=1) */
static void moments_are_those_of_numpy(void **state) {
  crd_series *const series = hold(*state, CRD_SERIES_SPLITS, RUNS);
  const crd_series_summary *const s = crd_series_describe(series);
  assert_int_equal(s->runs, RUNS);
  assert_int_equal(s->count, METHODS);
  assert_int_equal(s->metric_count, METRICS);
  assert_string_equal(s->metrics[1]->name, "accuracy");
  const crd_series_candidate *const c = s->candidates;
  expect_moments(&c[0].values[0], 4, 0.12, 0.01825741858350554);
  expect_moments(&c[0].values[1], 4, 0.775, 0.06454972243679029);
  expect_moments(&c[1].values[0], 4, 0.055, 0.02380476142847617);
  expect_moments(&c[2].values[0], 3, 0.07666666666666667, 0.07371114795831994);
  expect_moments(&c[2].values[1], 3, 0.7666666666666667, 0.10408329997330662);
  expect_moments(&c[0].seconds, 4, 0.75, 0.6454972243679029);
  expect_moments(&c[2].seconds, 3, 2 + 2.5 / 3, 0.7637626158259734);
  expect_moments(&c[1].temperature, 4, 1.875, 0.3227486121839514);
  expect_moments(&c[0].temperature, 0, (double)NAN, (double)NAN);
  assert_true(c[2].values[0].values[0] == 0.05 && isnan(c[2].values[0].values[1]));
  crd_series_destroy(series);
}

static void expect_difference(const crd_series_difference *d, size_t runs, double mean, double std,
                              double p) {
  assert_int_equal(d->runs, runs);
  assert_true(near(d->mean, mean, 1e-15) && near(d->std, std, 1e-15));
  if (!near(d->p, p, 1e-12)) fail_msg("p is %.17g, expected %.17g", d->p, p);
}

/* scipy.stats.ttest_rel, and scipy.stats.t with the variance of Nadeau and Bengio; both by Holm. */
static void tests_are_those_of_scipy(void **state) {
  static const struct {
    crd_series_kind kind;
    double temperature, vector, vector_from_temperature;
  } table[] = {
    { CRD_SERIES_INDEPENDENT, 0.004170960629950557, 0.4077799077360179, 0.43146475638503873 },
    { CRD_SERIES_SPLITS, 0.026792833515361346, 0.6093785466743606, 0.6294071563103364 },
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    crd_series *const series = hold(*state, table[i].kind, RUNS);
    const crd_series_candidate *const c = crd_series_describe(series)->candidates;
    assert_null(c[0].against_identity);
    assert_null(c[1].against_temperature);
    expect_difference(&c[1].against_identity[0], 4, -0.065, 0.012909944487358056,
                      table[i].temperature);
    expect_difference(&c[0].against_temperature[0], 4, 0.065, 0.012909944487358056,
                      table[i].temperature);
    expect_difference(&c[2].against_identity[0], 3, -0.036666666666666674, 0.061101009266077866,
                      table[i].vector);
    expect_difference(&c[2].against_temperature[0], 3, 0.02666666666666667, 0.04725815626252608,
                      table[i].vector_from_temperature);
    expect_difference(&c[1].against_identity[1], 4, 0, 0, 1); /* no run differs */
    expect_difference(&c[2].against_identity[1], 3, 0, 0.05, 1);
    crd_series_destroy(series);
  }
}

static void counts_and_names_are_kept(void **state) {
  crd_series *const series = hold(*state, CRD_SERIES_SPLITS, RUNS);
  const crd_series_summary *const s = crd_series_describe(series);
  static const size_t chosen[] = { 0, 3, 1 }, failures[] = { 0, 0, 1 }, unconverged[] = { 0, 1, 0 };
  for (size_t i = 0; i < METHODS; i++) {
    assert_int_equal(s->candidates[i].chosen, chosen[i]);
    assert_int_equal(s->candidates[i].failures, failures[i]);
    assert_int_equal(s->candidates[i].unconverged, unconverged[i]);
  }
  assert_null(s->candidates[1].failure);
  assert_string_equal(s->candidates[2].failure, "it fails");
  assert_string_equal(s->candidates[2].name, "vector");
  assert_string_equal(s->caption, "what differs");
  assert_string_equal(s->calibrate_name, "val.npz");
  assert_string_equal(s->test_name, "test.npz");
  assert_int_equal(s->calibrate_rows_min, 59);
  assert_int_equal(s->calibrate_rows_max, 61);
  assert_int_equal(s->test_rows_min, 39);
  assert_int_equal(s->test_rows_max, 41);
  assert_int_equal(s->note_count, 1);
  assert_string_equal(s->notes[0], "a note");
  crd_series_destroy(series);
}

/* One run has no deviation and no test; none has nothing. */
static void few_runs_have_no_deviation(void **state) {
  crd_series *series = hold(*state, CRD_SERIES_SPLITS, 1);
  const crd_series_candidate *const c = crd_series_describe(series)->candidates;
  expect_moments(&c[1].values[0], 1, 0.04, (double)NAN);
  assert_true(isnan(c[1].against_identity[0].std) && isnan(c[1].against_identity[0].p));
  assert_true(near(c[1].against_identity[0].mean, -0.06, 1e-15));
  crd_series_destroy(series);
  assert_int_equal(crd_series_create(*state, NULL, &series), CRD_OK);
  assert_int_equal(crd_series_describe(series)->runs, 0);
  assert_null(crd_series_describe(series)->candidates);
  assert_null(crd_series_describe(series)->caption);
  crd_series_destroy(series);
  crd_series_destroy(NULL);
}

/* Differences that are equal up to rounding have no t: neither significant, nor certain. */
static void equal_differences_have_no_test(void **state) {
  static const double before[] = { 0.3, 0.4, 0.7 };
  crd_series *series = NULL;
  assert_int_equal(crd_series_create(*state, NULL, &series), CRD_OK);
  for (size_t run = 0; run < 3; run++) {
    hand_made h;
    make(&h, 0);
    h.values[0][0].value = before[run];
    h.values[1][0].value = before[run] - 0.1;
    assert_int_equal(crd_series_add(*state, series, &h.contest), CRD_OK);
  }
  const crd_series_difference *const d =
      crd_series_describe(series)->candidates[1].against_identity;
  assert_true(near(d->mean, -0.1, 1e-15) && d->std < 1e-15 && isnan(d->p));
  crd_series_destroy(series);
}

/* More runs than the first allocation holds. */
static void many_runs_are_kept(void **state) {
  crd_series *series = NULL;
  assert_int_equal(crd_series_create(*state, NULL, &series), CRD_OK);
  for (size_t run = 0; run < 100; run++) {
    hand_made h;
    make(&h, 0);
    h.values[2][1].value = (double)run;
    assert_int_equal(crd_series_add(*state, series, &h.contest), CRD_OK);
  }
  const crd_series_value *const v = &crd_series_describe(series)->candidates[2].values[1];
  for (size_t run = 0; run < 100; run++) assert_true(v->values[run] == (double)run);
  expect_moments(v, 100, 49.5, sqrt(100 * 101 / 12.0));
  crd_series_destroy(series);
}

static void expect_refused(crd_context *ctx, crd_series *series, const hand_made *h,
                           const char *words) {
  const size_t runs = crd_series_describe(series)->runs;
  assert_int_equal(crd_series_add(ctx, series, &h->contest), CRD_EUSAGE);
  if (!strstr(crd_context_message(ctx), words))
    fail_msg("no '%s' in '%s'", words, crd_context_message(ctx));
  assert_int_equal(crd_series_describe(series)->runs, runs);
}

static void other_contests_are_refused(void **state) {
  crd_series *const series = hold(*state, CRD_SERIES_INDEPENDENT, 1);
  hand_made h;
  make(&h, 1);
  h.candidates[1].name = "platt";
  expect_refused(*state, series, &h,
                 "run 2 of a series has the method 'platt' where the first run "
                 "has 'temperature'");
  make(&h, 1);
  h.contest.count = 2;
  expect_refused(*state, series, &h, "compares 2 methods, the first run 3");
  make(&h, 1);
  h.contest.folds = 5;
  expect_refused(*state, series, &h, "has 5 folds, the first run has 0");
  make(&h, 1);
  h.values[1][1].metric = crd_metric_find("nll");
  expect_refused(*state, series, &h, "other metrics of 'temperature'");
  make(&h, 1);
  h.results[1].value_count = 1;
  expect_refused(*state, series, &h, "allowed are the same 2");
  make(&h, 1);
  h.candidates[0].result = NULL;
  expect_refused(*state, series, &h, "no result of its first candidate");
  make(&h, 1);
  assert_int_equal(crd_series_add(*state, series, &h.contest), CRD_OK);
  assert_int_equal(crd_series_describe(series)->candidates[2].failures, 1);
  crd_series_destroy(series);
}

/* Also as the first run, which leaves the series empty. */
static void first_runs_are_refused(void **state) {
  crd_series *const series = hold(*state, CRD_SERIES_SPLITS, 0);
  hand_made h;
  make(&h, 0);
  h.results[2].value_count = 1;
  expect_refused(*state, series, &h, "run 1 of a series has other metrics of 'vector'");
  assert_null(crd_series_describe(series)->candidates);
  assert_string_equal(crd_series_describe(series)->caption, "what differs");
  make(&h, 0);
  h.contest.folds = 5;
  expect_refused(*state, series, &h, "is cross-validated in 5 folds, allowed is a split");
  crd_series_destroy(series);
}

/* Every allocation fails once: the runs so far stay, and the next add succeeds. */
static void failures_change_nothing(void **state) {
  (void)state;
  for (long n = 0;; n++) {
    test_allocator counts = { .fail_at = -1 };
    const crd_allocator alloc = failing_allocator(&counts);
    crd_context *ctx = NULL;
    assert_int_equal(crd_context_create(&alloc, &ctx), CRD_OK);
    crd_series *series = NULL;
    assert_int_equal(crd_series_create(ctx, NULL, &series), CRD_OK);
    counts.fail_at = counts.calls + n;
    size_t failed = 0;
    for (size_t run = 0; run < 12; run++) {
      hand_made h;
      make(&h, run % RUNS);
      if (crd_series_add(ctx, series, &h.contest) == CRD_OK) continue;
      failed++;
      assert_int_equal(crd_series_describe(series)->runs, run);
      assert_int_equal(crd_series_add(ctx, series, &h.contest), CRD_OK);
    }
    assert_int_equal(crd_series_describe(series)->runs, 12);
    assert_int_equal(crd_series_describe(series)->candidates[2].failures, 3);
    assert_true(near(crd_series_describe(series)->candidates[0].values[0].mean, 0.12, 1e-15));
    crd_series_destroy(series);
    crd_context_destroy(ctx);
    assert_int_equal(counts.live, 0);
    if (!failed) break; /* fewer than n allocations */
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(moments_are_those_of_numpy),     cmocka_unit_test(tests_are_those_of_scipy),
    cmocka_unit_test(counts_and_names_are_kept),      cmocka_unit_test(few_runs_have_no_deviation),
    cmocka_unit_test(equal_differences_have_no_test), cmocka_unit_test(many_runs_are_kept),
    cmocka_unit_test(other_contests_are_refused),     cmocka_unit_test(first_runs_are_refused),
    cmocka_unit_test(failures_change_nothing),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
