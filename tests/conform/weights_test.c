/*
 * weights_test.c -- a weight of 3 means the row three times, for every calibration method: a fit
 * with integer weights equals a fit on repeated rows. Rows of weight 0 can be removed.
 *
 * Only ratios of weights matter: doubling all of them changes nothing (the frame scales them to sum
 * to the number of rows). Methods that count rows themselves, for instance for a prior, agree
 * exactly only without that; the table below gives the settings, or the tolerance, and the reason.
 */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of weighted rows, and of copies, that 15 bins divide; the remaining rows have weight 0.
 */
enum { ROWS = 630, ZERO_EVERY = 21, WEIGHTY = 600, CLASSES = 3, COPIES = 2 };

typedef struct {
  const char *method, *settings;
  double tolerance;
  const char *reason;
} promise;

static const promise promises[] = {
  { "matrix-odir", "lambda=0.1", 1e-8, "cross-validation would deal out the copies" },
  { "dirichlet-odir", "lambda=0.1", 1e-8, "the same" },
  { "structured-vector", "lambda=0", .02, "x is mixed with uniform probabilities by row count" },
  { "structured-matrix", "lambda=0", .02, "the same" },
  { "platt", "targets=plain", 1e-8, "smoothed targets count rows" },
  { "scaling-binning", "targets=plain", 1e-8, "the same" },
  { "intra-order-preserving", "ridge=0,knots=14", 1e-8, "the ridge is shared by rows" },
  { "bbq", NULL, INFINITY,
    "its prior is two rows, and the numbers of bins it tries follow the rows" },
  { "spline", NULL, .005, "percentiles are taken at the middle of a row" },
  { "venn-abers", NULL, .1, "the row to be calibrated is one more" },
  { "density-ratio", NULL, INFINITY, "copies are each other's nearest neighbours" },
  { NULL, NULL, 1e-8, NULL },
};

static const promise *promise_of(const char *method) {
  const promise *p = promises;
  while (p->method && strcmp(p->method, method) != 0) p++;
  return p;
}

/* Rows as arrays: scores or confidences, labels or whether the prediction was correct. */
typedef struct {
  size_t rows, classes; /* 0 classes: pairs */
  double scores[COPIES * ROWS * CLASSES], weights[COPIES * ROWS];
  double features[COPIES * ROWS * TEST_FEATURES];
  int64_t labels[COPIES * ROWS];
  unsigned char correct[COPIES * ROWS];
  bool weighted;
} sample;

/* Copies a row, with its scores multiplied by 1 + `apart`. */
static void copy_row(const sample *from, size_t row, double apart, sample *to) {
  const size_t width = from->classes ? from->classes : 1, at = to->rows++;
  for (size_t k = 0; k < width; k++)
    to->scores[at * width + k] = from->scores[row * width + k] * (1 + apart);
  memcpy(to->features + at * TEST_FEATURES, from->features + row * TEST_FEATURES,
         TEST_FEATURES * sizeof *to->features);
  to->labels[at] = from->labels[row];
  to->correct[at] = from->correct[row];
}

/* By rank of confidence, the lowest first: of the 40 rows of a bin half weigh 1 and half 3, so that
 * bins of equal mass end between two rows, and their means differ from those without weights. */
static int weight_at(size_t rank) {
  const size_t zeros = (rank + ZERO_EVERY - 1) / ZERO_EVERY;
  return rank % ZERO_EVERY == 0 ? 0 : (rank - zeros) % 40 < 20 ? 1 : 3;
}

static void make_samples(size_t classes, bool ties, sample *weighted, sample *repeated) {
  test_data data = make_data(
      (test_recipe){ .rows = ROWS, .classes = CLASSES, .seed = 77, .spread = 2, .accuracy = .7 });
  *weighted = (sample){ .rows = ROWS, .classes = classes, .weighted = true };
  *repeated = (sample){ .classes = classes };
  memcpy(weighted->features, data.features, ROWS * TEST_FEATURES * sizeof *data.features);
  if (classes) memcpy(weighted->scores, data.scores, ROWS * CLASSES * sizeof *data.scores);
  for (size_t i = 0; i < ROWS; i++) {
    const size_t rank = i * 37 % ROWS;
    const int weight = weight_at(rank);
    const double confidence = (double)(rank + 1) / (ROWS + 2.37); /* no p equals another 1 - p */
    if (!classes) weighted->scores[i] = confidence;
    weighted->labels[i] = data.labels[i];
    /* Heavy rows are correct more often: ignoring weights gives another curve. */
    weighted->correct[i] = (double)(i * 31 % 100) < 100 * confidence * (.25 + weight / 4.0);
    weighted->weights[i] = weight;
    for (int copy = 0; copy < weight; copy++)
      copy_row(weighted, i, ties ? 0 : 1e-10 * (copy - (weight - 1) / 2.0), repeated);
  }
  assert_int_equal(repeated->rows, 2 * WEIGHTY);
  free_data(&data);
}

static crd_predictions *open_sample(crd_context *ctx, const sample *s) {
  const size_t width = s->classes ? s->classes : 1;
  crd_predictions *p = NULL;
  crd_predictions_parts parts = {
    .size = sizeof parts,
    .scores = crd_array_matrix(s->scores, CRD_F64, s->rows, width),
    .features = crd_array_matrix(s->features, CRD_F64, s->rows, TEST_FEATURES),
    .input = s->classes ? CRD_INPUT_LOGITS : CRD_INPUT_PAIRS,
  };
  if (s->classes) parts.labels = crd_array_matrix(s->labels, CRD_I64, s->rows, 1);
  else parts.correct = crd_array_matrix(s->correct, CRD_U8, s->rows, 1);
  if (s->weighted) parts.weights = crd_array_matrix(s->weights, CRD_F64, s->rows, 1);
  if (crd_predictions_create(ctx, &parts, &p) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  return p;
}

static void fit_and_apply(crd_context *ctx, const char *method, const char *settings,
                          const crd_predictions *on, const crd_predictions *to, double *out) {
  crd_calibrator *c = NULL;
  if (crd_calibrator_fit(ctx, method, settings, on, &c) != CRD_OK ||
      crd_calibrator_apply(ctx, c, to, 0, ROWS, out, NULL, NULL) != CRD_OK)
    fail_msg("%s: %s", method, crd_context_message(ctx));
  crd_calibrator_destroy(c);
}

/* Largest and mean differences of two results. */
typedef struct {
  double most, mean;
} distance;

static distance between(const double *a, const double *b, size_t count) {
  distance d = { 0, 0 };
  for (size_t i = 0; i < count; i++) {
    d.most = fmax(d.most, fabs(a[i] - b[i]));
    d.mean += fabs(a[i] - b[i]) / (double)count;
  }
  return d;
}

typedef struct {
  const char *method, *scope;
  size_t classes; /* 0: pairs */
  bool ties;      /* copies have the same scores; else slightly different ones */
} question;

/* Methods are within their tolerance. With several classes, bins may end among the slightly
 * different copies of a row: then the mean difference must be smaller than without weights, and so
 * for methods with a large tolerance. */
static bool holds(const question *q, distance off, distance matters) {
  const double tolerance = promise_of(q->method)->tolerance;
  const bool exact = off.most <= 1e-8, nearer = off.mean < .6 * matters.mean;
  if (!q->ties && q->classes) return exact || nearer;
  return off.most <= tolerance && (exact || nearer);
}

static size_t check(crd_context *ctx, const question *q) {
  static sample weighted, repeated;
  static double a[ROWS * CLASSES], b[ROWS * CLASSES], c[ROWS * CLASSES];
  const promise *const promised = promise_of(q->method);
  const size_t count = ROWS * (q->classes ? q->classes : 1);
  char settings[100];
  snprintf(settings, sizeof settings, "%s%s%s", q->scope,
           *q->scope && promised->settings ? "," : "",
           promised->settings ? promised->settings : "");
  make_samples(q->classes, q->ties, &weighted, &repeated);
  crd_predictions *const heavy = open_sample(ctx, &weighted);
  crd_predictions *const many = open_sample(ctx, &repeated);
  weighted.weighted = false;
  crd_predictions *const alike = open_sample(ctx, &weighted);
  fit_and_apply(ctx, q->method, settings, heavy, alike, a);
  fit_and_apply(ctx, q->method, settings, many, alike, b);
  fit_and_apply(ctx, q->method, settings, alike, alike, c);
  const distance off = between(a, b, count), matters = between(a, c, count);
  crd_predictions_destroy(heavy);
  crd_predictions_destroy(many);
  crd_predictions_destroy(alike);
  if (holds(q, off, matters)) return 0;
  print_error("%s(%s), %zu classes: %g apart with weights and with repeated rows%s, on average %g "
              "(without weights %g)\n",
              q->method, settings, q->classes, off.most, q->ties ? "" : " that differ slightly",
              off.mean, matters.mean);
  return 1;
}

static void whole_weights_repeat_rows(void **state) {
  size_t wrong = 0;
  for (size_t m = 0; m < crd_method_count(); m++) {
    const crd_method_info *const method = crd_method_at(m);
    const bool scoped = method->setting_count && !strcmp(method->settings[0].name, "scope");
    if (promise_of(method->name)->tolerance == INFINITY) continue;
    for (int ties = 0; ties < 2; ties++) {
      const question questions[] = { { method->name, "", 0, ties },
                                     { method->name, scoped ? "scope=top-1" : "", CLASSES, ties },
                                     { method->name, "scope=one-vs-rest", CLASSES, ties } };
      for (size_t i = 0; i < (scoped ? 3 : 2); i++) wrong += check(*state, &questions[i]);
    }
  }
  assert_int_equal(wrong, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(whole_weights_repeat_rows) };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
