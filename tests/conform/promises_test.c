/*
 * promises_test.c -- promises of every calibration method: rows may come in any order, classes may
 * be renumbered, contexts may come and go, and values out of range are errors.
 */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 300, CLASSES = 3 };

/* Without ties, whose order may matter. */
static test_data sample(void) {
  return make_data((test_recipe){ .rows = ROWS,
                                  .classes = CLASSES,
                                  .seed = 21,
                                  .spread = 2,
                                  .accuracy = .7,
                                  .weighted = true });
}

static const char *settings_for(const crd_method_info *method) {
  return strstr(method->name, "-odir") ? "lambda=0.1" : NULL;
}

static crd_calibrator *fit(crd_context *ctx, const crd_method_info *method, const test_data *data) {
  crd_predictions *const p = data_predictions(ctx, data, 0, ROWS);
  crd_calibrator *c = NULL;
  if (crd_calibrator_fit(ctx, method->name, settings_for(method), p, &c) != CRD_OK)
    fail_msg("%s: %s", method->name, crd_context_message(ctx));
  crd_predictions_destroy(p);
  return c;
}

static void apply(crd_context *ctx, const crd_calibrator *c, const test_data *data, double *out) {
  crd_predictions *const p = data_predictions(ctx, data, 0, ROWS);
  if (crd_calibrator_apply(ctx, c, p, 0, ROWS, out, NULL, NULL) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  crd_predictions_destroy(p);
}

/* The same rows in another order, or the same classes renumbered. */
static test_data rearrange(const test_data *data, bool rows, bool classes) {
  test_data out = sample();
  const size_t width = TEST_FEATURES;
  for (size_t i = 0; i < ROWS; i++) {
    const size_t from = rows ? i * 7 % ROWS : i; /* 7 and ROWS are coprime */
    for (size_t k = 0; k < CLASSES; k++)
      out.scores[i * CLASSES + k] =
          data->scores[from * CLASSES + (classes ? (k + 1) % CLASSES : k)];
    out.labels[i] = classes ? (data->labels[from] + CLASSES - 1) % CLASSES : data->labels[from];
    out.weights[i] = data->weights[from];
    memcpy(out.features + i * width, data->features + from * width, width * sizeof *out.features);
  }
  return out;
}

/* Fitted on rearranged data, a method gives each row the same result. */
static void check_arrangement(crd_context *ctx, bool rows, bool classes) {
  double before[ROWS * CLASSES], after[ROWS * CLASSES];
  test_data data = sample(), other = rearrange(&data, rows, classes);
  for (size_t m = 0; m < crd_method_count(); m++) {
    crd_calibrator *const a = fit(ctx, crd_method_at(m), &data);
    crd_calibrator *const b = fit(ctx, crd_method_at(m), &other);
    apply(ctx, a, &data, before);
    apply(ctx, b, &other, after);
    for (size_t i = 0; i < ROWS; i++)
      for (size_t k = 0; k < CLASSES; k++) {
        const size_t row = rows ? i * 7 % ROWS : i, class = classes ? (k + 1) % CLASSES : k;
        const double expected = before[row * CLASSES + class], found = after[i * CLASSES + k];
        if (!near(found, expected, 1e-9))
          fail_msg("%s: row %zu, class %zu is %.17g, %.17g in the other order",
                   crd_method_at(m)->name, row, class, expected, found);
      }
    crd_calibrator_destroy(a);
    crd_calibrator_destroy(b);
  }
  free_data(&data);
  free_data(&other);
}

static void row_order_does_not_matter(void **state) { check_arrangement(*state, true, false); }
static void names_of_classes_do_not_matter(void **state) { check_arrangement(*state, false, true); }

/* A calibrator outlives the context it was made with, and frees its memory through that allocator.
 */
static void contexts_come_and_go(void **state) {
  test_data data = sample();
  double out[ROWS * CLASSES], again[ROWS * CLASSES];
  for (size_t m = 0; m < crd_method_count(); m++) {
    test_allocator memory = { .fail_at = -1 };
    const crd_allocator counting = failing_allocator(&memory);
    crd_context *ctx = NULL;
    assert_int_equal(crd_context_create(&counting, &ctx), CRD_OK);
    crd_calibrator *const c = fit(ctx, crd_method_at(m), &data);
    apply(ctx, c, &data, out);
    crd_context_destroy(ctx);
    apply(*state, c, &data, again);
    assert_memory_equal(out, again, sizeof out);
    crd_calibrator_destroy(c);
    if (memory.live != 0) fail_msg("%s: %ld blocks are left", crd_method_at(m)->name, memory.live);
  }
  free_data(&data);
}

/* ---- Invalid input. */

static void refuses(crd_context *ctx, const char *method, const char *settings,
                    const crd_predictions *p, crd_status expected) {
  crd_calibrator *c = NULL;
  const crd_status status = crd_calibrator_fit(ctx, method, settings, p, &c);
  if (status != expected || c)
    fail_msg("%s(%s): status %d, expected %d", method, settings ? settings : "", status, expected);
  assert_true(strlen(crd_context_message(ctx)) > 10);
}

static void check_setting(crd_context *ctx, const char *method, const crd_setting_info *s,
                          const crd_predictions *p) {
  char text[128];
  snprintf(text, sizeof text, "%s=%s", s->name, s->standard);
  crd_calibrator *c = NULL;
  if (crd_calibrator_fit(ctx, method, text, p, &c) != CRD_OK)
    fail_msg("%s: %s", method, crd_context_message(ctx));
  crd_calibrator_destroy(c);
  snprintf(text, sizeof text, "%s=no-such-word", s->name);
  refuses(ctx, method, text, p, CRD_EUSAGE);
  snprintf(text, sizeof text, "%s=nan", s->name);
  refuses(ctx, method, text, p, CRD_EUSAGE);
  if (!(s->high > s->low)) return;
  snprintf(text, sizeof text, "%s=%.17g", s->name, s->low - 1);
  refuses(ctx, method, text, p, CRD_EUSAGE);
  snprintf(text, sizeof text, "%s=%.17g", s->name, s->high * 2 + 1);
  refuses(ctx, method, text, p, CRD_EUSAGE);
  snprintf(text, sizeof text, "%s=%.17g", s->name, floor(s->low) + .5);
  if (s->whole) refuses(ctx, method, text, p, CRD_EUSAGE);
}

static void settings_out_of_range_are_refused(void **state) {
  test_data data = sample();
  crd_predictions *const p = data_predictions(*state, &data, 0, ROWS);
  for (size_t m = 0; m < crd_method_count(); m++)
    for (size_t s = 0; s < crd_method_at(m)->setting_count; s++)
      check_setting(*state, crd_method_at(m)->name, &crd_method_at(m)->settings[s], p);
  crd_predictions_destroy(p);
  free_data(&data);
}

/* Making the predictions fails, or the fit does. */
static void refuses_data(crd_context *ctx, const char *method, const test_data *data,
                         const char *place) {
  const crd_predictions_parts parts = {
    .size = sizeof parts,
    .scores = crd_array_matrix(data->scores, CRD_F64, ROWS, CLASSES),
    .labels = crd_array_matrix(data->labels, CRD_I64, ROWS, 1),
    .weights = crd_array_matrix(data->weights, CRD_F64, ROWS, 1),
    .features = crd_array_matrix(data->features, CRD_F64, ROWS, TEST_FEATURES),
    .input = CRD_INPUT_LOGITS,
  };
  crd_predictions *p = NULL;
  const crd_status status = crd_predictions_create(ctx, &parts, &p);
  if (status == CRD_OK) refuses(ctx, method, NULL, p, CRD_EINPUT);
  else assert_int_equal(status, CRD_EINPUT);
  if (!strstr(crd_context_message(ctx), place))
    fail_msg("%s: '%s' does not name %s", method, crd_context_message(ctx), place);
  crd_predictions_destroy(p);
}

static void bad_data_are_refused(void **state) {
  for (size_t m = 0; m < crd_method_count(); m++) {
    const char *const method = crd_method_at(m)->name;
    test_data data = sample();
    data.scores[31 * CLASSES + 1] = (double)NAN;
    refuses_data(*state, method, &data, "row 31");
    data.scores[31 * CLASSES + 1] = 0;
    data.labels[47] = CLASSES;
    refuses_data(*state, method, &data, "row 47");
    data.labels[47] = 0;
    data.weights[59] = -1;
    refuses_data(*state, method, &data, "row 59");
    free_data(&data);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(row_order_does_not_matter),
    cmocka_unit_test(names_of_classes_do_not_matter),
    cmocka_unit_test(contexts_come_and_go),
    cmocka_unit_test(settings_out_of_range_are_refused),
    cmocka_unit_test(bad_data_are_refused),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
