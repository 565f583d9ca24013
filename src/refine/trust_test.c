/*
 * trust_test.c -- TrustScores against plain double loops, with ties, duplicates and filtering; the
 * edges of classes and rows; calibration and the file.
 */
#include "refine/trust.h"
#include "support.h"

#include "base/random.h"
#include "data/array.h"
#include "data/predictions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TRAIN = 400, TEST = 150, WIDTH = 11, CLASSES = 5 };

typedef struct {
  double train[TRAIN * WIDTH], test[TEST * WIDTH], scores[TEST * CLASSES];
  int64_t labels[TRAIN], truth[TEST], predicted[TEST];
} sample;

/* Features on a coarse grid tie often; `duplicates` makes test rows copies of training rows. Class
 * 2 has no rows, class 4 only three. */
static void fill(sample *s, uint64_t seed, double grid, bool duplicates) {
  size_t next = 0;
  for (size_t i = 0; i < TRAIN; i++) {
    const size_t draw = (size_t)(crd__random_uniform(seed, 7, next++) * 3);
    s->labels[i] = i < 3 ? 4 : draw == 2 ? 3 : (int64_t)draw;
    for (size_t j = 0; j < WIDTH; j++)
      s->train[i * WIDTH + j] =
          rint((double)s->labels[i] + 3 * crd__random_uniform(seed, 8, next++) / grid) * grid + 1e3;
  }
  for (size_t i = 0; i < TEST; i++) {
    s->truth[i] = (int64_t)(i % CLASSES);
    s->predicted[i] = (int64_t)(i * 7 % CLASSES);
    for (size_t k = 0; k < CLASSES; k++)
      s->scores[i * CLASSES + k] = k == (size_t)s->predicted[i] ? 2 : 0;
    for (size_t j = 0; j < WIDTH; j++)
      s->test[i * WIDTH + j] =
          duplicates && i % 2 ? s->train[i * WIDTH + j]
                              : rint(4 * crd__random_uniform(seed, 9, next++) / grid) * grid + 1e3;
  }
}

static crd_trust *fit(crd_context *ctx, const sample *s, const char *settings) {
  const crd_trust_rows rows = { .size = sizeof rows,
                                .features = crd_array_matrix(s->train, CRD_F64, TRAIN, WIDTH),
                                .labels = crd_array_matrix(s->labels, CRD_I64, TRAIN, 1),
                                .name = "train.npz" };
  crd_trust *trust = NULL;
  if (crd_trust_fit(ctx, &rows, settings, &trust) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  return trust;
}

static crd_predictions *predictions_of(crd_context *ctx, const sample *s) {
  const crd_predictions_parts parts = {
    .size = sizeof parts,
    .scores = crd_array_matrix(s->scores, CRD_F64, TEST, CLASSES),
    .labels = crd_array_matrix(s->truth, CRD_I64, TEST, 1),
    .features = crd_array_matrix(s->test, CRD_F64, TEST, WIDTH),
    .input = CRD_INPUT_LOGITS,
    .name = "test.npz",
  };
  crd_predictions *p = NULL;
  if (crd_predictions_create(ctx, &parts, &p) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  return p;
}

/* ---- The definition, as plain loops. */

static double distance(const double *a, const double *b) {
  double sum = 0;
  for (size_t j = 0; j < WIDTH; j++) sum += (a[j] - b[j]) * (a[j] - b[j]);
  return sqrt(sum);
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The n-th nearest of the kept training rows of a class, or the farthest if there are fewer. */
static double nth(const sample *s, const bool *kept, int64_t class, const double *x, size_t n) {
  double all[TRAIN];
  size_t count = 0;
  for (size_t i = 0; i < TRAIN; i++)
    if (kept[i] && s->labels[i] == class) all[count++] = distance(x, s->train + i * WIDTH);
  if (count == 0) return INFINITY;
  qsort(all, count, sizeof *all, ascending);
  return all[(n < count ? n : count) - 1];
}

static void filter(const sample *s, size_t k, double alpha, bool *kept) {
  double radius[TRAIN];
  bool all[TRAIN];
  for (size_t i = 0; i < TRAIN; i++) all[i] = true;
  for (size_t i = 0; i < TRAIN; i++) radius[i] = nth(s, all, s->labels[i], s->train + i * WIDTH, k);
  for (size_t i = 0; i < TRAIN; i++) {
    size_t nearer = 0, count = 0;
    for (size_t j = 0; j < TRAIN; j++) {
      if (s->labels[j] != s->labels[i]) continue;
      nearer += radius[j] < radius[i];
      count++;
    }
    kept[i] = nearer < count - (size_t)(alpha * (double)count + 1e-9);
  }
}

static double score(const sample *s, const bool *kept, size_t i, size_t neighbour) {
  double other = INFINITY;
  for (int64_t c = 0; c < CLASSES; c++)
    if (c != s->predicted[i]) other = fmin(other, nth(s, kept, c, s->test + i * WIDTH, neighbour));
  const double own = nth(s, kept, s->predicted[i], s->test + i * WIDTH, neighbour);
  return isinf(own) ? 0 : other / (own + 1e-12);
}

/* ---- Tests. */

static void equals_plain_loops(void **state) {
  static const struct {
    const char *settings;
    size_t k, neighbour;
    double alpha, grid;
    bool duplicates;
  } cases[] = {
    { NULL, 10, 1, 0, 1e-3, false },
    { NULL, 10, 1, 0, 1, true }, /* ties between classes, and distances of 0 */
    { "alpha=0.3", 10, 1, 0.3, 1e-3, false },
    { "alpha=0.5,k=3", 3, 1, 0.5, 1, true },
    { "alpha=0.999,k=1000", 1000, 1, 0.999, 1e-3, false }, /* k beyond every class */
    { "neighbour=2", 10, 2, 0, 0.5, true },
    { "neighbour=100", 10, 100, 0, 1e-3, false },
  };
  sample *const s = malloc(sizeof *s);
  for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
    bool kept[TRAIN];
    double out[TEST];
    size_t predicted[TEST], count = 0;
    fill(s, n, cases[n].grid, cases[n].duplicates);
    crd_trust *const trust = fit(*state, s, cases[n].settings);
    crd_predictions *const p = predictions_of(*state, s);
    filter(s, cases[n].k, cases[n].alpha, kept);
    for (size_t i = 0; i < TRAIN; i++) count += kept[i];
    assert_int_equal(crd_trust_describe(trust)->kept, count);
    assert_int_equal(crd_trust_describe(trust)->counts[2], 0);
    assert_true(crd_trust_describe(trust)->counts[4] > 0); /* no class loses all rows */
    assert_int_equal(crd_trust_score(*state, trust, p, out, predicted), CRD_OK);
    for (size_t i = 0; i < TEST; i++) {
      const double expected = score(s, kept, i, cases[n].neighbour);
      assert_int_equal(predicted[i], s->predicted[i]);
      if (!(fabs(out[i] - expected) <= 1e-6 * fmax(1, expected)))
        fail_msg("case %zu, row %zu: %.17g, expected %.17g", n, i, out[i], expected);
    }
    crd_predictions_destroy(p);
    crd_trust_destroy(trust);
  }
  free(s);
}

static void the_same_bits_for_any_threads(void **state) {
  double once[TEST], again[TEST];
  sample *const s = malloc(sizeof *s);
  fill(s, 3, 0.25, true);
  crd_predictions *const p = predictions_of(*state, s);
  for (unsigned threads = 1; threads <= 3; threads += 2) {
    crd_context_set_threads(*state, threads);
    crd_trust *const trust = fit(*state, s, "alpha=0.2");
    assert_int_equal(crd_trust_score(*state, trust, p, threads == 1 ? once : again, NULL), CRD_OK);
    crd_trust_destroy(trust);
  }
  assert_memory_equal(once, again, sizeof once);
  crd_context_set_threads(*state, 0);
  crd_predictions_destroy(p);
  free(s);
}

/* Between two equally near classes the score is 1 for either, and not the ratio with itself. */
static void ties_are_told_by_index(void **state) {
  static const double train[] = { -1, 1, 5 }, test[] = { 0, 0, -1, 4 };
  static const int64_t labels[] = { 0, 1, 2 }, predicted[] = { 0, 1, 0, 2 };
  static const double scores[] = { 1, 1, 1, 1 }; /* not read */
  const crd_trust_rows rows = { .size = sizeof rows,
                                .features = crd_array_matrix(train, CRD_F64, 3, 1),
                                .labels = crd_array_matrix(labels, CRD_I64, 3, 1) };
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores = crd_array_matrix(scores, CRD_F64, 4, 1),
                                        .predicted = crd_array_matrix(predicted, CRD_I64, 4, 1),
                                        .labels = crd_array_matrix(predicted, CRD_I64, 4, 1),
                                        .features = crd_array_matrix(test, CRD_F64, 4, 1),
                                        .input = CRD_INPUT_PAIRS };
  crd_trust *trust = NULL;
  crd_predictions *p = NULL;
  double out[4];
  assert_int_equal(crd_trust_fit(*state, &rows, NULL, &trust), CRD_OK);
  assert_int_equal(crd_predictions_create(*state, &parts, &p), CRD_OK);
  assert_int_equal(crd_trust_score(*state, trust, p, out, NULL), CRD_OK);
  assert_true(near(out[0], 1, 1e-9) && near(out[1], 1, 1e-9));
  assert_true(near(out[2], 2e12, 1) && near(out[3], 3, 1e-9));
  crd_predictions_destroy(p);
  crd_trust_destroy(trust);
}

static void refuse(crd_context *ctx, const crd_trust_rows *rows, const char *settings,
                   crd_status status, const char *words) {
  crd_trust *trust = NULL;
  assert_int_equal(crd_trust_fit(ctx, rows, settings, &trust), status);
  assert_null(trust);
  if (!strstr(crd_context_message(ctx), words))
    fail_msg("%s\nexpected in it: %s", crd_context_message(ctx), words);
}

static void bad_rows_are_named(void **state) {
  double features[] = { 1, 2, 3, 4, 5, 6 };
  int64_t labels[] = { 0, 1, 1 };
  crd_trust_rows rows = { .size = sizeof rows,
                          .features = crd_array_matrix(features, CRD_F64, 3, 2),
                          .labels = crd_array_matrix(labels, CRD_I64, 3, 1),
                          .name = "train.npz" };
  refuse(*state, &rows, "depth=3", CRD_EUSAGE, "depth");
  refuse(*state, &rows, "alpha=1", CRD_EUSAGE, "alpha");
  features[3] = (double)NAN;
  refuse(*state, &rows, NULL, CRD_EINPUT, "train.npz: features row 1, column 1: found nan");
  features[3] = 1e200;
  refuse(*state, &rows, NULL, CRD_EINPUT, "found 1e+200, allowed are numbers of magnitude");
  features[3] = 4;
  labels[2] = -1;
  refuse(*state, &rows, NULL, CRD_EINPUT, "labels row 2: found class -1, allowed are 0 .. 999999");
  labels[2] = labels[1] = 0;
  refuse(*state, &rows, NULL, CRD_EINPUT, "1 of the classes has rows, TrustScore compares");
  labels[0] = labels[1] = labels[2] = CRD_IGNORE_LABEL;
  refuse(*state, &rows, NULL, CRD_EINPUT, "0 of the classes have rows");
  rows.labels = crd_array_matrix(labels, CRD_I64, 2, 1);
  refuse(*state, &rows, NULL, CRD_EINPUT, "2 labels for 3 rows of features");
  rows.labels.data = NULL;
  refuse(*state, &rows, NULL, CRD_EINPUT, "no labels, TrustScore needs features and labels");
}

/* One row of each class, and queries without, or with other, features. */
static void single_rows_suffice(void **state) {
  sample *const s = malloc(sizeof *s);
  double out[TEST];
  fill(s, 1, 1, false);
  s->labels[0] = 0;
  s->labels[1] = 1;
  crd_trust_rows rows = { .size = sizeof rows,
                          .features = crd_array_matrix(s->train, CRD_F64, 2, WIDTH),
                          .labels = crd_array_matrix(s->labels, CRD_I64, 2, 1) };
  crd_trust *trust = NULL;
  crd_predictions *const p = predictions_of(*state, s);
  assert_int_equal(crd_trust_fit(*state, &rows, "k=10,alpha=0.9,neighbour=5", &trust), CRD_OK);
  assert_int_equal(crd_trust_describe(trust)->kept, 2);
  assert_int_equal(crd_trust_score(*state, trust, p, out, NULL), CRD_OK);
  /* Predicted classes without training rows, even beyond all labels, are not trusted at all. */
  for (size_t i = 0; i < TEST; i++) assert_true((s->predicted[i] > 1) == (out[i] == 0));
  p->parts.features = crd_array_matrix(s->test, CRD_F64, TEST, WIDTH - 1);
  p->parts.features = crd__data_array_strided(p->parts.features);
  assert_int_equal(crd_trust_score(*state, trust, p, out, NULL), CRD_EINPUT);
  assert_non_null(strstr(crd_context_message(*state), "10 features in a row, the training rows"));
  p->parts.features.data = NULL;
  assert_int_equal(crd_trust_score(*state, trust, p, out, NULL), CRD_EINPUT);
  assert_non_null(strstr(crd_context_message(*state), "no array `features`"));
  crd_trust_destroy(trust);
  crd_predictions_destroy(p);
  free(s);
}

/* The file is read again as a ranking; after isotonic regression, as confidences. */
static void files_are_read_again(void **state) {
  sample *const s = malloc(sizeof *s);
  double out[TEST];
  char path[256];
  crd_calibrator *isotonic = NULL;
  fill(s, 5, 0.1, false);
  crd_trust *const trust = fit(*state, s, NULL);
  crd_predictions *const p = predictions_of(*state, s), *back = NULL;
  assert_int_equal(crd_trust_score(*state, trust, p, out, NULL), CRD_OK);
  if (crd_trust_calibrate(*state, trust, p, &isotonic) != CRD_OK)
    fail_msg("%s", crd_context_message(*state));
  temporary_path(path, "trust.npz");
  for (size_t calibrated = 0; calibrated < 2; calibrated++) {
    assert_int_equal(crd_trust_apply_to(*state, trust, calibrated ? isotonic : NULL, p, path),
                     CRD_OK);
    assert_int_equal(crd_predictions_open(*state, path, NULL, &back), CRD_OK);
    assert_int_equal(crd_predictions_input(back),
                     calibrated ? CRD_INPUT_LOGITS : CRD_INPUT_RANKING);
    for (size_t i = 0; i < TEST; i++) {
      const crd_array *const own = calibrated ? &back->parts.confidence : &back->parts.scores;
      const double value = crd__data_array_number(own, i, 0);
      assert_true(calibrated ? value >= 0 && value <= 1 : value == out[i]);
      assert_true(crd__data_array_number(&back->parts.predicted, i, 0) == (double)s->predicted[i]);
      /* Isotonic: confidences are in the order of the scores. */
      for (size_t k = 0; calibrated && k < i; k++)
        if (out[k] < out[i]) assert_true(crd__data_array_number(own, k, 0) <= value);
    }
    crd_predictions_destroy(back);
  }
  unlink(path);
  crd_calibrator_destroy(isotonic);
  crd_trust_destroy(trust);
  crd_predictions_destroy(p);
  free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(equals_plain_loops),     cmocka_unit_test(the_same_bits_for_any_threads),
    cmocka_unit_test(ties_are_told_by_index), cmocka_unit_test(bad_rows_are_named),
    cmocka_unit_test(single_rows_suffice),    cmocka_unit_test(files_are_read_again),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
