/*
 * clusters_test.c -- the cluster bootstrap of every metric: rows of a patient are resampled
 * together, and results depend on the patients' names, not on files, row order or threads.
 */
#include "metric/evidence.h"
#include "metric/resample.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 240, CLASSES = 4, PATIENTS = 23 };

static const crd_evaluate_options everything = {
  .size = sizeof everything, .metrics = "all", .resamples = 21, .paired = 1
};

/* Rows with their patients; a patient's rows are scattered over the file. */
typedef struct {
  test_data data;
  int64_t patient[ROWS];
  char texts[PATIENTS][8];
  const char *names[PATIENTS];
} fixture;

static fixture *set_up(bool weighted, uint64_t seed) {
  fixture *const f = calloc(1, sizeof *f);
  f->data = make_data((test_recipe){ .rows = ROWS,
                                     .classes = CLASSES,
                                     .seed = seed,
                                     .spread = 2,
                                     .accuracy = .6,
                                     .weighted = weighted });
  for (size_t i = 0; i < ROWS; i++) f->patient[i] = (int64_t)(i * i % 101 % PATIENTS);
  for (size_t p = 0; p < PATIENTS; p++) {
    snprintf(f->texts[p], sizeof f->texts[p], "P%zu", p);
    f->names[p] = f->texts[p];
  }
  return f;
}

static void tear_down(fixture *f) {
  free_data(&f->data);
  free(f);
}

/* Rows from .. to-1, clustered by `cluster`. */
static crd_predictions *rows_of(crd_context *ctx, const fixture *f, size_t from, size_t to,
                                const char *cluster) {
  const crd_group_column column = { "patient",
                                    crd_array_matrix(f->patient + from, CRD_I64, to - from, 1),
                                    f->names, PATIENTS };
  crd_predictions_parts parts = {
    .size = sizeof parts,
    .scores = crd_array_matrix(f->data.scores + from * CLASSES, CRD_F64, to - from, CLASSES),
    .labels = crd_array_matrix(f->data.labels + from, CRD_I64, to - from, 1),
    .input = CRD_INPUT_LOGITS,
    .group_columns = &column,
    .group_column_count = 1,
    .cluster = cluster
  };
  if (f->data.weights)
    parts.weights = crd_array_matrix(f->data.weights + from, CRD_F64, to - from, 1);
  crd_predictions *p = NULL;
  if (crd_predictions_create(ctx, &parts, &p) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  return p;
}

static crd_evidence *gather(crd_context *ctx, const fixture *f, size_t from, size_t to,
                            const char *cluster) {
  crd_predictions *const p = rows_of(ctx, f, from, to, cluster);
  crd_evidence *e = NULL;
  if (crd_evidence_gather(ctx, p, &everything, from, &e) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  crd_predictions_destroy(p);
  return e;
}

static const crd_result *judge(crd_context *ctx, crd_evidence *e) {
  const crd_result *result = NULL;
  if (crd_evidence_judge(ctx, e, &result) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  crd_evidence_destroy(e);
  return result;
}

static void expect_same(const crd_result *a, const crd_result *b) {
  assert_int_equal(a->clusters, b->clusters);
  for (size_t i = 0; i < a->value_count; i++) {
    const crd_metric_value *const x = &a->values[i], *const y = &b->values[i];
    if (!same_bits(x->value, y->value) || !same_bits(x->low, y->low) ||
        !same_bits(x->high, y->high))
      fail_msg("%s: %.17g (%.17g .. %.17g), expected %.17g (%.17g .. %.17g)", x->metric->name,
               y->value, y->low, y->high, x->value, x->low, x->high);
  }
}

/* ---- The definition, by plain loops. */

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double quantile(const double *sorted, size_t count, double share) {
  const double at = share * (double)(count - 1);
  const size_t i = (size_t)at;
  return i + 1 < count ? sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i]) : sorted[i];
}

/* How often a patient is drawn: as often as a single row with the patient's key. */
static double draw_of(const crd_predictions *p, size_t row, size_t sample) {
  const double one = 1;
  double drawn[CRD__RESAMPLES_AT_ONCE];
  const crd__data_rows rows = { .count = 1, .weight = &one, .cluster = &p->cluster_keys[row] };
  crd__metric_resample_weights(0, 0, sample, &rows, drawn);
  return drawn[(sample - 1) % CRD__RESAMPLES_AT_ONCE];
}

static void accuracy_is_that_of_drawn_patients(void **state) {
  enum { RESAMPLES = 200 };
  const crd_evaluate_options what = { .size = sizeof what,
                                      .metrics = "accuracy",
                                      .resamples = RESAMPLES,
                                      .interval = CRD_INTERVAL_PERCENTILE };
  fixture *const f = set_up(false, 2);
  crd_predictions *const p = rows_of(*state, f, 0, ROWS, NULL);
  const crd_result *result = NULL;
  double values[RESAMPLES];
  for (size_t s = 0; s < RESAMPLES; s++) {
    double right = 0, all = 0;
    for (size_t i = 0; i < ROWS; i++) {
      const double *const z = f->data.scores + i * CLASSES;
      size_t top = 0;
      for (size_t k = 1; k < CLASSES; k++) top = z[k] > z[top] ? k : top;
      const double draw = draw_of(p, i, s + 1);
      all += draw;
      right += (int64_t)top == f->data.labels[i] ? draw : 0;
    }
    values[s] = right / all;
  }
  qsort(values, RESAMPLES, sizeof *values, ascending);
  assert_int_equal(crd_evaluate(*state, p, &what, &result), CRD_OK);
  assert_true(near(result->values[0].low, quantile(values, RESAMPLES, 0.025), 1e-12));
  assert_true(near(result->values[0].high, quantile(values, RESAMPLES, 0.975), 1e-12));
  assert_int_equal(result->clusters, PATIENTS);
  assert_string_equal(result->cluster, "patient");
  crd_result_destroy(result);
  crd_predictions_destroy(p);
  tear_down(f);
}

/* ---- Invariances. */

static crd_evidence *saved_and_loaded(crd_context *ctx, crd_evidence *e) {
  char path[256];
  crd_output *output = NULL;
  crd_evidence *again = NULL;
  temporary_path(path, "clusters.state");
  assert_int_equal(crd_output_open(ctx, path, &output), CRD_OK);
  assert_int_equal(crd_evidence_save(ctx, e, output), CRD_OK);
  assert_int_equal(crd_output_commit(ctx, output), CRD_OK);
  crd_evidence_destroy(e);
  if (crd_evidence_load(ctx, path, &again) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  unlink(path);
  return again;
}

/* Every one of these cuts divides some patients. */
static void parts_make_the_whole(void **state) {
  static const size_t cuts[] = { 0, 50, 51, 170, ROWS };
  static const size_t orders[][4] = { { 0, 1, 2, 3 }, { 3, 1, 0, 2 } };
  for (int weighted = 0; weighted < 2; weighted++) {
    fixture *const f = set_up(weighted, 3);
    if (weighted) f->data.weights[50] = 1; /* a part of total weight 0 is an error */
    const crd_result *const whole = judge(*state, gather(*state, f, 0, ROWS, NULL));
    for (size_t o = 0; o < 2; o++) {
      crd_evidence *merged = NULL;
      for (size_t i = 0; i < 4; i++) {
        const size_t part = orders[o][i];
        crd_evidence *const next =
            saved_and_loaded(*state, gather(*state, f, cuts[part], cuts[part + 1], NULL));
        if (!merged) {
          merged = next;
          continue;
        }
        if (crd_evidence_merge(*state, merged, next) != CRD_OK)
          fail_msg("%s", crd_context_message(*state));
        crd_evidence_destroy(next);
      }
      const crd_result *const together = judge(*state, merged);
      expect_same(whole, together);
      crd_result_destroy(together);
    }
    crd_result_destroy(whole);
    tear_down(f);
  }
}

/* No two rows tie, so row indices do not matter. */
static void row_order_does_not_matter(void **state) {
  fixture *const f = set_up(true, 4), *const g = set_up(true, 4);
  for (size_t i = 0; i < ROWS; i++) {
    const size_t from = i * 77 % ROWS; /* 77 and 240 share no factor */
    memcpy(g->data.scores + i * CLASSES, f->data.scores + from * CLASSES,
           CLASSES * sizeof *f->data.scores);
    g->data.labels[i] = f->data.labels[from];
    g->data.weights[i] = f->data.weights[from];
    g->patient[i] = f->patient[from];
  }
  const crd_result *const a = judge(*state, gather(*state, f, 0, ROWS, NULL));
  const crd_result *const b = judge(*state, gather(*state, g, 0, ROWS, NULL));
  expect_same(a, b);
  crd_result_destroy(a);
  crd_result_destroy(b);
  tear_down(f);
  tear_down(g);
}

static void threads_do_not_matter(void **state) {
  static const unsigned threads[] = { 2, 5 };
  fixture *const f = set_up(false, 5);
  crd_context_set_threads(*state, 1);
  const crd_result *const one = judge(*state, gather(*state, f, 0, ROWS, NULL));
  for (size_t t = 0; t < 2; t++) {
    crd_context_set_threads(*state, threads[t]);
    const crd_result *const more = judge(*state, gather(*state, f, 0, ROWS, NULL));
    expect_same(one, more);
    crd_result_destroy(more);
  }
  crd_context_set_threads(*state, 0);
  crd_result_destroy(one);
  tear_down(f);
}

/* ---- Paired tests, messages, errors. */

static void tests_of_independent_rows_are_left_out(void **state) {
  fixture *const f = set_up(false, 6), *const g = set_up(false, 7);
  memcpy(g->data.labels, f->data.labels, ROWS * sizeof *f->data.labels);
  crd_evidence *const a = gather(*state, f, 0, ROWS, NULL), *const b =
                                                                gather(*state, g, 0, ROWS, NULL);
  const crd_comparison *difference = NULL;
  assert_int_equal(crd_evidence_compare(*state, a, b, &difference), CRD_OK);
  size_t tests = 0;
  for (size_t i = 0; i < difference->count; i++) {
    const crd_difference *const d = &difference->items[i];
    if (!d->test) continue;
    tests++;
    assert_true(isnan(d->test_p) && !isnan(d->p));
    assert_non_null(strstr(d->test_reason, "needs independent rows"));
  }
  assert_int_equal(tests, 2);
  const crd_result *const clustered = judge(*state, a), *const other = judge(*state, b);
  const crd_result *const free_rows = judge(*state, gather(*state, f, 0, ROWS, "none"));
  size_t ps = 0;
  bool told = false;
  for (size_t i = 0; i < clustered->value_count; i++) {
    assert_true(isnan(clustered->values[i].p));
    assert_true(same_bits(clustered->values[i].value, free_rows->values[i].value));
    ps += isnan(free_rows->values[i].p) ? 0 : 1;
  }
  assert_int_equal(ps, 4);
  for (size_t i = 0; i < clustered->note_count; i++)
    told |= strstr(clustered->notes[i],
                   "intervals: bootstrap of 23 patients (cluster bootstrap), 240 rows") != NULL;
  assert_true(told);
  assert_true(free_rows->clusters == 0 && !free_rows->cluster);
  crd_result_destroy(clustered);
  crd_result_destroy(other);
  crd_result_destroy(free_rows);
  crd_comparison_destroy(difference);
  tear_down(f);
  tear_down(g);
}

/* Both models draw the same patients: equal models have a difference of 0 in every resample. */
static void pairs_draw_the_same_patients(void **state) {
  fixture *const f = set_up(false, 8);
  crd_evidence *const a = gather(*state, f, 0, ROWS, NULL), *const b =
                                                                gather(*state, f, 0, ROWS, NULL);
  const crd_comparison *same = NULL;
  assert_int_equal(crd_evidence_compare(*state, a, b, &same), CRD_OK);
  for (size_t i = 0; i < same->count; i++)
    if (!isnan(same->items[i].low) && !same->items[i].interval)
      assert_true(same->items[i].low == 0 && same->items[i].high == 0);
  crd_comparison_destroy(same);
  f->patient[3] = f->patient[0] + 1; /* still 23 clusters, or 22: other clusters cannot be merged */
  for (size_t i = 0; i < ROWS; i++) f->patient[i] = f->patient[i] == 5 ? 6 : f->patient[i];
  crd_evidence *const other = gather(*state, f, 0, ROWS, NULL);
  assert_int_equal(crd_evidence_compare(*state, a, other, &same), CRD_EINPUT);
  assert_non_null(strstr(crd_context_message(*state), "expected the same clusters"));
  crd_evidence_destroy(a);
  crd_evidence_destroy(b);
  crd_evidence_destroy(other);
  tear_down(f);
}

static void clusters_and_single_rows_do_not_mix(void **state) {
  fixture *const f = set_up(false, 9);
  crd_evidence *const a = gather(*state, f, 0, 100, NULL);
  crd_evidence *const b = gather(*state, f, 100, ROWS, "none");
  const crd_comparison *comparison = NULL;
  assert_int_equal(crd_evidence_merge(*state, a, b), CRD_EINPUT);
  assert_non_null(
      strstr(crd_context_message(*state), "rows clustered by 'patient' and rows without clusters"));
  assert_int_equal(crd_evidence_merge(*state, b, a), CRD_EINPUT);
  crd_evidence *const c = gather(*state, f, 0, 100, "none");
  assert_int_equal(crd_evidence_compare(*state, a, c, &comparison), CRD_EINPUT);
  assert_non_null(strstr(crd_context_message(*state), "clustered by nothing"));
  crd_evidence_destroy(a);
  crd_evidence_destroy(b);
  crd_evidence_destroy(c);
  tear_down(f);
}

static void one_patient_has_no_interval(void **state) {
  fixture *const f = set_up(false, 10);
  memset(f->patient, 0, sizeof f->patient);
  const crd_result *const result = judge(*state, gather(*state, f, 0, ROWS, NULL));
  assert_int_equal(result->clusters, 1);
  for (size_t i = 0; i < result->value_count; i++)
    assert_true(isnan(result->values[i].low) && isnan(result->values[i].high));
  crd_result_destroy(result);
  tear_down(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(accuracy_is_that_of_drawn_patients),
    cmocka_unit_test(parts_make_the_whole),
    cmocka_unit_test(row_order_does_not_matter),
    cmocka_unit_test(threads_do_not_matter),
    cmocka_unit_test(tests_of_independent_rows_are_left_out),
    cmocka_unit_test(pairs_draw_the_same_patients),
    cmocka_unit_test(clusters_and_single_rows_do_not_mix),
    cmocka_unit_test(one_patient_has_no_interval),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
