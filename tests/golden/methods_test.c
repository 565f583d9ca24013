/*
 * methods_test.c -- fits and what they do to the test half, against independently computed numbers.
 *
 * tests/golden/methods.json belongs to the bundled file and is checked everywhere; the other files
 * of the same kind are looked for at CREDENCE_SHARED and skipped where absent.
 */
#include "support.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One fit: the golden file's name for it, and ours. */
typedef struct {
  const char *golden, *method, *settings;
  /* The golden name of a learnt scalar, ours, and how near; NULL: none, and how near metrics are
   * where rows of equal confidence are ordered otherwise (0: to 1e-7). */
  const char *golden_scalar, *scalar;
  double slack;
} fit_case;

static const fit_case fits[] = {
  { "TS_nll", "temperature", NULL, "T", "temperature", 1e-8 },
  { "platt_ovr_smoothed_targets", "platt", NULL, NULL, NULL, 0 },
  { "platt_ovr_01targets", "platt", "targets=plain", NULL, NULL, 0 },
  { "platt_top1", "platt", "targets=plain,scope=top-1", NULL, NULL, 0 },
  { "beta_ovr", "beta", NULL, NULL, NULL, 0 },
  { "beta_top1", "beta", "scope=top-1", NULL, NULL, 0 },
  { "isotonic_ovr_interp", "isotonic", NULL, NULL, NULL, 0 },
  { "isotonic_top1_interp", "isotonic", "scope=top-1", NULL, NULL, 0 },
  { "HB15_top1_eqsize", "histogram", NULL, NULL, NULL, 0 },
  { "HB15_top1_eqmass", "histogram", "edges=equal-mass", NULL, NULL, 0 },
  { "HB15_ovr_eqsize", "histogram", "scope=one-vs-rest", NULL, NULL, 0 },
  { "BBQ_top1", "bbq", NULL, NULL, NULL, 0 },
  { "spline6_natural_top1", "spline", NULL, NULL, NULL, 5e-6 },
  { "scaling_binning_top1_15", "scaling-binning", "targets=plain", NULL, NULL, 0 },
};

/* Our metric and the golden file's. */
static const struct {
  const char *ours, *golden;
} metrics[] = {
  { "accuracy", "accuracy" },
  { "confidence", "mean_conf" },
  { "ece", "ece15" },
  { "mce", "mce15" },
  { "aece", "aece15" },
  { "sce", "sce15" },
  { "brier", "brier" },
  { "nll", "nll" },
  { "entropy", "entropy" },
  { "auroc", "auroc" },
  { "brier-top1", "brier_top1" },
};

static void check(const char *file, const fit_case *f, const char *what, double value,
                  double expected, double slack) {
  if (!(fabs(value - expected) <= slack))
    fail_msg("%s: %s: %s is %.15g, expected %.15g", file, f->golden, what, value, expected);
}

static crd_predictions *open_half(crd_context *ctx, const char *file, const char *rows) {
  char path[600];
  crd_predictions *p = NULL;
  snprintf(path, sizeof path, "%s@%s", file, rows);
  if (crd_predictions_open(ctx, path, NULL, &p) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  return p;
}

static void check_fit(const char *file, const fit_case *f, const crd_calibrator *c,
                      const json_t *golden) {
  const crd_certificate *const certificate = crd_calibrator_certificate(c);
  const json_t *objective = json_object_get(golden, "cal_obj");
  if (!objective) objective = json_object_get(golden, "cal_obj_mean_over_classes");
  assert_true(certificate->converged);
  if (objective)
    check(file, f, "objective", certificate->objective, json_number_value(objective), 1e-9);
  for (size_t i = 0; f->scalar && crd_calibrator_learnt(c, i); i++)
    if (strcmp(crd_calibrator_learnt(c, i)->name, f->scalar) == 0)
      check(file, f, f->scalar, crd_calibrator_learnt(c, i)->values[0],
            json_number_value(json_object_get(golden, f->golden_scalar)), f->slack);
}

static void check_metrics(crd_context *ctx, const char *file, const fit_case *f,
                          const crd_predictions *calibrated, const json_t *golden) {
  crd_result *result = NULL;
  const json_t *expected = json_object_get(golden, "test");
  if (!expected) expected = json_object_get(golden, "test_top1");
  if (crd_evaluate(ctx, calibrated, &(crd_evaluate_options){ .metrics = "all" }, &result) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
    const json_t *const number = json_object_get(expected, metrics[i].golden);
    if (json_is_number(number))
      check(file, f, metrics[i].ours, value_of(result, metrics[i].ours), json_number_value(number),
            f->scalar || f->slack == 0 ? 1e-7 : f->slack);
  }
  crd_result_destroy(result);
}

static void check_file(crd_context *ctx, const char *file, const json_t *golden) {
  crd_predictions *const first = open_half(ctx, file, ":5000");
  crd_predictions *const second = open_half(ctx, file, "5000:");
  for (size_t i = 0; i < sizeof fits / sizeof *fits; i++) {
    crd_calibrator *c = NULL;
    crd_predictions *calibrated = NULL;
    const json_t *const section = json_object_get(golden, fits[i].golden);
    if (!section) continue; /* some are there for few classes only */
    if (crd_calibrator_fit(ctx, fits[i].method, fits[i].settings, first, &c) != CRD_OK ||
        crd_calibrator_calibrate(ctx, c, second, &calibrated) != CRD_OK)
      fail_msg("%s", crd_context_message(ctx));
    check_fit(file, &fits[i], c, section);
    check_metrics(ctx, file, &fits[i], calibrated, section);
    crd_predictions_destroy(calibrated);
    crd_calibrator_destroy(c);
  }
  crd_predictions_destroy(first);
  crd_predictions_destroy(second);
}

static void bundled_file(void **state) {
  json_error_t error;
  json_t *const golden = json_load_file(CREDENCE_SOURCE "/tests/golden/methods.json", 0, &error);
  if (!golden) fail_msg("%s", error.text);
  for (size_t i = 0; i < sizeof fits / sizeof *fits; i++)
    assert_non_null(json_object_get(golden, fits[i].golden));
  check_file(*state, CREDENCE_SOURCE "/examples/wideresnet-16-4-cifar-10.npz", golden);
  json_decref(golden);
}

static void files_of_the_same_kind(void **state) {
  const char *const folder = getenv("CREDENCE_SHARED");
  char path[600];
  json_error_t error;
  json_t *section;
  const char *name;
  snprintf(path, sizeof path, "%s/golden/golden.json",
           folder ? folder : CREDENCE_SOURCE "/../shared");
  if (access(path, R_OK) != 0) {
    if (getenv("CREDENCE_REQUIRE_DATA")) fail_msg("%s is required", path);
    printf("SKIP files_of_the_same_kind: golden.json is not there\n");
    return;
  }
  json_t *const golden = json_load_file(path, 0, &error);
  if (!golden) fail_msg("%s", error.text);
  json_object_foreach(json_object_get(golden, "files"), name, section) {
    snprintf(path, sizeof path, "%s/data/netcal/%s.npz",
             folder ? folder : CREDENCE_SOURCE "/../shared", name);
    check_file(*state, path, section);
  }
  json_decref(golden);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(bundled_file),
    cmocka_unit_test(files_of_the_same_kind),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
