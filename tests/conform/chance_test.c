/*
 * chance_test.c -- significance against definitions in plain loops: p-values of contests of every
 * size, losses within chance, intervals and differences of metrics that few resamples define.
 */
#include "support.h"

#include "contest/contest.h"
#include "metric/evidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RESAMPLES = 99 };

static const crd_contest *hold(crd_context *ctx, test_recipe recipe, const char *methods) {
  const crd_contest_options options = { .size = sizeof options,
                                        .methods = methods,
                                        .resamples = RESAMPLES };
  const crd_contest *contest = NULL;
  test_data data = make_data(recipe);
  crd_predictions *const p = data_predictions(ctx, &data, 0, recipe.rows);
  if (crd_contest_split(ctx, p, .5, &options, &contest) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  crd_predictions_destroy(p);
  free_data(&data);
  return contest;
}

/* ---- p-values. */

static double quantile(const double *sorted, size_t count, double share) {
  const double at = share * (double)(count - 1);
  const size_t i = (size_t)at;
  return i + 1 < count ? sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i]) : sorted[i];
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Twice the smaller fraction of resamples on one side of 0; where that reaches its minimum, from a
 * normal distribution with the interval's width. */
static double p_of(const crd_evidence *a, const crd_evidence *b, size_t metric, double value) {
  double d[RESAMPLES];
  size_t count = 0, below = 1, above = 1;
  for (size_t s = 0; s < RESAMPLES; s++) {
    const double x = b->resampled[metric * RESAMPLES + s] - a->resampled[metric * RESAMPLES + s];
    if (isnan(x)) continue;
    d[count++] = x;
    below += x <= 0;
    above += x >= 0;
  }
  if (isnan(value) || 2 * count < RESAMPLES) return (double)NAN;
  qsort(d, count, sizeof *d, ascending);
  const double p = fmin(1, 2.0 * (double)(below < above ? below : above) / (double)(count + 1));
  const double deviation =
      (quantile(d, count, .975) - quantile(d, count, .025)) / 3.919927969080108;
  if (p * (RESAMPLES + 1) > 2.5 || !(deviation > 0)) return p;
  return fmin(p, erfc(fabs(value) / deviation * 0.7071067811865476));
}

/* The smallest level at which Holm's procedure, step by step, rejects test k. */
static double holm(const double *p, size_t count, size_t k) {
  bool done[16] = { false };
  double level = 0;
  size_t left = 0;
  for (size_t i = 0; i < count; i++) left += isnan(p[i]) ? 0 : 1;
  for (; left; left--) {
    size_t least = count;
    for (size_t i = 0; i < count; i++)
      if (!done[i] && !isnan(p[i]) && (least == count || p[i] < p[least])) least = i;
    if (least == count) break;
    level = fmax(level, fmin(1, (double)left * p[least]));
    if (p[least] == p[k]) return level;
    done[least] = true;
  }
  return (double)NAN;
}

/* Counts the p-values that are neither near 0 nor near 1. */
static size_t check_p(const crd_contest *contest, size_t base) {
  const crd__contest *const t = (const crd__contest *)contest;
  size_t middle = 0;
  for (size_t m = 0; m < contest->candidates[0].result->value_count; m++) {
    const crd_comparison *with[16];
    double p[16];
    for (size_t i = 0; i < contest->count; i++) {
      const crd_candidate *const c = &contest->candidates[i];
      with[i] = base ? c->against_temperature : c->against_identity;
      p[i] = with[i] ? p_of(t->evidence[base], t->evidence[i], m, with[i]->items[m].value)
                     : (double)NAN;
    }
    for (size_t i = 0; i < contest->count; i++) {
      if (!with[i]) continue;
      const double expected = isnan(p[i]) ? p[i] : holm(p, contest->count, i);
      if (!near(with[i]->items[m].p, expected, 1e-12))
        fail_msg("%s, %s: p is %.17g, expected %.17g", contest->candidates[i].name,
                 with[i]->items[m].metric->name, with[i]->items[m].p, expected);
      middle += expected > .01 && expected < .9;
    }
  }
  return middle;
}

/* Nearly calibrated data: differences of every size. */
static void p_values_of_every_size(void **state) {
  const test_recipe recipe = {
    .rows = 400, .classes = 3, .seed = 4, .spread = .8, .accuracy = .55
  };
  const crd_contest *const c = hold(*state, recipe, "temperature,platt,vector,histogram,isotonic");
  assert_int_equal(c->count, 6);
  assert_string_equal(c->candidates[1].name, "temperature");
  assert_true(check_p(c, 0) >= 5);
  assert_true(check_p(c, 1) >= 5);
  crd_contest_destroy(c);
}

/* ---- The verdict. */

static void set_difference(crd__contest *t, size_t candidate, const char *metric, double value,
                           double reach) {
  const crd_comparison *const c = t->items[candidate].against_identity;
  for (size_t m = 0; m < c->count; m++) {
    crd_difference *const d = (crd_difference *)(uintptr_t)&c->items[m];
    if (strcmp(d->metric->name, metric) != 0) continue;
    d->value = value;
    d->low = value - reach;
    d->high = value + reach;
  }
}

/* A loss of accuracy or AUROC excludes a method if, and only if, its interval excludes 0. */
static void losses_count_beyond_chance(void **state) {
  static const char *const metrics[] = { "accuracy", "auroc" };
  const crd_contest *const contest = hold(
      *state, (test_recipe){ .rows = 2000, .classes = 3, .seed = 6, .spread = 6, .accuracy = .6 },
      "temperature");
  crd__contest *const t = (crd__contest *)contest;
  assert_string_equal(contest->chosen->name, "temperature");
  for (size_t m = 0; m < 2; m++)
    for (int beyond = 0; beyond < 2; beyond++) {
      set_difference(t, 1, metrics[1 - m], 0, .01);
      set_difference(t, 1, metrics[m], -.1, beyond ? .05 : .15);
      assert_int_equal(crd__contest_judge(*state, t), CRD_OK);
      assert_string_equal(contest->chosen->name, beyond ? "identity" : "temperature");
    }
  crd_contest_destroy(contest);
}

/* ---- Metrics that some resamples do not define. */

/* AUROC of `right` correct rows and one incorrect row: it is undefined in resamples without that
 * row. With one of each that happens in 60 % of the resamples, with many correct rows in 37 %. */
static crd_evidence *few(crd_context *ctx, size_t right) {
  enum { MOST = 40 };
  double confidence[MOST + 1];
  unsigned char correct[MOST + 1];
  for (size_t i = 0; i <= right; i++) {
    confidence[i] = .5 + (double)i / 100;
    correct[i] = i > 0;
  }
  return pairs_evidence(ctx, confidence, correct, right + 1,
                        &(crd_evaluate_options){ .size = sizeof(crd_evaluate_options),
                                                 .metrics = "auroc",
                                                 .resamples = 400 });
}

static void intervals_need_half_of_the_resamples(void **state) {
  for (int many = 0; many < 2; many++) {
    crd_evidence *const a = few(*state, many ? 40 : 1), *const b = few(*state, many ? 40 : 1);
    const crd_result *result = NULL;
    const crd_comparison *comparison = NULL;
    assert_int_equal(crd_evidence_judge(*state, a, &result), CRD_OK);
    assert_int_equal(crd_evidence_compare(*state, a, b, &comparison), CRD_OK);
    size_t there = 0;
    for (size_t s = 0; s < 400; s++) there += isnan(a->resampled[s]) ? 0 : 1;
    assert_true(many ? there > 200 : there > 100 && there < 200);
    assert_true(result->values[0].value == 1 && comparison->items[0].value == 0);
    assert_true(isnan(result->values[0].low) != many && isnan(result->values[0].high) != many);
    assert_true(isnan(comparison->items[0].low) != many && isnan(comparison->items[0].p) != many);
    crd_comparison_destroy(comparison);
    crd_result_destroy(result);
    crd_evidence_destroy(a);
    crd_evidence_destroy(b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(p_values_of_every_size),
    cmocka_unit_test(losses_count_beyond_chance),
    cmocka_unit_test(intervals_need_half_of_the_resamples),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
