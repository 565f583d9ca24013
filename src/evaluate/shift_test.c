/* shift_test.c -- shifted sets: differences and intervals against plain loops, and edge cases. */
#include "base/random.h"
#include "evaluate/shift.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 300, RESAMPLES = 60 };
static const test_recipe clean = {
  .rows = ROWS, .classes = 3, .seed = 5, .spread = 2, .accuracy = .8
};
static const crd_evaluate_options few = { .size = sizeof few,
                                          .metrics = "accuracy,confidence,ece,brier,auroc",
                                          .resamples = RESAMPLES };

/* The same labels, with noise added to the scores. */
static test_data corrupt(const test_data *data, const test_recipe *recipe) {
  test_recipe noise = *recipe;
  noise.seed += 100;
  test_data out = make_data(noise);
  memcpy(out.labels, data->labels, data->rows * sizeof *out.labels);
  for (size_t i = 0; i < data->rows * data->classes; i++)
    out.scores[i] = data->scores[i] + out.scores[i] / 2;
  return out;
}

/* Evaluates one set, called "noise", against the first. */
typedef struct {
  crd_predictions *original, *shifted;
  crd_evidence *evidence;
  const crd_shift_table *table;
} trial;

static crd_status try(crd_context *ctx, const test_data *original, const test_data *shifted,
                      const crd_evaluate_options *options, crd_shift_rows rows, trial *t) {
  *t = (trial){ .original = data_predictions(ctx, original, 0, original->rows),
                .shifted = data_predictions(ctx, shifted, 0, shifted->rows),
                .evidence = data_evidence(ctx, original, 0, original->rows, options) };
  const crd_shift_set set = { "noise", t->shifted };
  return crd_evaluate_shift(ctx, t->original, t->evidence, &set, 1, rows, &t->table);
}

static void finish(trial *t) {
  crd_shift_table_destroy(t->table);
  crd_evidence_destroy(t->evidence);
  crd_predictions_destroy(t->original);
  crd_predictions_destroy(t->shifted);
}

static const crd_difference *difference_of(const crd_shift *s, const char *metric) {
  for (size_t i = 0; i < s->difference->count; i++)
    if (strcmp(s->difference->items[i].metric->name, metric) == 0) return &s->difference->items[i];
  fail_msg("no difference of %s", metric);
}

/* ---- Plain loops: a Poisson bootstrap of weighted rows. */

/* Inverts the distribution function of Poisson(1) term by term. */
static double poisson(uint32_t uniform) {
  double term = exp(-1), sum = term, count = 0;
  while ((double)uniform / 4294967296.0 >= sum && count < 12) {
    term /= ++count;
    sum += term;
  }
  return count;
}

static double drawn(uint64_t row, size_t sample) {
  uint32_t counter[4] = { (uint32_t)row, 0, (uint32_t)((sample - 1) / 4), 2 };
  const uint32_t key[2] = { 0, 0 };
  crd__philox(counter, key);
  return poisson(counter[(sample - 1) % 4]);
}

static double resampled(crd_context *ctx, const test_data *data, const char *metric,
                        size_t sample) {
  test_data weighted = *data;
  double weights[ROWS];
  for (size_t i = 0; i < data->rows; i++) weights[i] = drawn(i, sample);
  weighted.weights = weights;
  const crd_evaluate_options what = { .size = sizeof what, .metrics = metric };
  crd_evidence *const evidence = data_evidence(ctx, &weighted, 0, data->rows, &what);
  const crd_result *result = NULL;
  assert_int_equal(crd_evidence_judge(ctx, evidence, &result), CRD_OK);
  const double value = value_of(result, metric);
  crd_result_destroy(result);
  crd_evidence_destroy(evidence);
  return value;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double quantile(const double *sorted, double share) {
  const double at = share * (RESAMPLES - 1);
  const size_t i = (size_t)at;
  return sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i]);
}

static void check_paired(crd_context *ctx, const test_data *a, const test_data *b,
                         const crd_difference *d, bool corrected) {
  double differences[RESAMPLES], low = 1, high = 1;
  for (size_t s = 0; s < RESAMPLES; s++)
    differences[s] =
        resampled(ctx, b, d->metric->name, s + 1) - resampled(ctx, a, d->metric->name, s + 1);
  qsort(differences, RESAMPLES, sizeof *differences, ascending);
  const double bias = corrected ? quantile(differences, .5) - d->value : 0;
  for (size_t s = 0; s < RESAMPLES; s++) {
    low += differences[s] - bias <= 0;
    high += differences[s] - bias >= 0;
  }
  assert_true(near(d->low, quantile(differences, .025) - bias, 1e-12));
  assert_true(near(d->high, quantile(differences, .975) - bias, 1e-12));
  assert_true(near(d->p, fmin(1, 2 * fmin(low, high) / (RESAMPLES + 1)), 1e-12));
}

static void paired_differences_are_those_of_plain_loops(void **state) {
  crd_context *const ctx = *state;
  test_data a = make_data(clean), b = corrupt(&a, &clean);
  for (int percentile = 0; percentile < 2; percentile++) {
    crd_evaluate_options options = few;
    trial t;
    options.interval = percentile ? CRD_INTERVAL_PERCENTILE : CRD_INTERVAL_CORRECTED;
    assert_int_equal(try(ctx, &a, &b, &options, CRD_SHIFT_AUTO, &t), CRD_OK);
    const crd_shift *const s = &t.table->items[0];
    assert_string_equal(s->name, "noise");
    assert_true(s->labelled && s->rows == CRD_SHIFT_PAIRED);
    for (size_t m = 0; m < s->difference->count; m++) {
      const crd_difference *const d = &s->difference->items[m];
      const crd_result *mine = NULL;
      assert_int_equal(crd_evidence_judge(ctx, t.evidence, &mine), CRD_OK);
      assert_true(
          near(d->value, s->result->values[m].value - value_of(mine, d->metric->name), 1e-15));
      crd_result_destroy(mine);
      if (!d->interval) check_paired(ctx, &a, &b, d, !percentile);
    }
    assert_string_equal(difference_of(s, "accuracy")->interval, "tango");
    assert_string_equal(difference_of(s, "accuracy")->test, "McNemar");
    finish(&t);
  }
  free_data(&a);
  free_data(&b);
}

/* ---- Independent sets. */

/* The standard error of a mean of squared errors, by plain loops. */
static double error_of_brier(const test_data *d) {
  double sum = 0, squares = 0;
  for (size_t i = 0; i < d->rows; i++) {
    const double *const row = d->scores + i * d->classes;
    double total = 0, brier = 0;
    for (size_t k = 0; k < d->classes; k++) total += exp(row[k]);
    for (size_t k = 0; k < d->classes; k++)
      brier += pow(exp(row[k]) / total - ((size_t)d->labels[i] == k), 2);
    sum += brier;
    squares += brier * brier;
  }
  const double n = (double)d->rows;
  return sqrt((squares / n - sum / n * (sum / n)) / n);
}

static void independent_sets_add_their_variances(void **state) {
  crd_context *const ctx = *state;
  test_recipe other = clean;
  other.seed = 9;
  other.rows = 200;
  other.accuracy = .6;
  test_data a = make_data(clean), b = make_data(other);
  crd_evaluate_options options = few;
  options.resamples = 2000;
  trial t;
  assert_int_equal(try(ctx, &a, &b, &options, CRD_SHIFT_AUTO, &t), CRD_OK);
  const crd_shift *const s = &t.table->items[0];
  assert_int_equal(s->rows, CRD_SHIFT_INDEPENDENT);
  const crd_difference *const brier = difference_of(s, "brier");
  const double expected = hypot(error_of_brier(&a), error_of_brier(&b));
  assert_true(fabs((brier->high - brier->low) / (2 * 1.96 * expected) - 1) < .06);
  assert_null(brier->interval);
  finish(&t);
  free_data(&a);
  free_data(&b);
}

/* Newcombe 1998, table II (a): 56 / 70 and 48 / 80 have the interval .0524 .. .3339 by method 10.
 */
static void proportions_have_newcombes_interval(void **state) {
  crd_context *const ctx = *state;
  test_recipe recipe = { .rows = 80, .classes = 2, .seed = 3, .spread = 1, .accuracy = 1 };
  test_data a = make_data(recipe);
  recipe.rows = 70;
  test_data b = make_data(recipe);
  for (size_t i = 0; i < 32; i++) a.labels[i] = 1 - a.labels[i];
  for (size_t i = 0; i < 14; i++) b.labels[i] = 1 - b.labels[i];
  trial t;
  assert_int_equal(try(ctx, &a, &b, &few, CRD_SHIFT_AUTO, &t), CRD_OK);
  const crd_difference *const d = difference_of(&t.table->items[0], "accuracy");
  assert_true(near(d->value, .2, 1e-12));
  assert_true(fabs(d->low - .0524) < 5e-5 && fabs(d->high - .3339) < 5e-5);
  assert_string_equal(d->interval, "newcombe");
  finish(&t);
  free_data(&a);
  free_data(&b);
}

/* A set compared with itself as if independent: as wide as sqrt(2) samples, not zero. */
static void the_caller_may_choose(void **state) {
  crd_context *const ctx = *state;
  test_data a = make_data(clean);
  trial t;
  assert_int_equal(try(ctx, &a, &a, &few, CRD_SHIFT_INDEPENDENT, &t), CRD_OK);
  assert_true(difference_of(&t.table->items[0], "brier")->low < 0);
  finish(&t);
  assert_int_equal(try(ctx, &a, &a, &few, CRD_SHIFT_PAIRED, &t), CRD_OK);
  const crd_difference *const same = difference_of(&t.table->items[0], "brier");
  assert_true(same->low == 0 && same->high == 0 && same->p == 1);
  finish(&t);
  test_recipe shorter = clean;
  shorter.rows = 200;
  test_data b = make_data(shorter);
  assert_int_equal(try(ctx, &a, &b, &few, CRD_SHIFT_PAIRED, &t), CRD_EINPUT);
  assert_non_null(strstr(crd_context_message(ctx), "200 rows"));
  assert_null(t.table);
  finish(&t);
  free_data(&a);
  free_data(&b);
}

/* The same number of rows is not enough: one other label makes them other rows. */
static void one_other_label_unpairs(void **state) {
  crd_context *const ctx = *state;
  test_data a = make_data(clean), b = corrupt(&a, &clean);
  b.labels[0] = (b.labels[0] + 1) % 3;
  trial t;
  assert_int_equal(try(ctx, &a, &b, &few, CRD_SHIFT_AUTO, &t), CRD_OK);
  assert_int_equal(t.table->items[0].rows, CRD_SHIFT_INDEPENDENT);
  finish(&t);
  free_data(&a);
  free_data(&b);
}

/* ---- Clusters. */

static crd_predictions *with_patients(crd_context *ctx, const test_data *data,
                                      const int64_t *patients) {
  const crd_group_column column = { .name = "patient",
                                    .ids = crd_array_matrix(patients, CRD_I64, data->rows, 1) };
  const crd_predictions_parts parts = {
    .size = sizeof parts,
    .scores = crd_array_matrix(data->scores, CRD_F64, data->rows, data->classes),
    .labels = crd_array_matrix(data->labels, CRD_I64, data->rows, 1),
    .input = CRD_INPUT_LOGITS,
    .group_columns = &column,
    .group_column_count = 1
  };
  crd_predictions *out = NULL;
  if (crd_predictions_create(ctx, &parts, &out) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  return out;
}

/* Patients who are in both sets are drawn together, so that with the same patients, in another
 * order, nothing varies; independently drawn ones do. */
static void shared_patients_are_drawn_together(void **state) {
  crd_context *const ctx = *state;
  test_data a = make_data(clean), b = make_data(clean);
  int64_t patients[ROWS], reversed[ROWS];
  for (size_t i = 0; i < ROWS; i++) {
    patients[i] = (int64_t)(i / 10);
    reversed[i] = (int64_t)((ROWS - 1 - i) / 10);
    memcpy(b.scores + i * 3, a.scores + (ROWS - 1 - i) * 3, 3 * sizeof *b.scores);
    b.labels[i] = a.labels[ROWS - 1 - i];
  }
  for (crd_shift_rows rows = CRD_SHIFT_AUTO; rows <= CRD_SHIFT_INDEPENDENT; rows += 2) {
    crd_predictions *const original = with_patients(ctx, &a, patients);
    crd_predictions *const shifted = with_patients(ctx, &b, reversed);
    crd_evidence *evidence = NULL;
    const crd_shift_table *table = NULL;
    const crd_shift_set set = { "later", shifted };
    assert_int_equal(crd_evidence_gather(ctx, original, &few, 0, &evidence), CRD_OK);
    assert_int_equal(crd_evaluate_shift(ctx, original, evidence, &set, 1, rows, &table), CRD_OK);
    const crd_difference *const d = difference_of(&table->items[0], "brier");
    assert_int_equal(table->items[0].rows, CRD_SHIFT_INDEPENDENT);
    assert_true(rows == CRD_SHIFT_AUTO ? fabs(d->high - d->low) < 1e-12 : d->high - d->low > .01);
    crd_shift_table_destroy(table);
    crd_evidence_destroy(evidence);
    crd_predictions_destroy(original);
    crd_predictions_destroy(shifted);
  }
  free_data(&a);
  free_data(&b);
}

/* ---- Edge cases. */

static void without_labels_only_scores_count(void **state) {
  crd_context *const ctx = *state;
  test_data a = make_data(clean);
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores = crd_array_matrix(a.scores, CRD_F64, ROWS, 3),
                                        .input = CRD_INPUT_LOGITS,
                                        .labels_optional = 1,
                                        .name = "new.npy" };
  const crd_evaluate_options options = { .size = sizeof options,
                                         .metrics = "accuracy,confidence,ece,entropy,spiegelhalter",
                                         .resamples = RESAMPLES };
  crd_predictions *shifted = NULL, *const original = data_predictions(ctx, &a, 0, ROWS);
  crd_evidence *const evidence = data_evidence(ctx, &a, 0, ROWS, &options);
  const crd_shift_table *table = NULL;
  assert_int_equal(crd_predictions_create(ctx, &parts, &shifted), CRD_OK);
  const crd_shift_set set = { "new", shifted };
  assert_int_equal(crd_evaluate_shift(ctx, original, evidence, &set, 1, CRD_SHIFT_AUTO, &table),
                   CRD_OK);
  const crd_shift *const s = &table->items[0];
  assert_true(!s->labelled && s->rows == CRD_SHIFT_INDEPENDENT && s->result->bin_count == 0);
  for (size_t m = 0; m < s->result->value_count; m++) {
    const crd_metric_value *const v = &s->result->values[m];
    const bool known =
        strcmp(v->metric->name, "confidence") == 0 || strcmp(v->metric->name, "entropy") == 0;
    assert_true(isnan(v->value) != known && isnan(v->p) && isnan(v->noise_floor));
    assert_true(isnan(s->difference->items[m].low) != known);
    if (known) assert_true(s->difference->items[m].value == 0);
    else assert_string_equal(v->reason, "needs true labels");
  }
  crd_shift_table_destroy(table);
  crd_evidence_destroy(evidence);
  crd_predictions_destroy(shifted);
  crd_predictions_destroy(original);
  free_data(&a);
}

/* All correct, all wrong, and one row: intervals of accuracy have a width, or there is none. */
static void extremes_have_documented_values(void **state) {
  crd_context *const ctx = *state;
  test_recipe right = clean, wrong = clean;
  right.accuracy = 1;
  wrong.accuracy = 0;
  wrong.rows = 250;
  test_data a = make_data(right), b = make_data(wrong), one = make_data(right);
  trial t;
  assert_int_equal(try(ctx, &a, &b, &few, CRD_SHIFT_AUTO, &t), CRD_OK);
  const crd_difference *d = difference_of(&t.table->items[0], "accuracy");
  assert_true(d->value == -1 && d->low == -1 && d->high > -1 && d->high < -.97);
  assert_true(isnan(difference_of(&t.table->items[0], "auroc")->value));
  finish(&t);
  one.rows = 1;
  assert_int_equal(try(ctx, &a, &one, &few, CRD_SHIFT_AUTO, &t), CRD_OK);
  d = difference_of(&t.table->items[0], "accuracy");
  assert_true(d->value == 0 && d->low < -.5 && d->high < .02);
  assert_true(isnan(difference_of(&t.table->items[0], "brier")->low));
  finish(&t);
  free_data(&a);
  free_data(&b);
  free_data(&one);
}

static void other_classes_are_refused(void **state) {
  crd_context *const ctx = *state;
  test_recipe more = clean;
  more.classes = 4;
  test_data a = make_data(clean), b = make_data(more);
  trial t;
  assert_int_equal(try(ctx, &a, &b, &few, CRD_SHIFT_AUTO, &t), CRD_EINPUT);
  assert_non_null(strstr(crd_context_message(ctx), "4 classes, expected 3 as in"));
  const crd_shift_set twice[] = { { "x", t.original }, { "x", t.original } },
                      unnamed = { "", t.original };
  assert_int_equal(
      crd_evaluate_shift(ctx, t.original, t.evidence, twice, 2, CRD_SHIFT_AUTO, &t.table),
      CRD_EUSAGE);
  assert_non_null(strstr(crd_context_message(ctx), "two shifted sets are called 'x'"));
  assert_int_equal(
      crd_evaluate_shift(ctx, t.original, t.evidence, &unnamed, 1, CRD_SHIFT_AUTO, &t.table),
      CRD_EUSAGE);
  finish(&t);
  free_data(&a);
  free_data(&b);
}

static void severities_are_read_from_names(void **state) {
  static const struct {
    const char *name;
    double severity;
    size_t length;
  } cases[] = { { "jpeg:3", 3, 4 },  { "jpeg", 1, 4 },    { "a:b:0.5", .5, 3 }, { "jpeg:", 1, 5 },
                { ":3", 1, 2 },      { "jpeg:x", 1, 6 },  { "jpeg:1e3", 1, 8 }, { "jpeg:.", 1, 6 },
                { "jpeg:-1", 1, 7 }, { "jpeg:10", 10, 4 } };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    size_t length;
    assert_true(crd_shift_severity(cases[i].name, &length) == cases[i].severity);
    assert_int_equal(length, cases[i].length);
  }
  assert_string_equal(crd_shift_rows_name(CRD_SHIFT_INDEPENDENT), "independent");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(paired_differences_are_those_of_plain_loops),
    cmocka_unit_test(independent_sets_add_their_variances),
    cmocka_unit_test(proportions_have_newcombes_interval),
    cmocka_unit_test(the_caller_may_choose),
    cmocka_unit_test(one_other_label_unpairs),
    cmocka_unit_test(shared_patients_are_drawn_together),
    cmocka_unit_test(without_labels_only_scores_count),
    cmocka_unit_test(extremes_have_documented_values),
    cmocka_unit_test(other_classes_are_refused),
    cmocka_unit_test(severities_are_read_from_names),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
