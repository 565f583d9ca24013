/*
 * methods_test.c -- properties of every calibration method. An entry of the table is tested as soon
 * as it is listed.
 */
#include "support.h"

#include "calibrator/calibrator.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 600 };

/* Kinds of data: logits of few and many classes, two classes, weights, pairs. */
typedef struct {
  const char *name;
  test_recipe recipe;
  bool pairs;
} kind;

static const kind kinds[] = {
  { "three classes", { ROWS, 3, 1, 2, .7, 0, false, false }, false },
  { "weights and ties", { ROWS, 4, 2, 2, .6, 150, true, false }, false },
  { "two classes", { ROWS, 2, 3, 2, .7, 0, false, false }, false },
  { "pairs", { ROWS, 3, 4, 2, .7, 0, true, false }, true },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

typedef struct {
  test_data data;
  double confidence[ROWS];
  unsigned char correct[ROWS];
  crd_predictions *predictions;
} fixture;

static void set_up(crd_context *ctx, const kind *k, fixture *f) {
  f->data = make_data(k->recipe);
  crd_predictions_parts parts = { .size = sizeof parts,
                                  .scores = crd_array_matrix(f->data.scores, CRD_F64, ROWS,
                                                             k->recipe.classes),
                                  .labels = crd_array_matrix(f->data.labels, CRD_I64, ROWS, 1),
                                  .features = data_features(&f->data),
                                  .input = CRD_INPUT_LOGITS };
  if (f->data.weights) parts.weights = crd_array_matrix(f->data.weights, CRD_F64, ROWS, 1);
  if (k->pairs) {
    for (size_t i = 0; i < ROWS; i++) {
      f->confidence[i] = (double)(i * 7919 % 997 + 1) / 999;
      f->correct[i] = i * 31 % 100 < 100 * f->confidence[i] * f->confidence[i];
    }
    parts.scores = crd_array_matrix(f->confidence, CRD_F64, ROWS, 1);
    parts.correct = crd_array_matrix(f->correct, CRD_U8, ROWS, 1);
    parts.labels.data = NULL;
    parts.input = CRD_INPUT_PAIRS;
  }
  if (crd_predictions_create(ctx, &parts, &f->predictions) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
}

static void tear_down(fixture *f) {
  crd_predictions_destroy(f->predictions);
  free_data(&f->data);
}

static crd_calibrator *fit(crd_context *ctx, const char *method, const crd_predictions *p) {
  crd_calibrator *c = NULL;
  if (crd_calibrator_fit(ctx, method, NULL, p, &c) != CRD_OK)
    fail_msg("%s: %s", method, crd_context_message(ctx));
  return c;
}

/* Returns ROWS x classes probabilities (ROWS for pairs); the caller frees them. */
static double *apply(crd_context *ctx, const crd_calibrator *c, const crd_predictions *p) {
  double *const out = calloc(ROWS * (c->classes ? c->classes : 1), sizeof *out);
  if (crd_calibrator_apply(ctx, c, p, 0, ROWS, out, NULL, NULL) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  return out;
}

/* For each method and each kind of data. */
static void each(crd_context *ctx,
                 void (*check)(crd_context *ctx, const char *method, const fixture *f)) {
  for (size_t m = 0; m < crd_method_count(); m++)
    for (size_t k = 0; k < KINDS; k++) {
      fixture f = { 0 };
      set_up(ctx, &kinds[k], &f);
      check(ctx, crd_method_at(m)->name, &f);
      tear_down(&f);
    }
}

static void check_probabilities(crd_context *ctx, const char *method, const fixture *f) {
  crd_calibrator *const c = fit(ctx, method, f->predictions);
  const size_t classes = c->classes ? c->classes : 1;
  double *const out = apply(ctx, c, f->predictions);
  for (size_t i = 0; i < ROWS; i++) {
    double sum = 0;
    for (size_t k = 0; k < classes; k++) {
      if (!(out[i * classes + k] >= 0 && out[i * classes + k] <= 1 + 1e-12))
        fail_msg("%s: row %zu, class %zu is %g", method, i, k, out[i * classes + k]);
      sum += out[i * classes + k];
    }
    if (classes > 1 && !near(sum, 1, 1e-12)) fail_msg("%s: row %zu sums to %g", method, i, sum);
  }
  free(out);
  crd_calibrator_destroy(c);
}

static void probabilities_are_probabilities(void **state) { each(*state, check_probabilities); }

/* The certificate is complete, and the parameters have the shape that the table declares. */
static void check_certificate(crd_context *ctx, const char *method, const fixture *f) {
  crd_calibrator *const c = fit(ctx, method, f->predictions);
  const crd_certificate *const certificate = crd_calibrator_certificate(c);
  if (!certificate->converged) fail_msg("%s did not converge", method);
  if (crd__calibrator_learnt_check(ctx, c) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  assert_non_null(certificate->note);
  assert_non_null(certificate->bounds);
  if (crd_method_find(method)->keeps_argmax) assert_int_equal(certificate->argmax_changes, 0);
  crd_calibrator_destroy(c);
}

static void certificates_are_complete(void **state) { each(*state, check_certificate); }

static void check_threads(crd_context *ctx, const char *method, const fixture *f) {
  double *outs[2];
  const size_t classes = crd_predictions_classes(f->predictions);
  for (unsigned t = 0; t < 2; t++) {
    crd_context_set_threads(ctx, t ? 3 : 1);
    crd_calibrator *const c = fit(ctx, method, f->predictions);
    outs[t] = apply(ctx, c, f->predictions);
    crd_calibrator_destroy(c);
  }
  crd_context_set_threads(ctx, 0);
  assert_memory_equal(outs[0], outs[1], ROWS * (classes ? classes : 1) * sizeof *outs[0]);
  free(outs[0]);
  free(outs[1]);
}

static void threads_change_no_bit(void **state) { each(*state, check_threads); }

static crd_calibrator *through_a_file(crd_context *ctx, const crd_calibrator *c) {
  char path[256];
  crd_output *output = NULL;
  crd_calibrator *loaded = NULL;
  temporary_path(path, "calibrator.json");
  if (crd_output_open(ctx, path, &output) != CRD_OK ||
      crd_calibrator_save(ctx, c, output) != CRD_OK || crd_output_commit(ctx, output) != CRD_OK ||
      crd_calibrator_load(ctx, path, &loaded) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  unlink(path);
  return loaded;
}

static void check_file(crd_context *ctx, const char *method, const fixture *f) {
  crd_calibrator *const c = fit(ctx, method, f->predictions), *const d = through_a_file(ctx, c);
  double *const before = apply(ctx, c, f->predictions), *const after =
                                                            apply(ctx, d, f->predictions);
  assert_memory_equal(before, after, ROWS * (c->classes ? c->classes : 1) * sizeof *before);
  assert_int_equal(c->rows, d->rows);
  assert_true(same_bits(c->fit.certificate.objective, d->fit.certificate.objective));
  assert_string_equal(c->fit.certificate.note, d->fit.certificate.note);
  free(before);
  free(after);
  crd_calibrator_destroy(c);
  crd_calibrator_destroy(d);
}

static void files_change_no_bit(void **state) { each(*state, check_file); }

/* A row's result does not depend on other rows: alone or after others, it is the same. */
static void check_rows(crd_context *ctx, const char *method, const fixture *f) {
  crd_calibrator *const c = fit(ctx, method, f->predictions);
  const size_t classes = c->classes ? c->classes : 1;
  double *const all = apply(ctx, c, f->predictions), some[3 * 8];
  if (crd_calibrator_apply(ctx, c, f->predictions, 97, 3, some, NULL, NULL) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  assert_memory_equal(some, all + 97 * classes, 3 * classes * sizeof *some);
  free(all);
  crd_calibrator_destroy(c);
}

static void rows_stand_alone(void **state) { each(*state, check_rows); }

/* Calibrated predictions can be evaluated like any, and keep labels and weights. */
static void check_evaluation(crd_context *ctx, const char *method, const fixture *f) {
  crd_calibrator *const c = fit(ctx, method, f->predictions);
  crd_predictions *calibrated = NULL;
  const crd_result *before = NULL, *after = NULL;
  const crd_evaluate_options what = { .size = sizeof what, .metrics = "accuracy,ece,nll,auroc" };
  if (crd_calibrator_calibrate(ctx, c, f->predictions, &calibrated) != CRD_OK ||
      crd_evaluate(ctx, f->predictions, &what, &before) != CRD_OK ||
      crd_evaluate(ctx, calibrated, &what, &after) != CRD_OK)
    fail_msg("%s: %s", method, crd_context_message(ctx));
  assert_int_equal(before->weighted, after->weighted);
  if (crd_method_find(method)->keeps_argmax || crd_calibrator_is_top(c))
    assert_true(same_bits(value_of(before, "accuracy"), value_of(after, "accuracy")));
  crd_result_destroy(before);
  crd_result_destroy(after);
  crd_predictions_destroy(calibrated);
  crd_calibrator_destroy(c);
}

static void results_can_be_evaluated(void **state) { each(*state, check_evaluation); }

/* Every entry of the table has its texts, and its settings can be parsed. */
static void rows_are_complete(void **state) {
  (void)state;
  for (size_t m = 0; m < crd_method_count(); m++) {
    const crd_method_info *const info = crd_method_at(m);
    assert_true(*info->name && *info->summary && *info->meaning && *info->reference);
    assert_ptr_equal(crd_method_find(info->name), info);
    const crd__calibrator_event_method *const event = crd__calibrator_method_at(m)->event;
    assert_true(!info->needs_features == !(event && event->apply_features));
    if (event && !info->needs_features) assert_string_equal(info->settings[0].name, "scope");
    for (size_t s = 0; s < info->setting_count; s++)
      assert_true(*info->settings[s].help && *info->settings[s].standard);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(rows_are_complete),         cmocka_unit_test(probabilities_are_probabilities),
    cmocka_unit_test(certificates_are_complete), cmocka_unit_test(threads_change_no_bit),
    cmocka_unit_test(files_change_no_bit),       cmocka_unit_test(rows_stand_alone),
    cmocka_unit_test(results_can_be_evaluated),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
