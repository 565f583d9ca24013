/* memory_test.c -- every allocation fails once, for every entry of every table. */
#include "fault/sweep.h"

static crd_status measure(crd_context *ctx, const void *metrics) {
  crd_predictions *p = NULL;
  const crd_result *result = NULL;
  crd_status status = create(ctx, &p);
  if (status == CRD_OK)
    status =
        crd_evaluate(ctx, p,
                     &(crd_evaluate_options){
                         .size = sizeof(crd_evaluate_options), .metrics = metrics, .resamples = 3 },
                     &result);
  assert_true((status == CRD_OK) == (result != NULL));
  crd_result_destroy(result);
  crd_predictions_destroy(p);
  return status;
}

static crd_status merge(crd_context *ctx, const void *metrics) {
  const crd_evaluate_options options = { .size = sizeof options,
                                         .metrics = metrics,
                                         .resamples = 3 };
  crd_predictions *p = NULL;
  crd_evidence *a = NULL, *b = NULL;
  const crd_result *result = NULL;
  crd_status status = create(ctx, &p);
  if (status == CRD_OK) status = crd_evidence_create(ctx, &options, &a);
  if (status == CRD_OK) status = crd_evidence_create(ctx, &options, &b);
  if (status == CRD_OK) status = crd_evidence_add(ctx, a, p, 0);
  if (status == CRD_OK) status = crd_evidence_merge(ctx, b, a);
  if (status == CRD_OK) status = crd_evidence_add(ctx, b, p, 1000);
  if (status == CRD_OK) status = crd_evidence_judge(ctx, b, &result);
  if (status == CRD_OK) assert_int_equal(result->rows, 2 * data.rows);
  crd_result_destroy(result);
  crd_evidence_destroy(a);
  crd_evidence_destroy(b);
  crd_predictions_destroy(p);
  return status;
}

/* Without weights, which have no paired tests. */
static crd_status compare(crd_context *ctx, const void *metrics) {
  const crd_evaluate_options options = { .size = sizeof options,
                                         .metrics = metrics,
                                         .resamples = 3 };
  crd_predictions_parts parts = data_parts();
  crd_predictions *p = NULL;
  crd_evidence *a = NULL, *b = NULL;
  const crd_comparison *comparison = NULL;
  parts.weights = (crd_array){ 0 };
  crd_status status = crd_predictions_create(ctx, &parts, &p);
  if (status == CRD_OK) status = crd_evidence_gather(ctx, p, &options, 0, &a);
  if (status == CRD_OK) status = crd_evidence_gather(ctx, p, &options, 0, &b);
  if (status == CRD_OK) status = crd_evidence_compare(ctx, a, b, &comparison);
  assert_true((status == CRD_OK) == (comparison != NULL));
  crd_comparison_destroy(comparison);
  crd_evidence_destroy(a);
  crd_evidence_destroy(b);
  crd_predictions_destroy(p);
  return status;
}

static crd_status save_and_load(crd_context *ctx, const void *metrics) {
  crd_predictions *p = NULL;
  crd_evidence *saved = NULL, *loaded = NULL;
  crd_output *output = NULL;
  crd_status status = create(ctx, &p);
  if (status == CRD_OK)
    status = crd_evidence_gather(ctx, p,
                                 &(crd_evaluate_options){ .size = sizeof(crd_evaluate_options),
                                                          .metrics = metrics,
                                                          .resamples = 3 },
                                 7, &saved);
  if (status == CRD_OK) status = crd_output_open(ctx, folder_file, &output);
  if (status == CRD_OK) status = crd_evidence_save(ctx, saved, output);
  if (status == CRD_OK) status = crd_output_commit(ctx, output);
  else crd_output_discard(output);
  if (status == CRD_OK) status = crd_evidence_load(ctx, folder_file, &loaded);
  assert_true((status == CRD_OK) == (loaded != NULL));
  crd_evidence_destroy(saved);
  crd_evidence_destroy(loaded);
  crd_predictions_destroy(p);
  return status;
}

static crd_status ask_peer(crd_context *ctx, const void *peer) {
  crd_predictions *p = NULL;
  const crd_compat_table *table = NULL;
  crd_status status = create(ctx, &p);
  if (status == CRD_OK) status = crd_compat(ctx, p, peer, 0, &table);
  assert_true((status == CRD_OK) == (table != NULL));
  crd_compat_destroy(table);
  crd_predictions_destroy(p);
  return status;
}

static void peers_survive(void **state) {
  (void)state;
  for (size_t i = 0; i < crd_peer_count(); i++)
    sweep(ask_peer, crd_peer_at(i)->name, crd_peer_at(i)->name);
}

static void metrics_survive(void **state) {
  (void)state;
  for (size_t i = 0; i < crd_metric_count(); i++)
    sweep(measure, crd_metric_at(i)->name, crd_metric_at(i)->name);
  sweep(measure, "all", "all metrics");
  sweep(merge, "all", "merging");
  sweep(compare, "all", "a comparison");
  sweep(save_and_load, "all", "a state");
  unlink(folder_file);
}

/* ---- Calibrators: a fit, applying into files, every export; also with scope=top-1. */

typedef struct {
  const char *method, *settings, *file, *format; /* a file to apply into, or a format to export */
} calibration;                                   /* neither: exported into a model */

static const char model[] = CREDENCE_SOURCE "/tests/cli/data/linear.onnx";

static crd_status use(crd_context *ctx, const calibration *what, const crd_calibrator *c,
                      const crd_predictions *p) {
  crd_output *output = NULL;
  if (what->file) return crd_calibrator_apply_to(ctx, c, p, CRD_F32, what->file);
  crd_status status = crd_output_open(ctx, folder_file, &output);
  if (status == CRD_OK && what->format)
    status = crd_calibrator_export(ctx, c, what->format, output);
  else if (status == CRD_OK) status = crd_calibrator_export_into(ctx, c, model, NULL, output);
  if (status == CRD_OK) return crd_output_commit(ctx, output);
  crd_output_discard(output);
  return status == CRD_EUSAGE ? CRD_OK
                              : status; /* not exportable: conform/export_test.c lists those */
}

static crd_status calibrate(crd_context *ctx, const void *what) {
  const calibration *const c = what;
  crd_predictions *p = NULL;
  crd_calibrator *calibrator = NULL;
  crd_status status = create(ctx, &p);
  if (status == CRD_OK) status = crd_calibrator_fit(ctx, c->method, c->settings, p, &calibrator);
  assert_true((status == CRD_OK) == (calibrator != NULL));
  if (status == CRD_OK) status = use(ctx, c, calibrator, p);
  crd_calibrator_destroy(calibrator);
  crd_predictions_destroy(p);
  return status;
}

static void sweep_method(const crd_method_info *method, const char *settings) {
  static const char *const names[] = { "cal.npz", "cal.csv", "cal.safetensors" };
  /* Writers and exports are shared by all methods: one method tries every one of them. */
  const bool all = strcmp(method->name, "platt") == 0;
  for (size_t i = 0; i < (all ? sizeof names / sizeof *names : 1); i++) {
    char path[256];
    const calibration c = { method->name, settings, temporary_path(path, names[i]), NULL };
    sweep(calibrate, &c, names[i]);
    unlink(path);
  }
  for (size_t i = 0; i < (all ? crd_export_count() : 1); i++) {
    const calibration c = { method->name, settings, NULL, crd_export_at(i)->name };
    sweep(calibrate, &c, c.format);
  }
  const calibration into = { .method = method->name, .settings = settings };
  if (all) sweep(calibrate, &into, "a model");
  unlink(folder_file);
}

/* Floating-point logits are fitted in place; others are copied first. */
static crd_status fit_copies(crd_context *ctx, const void *method) {
  static int16_t scores[256];
  crd_predictions_parts parts = data_parts();
  crd_predictions *p = NULL;
  crd_calibrator *calibrator = NULL;
  assert_true(data.rows * data.classes <= sizeof scores / sizeof *scores);
  for (size_t i = 0; i < data.rows * data.classes; i++) scores[i] = (int16_t)(2 * data.scores[i]);
  parts.scores = crd_array_matrix(scores, CRD_I16, data.rows, data.classes);
  parts.input = CRD_INPUT_LOGITS;
  crd_status status = crd_predictions_create(ctx, &parts, &p);
  if (status == CRD_OK) status = crd_calibrator_fit(ctx, method, NULL, p, &calibrator);
  crd_calibrator_destroy(calibrator);
  crd_predictions_destroy(p);
  return status;
}

static void calibrators_survive(void **state) {
  (void)state;
  for (size_t i = 0; i < crd_method_count(); i++) {
    const crd_method_info *const method = crd_method_at(i);
    sweep_method(method, NULL);
    sweep(fit_copies, method->name, method->name);
    if (method->setting_count && strcmp(method->settings[0].name, "scope") == 0)
      sweep_method(method, "scope=top-1");
  }
  sweep_method(crd_method_find("temperature"), "compat=gpleiss50");
  sweep_method(crd_method_find("temperature"), "compat=netcal");
  sweep_method(crd_method_find("dirichlet-odir"), "compat=kull2019,lambda=1");
  sweep_method(crd_method_find("matrix-odir"), "compat=neural-clamping,lambda=1");
}

/* Diagnoses scores, or confidences with correctness; `form` is the output format. */
static crd_status examine(crd_context *ctx, crd_predictions_parts parts, const char *form) {
  crd_predictions *p = NULL;
  const crd_diagnosis *diagnosis = NULL;
  crd_output *output = NULL;
  crd_status status = crd_predictions_create(ctx, &parts, &p);
  if (status == CRD_OK) {
    status = crd_diagnose(ctx, p, &diagnosis);
    assert_true((status == CRD_OK) == (diagnosis != NULL));
  }
  if (status == CRD_OK) status = crd_output_open(ctx, folder_file, &output);
  if (status == CRD_OK) status = crd_diagnosis_write(ctx, diagnosis, form, NULL, output);
  if (status == CRD_OK) status = crd_output_commit(ctx, output);
  else crd_output_discard(output);
  crd_diagnosis_destroy(diagnosis);
  crd_predictions_destroy(p);
  return status;
}

static crd_status diagnose(crd_context *ctx, const void *form) {
  return examine(ctx, data_parts(), form);
}

static crd_status diagnose_pairs(crd_context *ctx, const void *form) {
  static const double confidence[] = { 0.5, 0.75, 1, 0.25 }, correct[] = { 0, 1, 1, 2 };
  return examine(ctx,
                 (crd_predictions_parts){ .size = sizeof(crd_predictions_parts),
                                          .scores = crd_array_matrix(confidence, CRD_F64, 4, 1),
                                          .correct = crd_array_matrix(correct, CRD_F64, 4, 1),
                                          .input = CRD_INPUT_PAIRS },
                 form);
}

static void diagnoses_survive(void **state) {
  (void)state;
  sweep(diagnose, "text", "a diagnosis");
  sweep(diagnose, "json", "a diagnosis as JSON");
  sweep(diagnose_pairs, "text", "a diagnosis of pairs");
  unlink(folder_file);
}

static crd_status split(crd_context *ctx, const void *kind) {
  unsigned fold[64];
  crd_predictions *p = NULL;
  crd_predictions_parts parts = data_parts();
  parts.groups = parts.labels;
  crd_status status = crd_predictions_create(ctx, &parts, &p);
  if (status == CRD_OK) status = crd_predictions_split(ctx, p, *(const crd_split *)kind, 2, fold);
  crd_predictions_destroy(p);
  return status;
}

static void splits_survive(void **state) {
  (void)state;
  static const crd_split kinds[] = { CRD_SPLIT_ROWS, CRD_SPLIT_CLASSES, CRD_SPLIT_GROUPS };
  for (size_t i = 0; i < 3; i++) sweep(split, &kinds[i], "a split");
}

/* Makes one part of a profile, of rows in named groups. */
static crd_status look_closer(crd_context *ctx, const void *part) {
  static const char *const names[] = { "zero", "one", "two" };
  const crd_profile_options options = { .size = sizeof options,
                                        .parts = *(const unsigned *)part,
                                        .resamples = 3 };
  crd_predictions_parts parts = data_parts();
  crd_predictions *p = NULL;
  const crd_profile *profile = NULL;
  parts.groups = parts.labels;
  parts.group_names = names;
  parts.group_name_count = 3;
  crd_status status = crd_predictions_create(ctx, &parts, &p);
  if (status == CRD_OK) status = crd_profile_make(ctx, p, &options, &profile);
  assert_true((status == CRD_OK) == (profile != NULL));
  crd_profile_destroy(profile);
  crd_predictions_destroy(p);
  return status;
}

static void profiles_survive(void **state) {
  (void)state;
  for (unsigned part = 1; part < CRD_PROFILE_ALL; part *= 2) sweep(look_closer, &part, "a profile");
}

/* Fits, saves, loads and applies a method. */
static crd_status keep(crd_context *ctx, const void *method) {
  crd_predictions *p = NULL, *calibrated = NULL;
  crd_calibrator *c = NULL, *loaded = NULL;
  crd_output *output = NULL;
  crd_status status = create(ctx, &p);
  if (status == CRD_OK) status = crd_calibrator_fit(ctx, method, NULL, p, &c);
  assert_true((status == CRD_OK) == (c != NULL));
  if (status == CRD_OK) status = crd_output_open(ctx, folder_file, &output);
  if (status == CRD_OK) status = crd_calibrator_save(ctx, c, output);
  if (status == CRD_OK) status = crd_output_commit(ctx, output);
  else crd_output_discard(output);
  if (status == CRD_OK) status = crd_calibrator_load(ctx, folder_file, &loaded);
  if (status == CRD_OK) status = crd_calibrator_calibrate(ctx, loaded, p, &calibrated);
  crd_predictions_destroy(calibrated);
  crd_calibrator_destroy(loaded);
  crd_calibrator_destroy(c);
  crd_predictions_destroy(p);
  return status;
}

static void methods_survive(void **state) {
  (void)state;
  for (size_t i = 0; i < crd_method_count(); i++)
    sweep(keep, crd_method_at(i)->name, crd_method_at(i)->name);
  unlink(folder_file);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(metrics_survive),  cmocka_unit_test(diagnoses_survive),
    cmocka_unit_test(splits_survive),   cmocka_unit_test(methods_survive),
    cmocka_unit_test(peers_survive),    cmocka_unit_test(calibrators_survive),
    cmocka_unit_test(profiles_survive),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
