/* headline_test.c -- which sentences of the headline apply, and their exact words. */
#include "report/page/headline_sample_test.h"

/* A result with two bins of equal weight. */
typedef struct {
  crd_reliability_bin bins[2];
  crd_metric_value values[2];
  crd_result result;
} model;

/* `low` and `high` are ECE's interval. */
static model make(size_t rows, double stated, double found, double low, double high) {
  model m = { .result = { .rows = rows, .classes = 3, .bin_count = 2, .value_count = 2 } };
  const double ece = fabs(stated - found), floor = 0.8 * sqrt(found * (1 - found) / (double)rows);
  m.bins[0] = (crd_reliability_bin){ .low = 0,
                                     .high = 0.75,
                                     .rows = rows / 2,
                                     .weight = 0.5,
                                     .confidence = stated - 0.1,
                                     .accuracy = found - 0.1 };
  m.bins[1] = m.bins[0];
  m.bins[1].confidence = stated + 0.1 * (stated < 0.9);
  m.bins[1].accuracy = found + 0.1 * (stated < 0.9);
  m.bins[0].confidence = 2 * stated - m.bins[1].confidence;
  m.bins[0].accuracy = 2 * found - m.bins[1].accuracy;
  m.values[0] = (crd_metric_value){ &infos[0], found, NULL, NO, NO, NO, NO, NULL };
  m.values[1] = (crd_metric_value){ &infos[1], ece, NULL, low, high, floor, NO, NULL };
  return m;
}

static const crd_result *result_of(model *m) {
  m->result.bins = m->bins;
  m->result.values = m->values;
  return &m->result;
}

static crd_page_part part_of(model *m) { return (crd_page_part){ .result = result_of(m) }; }

static crd__page_headline_state state_of(model *m) {
  return crd__page_headline_judge(result_of(m)).state;
}

static void overconfident_models(void **state) {
  (void)state;
  model m = make(5000, 0.7, 0.6, 0.086, 0.111);
  const crd_page_part part = part_of(&m);
  assert_int_equal(state_of(&m), CRD__HEADLINE_OVER);
  expect(crd__page_headline_meaning, &part,
         "When this model says 60" THIN "%, it is right about 50" THIN
         "% of the time: its percentages are too high (overconfident).");
  expect(action, &part,
         "Recalibrate it before you rely on its percentages; crd_contest_run finds the method that "
         "suits it.");
  expect(crd__page_headline_certainty, &part,
         "Measured on 5000 cases; the average gap (ECE) is between 8.6 and 11.1 points with 95" THIN
         "% confidence.");
}

static void underconfident_models(void **state) {
  (void)state;
  model m = make(5000, 0.6, 0.7, 0.086, 0.111);
  const crd_page_part part = part_of(&m);
  assert_int_equal(state_of(&m), CRD__HEADLINE_UNDER);
  expect(crd__page_headline_meaning, &part,
         "When this model says 50" THIN "%, it is right about 60" THIN
         "% of the time: its percentages are too low (underconfident).");
}

static void calibrated_models(void **state) {
  (void)state;
  model m = make(5000, 0.6, 0.6, 0.001, 0.012);
  const crd_page_part part = part_of(&m);
  assert_int_equal(state_of(&m), CRD__HEADLINE_CALIBRATED);
  expect(crd__page_headline_meaning, &part,
         "When this model says 50" THIN "%, it is right about 50" THIN
         "% of the time: no gap beyond chance was found.");
  expect(action, &part, "Its percentages can be used as they are, on data like these.");
  expect(crd__page_headline_certainty, &part,
         "Measured on 5000 cases; the average gap (ECE) is between 0.1 and 1.2 points with 95" THIN
         "% confidence. That cannot be told apart from chance: a calibrated model would show about "
         "0.6 points, up to 1.7, on as many cases.");
}

/* The same gap is beyond chance with 5000 rows, and not with 50. */
static void few_rows(void **state) {
  (void)state;
  model m = make(50, 0.7, 0.6, 0.02, 0.24);
  const crd_page_part part = part_of(&m);
  assert_int_equal(state_of(&m), CRD__HEADLINE_TOO_FEW);
  expect(crd__page_headline_meaning, &part,
         "50 cases are too few to tell whether this model's percentages can be relied on.");
  expect(action, &part,
         "Collect more labelled cases before you rely on its percentages: about 1600 would measure "
         "the average gap (ECE) to within 2 points.");
  m = make(1, 0.9, 0, 0.9, 0.9);
  assert_int_equal(state_of(&m), CRD__HEADLINE_TOO_FEW);
  expect(crd__page_headline_meaning, &part,
         "1 case is too few to tell whether this model's percentages can be relied on.");
  expect(crd__page_headline_certainty, &part,
         "Measured on 1 case, too few for a reliable interval.");
  m = make(8, 0.9, 0.8, 0.01, 0.3);
  assert_int_equal(state_of(&m), CRD__HEADLINE_TOO_FEW);
  expect(action, &part, "Collect more labelled cases before you rely on its percentages.");
}

/* Gaps that cancel on average: ECE is compared with that of a calibrated model. */
static void uneven_models(void **state) {
  (void)state;
  model m = make(5000, 0.7, 0.7, 0.08, 0.12);
  m.bins[0].accuracy -= 0.1;
  m.bins[1].accuracy += 0.1;
  m.values[1].value = 0.1;
  const crd_page_part part = part_of(&m);
  assert_int_equal(state_of(&m), CRD__HEADLINE_UNEVEN);
  expect(crd__page_headline_meaning, &part,
         "When this model says 60" THIN "%, it is right about 50" THIN
         "% of the time: its percentages are too high at some levels, too low at others.");
  m.values[1].low = NO;
  m.values[1].high = NO;
  assert_int_equal(state_of(&m), CRD__HEADLINE_UNEVEN);
  expect(crd__page_headline_certainty, &part,
         "Measured on 5000 cases; the average gap (ECE) is 10.0 points, without an interval.");
  m.values[1].value = 0.9 * crd__page_headline_judge(&m.result).limit;
  assert_int_equal(state_of(&m), CRD__HEADLINE_CALIBRATED);
  m.values[1].high = 0.06;
  assert_int_equal(state_of(&m), CRD__HEADLINE_TOO_FEW);
}

/* Without a bin that shows the gap, there is no example. */
static void gaps_without_an_example(void **state) {
  (void)state;
  model m = make(5000, 0.7, 0.7, 0.08, 0.12);
  m.values[1].value = 0.1;
  const crd_page_part part = part_of(&m);
  assert_int_equal(state_of(&m), CRD__HEADLINE_UNEVEN);
  expect(crd__page_headline_meaning, &part,
         "This model's percentages are too high at some levels, too low at others.");
}

/* E|X - n p| and Var|X - n p| of a binomial X, term by term. */
static double deviation(size_t n, double p, double *variance) {
  double mean = 0, square = 0, mass = pow(1 - p, (double)n);
  for (size_t k = 0; k <= n; k++) {
    const double gap = fabs((double)k - (double)n * p);
    mean += mass * gap;
    square += mass * gap * gap;
    mass *= (double)(n - k) / (double)(k + 1) * p / (1 - p);
  }
  *variance = square - mean * mean;
  return mean;
}

/* In bins of few rows that are all correct, accuracy has no variance; confidence has. */
static void floors_of_few_rows(void **state) {
  (void)state;
  model m = make(30, 0.8, 1, 0.15, 0.25);
  const crd_result *const r = result_of(&m);
  m.bins[0].accuracy = m.bins[1].accuracy = 1;
  m.bins[0].confidence = m.bins[1].confidence = 0.8;
  m.values[1].noise_floor = 0;
  double variance;
  const double floor = deviation(15, 0.8, &variance) / 15;
  assert_true(fabs(crd__page_headline_floor(r, &m.values[1]) - floor) < 1e-12);
  assert_true(fabs(crd__page_headline_judge(r).floor - floor) < 1e-12);
  const double limit = floor + 2.2414 * sqrt(2 * variance) / 30;
  assert_true(fabs(crd__page_headline_judge(r).limit - limit) < 1e-9);
  m.values[1].noise_floor = 0.6 * floor;
  assert_true(crd__page_headline_floor(r, &m.values[1]) == 0.6 * floor);
  assert_true(isnan(crd__page_headline_floor(r, &m.values[0])));
}

static void small_gaps(void **state) {
  (void)state;
  model m = make(200000, 0.605, 0.6, 0.003, 0.007);
  const crd_page_part part = part_of(&m);
  expect(crd__page_headline_meaning, &part,
         "When this model says 50.5" THIN "%, it is right about 50.0" THIN
         "% of the time: its percentages are slightly too high.");
  expect(action, &part,
         "Its percentages can be used as they are, unless a gap of 0.5 points matters; "
         "crd_contest_run tests whether recalibration helps.");
  expect(crd__page_headline_certainty, &part,
         "Measured on 200" THIN "000 cases; the average gap (ECE) is between 0.3 and 0.7 points "
         "with 95" THIN "% confidence.");
}

/* 99.7 % is neither 100 % nor the same as 99.6 %. */
static void percentages_stay_apart(void **state) {
  (void)state;
  model m = make(100000, 0.997, 0.96, 0.03, 0.04);
  const crd_page_part part = part_of(&m);
  expect(crd__page_headline_meaning, &part,
         "When this model says 99.7" THIN "%, it is right about 96.0" THIN
         "% of the time: its percentages are too high (overconfident).");
}

static void class_1(void **state) {
  (void)state;
  model m = make(5000, 0.3, 0.5, 0.18, 0.22);
  m.result.classes = 2;
  m.result.binary = CRD_BINARY_POS;
  const crd_page_part part = part_of(&m);
  expect(crd__page_headline_meaning, &part,
         "When this model gives class 1 a probability of 20" THIN
         "%, class 1 occurs in about 40" THIN "% of the cases: its probabilities are too low.");
}

/* 500 scans of 50 patients show less than 500 independent ones. */
static void clusters_count(void **state) {
  (void)state;
  model m = make(500, 0.66, 0.6, 0.04, 0.08);
  assert_int_equal(state_of(&m), CRD__HEADLINE_OVER);
  m.result.clusters = 50;
  m.result.cluster = "patient";
  assert_int_equal(state_of(&m), CRD__HEADLINE_TOO_FEW);
  const crd_page_part part = part_of(&m);
  m.values[0].low = 0.56; /* as wide as that of independent rows */
  m.values[0].high = 0.64;
  assert_int_equal(state_of(&m), CRD__HEADLINE_OVER);
  expect(
      crd__page_headline_certainty, &part,
      "Measured on 500 cases of 50 patients; the average gap (ECE) is between 4.0 and 8.0 points "
      "with 95" THIN "% confidence.");
}

static void nothing_measured(void **state) {
  (void)state;
  const crd_result result = { .rows = 3 };
  const crd_page_part part = { .result = &result };
  expect(crd__page_headline_meaning, &part,
         "These results do not show whether this model's percentages can be relied on.");
  expect(action, &part,
         "Measure its calibration on labelled cases, with the metric ece, before you rely on its "
         "percentages.");
  expect(crd__page_headline_certainty, &part, "Measured on 3 cases.");
}

/* Temperature scaling is recommended where it at least halves ECE. */
static void temperatures(void **state) {
  (void)state;
  crd_temperature_point points[] = { { .temperature = 0.5, .nll = 2, .ece = 0.3 },
                                     { .temperature = 2, .nll = 0.5, .ece = 0.01 },
                                     { .temperature = 4, .nll = 1, .ece = 0.2 } };
  const crd_profile profile = { .temperature_count = 3, .temperatures = points };
  model m = make(5000, 0.7, 0.6, 0.086, 0.111);
  m.result.profile = &profile;
  const crd_page_part part = part_of(&m);
  expect(action, &part,
         "Use temperature scaling before you rely on its percentages: at a temperature of 2.0 the "
         "average gap (ECE) on these cases is 1.0 point. crd_contest_run tests it, and other "
         "methods, on cases that were not used to fit.");
  points[1].ece = 0.06;
  expect(action, &part,
         "Recalibrate it before you rely on its percentages; crd_contest_run finds the method that "
         "suits it.");
}

static void problems_come_first(void **state) {
  (void)state;
  static const crd_finding_info info = { .name = "labels" }, copies = { .name = "duplicated-rows" };
  crd_finding finding = {
    .info = &info, .severity = CRD_PROBLEM, .found = "Labels count from 1.", .advice = "Subtract 1."
  };
  const crd_diagnosis diagnosis = { .finding_count = 1, .findings = &finding };
  model m = make(5000, 0.7, 0.6, 0.086, 0.111);
  crd_page_part part = part_of(&m);
  part.diagnosis = &diagnosis;
  expect(crd__page_headline_meaning, &part,
         "The numbers on this page are not valid: Labels count from 1.");
  expect(action, &part, "Subtract 1.");
  expect(crd__page_headline_certainty, &part,
         "Nothing on this page can be relied on until that is corrected.");
  finding.info = &copies;
  finding.severity = CRD_WARNING;
  expect(crd__page_headline_certainty, &part,
         "Measured on 5000 cases; the average gap (ECE) is between 8.6 and 11.1 points with 95" THIN
         "% confidence. Read with care (interval too narrow: rows occur more than once).");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(overconfident_models),
    cmocka_unit_test(underconfident_models),
    cmocka_unit_test(calibrated_models),
    cmocka_unit_test(few_rows),
    cmocka_unit_test(uneven_models),
    cmocka_unit_test(small_gaps),
    cmocka_unit_test(percentages_stay_apart),
    cmocka_unit_test(class_1),
    cmocka_unit_test(clusters_count),
    cmocka_unit_test(nothing_measured),
    cmocka_unit_test(temperatures),
    cmocka_unit_test(problems_come_first),
    cmocka_unit_test(gaps_without_an_example),
    cmocka_unit_test(floors_of_few_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
