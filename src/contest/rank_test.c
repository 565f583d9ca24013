/* rank_test.c -- several models against the best of each metric. */
#include "contest/testing.h"

#include "credence/contest.h"

enum { MODELS = 3, METRICS = 3 };

/* The same labels for all; or other ones for the last, with the seed `other`. */
static int rank(crd_context *ctx, const double scales[MODELS], uint64_t other,
                double p[MODELS * METRICS]) {
  const crd_evaluate_options what = { .size = sizeof what,
                                      .metrics = "accuracy,confidence,ece",
                                      .resamples = 100 };
  sample samples[MODELS];
  crd_evidence *evidence[MODELS];
  const crd_result *results[MODELS];
  crd_ranked_model models[MODELS];
  int paired = -1;
  for (size_t i = 0; i < MODELS; i++) {
    samples[i] = make(ctx, (recipe){ 800, i == 2 ? other : 1, scales[i], 0, 0 });
    const crd_predictions *const rows = samples[i].predictions;
    assert_int_equal(crd_evidence_gather(ctx, rows, &what, 0, &evidence[i]), CRD_OK);
    assert_int_equal(crd_evidence_judge(ctx, evidence[i], &results[i]), CRD_OK);
    models[i] = (crd_ranked_model){ rows, evidence[i], results[i] };
  }
  assert_int_equal(crd_models_rank(ctx, models, MODELS, p, &paired), CRD_OK);
  for (size_t i = 0; i < MODELS; i++) {
    crd_result_destroy(results[i]);
    crd_evidence_destroy(evidence[i]);
    drop(&samples[i]);
  }
  return paired;
}

/* Scaling keeps the predicted classes: accuracy is equal, and confidence has no better direction.
 */
static void the_best_is_calibrated(void **state) {
  double p[MODELS * METRICS];
  assert_int_equal(rank(*state, (const double[]){ 2.5, 1, 3 }, 1, p), 1);
  for (size_t i = 0; i < MODELS; i++) {
    const double accuracy = p[i * METRICS], ece = p[i * METRICS + 2];
    assert_true(i == 0 ? isnan(accuracy) : accuracy == 1);
    assert_true(isnan(p[i * METRICS + 1]));
    if (i == 1) assert_true(isnan(ece));
    else assert_true(ece < 0.05 && ece >= 2 * 2.0 / 101); /* of two tests */
  }
}

static void equal_models_do_not_differ(void **state) {
  double p[MODELS * METRICS];
  assert_int_equal(rank(*state, (const double[]){ 1, 1, 1 }, 1, p), 1);
  assert_true(isnan(p[2]) && p[METRICS + 2] == 1 && p[2 * METRICS + 2] == 1);
}

static void other_labels_are_not_paired(void **state) {
  double p[MODELS * METRICS];
  assert_int_equal(rank(*state, (const double[]){ 2.5, 1, 3 }, 2, p), 0);
  for (size_t i = 0; i < MODELS * METRICS; i++) assert_true(isnan(p[i]));
}

int main(void) {
  crd_context *ctx;
  if (crd_context_create(NULL, &ctx) != CRD_OK) return 1;
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_prestate(the_best_is_calibrated, ctx),
    cmocka_unit_test_prestate(equal_models_do_not_differ, ctx),
    cmocka_unit_test_prestate(other_labels_are_not_paired, ctx),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  crd_context_destroy(ctx);
  return failed;
}
