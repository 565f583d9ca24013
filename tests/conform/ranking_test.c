/*
 * ranking_test.c -- results of a ranking: metrics of the order of the rows have the values that
 * confidences in the same order have, all others none; states keep it apart from confidences.
 */
#include "credence/profile.h"
#include "metric/metric.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 200 };

static const char ordinal[] = "accuracy auroc aupr-success aupr-error fpr95 aurc e-aurc "
                              "e-aurc-finite";

typedef struct {
  double confidence[ROWS], ranking[ROWS];
  unsigned char correct[ROWS];
} sample;

/* The ranking is a strictly increasing function of the confidence, with ties, far beyond [0, 1]. */
static void fill(sample *s) {
  for (size_t i = 0; i < ROWS; i++) {
    const size_t step = i * 37 % 50;
    s->confidence[i] = (double)step / 50;
    s->ranking[i] = ((double)step - 25) * 1e6;
    s->correct[i] = (i * 13 % 17) * 3 < step;
  }
}

static crd_predictions *predictions_of(crd_context *ctx, const double *scores,
                                       const unsigned char *correct, size_t rows, crd_input input) {
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores = crd_array_matrix(scores, CRD_F64, rows, 1),
                                        .correct = crd_array_matrix(correct, CRD_U8, rows, 1),
                                        .input = input,
                                        .scores_name = crd_input_name(input),
                                        .name = "trust.npz" };
  crd_predictions *p = NULL;
  if (crd_predictions_create(ctx, &parts, &p) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  return p;
}

static crd_evidence *evidence_of(crd_context *ctx, const double *scores, const sample *s,
                                 crd_input input) {
  const crd_evaluate_options all = {
    .size = sizeof all, .metrics = "all", .resamples = 40, .paired = 1
  };
  crd_predictions *const p = predictions_of(ctx, scores, s->correct, ROWS, input);
  crd_evidence *evidence = NULL;
  if (crd_evidence_gather(ctx, p, &all, 0, &evidence) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  crd_predictions_destroy(p);
  return evidence;
}

static const crd_result *judge(crd_context *ctx, crd_evidence *evidence) {
  const crd_result *result = NULL;
  if (crd_evidence_judge(ctx, evidence, &result) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  return result;
}

static bool is_ordinal(const char *name) {
  const char *const at = strstr(ordinal, name);
  const char end = at ? at[strlen(name)] : '.';
  return at && (at == ordinal || at[-1] == ' ') && (end == ' ' || end == '\0');
}

static void compare_values(const crd_result *ranking, const crd_result *confidence) {
  for (size_t i = 0; i < ranking->value_count; i++) {
    const crd_metric_value *const a = &ranking->values[i], *const b = &confidence->values[i];
    if (is_ordinal(a->metric->name)) {
      assert_true(!isnan(a->value));
      assert_true(same_bits(a->value, b->value) && same_bits(a->low, b->low) &&
                  same_bits(a->high, b->high));
    } else {
      if (!isnan(a->value)) fail_msg("%s has a value for a ranking", a->metric->name);
      assert_true(isnan(a->low) && isnan(a->noise_floor) && isnan(a->p));
      assert_string_equal(a->reason, CRD__NOT_PROBABILITY);
    }
  }
}

static void only_the_order_matters(void **state) {
  sample s;
  fill(&s);
  crd_evidence *const a = evidence_of(*state, s.ranking, &s, CRD_INPUT_RANKING);
  crd_evidence *const b = evidence_of(*state, s.confidence, &s, CRD_INPUT_PAIRS);
  const crd_result *const x = judge(*state, a), *const y = judge(*state, b);
  const crd_comparison *paired = NULL;
  assert_int_equal(x->input, CRD_INPUT_RANKING);
  assert_int_equal(x->classes, 0);
  assert_int_equal(x->bin_count, 0);
  compare_values(x, y);
  /* The two can be compared on the same rows. */
  assert_int_equal(crd_evidence_compare(*state, b, a, &paired), CRD_OK);
  for (size_t i = 0; i < paired->count; i++)
    assert_true(is_ordinal(paired->items[i].metric->name) ? paired->items[i].value == 0
                                                          : isnan(paired->items[i].value));
  crd_comparison_destroy(paired);
  crd_result_destroy(x);
  crd_result_destroy(y);
  /* But not merged. */
  crd_evidence *const c = evidence_of(*state, s.ranking, &s, CRD_INPUT_RANKING);
  crd_predictions *const more = predictions_of(*state, s.confidence, s.correct, 9, CRD_INPUT_PAIRS);
  assert_int_equal(crd_evidence_add(*state, c, more, ROWS), CRD_EINPUT);
  assert_non_null(strstr(crd_context_message(*state), "a ranking cannot be merged"));
  crd_predictions_destroy(more);
  crd_evidence_destroy(a);
  crd_evidence_destroy(b);
  crd_evidence_destroy(c);
}

static void states_are_loaded_again(void **state) {
  sample s;
  char path[256];
  crd_output *output = NULL;
  crd_evidence *loaded = NULL;
  fill(&s);
  crd_evidence *const a = evidence_of(*state, s.ranking, &s, CRD_INPUT_RANKING);
  temporary_path(path, "ranking-state");
  assert_int_equal(crd_output_open(*state, path, &output), CRD_OK);
  assert_int_equal(crd_evidence_save(*state, a, output), CRD_OK);
  assert_int_equal(crd_output_commit(*state, output), CRD_OK);
  if (crd_evidence_load(*state, path, &loaded) != CRD_OK)
    fail_msg("%s", crd_context_message(*state));
  const crd_result *const x = judge(*state, a), *const y = judge(*state, loaded);
  assert_int_equal(y->input, CRD_INPUT_RANKING);
  for (size_t i = 0; i < x->value_count; i++)
    assert_true(same_bits(x->values[i].value, y->values[i].value));
  crd_result_destroy(x);
  crd_result_destroy(y);
  crd_evidence_destroy(a);
  crd_evidence_destroy(loaded);
  remove(path);
}

/* A profile of a ranking has the curves, and no bins. */
static void curves_exist(void **state) {
  sample s;
  const crd_profile *ranking = NULL, *confidence = NULL;
  fill(&s);
  crd_predictions *const a = predictions_of(*state, s.ranking, s.correct, ROWS, CRD_INPUT_RANKING);
  crd_predictions *const b = predictions_of(*state, s.confidence, s.correct, ROWS, CRD_INPUT_PAIRS);
  assert_int_equal(crd_profile_make(*state, a, NULL, &ranking), CRD_OK);
  assert_int_equal(crd_profile_make(*state, b, NULL, &confidence), CRD_OK);
  assert_int_equal(ranking->bins.count, 0);
  assert_int_equal(ranking->roc.count, confidence->roc.count);
  for (size_t i = 0; i < ranking->roc.count; i++)
    assert_true(ranking->roc.points[i].x == confidence->roc.points[i].x &&
                ranking->roc.points[i].y == confidence->roc.points[i].y);
  crd_profile_destroy(ranking);
  crd_profile_destroy(confidence);
  crd_predictions_destroy(a);
  crd_predictions_destroy(b);
}

static void bad_values_are_named(void **state) {
  static const double scores[][3] = { { 1, (double)NAN, 2 }, { 1, 2, (double)INFINITY } };
  static const char *const messages[] = { "trust.npz: ranking row 1 is NaN, expected a finite",
                                          "trust.npz: ranking row 2 is infinite" };
  static const unsigned char correct[3] = { 1, 0, 1 };
  for (size_t i = 0; i < 2; i++) {
    crd_predictions *const p = predictions_of(*state, scores[i], correct, 3, CRD_INPUT_RANKING);
    const crd_result *result = NULL;
    assert_int_equal(crd_evaluate(*state, p, NULL, &result), CRD_EINPUT);
    assert_non_null(strstr(crd_context_message(*state), messages[i]));
    crd_predictions_destroy(p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(only_the_order_matters),
    cmocka_unit_test(states_are_loaded_again),
    cmocka_unit_test(curves_exist),
    cmocka_unit_test(bad_values_are_named),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
