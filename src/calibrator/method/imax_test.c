/* imax_test.c -- compared with the alternating iteration in plain loops over all rows and
 * classes. */
#include "support.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS = 300, CLASSES = 4, CELLS = ROWS * CLASSES, BINS = 6 };

/* All rows and classes, sorted by log-odds. */
typedef struct {
  double x, p, weight;
  bool happened;
} cell;

static int by_odds(const void *a, const void *b) {
  const double x = ((const cell *)a)->x, y = ((const cell *)b)->x;
  return (x > y) - (x < y);
}

static void pool(const test_data *data, cell *cells) {
  for (size_t i = 0; i < CELLS; i++) {
    const double *const row = data->scores + i / CLASSES * CLASSES;
    double mass = 0, others = 0;
    for (size_t k = 0; k < CLASSES; k++) {
      mass += exp(row[k]);
      if (k != i % CLASSES) others += exp(row[k]);
    }
    cells[i] = (cell){ .x = data->scores[i] - log(others),
                       .p = exp(data->scores[i]) / mass,
                       .weight = data->weights ? data->weights[i / CLASSES] : 1,
                       .happened = (size_t)data->labels[i / CLASSES] == i % CLASSES };
  }
  qsort(cells, CELLS, sizeof *cells, by_odds);
}

/* As in the paper. */
static double edge_between(double low, double high) {
  return log(log((1 + exp(high)) / (1 + exp(low))) / log((1 + exp(-low)) / (1 + exp(-high))));
}

typedef struct {
  double edge[BINS + 1], centre[BINS], share[BINS], loss;
} bins;

/* The contents of bins with these edges. */
static void fill(const cell *cells, bins *b) {
  b->loss = 0;
  double total = 0;
  for (size_t i = 0; i < CELLS; i++) total += cells[i].weight;
  for (size_t m = 0; m < BINS; m++) {
    double weight = 0, mean = 0, hits = 0;
    for (size_t i = 0; i < CELLS; i++) {
      if (cells[i].x < b->edge[m] || cells[i].x >= b->edge[m + 1]) continue;
      weight += cells[i].weight;
      mean += cells[i].weight * cells[i].p;
      hits += cells[i].weight * cells[i].happened;
    }
    mean /= weight;
    b->share[m] = hits / weight;
    b->centre[m] = log(mean / (1 - mean));
    for (size_t i = 0; i < CELLS; i++) {
      const double p = cells[i].p;
      if (cells[i].x < b->edge[m] || cells[i].x >= b->edge[m + 1]) continue;
      b->loss +=
          cells[i].weight / total * (p * log(p / mean) + (1 - p) * log((1 - p) / (1 - mean)));
    }
  }
}

static double turn(const cell *cells, bins *b) {
  double moved = 0;
  for (size_t m = 1; m < BINS; m++) {
    const double edge = edge_between(b->centre[m - 1], b->centre[m]);
    moved = fmax(moved, fabs(edge - b->edge[m]));
    b->edge[m] = edge;
  }
  fill(cells, b);
  return moved;
}

static crd_calibrator *fit(crd_context *ctx, const test_data *data, const char *settings) {
  crd_predictions *const p = data_predictions(ctx, data, 0, data->rows);
  crd_calibrator *c = NULL;
  if (crd_calibrator_fit(ctx, "imax", settings, p, &c) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  crd_predictions_destroy(p);
  return c;
}

/* The curve has two points per bin: its beginning and its end. */
static void check_curve(const crd_calibrator *c, const bins *b, double tolerance) {
  const crd_learnt *const p = crd_calibrator_learnt(c, 0), *const q = crd_calibrator_learnt(c, 1);
  assert_int_equal(p->parts, 1);
  assert_int_equal(p->start[1], 2 * BINS);
  for (size_t m = 0; m < BINS; m++) {
    if (m > 0)
      assert_true(near(log(p->values[2 * m] / (1 - p->values[2 * m])), b->edge[m], tolerance));
    assert_true(near(q->values[2 * m], b->share[m], 1e-12));
    assert_true(q->values[2 * m] == q->values[2 * m + 1]);
  }
}

/* From equal mass to convergence, iteration by iteration. */
static void turns_are_those_of_the_paper(void **state) {
  static cell cells[CELLS];
  test_data data = make_data((test_recipe){ ROWS, CLASSES, 5, 2, .6, 0, false, false });
  bins b = { .edge = { [0] = -INFINITY, [BINS] = INFINITY } };
  unsigned turns = 0;
  pool(&data, cells);
  for (size_t m = 1; m < BINS; m++) /* the rows are divisible */
    b.edge[m] = (cells[m * CELLS / BINS - 1].x + cells[m * CELLS / BINS].x) / 2;
  fill(cells, &b);
  const double start = b.loss;
  for (double last = start, moved = 1; moved > 1e-8; turns++, last = b.loss) {
    moved = turn(cells, &b);
    assert_true(b.loss <= last + 1e-14);
  }
  crd_calibrator *const c = fit(*state, &data, "bins=6");
  const crd_certificate *const certificate = crd_calibrator_certificate(c);
  assert_true(certificate->converged);
  assert_int_equal(certificate->iterations, turns);
  assert_true(near(certificate->objective, b.loss, 1e-12));
  assert_true(b.loss < .9 * start);
  check_curve(c, &b, 1e-9);
  crd_calibrator_destroy(c);
  free_data(&data);
}

/* With weights it ends at a fixed point of the iteration; frequencies are weighted. */
static void weights_count(void **state) {
  static cell cells[CELLS];
  test_data data = make_data((test_recipe){ ROWS, CLASSES, 6, 2, .6, 0, true, false });
  bins b = { .edge = { [0] = -INFINITY, [BINS] = INFINITY } };
  crd_calibrator *const c = fit(*state, &data, "bins=6");
  const crd_learnt *const p = crd_calibrator_learnt(c, 0);
  assert_int_equal(p->start[1], 2 * BINS);
  pool(&data, cells);
  for (size_t m = 1; m < BINS; m++) b.edge[m] = log(p->values[2 * m] / (1 - p->values[2 * m]));
  fill(cells, &b);
  assert_true(turn(cells, &b) < 1e-7);
  assert_true(near(crd_calibrator_certificate(c)->objective, b.loss, 1e-12));
  check_curve(c, &b, 1e-7);
  crd_calibrator_destroy(c);
  free_data(&data);
}

/* The edge between two bins is not half-way: .5 is in the bin that loses less information. New rows
 * get the frequency of their bin. */
static void rows_go_where_they_lose_less(void **state) {
  static const double confidence[] = { .25, .25, .25, .25, .5, .75, .75, .75, .75 };
  static const unsigned char correct[] = { 0, 0, 0, 1, 1, 0, 1, 1, 1 };
  crd_calibrator *const c =
      fit_pairs(*state, "imax", "bins=2", (test_pairs){ 9, confidence, correct, NULL });
  const crd_learnt *const p = crd_calibrator_learnt(c, 0);
  assert_int_equal(p->start[1], 4);
  const double edge = p->values[2],
               low = (4 * .25 + .5) / 5; /* the mean of the first bin at the start */
  assert_true(near(log(edge / (1 - edge)), edge_between(log(low / (1 - low)), log(3)), 1e-12));
  assert_true(edge > .5);
  assert_true(near(calibrated(*state, c, edge - 1e-9), .4, 1e-15));
  assert_true(near(calibrated(*state, c, edge + 1e-9), .75, 1e-15));
  crd_calibrator_destroy(c);
}

/* With few distinct probabilities each has its own bin, and the frequency of its events, even if
 * more bins are requested; the other bins are dropped, with a note. */
static void ties_stay_together(void **state) {
  static const double confidence[] = { .1, .1, .1, .6, .6, 1, 1, 1, 1, 0 };
  static const unsigned char correct[] = { 0, 0, 1, 1, 0, 1, 1, 1, 0, 0 };
  static const double weights[] = { 1, 1, 2, 1, 3, 1, 1, 1, 1, 5 };
  crd_calibrator *const c =
      fit_pairs(*state, "imax", NULL, (test_pairs){ 10, confidence, correct, weights });
  assert_true(near(calibrated(*state, c, .1), .5, 1e-15));
  assert_true(near(calibrated(*state, c, .6), .25, 1e-15));
  assert_true(near(calibrated(*state, c, 1), .75, 1e-15));
  assert_true(calibrated(*state, c, 0) == 0);
  assert_true(near(crd_calibrator_certificate(c)->objective, 0, 1e-15));
  assert_string_equal(crd_calibrator_certificate(c)->note,
                      "4 of 15 bins remain: the others were empty");
  crd_calibrator_destroy(c);
}

/* Classes share a curve, rows are normalised, and one of zeros becomes uniform. */
static void rows_are_normalised(void **state) {
  enum { N = 4 };
  static const double p[N][3] = { { .8, .1, .1 }, { .1, .8, .1 }, { .8, .1, .1 }, { .3, .4, .3 } };
  static const int64_t labels[N] = { 0, 1, 1, 1 };
  double out[3 * N];
  crd_predictions *predictions = NULL;
  crd_calibrator *c = NULL;
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores = crd_array_matrix(p, CRD_F64, N, 3),
                                        .labels = crd_array_matrix(labels, CRD_I64, N, 1),
                                        .input = CRD_INPUT_PROBABILITIES };
  assert_int_equal(crd_predictions_create(*state, &parts, &predictions), CRD_OK);
  assert_int_equal(crd_calibrator_fit(*state, "imax", NULL, predictions, &c), CRD_OK);
  assert_int_equal(crd_calibrator_apply(*state, c, predictions, 0, N, out, NULL, NULL), CRD_OK);
  const double sure = 2. / 3, rest = 1. / 6, sum = sure + 2 * rest; /* shares of .8 and .1 */
  assert_true(near(out[0], sure / sum, 1e-15) && near(out[1], rest / sum, 1e-15));
  assert_true(near(out[4], sure / sum, 1e-15));
  assert_true(near(out[10], 1, 1e-15) && out[9] == 0);
  crd_calibrator_destroy(c);
  crd_predictions_destroy(predictions);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(turns_are_those_of_the_paper), cmocka_unit_test(weights_count),
    cmocka_unit_test(rows_go_where_they_lose_less), cmocka_unit_test(ties_stay_together),
    cmocka_unit_test(rows_are_normalised),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
