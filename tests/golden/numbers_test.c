/*
 * numbers_test.c -- published and independently computed metrics of real predictions.
 *
 * tests/golden/wideresnet-16-4-cifar-10.json belongs to the bundled file and is checked everywhere;
 * the other files of this kind are looked for at CREDENCE_SHARED and skipped where absent.
 */
#include "support.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Our name, the golden file's name, bins, and the tolerance. */
static const struct {
  const char *ours, *golden;
  unsigned bins;
  double slack;
} names[] = {
  { "accuracy", "accuracy", 15, 1e-9 },
  { "confidence", "mean_conf", 15, 1e-9 },
  { "ece", "ece15", 15, 1e-9 },
  { "ece", "ece10", 10, 1e-9 },
  { "ece", "ece100", 100, 1e-9 },
  { "mce", "mce15", 15, 1e-9 },
  { "rmsce", "rms_ce15", 15, 1e-9 },
  { "aece", "aece15", 15, 1e-9 },
  { "sce", "sce15", 15, 1e-9 },
  { "oe", "oe15", 15, 1e-9 },
  { "brier", "brier", 15, 1e-9 },
  { "brier-top1", "brier_top1", 15, 1e-9 },
  { "nll", "nll", 15, 1e-9 },
  { "entropy", "entropy", 15, 1e-9 },
  { "ks", "ks", 15, 1e-9 },
  { "auroc", "auroc", 15, 1e-9 },
  { "aupr-success", "aupr_success", 15, 1e-9 },
  { "aupr-error", "aupr_error", 15, 1e-9 },
  { "fpr95", "fpr95", 15, 1e-9 },
  { "aurc", "aurc_tieavg", 15, 1e-9 },
  { "e-aurc-finite", "eaurc_finite", 15, 1e-9 },
  { "rmsce-debiased", "l2_debiased_eqmass15", 15, 1e-9 },
  { "sce-threshold", "sce15_thr1em3", 15, 1e-9 },
  { "smece", "smece", 15, 1e-5 },
  { "kde-ece", "kde_ece", 15, 1e-5 },
  { "brier-reliability", "reliability", 15, 1e-9 },
  { "brier-resolution", "resolution", 15, 1e-9 },
  { "brier-uncertainty", "uncertainty", 15, 1e-9 },
  { "brier-within-variance", "within_bin_var", 15, 1e-9 },
  { "brier-within-covariance", "within_bin_cov2", 15, 1e-9 },
  { "over-part", "over_part", 15, 1e-9 },
  { "under-part", "under_part", 15, 1e-9 },
  { "eq9-beta", "beta", 15, 1e-9 },
  { "eq9-gamma", "gamma", 15, 1e-9 },
  { "eq9-rhs", "rhs", 15, 1e-9 },
};

static double number(const json_t *golden, const char *key) {
  static const char *const groups[] = { "brier_top1_decomp", "eq9" };
  const json_t *value = json_object_get(golden, key);
  for (size_t i = 0; !value && i < sizeof groups / sizeof *groups; i++)
    value = json_object_get(json_object_get(golden, groups[i]), key);
  if (!json_is_number(value)) fail_msg("no golden number %s", key);
  return json_number_value(value);
}

static const crd_result *evaluate_file(crd_context *ctx, const char *path, unsigned bins) {
  crd_predictions *p = NULL;
  const crd_result *result = NULL;
  if (crd_predictions_open(ctx, path, NULL, &p) != CRD_OK ||
      crd_evaluate(ctx, p,
                   &(crd_evaluate_options){
                       .size = sizeof(crd_evaluate_options), .metrics = "all", .bins = bins },
                   &result) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  crd_predictions_destroy(p);
  return result;
}

static void check(const char *what, const char *metric, double value, double expected,
                  double slack) {
  if (!(fabs(value - expected) <= slack))
    fail_msg("%s: %s is %.15g, expected %.15g", what, metric, value, expected);
}

static void check_section(crd_context *ctx, const char *file, const json_t *golden) {
  static const unsigned bins[] = { 15, 10, 100 };
  char path[600];
  snprintf(path, sizeof path, "%s@5000:10000", file);
  for (size_t b = 0; b < sizeof bins / sizeof *bins; b++) {
    const crd_result *const result = evaluate_file(ctx, path, bins[b]);
    assert_int_equal(result->rows, 5000);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
      if (names[i].bins == bins[b])
        check(file, names[i].ours, value_of(result, names[i].ours), number(golden, names[i].golden),
              names[i].slack);
    const double ranking = number(golden, "aurc_tieavg") - number(golden, "aurc");
    check(file, "e-aurc", value_of(result, "e-aurc"), number(golden, "eaurc") + ranking, 1e-9);
    const double accuracy = number(golden, "beta") + number(golden, "gamma");
    check(file, "rate-averaged-accuracy", value_of(result, "rate-averaged-accuracy"), accuracy,
          1e-9);
    check(file, "eq9-residual", value_of(result, "eq9-residual"),
          value_of(result, "ece") - number(golden, "rhs"), 1e-9);
    if (bins[b] == 15)
      check(file, "sce-sum", value_of(result, "sce-sum"),
            number(golden, "sce15") * (double)result->classes, 1e-9);
    crd_result_destroy(result);
  }
}

static void bundled_file(void **state) {
  json_error_t error;
  json_t *const golden =
      json_load_file(CREDENCE_SOURCE "/tests/golden/wideresnet-16-4-cifar-10.json", 0, &error);
  if (!golden) fail_msg("%s", error.text);
  check_section(*state, CREDENCE_SOURCE "/examples/wideresnet-16-4-cifar-10.npz", golden);
  json_decref(golden);
}

static void files_of_the_same_kind(void **state) {
  char path[600];
  json_error_t error;
  snprintf(path, sizeof path, "%s/golden/golden.json", shared_folder());
  if (!is_there("files_of_the_same_kind", path)) return;
  json_t *const golden = json_load_file(path, 0, &error);
  if (!golden) fail_msg("%s", error.text);
  const char *name;
  json_t *section;
  json_object_foreach(json_object_get(golden, "files"), name, section) {
    snprintf(path, sizeof path, "%s/data/netcal/%s.npz", shared_folder(), name);
    if (is_there(name, path))
      check_section(*state, path, json_object_get(section, "uncalibrated_test"));
  }
  json_decref(golden);
}

/* Kull et al. 2019; their NLL of .428207 clips probabilities at 1e-15, ours does not. */
static void logits_of_densenet40(void **state) {
  char path[600];
  snprintf(path, sizeof path, "%s/data/kull_densenet40_c10/densenet40_c10.npz", shared_folder());
  if (!is_there("logits_of_densenet40", path)) return;
  strcat(path, "#test");
  const crd_result *const result = evaluate_file(*state, path, 15);
  check(path, "ece", value_of(result, "ece"), .055003, 5e-7);
  check(path, "nll", value_of(result, "nll"), .430059, 5e-7);
  assert_int_equal(result->input, CRD_INPUT_LOGITS);
  crd_result_destroy(result);
}

static void confidences_of_resnet34(void **state) {
  char path[600];
  snprintf(path, sizeof path, "%s/data/imagenet_top1/resnet34.npz", shared_folder());
  if (!is_there("confidences_of_resnet34", path)) return;
  const crd_result *const result = evaluate_file(*state, path, 15);
  check(path, "accuracy", value_of(result, "accuracy"), .7511, 5e-5);
  check(path, "ece", value_of(result, "ece"), .07798, 5e-6);
  assert_true(isnan(value_of(result, "nll")));
  crd_result_destroy(result);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(bundled_file),
    cmocka_unit_test(files_of_the_same_kind),
    cmocka_unit_test(logits_of_densenet40),
    cmocka_unit_test(confidences_of_resnet34),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
