/*
 * intra_order_preserving_test.c -- the loss in plain loops, minimal at the solution; temperature
 * scaling, which is never better; and data without a finite optimum.
 */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 400, CLASSES = 5, PIECES_MAX = 64 };
static const double least = 1e-3, most = 1e3;

typedef struct {
  bool ranks;
  size_t pieces;
  double end[PIECES_MAX], slope[PIECES_MAX];
} line;

static int falling(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x < y) - (x > y);
}

/* Maps log p to the input of softmax. */
static void bend(const line *l, const double *x, size_t classes, double *out) {
  double sorted[200];
  memcpy(sorted, x, classes * sizeof *x);
  qsort(sorted, classes, sizeof *sorted, falling);
  for (size_t k = 0; k < classes; k++) {
    out[k] = 0;
    for (size_t j = 0; j < l->pieces; j++) { /* the part of the map above x, up to 0 */
      double low = l->ranks ? sorted[(size_t)l->end[j] - 1] : l->end[j];
      double high = j == 0 ? 0 : l->ranks ? sorted[(size_t)l->end[j - 1] - 1] : l->end[j - 1];
      if (j + 1 == l->pieces) low = -1e9;
      out[k] -= l->slope[j] * fmax(0, high - fmax(low, x[k]));
    }
  }
}

static double log_mass(const double *x, size_t classes) {
  double top = x[0], mass = 0;
  for (size_t k = 1; k < classes; k++) top = fmax(top, x[k]);
  for (size_t k = 0; k < classes; k++) mass += exp(x[k] - top);
  return top + log(mass);
}

static void log_p(const double *scores, size_t classes, double *out) {
  const double mass = log_mass(scores, classes);
  for (size_t k = 0; k < classes; k++) out[k] = scores[k] - mass;
}

static double loss(const test_data *data, const line *l, double ridge) {
  double sum = 0, total = 0, rough = 0, rows = 0, x[200] = { 0 }, y[200] = { 0 };
  for (size_t i = 0; i < data->rows; i++) {
    const double weight = data->weights ? data->weights[i] : 1;
    log_p(data->scores + i * data->classes, data->classes, x);
    bend(l, x, data->classes, y);
    sum += weight * (log_mass(y, data->classes) - y[data->labels[i]]);
    total += weight;
    rows += weight > 0;
  }
  for (size_t j = 1; j < l->pieces; j++) rough += pow(l->slope[j] - l->slope[j - 1], 2);
  return sum / total + ridge * rough / rows;
}

static crd_calibrator *fit(crd_context *ctx, const test_data *data, const char *method,
                           const char *settings, line *out) {
  crd_predictions *const p = data_predictions(ctx, data, 0, data->rows);
  crd_calibrator *c = NULL;
  if (crd_calibrator_fit(ctx, method, settings, p, &c) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  crd_predictions_destroy(p);
  if (!out) return c;
  const crd_learnt *const end = crd_calibrator_learnt(c, 0), *const slope =
                                                                 crd_calibrator_learnt(c, 1);
  *out = (line){ .ranks = strstr(settings, "order-invariant") != NULL, .pieces = end->start[1] };
  assert_int_equal(slope->start[1], out->pieces);
  memcpy(out->end, end->values, out->pieces * sizeof *out->end);
  memcpy(out->slope, slope->values, out->pieces * sizeof *out->slope);
  return c;
}

static const struct {
  const char *settings;
  double ridge;
  size_t pieces;
} fits[] = {
  { "ridge=10", 10, 11 },
  { "knots=4,ridge=0", 0, 5 },
  { "knots=0", 10, 1 },
  { "form=order-invariant", 10, 4 },
  { "form=order-invariant,ridge=0.5", .5, 4 },
};
enum { FITS = sizeof fits / sizeof *fits };

/* The loss is convex: it is minimal where its derivatives are 0 and no single slope can lower it.
 */
static void nothing_is_better(void **state) {
  for (size_t f = 0; f < 2 * FITS; f++) {
    test_data data = make_data((test_recipe){ ROWS, CLASSES, 5, 3, .7, 0, f % 2, false });
    const double ridge = fits[f / 2].ridge, h = 1e-5;
    line l;
    crd_calibrator *const c =
        fit(*state, &data, "intra-order-preserving", fits[f / 2].settings, &l);
    const crd_certificate *const certificate = crd_calibrator_certificate(c);
    assert_int_equal(l.pieces, fits[f / 2].pieces);
    assert_true(certificate->converged && certificate->gradient_norm < 1e-9);
    assert_true(near(certificate->objective, loss(&data, &l, ridge), 1e-12));
    for (size_t j = 0; j < l.pieces; j++) {
      const double here = l.slope[j];
      l.slope[j] = here + h;
      const double above = loss(&data, &l, ridge);
      l.slope[j] = here - h;
      const double below = loss(&data, &l, ridge);
      if (here > least && here < most) assert_true(fabs(above - below) / (2 * h) < 1e-8);
      else assert_true(here > least ? above < below : above > below);
      for (int k = 0; k < 23; k++) {
        l.slope[j] = least * pow(1.5, k);
        assert_true(loss(&data, &l, ridge) >= certificate->objective - 1e-14); /* rounding */
      }
      l.slope[j] = here;
    }
    crd_calibrator_destroy(c);
    free_data(&data);
  }
}

/* Equal slopes are temperature scaling: the fit is at least as good, and without knots the same. */
static void temperature_is_never_better(void **state) {
  for (size_t f = 0; f < 2 * FITS; f++) {
    test_data data = make_data((test_recipe){ ROWS, CLASSES, 8 + f, 3, .7, 0, f % 2, false });
    line l;
    crd_calibrator *const c =
        fit(*state, &data, "intra-order-preserving", fits[f / 2].settings, &l);
    crd_calibrator *const t = fit(*state, &data, "temperature", "", NULL);
    const double best = crd_calibrator_certificate(t)->objective;
    assert_true(crd_calibrator_certificate(c)->objective <= best + 1e-15);
    assert_true(loss(&data, &l, 0) <= best + 1e-14);
    if (l.pieces == 1)
      assert_true(near(l.slope[0], 1 / crd_calibrator_learnt(t, 0)->values[0], 1e-9));
    crd_calibrator_destroy(c);
    crd_calibrator_destroy(t);
    free_data(&data);
  }
}

/* Overconfidence among confident rows only: a temperature cannot correct that, a knot can. */
static void bends_mend_what_temperature_cannot(void **state) {
  enum { N = 4000 };
  static double confidence[N];
  static unsigned char correct[N];
  for (size_t i = 0; i < N; i++) {
    const bool sure = i % 2;
    const double truth = sure ? .99 : .6;
    confidence[i] = sure ? .999 : .6;
    correct[i] = (double)(i / 2 * 7919 % 1000) / 1000 < truth;
  }
  const test_pairs pairs = { N, confidence, correct, NULL };
  crd_calibrator *const c = fit_pairs(*state, "intra-order-preserving", "knots=1,ridge=0", pairs);
  crd_calibrator *const t = fit_pairs(*state, "temperature", NULL, pairs);
  assert_true(near(calibrated(*state, c, .999), .99, 1e-9));
  assert_true(near(calibrated(*state, c, .6), .6, 1e-9));
  assert_true(fabs(calibrated(*state, t, .6) - .6) > .02);
  crd_calibrator_destroy(c);
  crd_calibrator_destroy(t);
}

/* Equal mass of the second largest log p between knots; equal knots are merged. */
static void bends_are_quantiles(void **state) {
  test_data data = make_data((test_recipe){ ROWS, CLASSES, 7, 3, .7, 0, false, false });
  double second[ROWS], x[CLASSES];
  line l;
  crd_calibrator *c = fit(*state, &data, "intra-order-preserving", "knots=7", &l);
  for (size_t i = 0; i < ROWS; i++) {
    log_p(data.scores + i * CLASSES, CLASSES, x);
    qsort(x, CLASSES, sizeof *x, falling);
    second[i] = x[1];
  }
  qsort(second, ROWS, sizeof *second, falling);
  assert_int_equal(l.pieces, 8);
  for (size_t j = 0; j < 7; j++) {
    const size_t at = (j + 1) * ROWS / 8;
    assert_true(near(l.end[j], (second[at - 1] + second[at]) / 2, 1e-12));
  }
  assert_true(near(l.end[7], second[ROWS - 1], 1e-12));
  crd_calibrator_destroy(c);
  for (size_t i = CLASSES; i < ROWS * CLASSES; i++) data.scores[i] = data.scores[i % (2 * CLASSES)];
  c = fit(*state, &data, "intra-order-preserving", "knots=7", &l);
  assert_int_equal(l.pieces, 2);
  crd_calibrator_destroy(c);
  free_data(&data);
}

/* Single ranks up to the 16th gap, then two groups for each doubling. */
static void many_ranks_are_grouped(void **state) {
  enum { MANY = 120 };
  static const double groups[] = { 17, 25, 33, 49, 65, 97, 120 };
  test_data data = make_data((test_recipe){ 100, MANY, 9, 2, .5, 0, false, false });
  line l;
  crd_calibrator *const c =
      fit(*state, &data, "intra-order-preserving", "form=order-invariant", &l);
  assert_int_equal(l.pieces, 15 + 7);
  for (size_t j = 0; j < l.pieces; j++)
    assert_true(l.end[j] == (j < 15 ? (double)(j + 2) : groups[j - 15]));
  assert_true(near(crd_calibrator_certificate(c)->objective, loss(&data, &l, 10), 1e-12));
  crd_calibrator_destroy(c);
  free_data(&data);
}

/* Apply returns the softmax of the map, in both forms; order and ties are kept. */
static void rows_keep_their_order(void **state) {
  for (size_t f = 0; f < FITS; f++) {
    test_data data = make_data((test_recipe){ ROWS, CLASSES, 11, 3, .7, 0, false, false });
    double out[ROWS * CLASSES], x[CLASSES], y[CLASSES];
    size_t predicted[ROWS];
    line l;
    for (size_t i = 0; i < ROWS; i += 7) data.scores[i * CLASSES] = data.scores[i * CLASSES + 3];
    for (size_t i = 3; i < ROWS; i += 7) /* the later one is larger by the last digit */
      data.scores[i * CLASSES + 4] = nextafter(data.scores[i * CLASSES + 1] = 4, 5);
    crd_predictions *const p = data_predictions(*state, &data, 0, ROWS);
    crd_calibrator *const c = fit(*state, &data, "intra-order-preserving", fits[f].settings, &l);
    assert_int_equal(crd_calibrator_apply(*state, c, p, 0, ROWS, out, NULL, predicted), CRD_OK);
    for (size_t i = 0; i < ROWS; i++) {
      const double *const z = data.scores + i * CLASSES, *const q = out + i * CLASSES;
      size_t top = 0;
      log_p(z, CLASSES, x);
      bend(&l, x, CLASSES, y);
      const double mass = log_mass(y, CLASSES);
      for (size_t k = 0; k < CLASSES; k++) {
        assert_true(near(q[k], exp(y[k] - mass), 1e-12));
        if (z[k] > z[top]) top = k;
        for (size_t m = 0; m < CLASSES; m++) {
          if (z[k] == z[m]) assert_true(q[k] == q[m]);
          if (z[k] > z[m] + 1e-9) assert_true(q[k] > q[m]);
        }
      }
      if (i % 7 != 3) assert_int_equal(predicted[i], top);
    }
    assert_int_equal(crd_calibrator_certificate(c)->argmax_changes, 0);
    crd_calibrator_destroy(c);
    crd_predictions_destroy(p);
    free_data(&data);
  }
}

/* All correct, all wrong, all logits equal: a bound is hit, and the note says why. */
static void hopeless_data_have_an_answer(void **state) {
  static const char *const forms[] = { "form=diagonal", "form=order-invariant" };
  static const char *const words[] = { "every row is correct", "no better than chance", "" };
  for (size_t c = 0; c < 6; c++) {
    test_data data = make_data((test_recipe){ ROWS, CLASSES, 12, 3, .7, 0, false, false });
    line l;
    for (size_t i = 0; i < ROWS; i++) {
      double *const z = data.scores + i * CLASSES;
      size_t top = 0, last = 0;
      for (size_t k = 0; k < CLASSES; k++) {
        if (c / 2 == 2) z[k] = 1;
        if (z[k] > z[top]) top = k;
        if (z[k] < z[last]) last = k;
      }
      if (c / 2 < 2) data.labels[i] = (int64_t)(c / 2 == 0 ? top : last);
    }
    crd_calibrator *const k = fit(*state, &data, "intra-order-preserving", forms[c % 2], &l);
    const crd_certificate *const certificate = crd_calibrator_certificate(k);
    assert_true(certificate->converged && isfinite(certificate->objective));
    assert_int_equal(certificate->separable, c / 2 == 0);
    assert_string_equal(certificate->bounds, c / 2 < 2 ? "slope" : "");
    assert_non_null(strstr(certificate->note, words[c / 2]));
    for (size_t j = 0; j < l.pieces; j++)
      assert_true(near(l.slope[j], c / 2 == 0 ? most : c / 2 == 1 ? least : 1, 1e-9));
    crd_calibrator_destroy(k);
    free_data(&data);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(nothing_is_better),
    cmocka_unit_test(temperature_is_never_better),
    cmocka_unit_test(bends_mend_what_temperature_cannot),
    cmocka_unit_test(bends_are_quantiles),
    cmocka_unit_test(many_ranks_are_grouped),
    cmocka_unit_test(rows_keep_their_order),
    cmocka_unit_test(hopeless_data_have_an_answer),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
