/*
 * drawn_test.c -- sums of many resamples at once against plain loops that add each row as often as
 * it is drawn, one term after the other.
 */
#include "metric/class_bins.h"
#include "metric/class_pairs.h"
#include "metric/evidence.h"
#include "metric/resample.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- One block, at the limits of exactness. */

enum { ROWS = CRD__BLOCK_ROWS, SAMPLES = 3, STEP = 2, CELLS = STEP * CRD__DRAWN_PANEL };

static void add_times(crd__sum *cell, double term, double times) {
  for (size_t n = 0; (double)n < times; n++) crd__sum_add(cell, term);
}

static double term_at(double weight, size_t row, size_t column) {
  return weight / (1 + (double)(row * 7 + column * 3) / 1000);
}

static void check_block(crd__metric_drawn *d, size_t columns, double weight) {
  crd__sum found[SAMPLES * CELLS] = { 0 }, expected[SAMPLES * CELLS] = { 0 };
  d->cells = found;
  for (size_t i = 0; i < d->rows->count; i++)
    for (size_t j = 0; j < columns; j++) {
      const double term = term_at(weight, i, j);
      crd__metric_drawn_set(d, i, j, term);
      crd__metric_drawn_add(d, STEP * j, i, term / 3); /* the list fills several times */
      for (size_t s = 0; s < SAMPLES; s++) {
        const double times = d->draws[s * d->rows->count + i];
        add_times(&expected[s * CELLS + STEP * j + 1], term, times);
        add_times(&expected[s * CELLS + STEP * j], term / 3, times);
      }
    }
  crd__metric_drawn_panel(d, 1, STEP, columns);
  crd__metric_drawn_finish(d);
  assert_memory_equal(found, expected, sizeof found);
}

/* The largest block, with the largest counts and the largest weight. */
static void largest_block_is_exact(void **state) {
  static const double weights[] = { 65536, 1, 0x1p-32 };
  (void)state;
  double *const draws = malloc(SAMPLES * ROWS * sizeof *draws);
  crd__metric_drawn_scratch *const scratch = calloc(1, sizeof *scratch);
  for (size_t i = 0; i < ROWS; i++) {
    draws[i] = CRD__DRAWS_MAX;
    draws[ROWS + i] = (double)(i % 5);
    draws[2 * ROWS + i] = 0;
  }
  const crd__data_rows rows = { .count = ROWS };
  crd__metric_drawn d = {
    .rows = &rows, .draws = draws, .samples = SAMPLES, .stride = CELLS, .scratch = scratch
  };
  for (size_t w = 0; w < 3; w++) {
    check_block(&d, CRD__DRAWN_PANEL, weights[w]);
    check_block(&d, 5, weights[w]);
  }
  free(draws);
  free(scratch);
}

/* ---- Evidence, over shapes, weights, threads and parts. */

typedef struct {
  size_t rows, classes;
  unsigned bins, resamples;
  enum { UNWEIGHTED, WHOLE, REAL, LARGE } weights;
  unsigned threads;
  double spread;
} shape;

static const shape shapes[] = {
  { .rows = 1, .classes = 2, .bins = 15, .resamples = 1, .threads = 1, .spread = 1 },
  { .rows = 700, .classes = 3, .bins = 1, .resamples = 70, .threads = 1, .spread = 2 },
  { .rows = 513, .classes = 33, .bins = 15, .resamples = 65, .threads = 2, .spread = 3 },
  { .rows = 100, .classes = 70, .bins = 2000, .resamples = 5, .threads = 1, .spread = 2 },
  { .rows = 2100, .classes = 32, .bins = 15, .resamples = 6, .threads = 3, .spread = 4 },
  { .rows = 300, .classes = 31, .bins = 15, .resamples = 64, .weights = WHOLE, .spread = 3 },
  { .rows = 300, .classes = 40, .bins = 10, .resamples = 7, .weights = REAL, .spread = 3 },
  { .rows = 1200,
    .classes = 4,
    .bins = 3,
    .resamples = 9,
    .weights = LARGE,
    .threads = 2,
    .spread = 1 },
  /* Too many cells to give two workers those of all resamples: they are processed in turns. */
  { .rows = 1100, .classes = 60, .bins = 2000, .resamples = 22, .threads = 2, .spread = 3 },
};

static test_data make(const shape *s) {
  test_data data = make_data((test_recipe){ .rows = s->rows,
                                            .classes = s->classes,
                                            .seed = 40,
                                            .spread = s->spread,
                                            .accuracy = .6,
                                            .weighted = s->weights != UNWEIGHTED });
  for (size_t i = 0; s->weights > WHOLE && i < s->rows; i++)
    data.weights[i] = s->weights == REAL ? 1 / (3.0 + (double)(i % 17)) : 65536 / (1.0 + (double)i);
  return data;
}

/* Adds one class of one row; the tally of kept pairs has its weights after the bins. */
static void add_pair(crd__sum *all, crd__sum *kept, const shape *s, const crd__data_rows *rows,
                     size_t i, size_t k) {
  const double p = rows->probabilities[i * s->classes + k], w = rows->weight[i];
  size_t bin = 0;
  while (bin + 1 < s->bins && p > (double)(bin + 1) / s->bins) bin++;
  crd__sum *const tallies[] = { all, p > 1e-3 ? kept : NULL };
  for (size_t t = 0; t < 2; t++) {
    if (!tallies[t]) continue;
    crd__sum_add(&tallies[t][2 * (k * s->bins + bin)], w * p);
    if (rows->label[i] == k) crd__sum_add(&tallies[t][2 * (k * s->bins + bin) + 1], w);
  }
  if (p > 1e-3) crd__sum_add(&kept[2 * s->classes * s->bins + k], w);
}

/* All rows in one resample. */
static void add_rows(crd_context *ctx, const test_data *data, const shape *s, size_t sample,
                     crd__sum *all, crd__sum *kept) {
  crd_predictions *const p = data_predictions(ctx, data, 0, data->rows);
  crd__data_row_reader *reader;
  crd__data_rows rows;
  assert_int_equal(crd__data_row_reader_create(ctx, p, CRD__NEED_PROBABILITIES, &reader), CRD_OK);
  const size_t step = crd__data_row_reader_capacity(reader);
  for (size_t first = 0; first < data->rows; first += step) {
    double one = 1, draws[CRD__RESAMPLES_AT_ONCE];
    const size_t count = data->rows - first < step ? data->rows - first : step;
    assert_int_equal(crd__data_row_reader_read(ctx, reader, first, count, &rows), CRD_OK);
    for (size_t i = 0; i < count; i++) {
      const crd__data_rows row = { .first = first + i, .count = 1, .weight = &one };
      crd__metric_resample_weights(ctx->seed, 0, sample, &row, draws);
      for (size_t n = 0; (double)n < draws[(sample - 1) % CRD__RESAMPLES_AT_ONCE]; n++)
        for (size_t k = 0; k < s->classes; k++) add_pair(all, kept, s, &rows, i, k);
    }
  }
  crd__data_row_reader_destroy(reader);
  crd_predictions_destroy(p);
}

static void compare(const crd_evidence *e, const crd__metric_tally *tally, size_t sample,
                    const crd__sum *expected, size_t cells, const char *what) {
  const crd__sum *const found = crd__metric_evidence_cells(e, e->cells, sample, tally);
  assert_non_null(found);
  for (size_t c = 0; c < cells; c++)
    if (memcmp(&found[c], &expected[c], sizeof *found) != 0)
      fail_msg("%s, sample %zu, cell %zu of %s: %.17g, expected %.17g", what, sample, c,
               tally->name, crd__sum_value(found[c]), crd__sum_value(expected[c]));
}

static void check_shape(crd_context *ctx, const shape *s, const char *what) {
  const crd_evaluate_options options = { .size = sizeof options,
                                         .metrics = "sce,sce-threshold",
                                         .bins = s->bins,
                                         .resamples = s->resamples };
  const size_t cells = 2 * s->classes * s->bins, cut = s->rows / 3;
  test_data data = make(s);
  crd__sum *const all = malloc(cells * sizeof *all);
  crd__sum *const kept = malloc((cells + s->classes) * sizeof *kept);
  crd_context_set_threads(ctx, s->threads ? s->threads : 1);
  crd_evidence *const whole = data_evidence(ctx, &data, 0, s->rows, &options);
  crd_evidence *const parts = data_evidence(ctx, &data, cut, s->rows, &options);
  if (cut > 0) {
    crd_evidence *const part = data_evidence(ctx, &data, 0, cut, &options);
    assert_int_equal(crd_evidence_merge(ctx, parts, part), CRD_OK);
    crd_evidence_destroy(part);
  }
  for (size_t sample = 1; sample <= s->resamples; sample++) {
    memset(all, 0, cells * sizeof *all);
    memset(kept, 0, (cells + s->classes) * sizeof *kept);
    add_rows(ctx, &data, s, sample, all, kept);
    const crd_evidence *const both[] = { whole, parts };
    for (size_t e = 0; e < 2; e++) {
      compare(both[e], &crd__metric_class_bins, sample, all, cells, what);
      compare(both[e], &crd__metric_kept_class_bins, sample, kept, cells + s->classes, what);
    }
  }
  crd_evidence_destroy(whole);
  crd_evidence_destroy(parts);
  free(all);
  free(kept);
  free_data(&data);
}

static void resamples_repeat_rows(void **state) {
  crd_context *const ctx = *state;
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    char what[40];
    snprintf(what, sizeof what, "shape %zu", i);
    check_shape(ctx, &shapes[i], what);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(largest_block_is_exact),
                                      cmocka_unit_test(resamples_repeat_rows) };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
