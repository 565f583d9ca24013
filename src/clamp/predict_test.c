/* predict_test.c -- predictions of a clamped network in memory. */
#include "clamp/testing.h"

#include "credence/evaluate.h"

#include "data/predictions.h"

/* The mean loss of predictions, and their mean entropy. */
typedef struct {
  double nll, entropy;
} measured;

static measured measure(crd_context *ctx, const crd_predictions *p) {
  const crd_evaluate_options options = { .size = sizeof options, .metrics = "nll,entropy" };
  const crd_result *result;
  WORKS(ctx, crd_evaluate(ctx, p, &options, &result));
  const measured out = { .nll = crd_result_value(result, "nll")->value,
                         .entropy = crd_result_value(result, "entropy")->value };
  crd_result_destroy(result);
  return out;
}

/* Without a clamp, and with one: the objective in plain loops. */
static void predictions_are_those_of_the_objective(void **state) {
  crd_context *const ctx = *state;
  scene s;
  for (int weighted = 0; weighted < 2; weighted++) {
    open_scene(ctx, &(plan){ .sharpness = 0.4, .weighted = weighted }, &s);
    crd_clamp *const clamp = fit_with(ctx, &s, "lambda=0.01");
    const crd_clamp_summary *const about = crd_clamp_describe(clamp);
    crd_predictions *plain, *clamped;
    double delta[INPUTS];
    for (size_t i = 0; i < INPUTS; i++) delta[i] = about->delta[i];
    assert_true(about->delta_norm > 0.01 && about->temperature != 1);
    WORKS(ctx, crd_clamp_predict(ctx, NULL, s.network, s.data, NULL, &plain));
    WORKS(ctx, crd_clamp_predict(ctx, clamp, s.network, s.data, NULL, &clamped));
    assert_int_equal(crd_predictions_rows(clamped), ROWS);
    assert_int_equal(crd_predictions_classes(clamped), CLASSES);
    assert_int_equal(crd_predictions_has_weights(clamped), weighted);
    assert_true(near(measure(ctx, plain).nll, plain_loss(&s, 0, NULL, 1), 1e-6));
    assert_true(
        near(measure(ctx, clamped).nll, plain_loss(&s, 0, delta, about->temperature), 1e-6));
    assert_true(
        near(measure(ctx, clamped).entropy, plain_entropy(&s, delta, about->temperature), 1e-6));
    crd_predictions_destroy(plain);
    crd_predictions_destroy(clamped);
    crd_clamp_destroy(clamp);
    close_scene(&s);
  }
}

/* A fit that projected its inputs is applied with the projection. */
static void projection_is_applied(void **state) {
  crd_context *const ctx = *state;
  scene s;
  crd_predictions *clamped;
  open_scene(ctx, &(plan){ .sharpness = 0.4 }, &s);
  crd_clamp *const clamp = fit_with(ctx, &s, "lambda=0.001,project=yes,low=0.3,high=0.7");
  s.net.least = 1e9F;
  s.net.most = -1e9F;
  WORKS(ctx, crd_clamp_predict(ctx, clamp, s.network, s.data, NULL, &clamped));
  assert_true(s.net.least >= 0.3F && s.net.most <= 0.7F);
  /* A stored delta is float32. */
  assert_true(near(measure(ctx, clamped).nll, crd_clamp_describe(clamp)->after.nll, 1e-6));
  crd_predictions_destroy(clamped);
  crd_clamp_destroy(clamp);
  close_scene(&s);
}

/* Groups are kept, as clusters, and so are the names of classes. */
static void groups_and_names_are_kept(void **state) {
  static const char *const names[] = { "cat", "dog", "eel" };
  crd_context *const ctx = *state;
  int64_t groups[ROWS];
  scene s;
  crd_dataset *data;
  crd_predictions *p;
  open_scene(ctx, &(plan){ .sharpness = 0.4 }, &s);
  for (size_t i = 0; i < ROWS; i++) groups[i] = (int64_t)(i / 3);
  const crd_dataset_arrays arrays = { .size = sizeof arrays,
                                      .inputs =
                                          crd_array_matrix(s.samples.inputs, CRD_F32, ROWS, INPUTS),
                                      .labels =
                                          crd_array_matrix(s.samples.labels, CRD_I64, ROWS, 1),
                                      .groups = crd_array_matrix(groups, CRD_I64, ROWS, 1),
                                      .classes = CLASSES,
                                      .class_names = names };
  WORKS(ctx, crd_dataset_create(ctx, &arrays, &data));
  WORKS(ctx, crd_clamp_predict(ctx, NULL, s.network, data, NULL, &p));
  crd_dataset_destroy(data);
  assert_string_equal(crd_predictions_cluster(p), "groups");
  assert_true(p->cluster_keys[0] == p->cluster_keys[2] && p->cluster_keys[2] != p->cluster_keys[3]);
  assert_string_equal(crd_predictions_class_name(p, 2), "eel");
  crd_predictions_destroy(p);
  close_scene(&s);
}

static void another_shape_is_refused(void **state) {
  crd_context *const ctx = *state;
  scene s;
  crd_predictions *p;
  open_scene(ctx, &(plan){ .sharpness = 0.4 }, &s);
  crd_clamp *const clamp = fit_with(ctx, &s, "lambda=1");
  clamp->summary.count--;
  assert_int_equal(crd_clamp_predict(ctx, clamp, s.network, s.data, NULL, &p), CRD_EUSAGE);
  assert_null(p);
  assert_string_equal(crd_context_message(ctx),
                      "the clamp has 5 elements and 3 classes, the network 6 and 3");
  clamp->summary.count++;
  clamp->summary.classes--;
  assert_int_equal(crd_clamp_predict(ctx, clamp, s.network, s.data, NULL, &p), CRD_EUSAGE);
  crd_clamp_destroy(clamp);
  close_scene(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(predictions_are_those_of_the_objective),
    cmocka_unit_test(projection_is_applied),
    cmocka_unit_test(groups_and_names_are_kept),
    cmocka_unit_test(another_shape_is_refused),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
