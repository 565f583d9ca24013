/* headline_words_test.c -- the headline of contests, shifted sets and operating points. */
#include "report/page/headline_sample_test.h"

/* One bin, whose gap is ECE, and its interval. */
typedef struct {
  crd_reliability_bin bin;
  crd_metric_value values[2];
  crd_result result;
} model;

static void make(model *m, double stated, double found, double low, double high) {
  const double ece = fabs(stated - found);
  m->bin = (crd_reliability_bin){
    .high = 1, .rows = 2000, .weight = 1, .confidence = stated, .accuracy = found
  };
  m->values[0] = (crd_metric_value){ &infos[0], found, NULL, NO, NO, NO, NO, NULL };
  m->values[1] = (crd_metric_value){ &infos[1], ece, NULL, low, high, 0.008, NO, NULL };
  m->result = (crd_result){ .rows = 2000,
                            .classes = 3,
                            .bin_count = 1,
                            .bins = &m->bin,
                            .value_count = 2,
                            .values = m->values };
}

/* A contest of identity and temperature: before, after, and the test of their difference. */
typedef struct {
  model before, after;
  crd_difference items[2]; /* of ECE and of NLL */
  crd_comparison comparison;
  crd_candidate candidates[2];
  crd_contest contest;
} match;

static crd_page_part begin(match *m) {
  make(&m->before, 0.9, 0.84, 0.048, 0.061);
  make(&m->after, 0.84, 0.84, 0.003, 0.012);
  m->items[0] = (crd_difference){ .metric = &infos[1], .value = -0.05, .p = 0.001 };
  m->items[1] = (crd_difference){ .metric = &infos[2], .value = -0.1, .p = 0.001 };
  m->comparison = (crd_comparison){ .resamples = 500, .count = 2, .items = m->items };
  m->candidates[0] = (crd_candidate){ .name = "identity", .result = &m->before.result };
  m->candidates[1] = (crd_candidate){ .name = "temperature",
                                      .result = &m->after.result,
                                      .against_identity = &m->comparison };
  m->contest = (crd_contest){
    .test_rows = 2000, .count = 2, .candidates = m->candidates, .chosen = &m->candidates[1]
  };
  return (crd_page_part){ .contest = &m->contest };
}

static void chosen_methods(void **state) {
  (void)state;
  match m;
  const crd_page_part part = begin(&m);
  expect(crd__page_headline_meaning, &part,
         "When this model says 90" THIN "%, it is right about 84" THIN
         "% of the time: its percentages are too high (overconfident).");
  expect(action, &part,
         "Use temperature scaling before you rely on its percentages: the average gap (ECE) falls "
         "from 6.0 to 0.0 points.");
  expect(crd__page_headline_certainty, &part,
         "Measured on 2000 cases that no method was fitted on; the average gap (ECE) is between "
         "4.8 and 6.1 points before and between 0.3 and 1.2 points after, with 95" THIN
         "% confidence. What remains cannot be told apart from chance: a calibrated model would "
         "show about 0.8 points, up to 1.8, on as many cases.");
  m.contest.folds = 5;
  m.after.values[1].low = NO;
  m.after.values[1].noise_floor = NO;
  expect(crd__page_headline_certainty, &part,
         "Measured on 2000 cases, each calibrated by a fit on other cases, without an interval. "
         "What remains cannot be told apart from chance.");
}

/* A difference that chance explains, one that was not tested, and a worse one. */
static void undecided_methods(void **state) {
  (void)state;
  match m;
  const crd_page_part part = begin(&m);
  m.candidates[1].name = "made-up(k=2)";
  m.items[0].p = 0.3;
  expect(action, &part,
         "Use the method made-up(k=2) before you rely on its percentages: the average gap (ECE) "
         "changes from 6.0 to 0.0 points, which cannot be told apart from chance; its "
         "probabilities fit better as a whole.");
  m.candidates[1].against_identity = NULL;
  expect(action, &part,
         "Use the method made-up(k=2) before you rely on its percentages: the average gap (ECE) "
         "changes from 6.0 to 0.0 points, which was not tested.");
  m.candidates[1].against_identity = &m.comparison;
  m.items[0] = (crd_difference){ .metric = &infos[1], .value = 0.05, .p = 0.001 };
  expect(action, &part,
         "Use the method made-up(k=2) before you rely on its percentages: the average gap (ECE) "
         "grows from 6.0 to 0.0 points, although its probabilities fit better as a whole.");
}

static void gaps_that_remain(void **state) {
  (void)state;
  match m;
  const crd_page_part part = begin(&m);
  make(&m.after, 0.9, 0.87, 0.02, 0.04);
  expect(action, &part,
         "Use temperature scaling before you rely on its percentages: the average gap (ECE) falls "
         "from 6.0 to 3.0 points. A gap remains: when it then says 90" THIN
         "%, it is right about 87" THIN
         "% of the time. It also changes predictions: accuracy goes from 84.0" THIN "% to 87.0" THIN
         "%.");
}

/* The score that decides is better, ECE is worse, and a gap remains. */
static void worse_gaps(void **state) {
  (void)state;
  match m;
  const crd_page_part part = begin(&m);
  make(&m.after, 0.74, 0.84, 0.09, 0.11);
  m.items[0] = (crd_difference){ .metric = &infos[1], .value = 0.04, .p = 0.001 };
  expect(action, &part,
         "Do not rely on its percentages yet: with temperature scaling its probabilities fit "
         "better as a whole, but the average gap (ECE) grows from 6.0 to 10.0 points. A gap "
         "remains: when it then says 74" THIN "%, it is right about 84" THIN "% of the time.");
}

/* Too few rows to measure the gap can be enough to show that a method helps. */
static void few_rows(void **state) {
  (void)state;
  match m;
  const crd_page_part part = begin(&m);
  make(&m.before, 0.86, 0.84, 0.005, 0.09);
  make(&m.after, 0.85, 0.84, 0.003, 0.08);
  m.before.result.rows = m.after.result.rows = m.before.bin.rows = m.after.bin.rows = 200;
  m.items[0].p = 0.3;
  expect(crd__page_headline_meaning, &part,
         "200 cases are too few to measure how far off this model's percentages are, but "
         "recalibration improves them.");
  expect(action, &part,
         "Use temperature scaling: the average gap (ECE) changes from 2.0 to 1.0 point, which "
         "cannot be told apart from chance; its probabilities fit better as a whole. Collect more "
         "labelled cases before you rely on the new percentages.");
  m.items[1].p = 0.3;
  expect(crd__page_headline_meaning, &part,
         "200 cases are too few to tell whether this model's percentages can be relied on.");
}

/* Copies of a row can be on both sides of a split. */
static void copies(void **state) {
  (void)state;
  match m;
  crd_page_part part = begin(&m);
  static const crd_finding_info info = { .name = "duplicated-rows" };
  crd_finding finding = { .info = &info, .severity = CRD_WARNING, .found = "", .advice = "" };
  const crd_diagnosis diagnosis = { .finding_count = 1, .findings = &finding };
  part.diagnosis = &diagnosis;
  m.contest.chosen = m.candidates;
  expect(crd__page_headline_certainty, &part,
         "Measured on 2000 cases, copies of which may be among the cases that methods were fitted "
         "on; the average gap (ECE) is between 4.8 and 6.1 points with 95" THIN
         "% confidence. Read with care (interval too narrow: rows occur more than once).");
  finding.severity = CRD_NOTE;
  assert_false(crd__page_headline_has_copies(&part));
}

static void no_method(void **state) {
  (void)state;
  match m;
  const crd_page_part part = begin(&m);
  m.contest.chosen = m.candidates;
  expect(action, &part,
         "Rely on its percentages only with this gap in mind: no method that was compared is "
         "clearly better.");
  make(&m.before, 0.84, 0.84, 0.003, 0.012);
  expect(action, &part,
         "Keep its percentages as they are: no method that was compared is clearly better.");
  expect(crd__page_headline_certainty, &part,
         "Measured on 2000 cases that no method was fitted on; the average gap (ECE) is between "
         "0.3 and 1.2 points with 95" THIN
         "% confidence. That cannot be told apart from chance: a calibrated model would show about "
         "0.8 points, up to 1.8, on as many cases.");
  m.before.values[1].high = 0.2;
  expect(action, &part,
         "Collect more labelled cases before you rely on its percentages: on these, no method that "
         "was compared is clearly better.");
}

static void repeats(void **state) {
  (void)state;
  match m;
  crd_page_part part = begin(&m);
  const crd_series_candidate runs[] = { { .name = "identity", .chosen = 1 },
                                        { .name = "temperature", .chosen = 9 } };
  const crd_series_summary series = { .runs = 10, .count = 2, .candidates = runs };
  part.series = &series;
  m.contest.chosen = m.candidates;
  expect(crd__page_headline_certainty, &part,
         "Measured on 2000 cases that no method was fitted on; the average gap (ECE) is between "
         "4.8 and 6.1 points with 95" THIN "% confidence. 1 of 10 random splits recommend it.");
}

/* A set is broken if its gap is beyond chance and above the original's. */
static void shifted_sets(void **state) {
  (void)state;
  match m;
  crd_page_part part = begin(&m);
  model near, far;
  make(&near, 0.84, 0.84, 0.003, 0.012);
  make(&far, 0.9, 0.7, 0.17, 0.23);
  const crd_shifted_candidate on_near[] = { { .result = &near.result },
                                            { .result = &near.result } };
  const crd_shifted_candidate on_far[] = { { .result = &near.result }, { .result = &far.result } };
  const crd_contest_shift sets[] = { { .name = "jpeg:1", .candidates = on_near },
                                     { .name = "jpeg:5", .candidates = on_far } };
  m.contest.shift = sets;
  expect(crd__page_headline_limits, &part, "");
  m.contest.shift_count = 1;
  expect(crd__page_headline_limits, &part, "No larger gap beyond chance was found there.");
  m.contest.shift_count = 2;
  expect(crd__page_headline_limits, &part,
         "Do not rely on its percentages for 1 of 2 sets; the worst is jpeg:5, where the average "
         "gap (ECE) is between 17.0 and 23.0 points.");
  crd_operating_point point = { .promise = CRD_PROMISE_BROKEN };
  const crd_operating_table points = { .count = 1, .items = &point };
  crd_difference grown = { .metric = &infos[1], .low = 0.1, .high = 0.2 };
  const crd_comparison difference = { .count = 1, .items = &grown };
  const crd_shift set = {
    .name = "night", .labelled = 1, .result = &far.result, .difference = &difference
  };
  const crd_shift_table table = { .count = 1, .items = &set };
  far.result.operating = &points;
  near.result.shift = &table;
  part = (crd_page_part){ .result = &near.result };
  expect(crd__page_headline_limits, &part,
         "Do not rely on its percentages for night, where the average gap (ECE) is between 17.0 "
         "and 23.0 points. The error rate promised for deciding automatically is exceeded on "
         "night.");
  grown.low = -0.1;
  point.promise = CRD_PROMISE_HOLDS;
  expect(crd__page_headline_limits, &part, "No larger gap beyond chance was found there.");
}

static void operating_points(void **state) {
  (void)state;
  match m;
  const crd_page_part part = begin(&m);
  const crd_operating_point point = { .target = { CRD_TARGET_RISK, 0.02 },
                                      .threshold = 0.93,
                                      .coverage = { .value = 0.8 },
                                      .risk = { .value = 0.015, .low = 0.01, .high = 0.02 },
                                      .promised = NO };
  const crd_operating_table points = { .count = 1, .items = &point };
  expect(crd__page_headline_operation, &part, "");
  m.after.result.operating = &points;
  expect(crd__page_headline_operation, &part,
         "80 % of cases can be decided automatically at 1.5 % error (95 % interval 1 to 2 %): "
         "those with a confidence of at least 0.93.");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(chosen_methods),   cmocka_unit_test(undecided_methods),
    cmocka_unit_test(gaps_that_remain), cmocka_unit_test(no_method),
    cmocka_unit_test(repeats),          cmocka_unit_test(shifted_sets),
    cmocka_unit_test(operating_points), cmocka_unit_test(worse_gaps),
    cmocka_unit_test(few_rows),         cmocka_unit_test(copies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
