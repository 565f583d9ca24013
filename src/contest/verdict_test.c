/* verdict_test.c -- methods that must be rejected, and the reasons. */
#include "support.h"

#include "base/random.h"
#include "contest/contest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 350 };

static double uniform(uint64_t seed, uint64_t i) {
  return ((double)(crd__random_bits(seed, 7, i) >> 11) + 0.5) * 0x1p-53;
}

static double normal(uint64_t seed, uint64_t i) {
  return sqrt(-2 * log(uniform(seed, 2 * i))) * cos(6.283185307179586 * uniform(seed, 2 * i + 1));
}

/* Two classes whose log-odds are d |d| where the truth is d, within +-2: Platt scaling cannot fix
 * it, isotonic regression can, but gives 0 and 1 at the ends, where there are few rows. */
static crd_predictions *make(crd_context *ctx, uint64_t seed, bool pairs) {
  static double scores[ROWS * 2], confidence[ROWS];
  static int64_t labels[ROWS];
  static unsigned char correct[ROWS];
  crd_predictions *predictions = NULL;
  for (uint64_t i = 0; i < ROWS; i++) {
    const double d = 2.1 * normal(seed, i), truth = fmin(2, fmax(-2, d));
    labels[i] = uniform(seed + 1000, i) < 1 / (1 + exp(-truth));
    scores[2 * i] = 0;
    scores[2 * i + 1] = d * fabs(d);
    confidence[i] = 1 / (1 + exp(-fabs(d * d)));
    correct[i] = labels[i] == (d > 0);
  }
  const crd_predictions_parts rows = { .size = sizeof rows,
                                       .scores = crd_array_matrix(scores, CRD_F64, ROWS, 2),
                                       .labels = crd_array_matrix(labels, CRD_I64, ROWS, 1),
                                       .input = CRD_INPUT_LOGITS };
  const crd_predictions_parts pair = { .size = sizeof pair,
                                       .scores = crd_array_matrix(confidence, CRD_F64, ROWS, 1),
                                       .correct = crd_array_matrix(correct, CRD_U8, ROWS, 1),
                                       .input = CRD_INPUT_PAIRS };
  if (crd_predictions_create(ctx, pairs ? &pair : &rows, &predictions) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  return predictions;
}

static const crd_contest *hold(crd_context *ctx, uint64_t seed, bool pairs, const char *methods) {
  const crd_contest *contest = NULL;
  crd_predictions *const both = make(ctx, seed, pairs);
  const crd_contest_options options = { .size = sizeof options,
                                        .methods = methods,
                                        .resamples = 100 };
  if (crd_contest_split(ctx, both, .5, &options, &contest) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  crd_predictions_destroy(both);
  return contest;
}

static const crd_candidate *find(const crd_contest *c, const char *name) {
  for (size_t i = 0; i < c->count; i++)
    if (strcmp(c->candidates[i].name, name) == 0) return &c->candidates[i];
  fail_msg("no candidate %s", name);
  return NULL;
}

static const char *reason_of(const crd_contest *c, const char *name) {
  for (size_t i = 0; i < c->rejected_count; i++)
    if (strcmp(c->rejected[i].candidate->name, name) == 0) return c->rejected[i].reason;
  return "";
}

static void expect_words(const char *text, const char *words) {
  if (!strstr(text, words)) fail_msg("'%s' does not say '%s'", text, words);
}

/* One test row of 175 whose class got probability 0 adds 690.8 / 175 to the NLL; it is missing in
 * more than a third of the resamples, so that the difference is not significant. */
static void a_noisy_score_is_no_recommendation(void **state) {
  static const char methods[] = "temperature,isotonic,bbq(scope=one-vs-rest)";
  size_t baits = 0;
  for (uint64_t seed = 0; seed < 12; seed++) {
    const crd_contest *const c = hold(*state, seed, false, methods);
    const double before = crd__contest_candidate_number(c->candidates, "nll");
    const double isotonic = crd__contest_candidate_number(find(c, "isotonic"), "nll");
    assert_string_equal(c->score, "nll");
    assert_string_not_equal(c->chosen->name, "isotonic");
    assert_true(crd__contest_candidate_number(c->chosen, "nll") <= before);
    assert_true(crd__contest_candidate_number(c->chosen, "nll") <=
                1.05 * crd__contest_candidate_number(c->best, "nll") + .01);
    expect_words(reason_of(c, "isotonic"), "gives probabilities of exactly 0");
    if (isotonic > before) {
      expect_words(reason_of(c, "isotonic"), "is worse than identity in NLL (");
      baits++;
    }
    crd_contest_destroy(c);
  }
  assert_true(baits >= 3);
}

/* The same with folds: any fold's map counts. */
static void zeros_of_folds_count(void **state) {
  crd_predictions *const rows = make(*state, 1, false);
  const crd_contest_options options = { .size = sizeof options,
                                        .methods = "temperature,isotonic",
                                        .resamples = 20 };
  const crd_contest *c = NULL;
  assert_int_equal(crd_contest_folds(*state, rows, 3, &options, &c), CRD_OK);
  expect_words(reason_of(c, "isotonic"), "gives probabilities of exactly 0");
  crd_contest_destroy(c);
  crd_predictions_destroy(rows);
}

/* Pairs are compared by the Brier score, and confidences of exactly 0 or 1 are rejected. */
static void pairs_have_the_same_rules(void **state) {
  const crd_contest *const c = hold(*state, 3, true, "temperature,isotonic");
  assert_string_equal(c->score, "brier-top1");
  expect_words(reason_of(c, "isotonic"), "gives confidences of exactly 0 or 1");
  assert_string_not_equal(c->chosen->name, "isotonic");
  crd_contest_destroy(c);
}

/* ---- Contests with scores set by the test. */

static void set_nll(const crd_contest *c, const char *name, double nll) {
  crd_metric_value *const v =
      (crd_metric_value *)(uintptr_t)crd_result_value(find(c, name)->result, "nll");
  v->value = nll;
}

/* Two methods that differ by chance only. */
static const crd_contest *alike(crd_context *ctx, double identity, double temperature,
                                double platt) {
  const crd_contest *const c = hold(ctx, 5, false, "temperature,platt");
  set_nll(c, "identity", identity);
  set_nll(c, "temperature", temperature);
  set_nll(c, "platt", platt);
  assert_int_equal(crd__contest_judge(ctx, (crd__contest *)c), CRD_OK);
  return c;
}

static void the_simplest_that_is_not_worse(void **state) {
  const crd_contest *const c = alike(*state, .9, .52, .5);
  assert_string_equal(c->chosen->name, "temperature");
  assert_string_equal(c->best->name, "platt");
  expect_words(c->verdict,
               "It is preferred to platt, which has the best NLL (0.5), as the simplest "
               "method (1 parameter against 2) that is not significantly worse.");
  expect_words(reason_of(c, "identity"), "is too far from the best NLL (0.9, above 1.05 x the best "
                                         "+ 0.01 = 0.535)");
  assert_int_equal(c->rejected_count, 1);
  crd_contest_destroy(c);
}

static void the_limit_is_a_limit(void **state) {
  const crd_contest *c = alike(*state, .9, .5349, .5);
  assert_string_equal(c->chosen->name, "temperature");
  crd_contest_destroy(c);
  c = alike(*state, .9, .5351, .5);
  assert_string_equal(c->chosen->name, "platt");
  expect_words(reason_of(c, "temperature"), "is too far from the best NLL (");
  expect_words(c->verdict, "No method has a better NLL.");
  crd_contest_destroy(c);
}

/* Slightly worse than identity is enough to be rejected. */
static void worse_than_nothing(void **state) {
  const crd_contest *const c = alike(*state, .5, .5001, .5002);
  assert_string_equal(c->chosen->name, "identity");
  expect_words(reason_of(c, "temperature"), "is worse than identity in NLL (");
  assert_int_equal(c->rejected_count, 2);
  crd_contest_destroy(c);
}

/* A method that gives exact zeros is rejected, but its score, if the best, still sets the limit for
 * the others, unless none of them is within it. */
static void methods_with_zeros_are_rejected(void **state) {
  const crd_contest *const c = alike(*state, .9, .52, .4);
  crd__contest *const t = (crd__contest *)c;
  t->gives_zero[2] = true;
  assert_int_equal(crd__contest_judge(*state, t), CRD_OK);
  assert_string_equal(c->chosen->name, "temperature");
  assert_string_equal(c->best->name, "temperature");
  expect_words(c->verdict, " platt has a lower NLL (0.4)");
  expect_words(c->verdict, "but gives probabilities of exactly 0.");
  crd_contest_destroy(c);
}

/* Identity is not rejected for probabilities of 0: they are in the file. */
static void identity_is_no_rejection(void **state) {
  const crd_contest *const c = alike(*state, .4, .5, .6);
  crd__contest *const t = (crd__contest *)c;
  t->gives_zero[0] = true;
  assert_int_equal(crd__contest_judge(*state, t), CRD_OK);
  assert_string_equal(c->chosen->name, "identity");
  assert_string_equal(reason_of(c, "identity"), "");
  crd_contest_destroy(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_noisy_score_is_no_recommendation),
    cmocka_unit_test(zeros_of_folds_count),
    cmocka_unit_test(pairs_have_the_same_rules),
    cmocka_unit_test(the_simplest_that_is_not_worse),
    cmocka_unit_test(the_limit_is_a_limit),
    cmocka_unit_test(worse_than_nothing),
    cmocka_unit_test(methods_with_zeros_are_rejected),
    cmocka_unit_test(identity_is_no_rejection),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
