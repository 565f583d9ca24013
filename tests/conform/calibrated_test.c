/*
 * calibrated_test.c -- p-values of metrics: for a perfectly calibrated model p < 0.05 in 5 % of the
 * data sets, and for a miscalibrated model p is small.
 */
#include "base/random.h"
#include "metric/metric.h"
#include "support.h"

#include <math.h>
#include <string.h>

enum { ROWS = 160, SETS = 400, METRICS_MAX = 20 };

/* `less`: by how much the model is overconfident; `levels`: number of distinct confidences, 0: all
 * differ. */
typedef struct {
  size_t rows;
  uint64_t seed;
  double less, levels;
} recipe;

/* Lists the metrics that have a p-value. */
static const char *tested(void) {
  static char names[1000];
  if (*names) return names;
  for (size_t i = 0; i < crd_metric_count(); i++) {
    if (!crd__metric_at(i)->p) continue;
    if (*names) strncat(names, ",", sizeof names - strlen(names) - 1);
    strncat(names, crd_metric_at(i)->name, sizeof names - strlen(names) - 1);
  }
  return names;
}

static const crd_result *evaluate(crd_context *ctx, const double *confidence,
                                  const unsigned char *correct, size_t rows) {
  const crd_result *result = NULL;
  crd_evidence *const e = pairs_evidence(
      ctx, confidence, correct, rows,
      &(crd_evaluate_options){ .size = sizeof(crd_evaluate_options), .metrics = tested() });
  if (crd_evidence_judge(ctx, e, &result) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  crd_evidence_destroy(e);
  return result;
}

static const crd_result *evaluate_recipe(crd_context *ctx, recipe r) {
  static double confidence[ROWS];
  static unsigned char correct[ROWS];
  for (size_t i = 0; i < r.rows; i++) {
    const double c = 0.3 + 0.7 * crd__random_uniform(r.seed, 8, i);
    confidence[i] = r.levels > 0 ? ceil(c * r.levels) / r.levels : c;
    correct[i] = crd__random_uniform(r.seed, 9, i) < confidence[i] - r.less;
  }
  return evaluate(ctx, confidence, correct, r.rows);
}

static double p_of(const crd_result *result, const char *metric) {
  const crd_metric_value *const v = crd_result_value(result, metric);
  if (!v) fail_msg("no metric %s in the result", metric);
  return v ? v->p : 0;
}

/* A metric with a value has a p-value. */
static void check_presence(const crd_result *result) {
  for (size_t i = 0; i < result->value_count; i++) {
    const crd_metric_value *const v = &result->values[i];
    if (isnan(v->value) ? !isnan(v->p) : !(v->p >= 0 && v->p <= 1))
      fail_msg("%s: %.17g, and p is %.17g", v->metric->name, v->value, v->p);
  }
}

static void p_is_a_probability(void **state) {
  for (size_t rows = 1; rows <= 30; rows++) {
    const crd_result *const result =
        evaluate_recipe(*state, (recipe){ .rows = rows, .seed = rows });
    check_presence(result);
    crd_result_destroy(result);
  }
}

/* The fraction is within three standard deviations of its expectation. With few rows or many ties
 * the random walk is sampled less often than Brownian motion, and p may be larger. */
static void check_share(const char *metric, size_t found, double share, bool cautious) {
  const double mean = SETS * share, slack = 3 * sqrt(SETS * share * (1 - share));
  if ((double)found > mean + slack || (!cautious && (double)found < mean - slack))
    fail_msg("%s: %zu of %d p-values are below %g", metric, found, SETS, share);
}

static void check_size(crd_context *ctx, double levels) {
  size_t low[METRICS_MAX] = { 0 }, half[METRICS_MAX] = { 0 }, count = 0;
  const char *names[METRICS_MAX];
  for (uint64_t seed = 0; seed < SETS; seed++) {
    const crd_result *const result = evaluate_recipe(ctx, (recipe){ ROWS, 100 + seed, 0, levels });
    count = result->value_count;
    assert_true(count > 0 && count <= METRICS_MAX);
    for (size_t i = 0; i < count; i++) {
      names[i] = result->values[i].metric->name;
      low[i] += result->values[i].p < 0.05;
      half[i] += result->values[i].p < 0.5;
    }
    crd_result_destroy(result);
  }
  for (size_t i = 0; i < count; i++) {
    check_share(names[i], low[i], 0.05, levels > 0);
    check_share(names[i], half[i], 0.5, levels > 0);
  }
}

static void calibrated_models_pass(void **state) { check_size(*state, 0); }
static void calibrated_models_with_ties_pass(void **state) { check_size(*state, 20); }

static void others_do_not(void **state) {
  const crd_result *const result = evaluate_recipe(*state, (recipe){ ROWS, 7, 0.2, 0 });
  for (size_t i = 0; i < result->value_count; i++)
    if (result->values[i].p >= 0.01)
      fail_msg("%s: p is %.17g", result->values[i].metric->name, result->values[i].p);
  check_presence(result);
  crd_result_destroy(result);
}

/* A calibrated model never gives a wrong prediction a confidence of 1: p is 0. */
static void certainty_is_taken_at_its_word(void **state) {
  static const double sure[4] = { 1, 1, 0, 1 };
  static const unsigned char marks[2][4] = { { 1, 1, 0, 1 }, { 1, 1, 0, 0 } };
  for (size_t wrong = 0; wrong < 2; wrong++) {
    const crd_result *const result = evaluate(*state, sure, marks[wrong], 4);
    assert_true(p_of(result, "ks") == (wrong ? 0 : 1));
    assert_true(p_of(result, "kuiper") == (wrong ? 0 : 1));
    assert_true(isnan(p_of(result, "spiegelhalter")));
    crd_result_destroy(result);
  }
}

/* ---- p-values of skce by resampling, against all possible resamples. */

enum { FEW = 7 };

static double plain_skce(const double *c, unsigned pattern) {
  double sum = 0;
  for (size_t i = 0; i < FEW; i++)
    for (size_t j = 0; j < FEW; j++)
      if (i != j)
        sum += (c[i] - (pattern >> i & 1)) * (c[j] - (pattern >> j & 1)) *
               exp(-fabs(c[i] - c[j]) / 0.4);
  return sum;
}

static double exact_p(const double *c, unsigned observed) {
  const double least = plain_skce(c, observed) - 1e-12;
  double p = 0;
  for (unsigned pattern = 0; pattern < 1u << FEW; pattern++) {
    double chance = 1;
    for (size_t i = 0; i < FEW; i++) chance *= pattern >> i & 1 ? c[i] : 1 - c[i];
    if (plain_skce(c, pattern) >= least) p += chance;
  }
  return p;
}

static void draws_follow_the_confidences(void **state) {
  static const double c[FEW] = { 0.9, 0.35, 0.6, 0.8, 0.55, 0.95, 0.7 };
  for (unsigned pattern = 0; pattern < 1u << FEW; pattern += 5) {
    unsigned char correct[FEW];
    for (size_t i = 0; i < FEW; i++) correct[i] = pattern >> i & 1;
    const crd_result *const result = evaluate(*state, c, correct, FEW);
    const double p = p_of(result, "skce"), expected = exact_p(c, pattern);
    const double slack = 4 * sqrt(expected * (1 - expected) / 1000) + 1.0 / 1001;
    if (!(fabs(p - expected) <= slack)) fail_msg("%x: p is %g, not %g", pattern, p, expected);
    crd_result_destroy(result);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(p_is_a_probability),
    cmocka_unit_test(calibrated_models_pass),
    cmocka_unit_test(calibrated_models_with_ties_pass),
    cmocka_unit_test(others_do_not),
    cmocka_unit_test(certainty_is_taken_at_its_word),
    cmocka_unit_test(draws_follow_the_confidences),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
