/*
 * methods_test.c -- fits, and metrics of the calibrated test half, against independently computed
 * values.
 *
 * tests/golden/methods.json belongs to the bundled file and is checked everywhere; the other files
 * of this kind are looked for at CREDENCE_SHARED and skipped where absent.
 */
#include "support.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One fit: its name in the golden file, and our method. */
typedef struct {
  const char *golden, *method, *settings;
  /* A parameter: its golden name, our name, and the tolerance. */
  struct {
    const char *golden, *ours;
    double slack;
  } learnt[2];
  bool slow; /* takes seconds with many classes: on the smaller files only */
} fit_case;

#define TEMPERATURE(slack)                                                                         \
  {                                                                                                \
    { "T", "temperature", slack }                                                                  \
  }
#define ENSEMBLE                                                                                   \
  {                                                                                                \
    { "T", "temperature", 1e-8 }, { "w", "w", 1e-6 }                                               \
  }
#define MATRIX                                                                                     \
  {                                                                                                \
    { "diagW", "W", 1e-6 }, { "b", "b", 1e-6 }                                                     \
  }
static const fit_case fits[] = {
  { .golden = "TS_nll", .method = "temperature", .learnt = TEMPERATURE(1e-8) },
  { .golden = "TS_focal_g1", .method = "temperature-focal", .learnt = TEMPERATURE(1e-8) },
  { .golden = "TS_focal_g3",
    .method = "temperature-focal",
    .settings = "gamma=3",
    .learnt = TEMPERATURE(1e-8) },
  { .golden = "TS_ece_grid_0.01_10", .method = "temperature-ece", .learnt = TEMPERATURE(1e-12) },
  { .golden = "TS_ece_grid_0.001_5",
    .method = "temperature-ece",
    .settings = "grid=fine",
    .learnt = TEMPERATURE(1e-12),
    .slow = true },
  { .golden = "platt_ovr_smoothed_targets", .method = "platt" },
  { .golden = "platt_ovr_01targets", .method = "platt", .settings = "targets=plain" },
  { .golden = "platt_top1", .method = "platt", .settings = "targets=plain,scope=top-1" },
  { .golden = "beta_ovr", .method = "beta" },
  { .golden = "beta_top1", .method = "beta", .settings = "scope=top-1" },
  { .golden = "isotonic_ovr_interp", .method = "isotonic" },
  { .golden = "isotonic_top1_interp", .method = "isotonic", .settings = "scope=top-1" },
  { .golden = "HB15_top1_eqsize", .method = "histogram" },
  { .golden = "HB15_top1_eqmass", .method = "histogram", .settings = "edges=equal-mass" },
  { .golden = "HB15_ovr_eqsize", .method = "histogram", .settings = "scope=one-vs-rest" },
  { .golden = "BBQ_top1", .method = "bbq" },
  { .golden = "spline6_natural_top1", .method = "spline" },
  { .golden = "scaling_binning_top1_15", .method = "scaling-binning", .settings = "targets=plain" },
  { .golden = "VS", .method = "vector", .learnt = { { "w", "w", 1e-6 }, { "b", "b", 1e-6 } } },
  { .golden = "Dir_ODIR_0.01",
    .method = "dirichlet-odir",
    .settings = "lambda=0.01",
    .learnt = MATRIX },
  { .golden = "Dir_ODIR_1",
    .method = "dirichlet-odir",
    .settings = "lambda=1,mu=1",
    .learnt = MATRIX,
    .slow = true },
  { .golden = "Dir_ODIR_100", .method = "matrix-odir", .settings = "lambda=100", .learnt = MATRIX },
  { .golden = "Dir_unreg", .method = "matrix" },
  { .golden = "Dir_unreg", .method = "dirichlet-odir", .settings = "lambda=0", .slow = true },
  { .golden = "ETS_nll", .method = "ensemble-temperature", .learnt = ENSEMBLE },
  /* The golden T was found from values alone, whose rounding hides digits; ours uses the
   * derivative. */
  { .golden = "ETS_mse",
    .method = "ensemble-temperature",
    .settings = "loss=mse",
    .learnt = { { "T", "temperature", 1e-7 }, { "w", "w", 1e-6 } } },
};
#undef TEMPERATURE
#undef ENSEMBLE
#undef MATRIX

/* Our name of a metric and the golden file's. */
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

static const crd_learnt *find_learnt(const crd_calibrator *c, const char *name) {
  const crd_learnt *item;
  for (size_t i = 0; (item = crd_calibrator_learnt(c, i)) != NULL; i++)
    if (strcmp(item->name, name) == 0) return item;
  fail_msg("nothing called %s was learnt", name);
  return NULL;
}

/* A number, a list, or the diagonal of a matrix. */
static void check_learnt(const char *file, const fit_case *f, const crd_learnt *item,
                         const json_t *expected, double slack) {
  const size_t step = item->parts > 1 ? item->parts + 1 : 1, count = json_array_size(expected);
  if (json_is_number(expected))
    check(file, f, item->name, item->values[0], json_number_value(expected), slack);
  else assert_int_equal(count, item->parts > 1 ? item->parts : item->start[1]);
  for (size_t k = 0; k < count; k++)
    check(file, f, item->name, item->values[k * step],
          json_number_value(json_array_get(expected, k)), slack);
}

static void check_fit(const char *file, const fit_case *f, const crd_calibrator *c,
                      const json_t *golden) {
  static const char *const names[] = { "cal_obj", "cal_obj_mean_over_classes", "cal_ece15" };
  const crd_certificate *const certificate = crd_calibrator_certificate(c);
  assert_true(certificate->converged);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (json_object_get(golden, names[i]))
      check(file, f, "objective", certificate->objective,
            json_number_value(json_object_get(golden, names[i])), 1e-9);
  for (size_t i = 0; i < sizeof f->learnt / sizeof *f->learnt && f->learnt[i].ours; i++)
    check_learnt(file, f, find_learnt(c, f->learnt[i].ours),
                 json_object_get(golden, f->learnt[i].golden), f->learnt[i].slack);
}

static void check_metrics(crd_context *ctx, const char *file, const fit_case *f,
                          const crd_predictions *calibrated, const json_t *golden) {
  const crd_result *result = NULL;
  const json_t *expected = json_object_get(golden, "test");
  if (!expected) expected = json_object_get(golden, "test_top1");
  if (crd_evaluate(
          ctx, calibrated,
          &(crd_evaluate_options){ .size = sizeof(crd_evaluate_options), .metrics = "all" },
          &result) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
    const json_t *const number = json_object_get(expected, metrics[i].golden);
    if (json_is_number(number))
      check(file, f, metrics[i].ours, value_of(result, metrics[i].ours), json_number_value(number),
            1e-7);
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
    if (!section) continue; /* some exist for few classes only */
    if (fits[i].slow && crd_predictions_classes(first) > 10 && !getenv("CREDENCE_SLOW")) continue;
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
  char path[600];
  json_error_t error;
  json_t *section;
  const char *name;
  snprintf(path, sizeof path, "%s/golden/golden.json", shared_folder());
  if (!is_there("files_of_the_same_kind", path)) return;
  json_t *const golden = json_load_file(path, 0, &error);
  if (!golden) fail_msg("%s", error.text);
  json_object_foreach(json_object_get(golden, "files"), name, section) {
    snprintf(path, sizeof path, "%s/data/netcal/%s.npz", shared_folder(), name);
    if (is_there(name, path)) check_file(*state, path, section);
  }
  json_decref(golden);
}

/* Test losses that Kull et al. (2019) print for DenseNet-40 on CIFAR-10 logits. Theirs are averages
 * of five models trained with Adam, ours one model on all rows, hence the two percent. */
static void published_losses(void **state) {
  static const struct {
    const char *method;
    double loss;
  } published[] = { { "temperature", .225084 },
                    { "matrix-odir", .222400 },
                    { "dirichlet-odir", .223705 } };
  char path[600], part[620];
  crd_predictions *halves[2] = { NULL, NULL };
  snprintf(path, sizeof path, "%s/data/kull_densenet40_c10/densenet40_c10.npz", shared_folder());
  if (!is_there("published_losses", path)) return;
  for (size_t h = 0; h < 2; h++) {
    snprintf(part, sizeof part, "%s#%s", path, h ? "test" : "val");
    if (crd_predictions_open(*state, part, NULL, &halves[h]) != CRD_OK)
      fail_msg("%s", crd_context_message(*state));
  }
  for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
    crd_calibrator *c = NULL;
    crd_predictions *calibrated = NULL;
    const crd_result *result = NULL;
    const crd_evaluate_options what = { .size = sizeof what, .metrics = "nll" };
    if (crd_calibrator_fit(*state, published[i].method, NULL, halves[0], &c) != CRD_OK ||
        crd_calibrator_calibrate(*state, c, halves[1], &calibrated) != CRD_OK ||
        crd_evaluate(*state, calibrated, &what, &result) != CRD_OK)
      fail_msg("%s", crd_context_message(*state));
    if (!(fabs(value_of(result, "nll") / published[i].loss - 1) < .02))
      fail_msg("%s: %g, published is %g", published[i].method, value_of(result, "nll"),
               published[i].loss);
    crd_result_destroy(result);
    crd_predictions_destroy(calibrated);
    crd_calibrator_destroy(c);
  }
  crd_predictions_destroy(halves[0]);
  crd_predictions_destroy(halves[1]);
}

/* Under sanitizers the larger files take minutes; the release build runs them. */
#ifdef __SANITIZE_ADDRESS__
enum { TESTS = 1 };
#else
enum { TESTS = 3 };
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(bundled_file),
    cmocka_unit_test(files_of_the_same_kind),
    cmocka_unit_test(published_losses),
  };
  return _cmocka_run_group_tests("golden fits", tests, TESTS, open_context, close_context);
}
