/* paired_test.c -- DeLong's and McNemar's tests, against pROC, R and plain sums. */
#include "base/random.h"
#include "metric/paired.h"
#include "support.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static const crd_evaluate_options both = { .size = sizeof both, .metrics = "accuracy,auroc" };
enum { ROWS_MAX = 400 };

typedef struct {
  size_t rows;
  double confidence[ROWS_MAX];
  unsigned char correct[ROWS_MAX];
} model;

static crd_difference compare(crd_context *ctx, crd_evidence *a, crd_evidence *b,
                              const char *metric) {
  const crd_comparison *comparison = NULL;
  crd_difference found = { 0 };
  if (crd_evidence_compare(ctx, a, b, &comparison) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  for (size_t i = 0; i < comparison->count; i++)
    if (strcmp(comparison->items[i].metric->name, metric) == 0) found = comparison->items[i];
  assert_non_null(found.metric);
  crd_comparison_destroy(comparison);
  crd_evidence_destroy(a);
  crd_evidence_destroy(b);
  return found;
}

static crd_difference compare_models(crd_context *ctx, const model *a, const model *b,
                                     const char *metric) {
  return compare(ctx, pairs_evidence(ctx, a->confidence, a->correct, a->rows, &both),
                 pairs_evidence(ctx, b->confidence, b->correct, b->rows, &both), metric);
}

/* ---- DeLong. */

/*
 * Two models that are right on the same rows, against roc.test(method = "delong", paired = TRUE) of
 * the R package pROC 1.18.0 (R 4.2.2).
 */
static void delong_agrees_with_proc(void **state) {
  static const struct {
    size_t rows, fine, coarse;
    double mine, other, p;
  } cases[] = {
    { 60, 64, 32, 0.74768089053803344, 0.66604823747680886, 0.4476067483945857 },
    { 250, 256, 16, 0.74720867208672082, 0.68200542005420051, 0.23275608825420882 },
    { 13, 8, 128, 0.78333333333333333, 0.59999999999999998, 0.38334599410825637 },
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const size_t x = cases[k].fine, y = cases[k].coarse;
    static model a, b;
    a.rows = b.rows = cases[k].rows;
    for (size_t i = 0; i < a.rows; i++) {
      const size_t right = (i * i * 7 + 3 * i) % 11 < 7;
      a.correct[i] = b.correct[i] = (unsigned char)right;
      a.confidence[i] =
          ((double)(i * 37 % x) + (double)(right * (i % 7) * x) / 8) / (double)(2 * x);
      b.confidence[i] =
          ((double)(i * 53 % y) + (double)(right * (i % 3) * y) / 4) / (double)(2 * y);
    }
    const crd_difference d = compare_models(*state, &a, &b, "auroc");
    assert_string_equal(d.test, "DeLong");
    assert_true(near(d.value, cases[k].other - cases[k].mine, 1e-15));
    if (!near(d.test_p, cases[k].p, 1e-13))
      fail_msg("case %zu: p is %.17g, pROC says %.17g", k, d.test_p, cases[k].p);
  }
}

/* Two calibrated models of equal auroc whose predictions partly agree. */
static void make_equals(uint64_t seed, size_t rows, double levels, model *a, model *b) {
  model *const models[] = { a, b };
  for (size_t i = 0; i < rows; i++)
    for (size_t m = 0; m < 2; m++) {
      const bool common = crd__random_uniform(seed, 1, i) < 0.5;
      const uint64_t stream = common ? 10 : 20 + 10 * m;
      const double c = 0.3 + 0.7 * crd__random_uniform(seed, stream, i);
      models[m]->rows = rows;
      models[m]->confidence[i] = levels > 0 ? floor(c * levels) / levels : c;
      models[m]->correct[i] = crd__random_uniform(seed, stream + 1, i) < c;
    }
}

static double plain_part(const model *m, size_t row, double theta) {
  double share = 0, others = 0, same = 0;
  for (size_t i = 0; i < m->rows; i++) {
    if (m->correct[i] == m->correct[row]) {
      same++;
      continue;
    }
    others++;
    const double up = m->confidence[row] - m->confidence[i];
    share += up == 0 ? 0.5 : (up > 0) == m->correct[row];
  }
  return (share / others - theta) / same * sqrt(same / (same - 1));
}

static double plain_theta(const model *m) {
  double pairs = 0, ordered = 0;
  for (size_t i = 0; i < m->rows; i++)
    for (size_t j = 0; j < m->rows; j++) {
      if (!m->correct[i] || m->correct[j]) continue;
      pairs++;
      ordered += m->confidence[i] == m->confidence[j] ? 0.5 : m->confidence[i] > m->confidence[j];
    }
  return ordered / pairs;
}

/* Variances and covariance one by one, every component by counting. */
static double plain_delong(const model *a, const model *b) {
  const double x = plain_theta(a), y = plain_theta(b);
  double xx = 0, yy = 0, xy = 0;
  for (size_t i = 0; i < a->rows; i++) {
    const double u = plain_part(a, i, x), v = plain_part(b, i, y);
    xx += u * u;
    yy += v * v;
    xy += u * v;
  }
  return erfc(fabs(y - x) / sqrt(2 * (xx + yy - 2 * xy)));
}

static void delong_agrees_with_plain_sums(void **state) {
  static model a, b;
  for (uint64_t seed = 0; seed < 8; seed++) {
    make_equals(seed, 40 + 20 * (size_t)seed, seed % 2 ? 12 : 0, &a, &b);
    const double p = compare_models(*state, &a, &b, "auroc").test_p;
    const double expected = plain_delong(&a, &b);
    if (!near(p, expected, 1e-12)) fail_msg("%.17g is not %.17g", p, expected);
  }
}

/* Under the null hypothesis 5 % of p-values are below 0.05, within 3 standard deviations. */
static void delong_holds_its_size(void **state) {
  enum { SETS = 1000 };
  static model a, b;
  size_t small = 0;
  for (uint64_t seed = 0; seed < SETS; seed++) {
    make_equals(1000 + seed, ROWS_MAX, 0, &a, &b);
    small += compare_models(*state, &a, &b, "auroc").test_p < 0.05;
  }
  if (small < 30 || small > 70) fail_msg("%zu of %d are below 0.05", small, SETS);
}

static void delong_knows_its_limits(void **state) {
  static model a = { 6, { .1, .2, .3, .4, .5, .6 }, { 0, 0, 1, 1, 1, 1 } };
  static model b = { 6, { .2, .3, .4, .5, .6, .7 }, { 0, 0, 1, 1, 1, 1 } };
  static model c = { 6, { .3, .2, .1, .4, .5, .6 }, { 0, 1, 1, 1, 1, 1 } };
  static model d = { 6, { .6, .5, .1, .1, .1, .1 }, { 0, 0, 1, 1, 1, 1 } };
  crd_difference found = compare_models(*state, &a, &b, "auroc");
  assert_true(found.value == 0 && found.test_p == 1);
  found = compare_models(*state, &a, &c, "auroc");
  assert_true(isnan(found.test_p));
  assert_string_equal(found.test_reason,
                      "needs two correct and two wrong predictions on either side");
  found = compare_models(*state, &a, &d, "auroc");
  assert_true(found.value == -1 && isnan(found.test_p));
  assert_string_equal(found.test_reason, "finds a difference without variance");
}

/* ---- McNemar. */

/* binom.test(b, b + c)$p.value of R 4.2.2. */
static void coins_agree_with_r(void **state) {
  static const struct {
    size_t b, c;
    double p;
  } cases[] = {
    { 0, 0, 1 },
    { 1, 0, 1 },
    { 3, 9, 0.14599609375000008 },
    { 12, 12, 1 },
    { 20, 5, 0.0040773153305053676 },
    { 0, 40, 1.8189894035458589e-12 },
    { 100, 141, 0.0098315411786087173 },
    { 1000, 1100, 0.030720707864242414 },
    { 5000000, 5010000, 0.0015756248126426297 },
    { 5000000, 4990000, 0.0015586087682988206 },
  };
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const double p = crd__metric_binomial_p(cases[k].b, cases[k].c);
    if (!(fabs(p - cases[k].p) <= 1e-11 * cases[k].p))
      fail_msg("%zu and %zu: p is %.17g, R says %.17g", cases[k].b, cases[k].c, p, cases[k].p);
  }
}

/* 3 rows that only the first predicts correctly and 9 of the second, in any order of confidence. */
static void mcnemar_counts_rows(void **state) {
  static model a, b;
  a.rows = b.rows = 40;
  for (size_t i = 0; i < a.rows; i++) {
    a.confidence[i] = (double)(i * 17 % 40) / 40;
    b.confidence[i] = (double)(i * 23 % 40) / 40;
    a.correct[i] = i < 3 || i >= 25;
    b.correct[i] = (i >= 3 && i < 12) || i >= 25;
  }
  const crd_difference d = compare_models(*state, &a, &b, "accuracy");
  assert_string_equal(d.test, "McNemar");
  assert_true(near(d.value, 6.0 / 40, 1e-15) && near(d.test_p, 0.14599609375, 1e-14));
}

/* With CRD_BINARY_POS the confidence is the probability of class 1 in every row, but accuracy
 * refers to the predicted class. */
static void mcnemar_asks_for_the_prediction(void **state) {
  enum { N = 12 };
  static double scores[2][N];
  static uint8_t labels[N];
  crd_context *const ctx = *state;
  crd_evidence *evidence[2] = { NULL, NULL };
  for (size_t m = 0; m < 2; m++) {
    crd_predictions *p = NULL;
    for (size_t i = 0; i < N; i++) { /* the first is correct on 3 rows, the second on all others */
      labels[i] = i % 2;
      scores[m][i] = ((i < 3) == (m == 0)) == labels[i] ? 0.75 : 0.25;
    }
    const crd_predictions_parts parts = { .size = sizeof parts,
                                          .scores = crd_array_matrix(scores[m], CRD_F64, N, 1),
                                          .labels = crd_array_matrix(labels, CRD_U8, N, 1),
                                          .input = CRD_INPUT_PROBABILITIES,
                                          .binary = CRD_BINARY_POS };
    if (crd_predictions_create(ctx, &parts, &p) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
    assert_int_equal(crd_evidence_gather(ctx, p, &both, 0, &evidence[m]), CRD_OK);
    crd_predictions_destroy(p);
  }
  const crd_difference d = compare(ctx, evidence[0], evidence[1], "accuracy");
  assert_true(near(d.value, 0.5, 1e-15) && near(d.test_p, 0.14599609375, 1e-14));
}

/* ---- Rows: kept on demand, also in a file; not for weights. */

static crd_evidence *through_file(crd_context *ctx, crd_evidence *evidence) {
  char path[256];
  crd_output *output = NULL;
  crd_evidence *loaded = NULL;
  temporary_path(path, "paired");
  assert_int_equal(crd_output_open(ctx, path, &output), CRD_OK);
  assert_int_equal(crd_evidence_save(ctx, evidence, output), CRD_OK);
  assert_int_equal(crd_output_commit(ctx, output), CRD_OK);
  if (crd_evidence_load(ctx, path, &loaded) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  unlink(path);
  crd_evidence_destroy(evidence);
  return loaded;
}

static void rows_are_kept_on_demand(void **state) {
  crd_context *const ctx = *state;
  static model a, b;
  make_equals(5, 200, 0, &a, &b);
  const crd_difference with = compare_models(ctx, &a, &b, "accuracy");
  for (int paired = 0; paired < 2; paired++) {
    const crd_evaluate_options alone = {
      .size = sizeof alone, .metrics = "accuracy", .resamples = 3, .paired = paired
    };
    crd_evidence *const x = pairs_evidence(ctx, a.confidence, a.correct, a.rows, &alone);
    crd_evidence *const y = pairs_evidence(ctx, b.confidence, b.correct, b.rows, &alone);
    const crd_difference d = compare(ctx, through_file(ctx, x), through_file(ctx, y), "accuracy");
    assert_string_equal(d.test, "McNemar");
    if (paired) assert_true(d.test_p == with.test_p);
    else assert_string_equal(d.test_reason, "needs evidence gathered for comparison");
  }
  assert_true(with.test_p > 0 && with.test_p < 1);
}

static void weights_have_no_test(void **state) {
  test_data data = make_data((test_recipe){
      .rows = 30, .classes = 3, .seed = 4, .spread = 1, .accuracy = .5, .weighted = true });
  crd_evidence *const a = data_evidence(*state, &data, 0, 30, &both);
  crd_evidence *const b = data_evidence(*state, &data, 0, 30, &both);
  const crd_difference d = compare(*state, a, b, "auroc");
  assert_true(d.value == 0 && isnan(d.test_p));
  assert_string_equal(d.test_reason, "needs rows without weights");
  free_data(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(delong_agrees_with_proc),
    cmocka_unit_test(delong_agrees_with_plain_sums),
    cmocka_unit_test(delong_holds_its_size),
    cmocka_unit_test(delong_knows_its_limits),
    cmocka_unit_test(coins_agree_with_r),
    cmocka_unit_test(mcnemar_counts_rows),
    cmocka_unit_test(mcnemar_asks_for_the_prediction),
    cmocka_unit_test(rows_are_kept_on_demand),
    cmocka_unit_test(weights_have_no_test),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
