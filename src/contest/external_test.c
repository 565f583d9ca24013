/* external_test.c -- methods that are not in the table: listed, fitted, compared, reported. */
#include "contest/testing.h"

#include "contest/contest.h"

#include <string.h>

/* Divides the logits of the test rows by a fixed number. */
typedef struct {
  const crd_predictions *test;
  const sample *rows;
  double *scaled;
  double divisor;
  crd_status outcome;
  size_t parameters;
  unsigned checks, fits;
} divider;

static crd_status divider_check(void *self, crd_context *ctx, const char *settings) {
  divider *const d = self;
  d->checks++;
  if (!settings || strcmp(settings, "by=2") == 0) return CRD_OK;
  return crd__fail(ctx, CRD_EUSAGE, "divider has no setting '%s'", settings);
}

static crd_status divider_fit(void *self, crd_context *ctx, const char *settings,
                              crd_external_fit *out) {
  static const size_t start[] = { 0, 1 };
  divider *const d = self;
  static double by;
  static crd_learnt learnt = { .name = "divisor", .parts = 1, .start = start, .values = &by };
  const size_t rows = crd_predictions_rows(d->test);
  d->fits++;
  if (d->outcome != CRD_OK) return crd__fail(ctx, d->outcome, "divider: nothing to divide");
  by = settings ? 2 : d->divisor;
  for (size_t i = 0; i < rows * CLASSES; i++) d->scaled[i] = d->rows->scores[i] / by;
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores =
                                            crd_array_matrix(d->scaled, CRD_F64, rows, CLASSES),
                                        .labels =
                                            crd_array_matrix(d->rows->labels, CRD_I64, rows, 1),
                                        .input = CRD_INPUT_LOGITS };
  out->certificate = (crd_certificate){ .converged = 1, .bounds = "", .note = "" };
  out->learnt_count = 1;
  out->learnt = &learnt;
  out->parameters = d->parameters;
  return crd_predictions_create(ctx, &parts, &out->calibrated);
}

enum { ROWS = 1500 };

typedef struct {
  sample calibrate, test;
  divider divider;
  crd_external_method method;
} table;

static table lay(crd_context *ctx) {
  table t = { .calibrate = make(ctx, (recipe){ ROWS, 1, 2.5, 0, 0 }),
              .test = make(ctx, (recipe){ ROWS, 101, 2.5, 0, 0 }) };
  t.divider = (divider){ .test = t.test.predictions,
                         .scaled = calloc((size_t)ROWS * CLASSES, sizeof(double)),
                         .divisor = 2.5 };
  t.method = (crd_external_method){ .name = "divider",
                                    .standard = "divider,divider(by=2)",
                                    .check = divider_check,
                                    .fit = divider_fit };
  return t;
}

static void clear(table *t) {
  drop(&t->calibrate);
  drop(&t->test);
  free(t->divider.scaled);
}

static crd_status hold(crd_context *ctx, table *t, const char *methods, const crd_contest **out) {
  t->divider.rows = &t->test;
  t->method.self = &t->divider;
  const crd_contest_options options = { .size = sizeof options,
                                        .methods = methods,
                                        .resamples = 40,
                                        .external = &t->method,
                                        .external_count = 1 };
  return crd_contest_run(ctx, t->calibrate.predictions, t->test.predictions, &options, out);
}

/* It equals temperature scaling with that temperature, and can be chosen. */
static void external_methods_take_part(void **state) {
  crd_context *const ctx = *state;
  table t = lay(ctx);
  const crd_contest *c;
  if (hold(ctx, &t, "temperature-fixed(temperature=2.5),divider", &c) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  assert_int_equal(c->count, 3);
  const crd_candidate *const fixed = &c->candidates[1], *const divided = &c->candidates[2];
  assert_string_equal(divided->name, "divider");
  assert_null(divided->method);
  assert_null(divided->calibrator);
  assert_true(divided->certificate->converged);
  assert_int_equal(divided->learnt_count, 1);
  assert_true(divided->learnt[0].values[0] == 2.5);
  for (size_t m = 0; m < fixed->result->value_count; m++)
    assert_true(near(fixed->result->values[m].value, divided->result->values[m].value, 1e-12));
  assert_non_null(divided->against_identity);
  crd_contest_destroy(c);
  clear(&t);
}

/* Rows of the same patient are resampled together, though the method knows no patients. */
static void clusters_are_those_of_the_test(void **state) {
  crd_context *const ctx = *state;
  table t = lay(ctx);
  int64_t patients[ROWS];
  const crd_contest *c;
  for (size_t i = 0; i < ROWS; i++) patients[i] = (int64_t)(i / 50);
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores =
                                            crd_array_matrix(t.test.scores, CRD_F64, ROWS, CLASSES),
                                        .labels = crd_array_matrix(t.test.labels, CRD_I64, ROWS, 1),
                                        .groups = crd_array_matrix(patients, CRD_I64, ROWS, 1),
                                        .cluster = "groups",
                                        .input = CRD_INPUT_LOGITS };
  crd_predictions_destroy(t.test.predictions);
  assert_int_equal(crd_predictions_create(ctx, &parts, &t.test.predictions), CRD_OK);
  t.divider.test = t.test.predictions;
  assert_int_equal(hold(ctx, &t, "temperature-fixed(temperature=2.5),divider", &c), CRD_OK);
  const crd_candidate *const fixed = &c->candidates[1], *const divided = &c->candidates[2];
  for (size_t m = 0; m < fixed->result->value_count; m++)
    assert_true(near(fixed->result->values[m].low, divided->result->values[m].low, 1e-12));
  crd_contest_destroy(c);
  clear(&t);
}

/* Their entries follow the default methods, with settings. */
static void external_methods_are_in_the_default_set(void **state) {
  crd_context *const ctx = *state;
  table t = lay(ctx);
  const crd_contest *c;
  assert_int_equal(hold(ctx, &t, NULL, &c), CRD_OK);
  assert_string_equal(c->candidates[c->count - 2].name, "divider");
  assert_string_equal(c->candidates[c->count - 1].name, "divider(by=2)");
  assert_true(c->candidates[c->count - 1].learnt[0].values[0] == 2);
  assert_int_equal(t.divider.fits, 2);
  crd_contest_destroy(c);
  clear(&t);
}

/* Of two that are equally good the verdict takes the one with fewer parameters. */
static void parameters_count(void **state) {
  crd_context *const ctx = *state;
  table t = lay(ctx);
  for (size_t parameters = 0; parameters < 3; parameters += 2) {
    const crd_contest *c;
    t.divider.parameters = parameters;
    assert_int_equal(hold(ctx, &t, "temperature,divider", &c), CRD_OK);
    assert_int_equal(c->candidates[1].parameters, 1);
    assert_int_equal(c->candidates[2].parameters, parameters);
    assert_string_equal(c->chosen->name, parameters ? "temperature" : "divider");
    crd_contest_destroy(c);
  }
  clear(&t);
}

static void invalid_settings_fail_before_the_first_fit(void **state) {
  crd_context *const ctx = *state;
  table t = lay(ctx);
  const crd_contest *c;
  assert_int_equal(hold(ctx, &t, "divider,divider(by=3)", &c), CRD_EUSAGE);
  assert_null(c);
  assert_int_equal(t.divider.fits, 0);
  assert_non_null(strstr(crd_context_message(ctx), "no setting 'by=3'"));
  clear(&t);
}

static void failures_are_kept(void **state) {
  crd_context *const ctx = *state;
  table t = lay(ctx);
  const crd_contest *c;
  t.divider.outcome = CRD_ENUMERIC;
  assert_int_equal(hold(ctx, &t, "temperature,divider", &c), CRD_OK);
  assert_string_equal(c->candidates[2].failure, "divider: nothing to divide");
  assert_null(c->candidates[2].certificate);
  assert_string_equal(c->chosen->name, "temperature");
  crd_contest_destroy(c);
  t.divider.outcome = CRD_EINTERRUPTED;
  assert_int_equal(hold(ctx, &t, "temperature,divider", &c), CRD_EINTERRUPTED);
  clear(&t);
}

static void other_rows_are_refused(void **state) {
  crd_context *const ctx = *state;
  table t = lay(ctx);
  sample few = make(ctx, (recipe){ 20, 1, 2.5, 0, 0 });
  const crd_contest *c;
  t.divider.test = few.predictions;
  assert_int_equal(hold(ctx, &t, "divider", &c), CRD_EUSAGE);
  assert_non_null(strstr(crd_context_message(ctx), "divider calibrated 20 rows of 4 classes"));
  drop(&few);
  clear(&t);
}

static void folds_are_refused(void **state) {
  crd_context *const ctx = *state;
  table t = lay(ctx);
  const crd_contest *c;
  t.method.self = &t.divider;
  const crd_contest_options options = {
    .size = sizeof options, .methods = "divider", .external = &t.method, .external_count = 1
  };
  assert_int_equal(crd_contest_folds(ctx, t.test.predictions, 2, &options, &c), CRD_EUSAGE);
  assert_non_null(strstr(crd_context_message(ctx), "cannot be cross-validated"));
  clear(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(external_methods_take_part),
    cmocka_unit_test(clusters_are_those_of_the_test),
    cmocka_unit_test(external_methods_are_in_the_default_set),
    cmocka_unit_test(parameters_count),
    cmocka_unit_test(invalid_settings_fail_before_the_first_fit),
    cmocka_unit_test(failures_are_kept),
    cmocka_unit_test(other_rows_are_refused),
    cmocka_unit_test(folds_are_refused),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
