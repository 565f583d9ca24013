/* histogram_test.c -- compared with bins counted one by one, with rows on the edges and ties. */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 210, TWICE = 420 };

typedef struct {
  double confidence[ROWS], weights[ROWS];
  unsigned char correct[ROWS];
} sample;

static sample draw(size_t distinct) {
  sample s;
  for (size_t i = 0; i < ROWS; i++) {
    s.confidence[i] = (double)(i * 97 % distinct + 1) / (double)distinct;
    s.weights[i] = (double)(i * 5 % 3);
    s.correct[i] = (double)(i * 29 % 31) / 31 < s.confidence[i];
  }
  return s;
}

/* Returns the weighted accuracy within (low, high], or [0, high] if low is 0. */
static double slow_bin(const sample *s, const double *weights, double low, double high) {
  double weight = 0, hits = 0;
  for (size_t i = 0; i < ROWS; i++)
    if (s->confidence[i] <= high && (s->confidence[i] > low || low == 0)) {
      weight += weights[i];
      hits += weights[i] * s->correct[i];
    }
  return weight > 0 ? hits / weight : (low + high) / 2;
}

/* Confidences are multiples of 1/60, so that many lie on edges of the bins. */
static void equal_width(void **state) {
  const sample s = draw(60);
  for (int bins = 1; bins <= 120; bins++) {
    char settings[32];
    snprintf(settings, sizeof settings, "bins=%d", bins);
    crd_calibrator *const c = fit_pairs(*state, "histogram", settings,
                                        (test_pairs){ ROWS, s.confidence, s.correct, s.weights });
    for (int b = 0; b < bins; b++) {
      const double low = (double)b / bins, high = (double)(b + 1) / bins;
      const double expected = slow_bin(&s, s.weights, low, high);
      assert_true(near(calibrated(*state, c, high), expected, 1e-12));
      assert_true(near(calibrated(*state, c, (low + high) / 2), expected, 1e-12));
      assert_true(near(calibrated(*state, c, low + 1e-9), expected, 1e-12));
    }
    crd_calibrator_destroy(c);
  }
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The edges of numpy.array_split, half-way between rows; an edge that would leave a bin empty is
 * dropped. */
static size_t slow_edges(const sample *s, size_t bins, double *edges) {
  double sorted[ROWS];
  size_t made = 0, end = 0, below = 0;
  memcpy(sorted, s->confidence, sizeof sorted);
  qsort(sorted, ROWS, sizeof *sorted, by_size);
  for (size_t b = 0; b + 1 < bins; b++) {
    end += ROWS / bins + (b < ROWS % bins);
    const double edge = (sorted[end - 1] + sorted[end]) / 2;
    size_t rows = 0;
    while (rows < ROWS && sorted[rows] <= edge) rows++;
    if (rows > below && rows < ROWS) edges[made++] = edge;
    below = rows;
  }
  edges[made++] = 1;
  return made;
}

static void equal_mass(void **state) {
  static const size_t distinct[] = { 3, 10, 101, ROWS };
  static const size_t bins[] = { 1, 2, 7, 15, 100, ROWS, 1000 };
  double ones[ROWS], edges[1000];
  for (size_t i = 0; i < ROWS; i++) ones[i] = 1;
  for (size_t d = 0; d < 4; d++)
    for (size_t b = 0; b < 7; b++) {
      const sample s = draw(distinct[d]);
      char settings[48];
      snprintf(settings, sizeof settings, "edges=equal-mass,bins=%zu", bins[b]);
      crd_calibrator *const c = fit_pairs(*state, "histogram", settings,
                                          (test_pairs){ ROWS, s.confidence, s.correct, NULL });
      const size_t made = slow_edges(&s, bins[b] < ROWS ? bins[b] : ROWS, edges);
      for (size_t e = 0; e < made; e++) {
        const double low = e ? edges[e - 1] : 0;
        const double expected = slow_bin(&s, ones, low, edges[e]);
        assert_true(near(calibrated(*state, c, low + 1e-9), expected, 1e-12));
        assert_true(near(calibrated(*state, c, edges[e] - 1e-9), expected, 1e-12));
      }
      crd_calibrator_destroy(c);
    }
}

/* Rows of weight 0 change nothing, and weights count by their ratios. */
static void weights_are_counts(void **state) {
  const sample s = draw(101);
  double confidence[TWICE];
  unsigned char correct[TWICE];
  double weights[TWICE];
  for (size_t i = 0; i < TWICE; i++) {
    confidence[i] = i % 2 ? .123 : s.confidence[i / 2];
    correct[i] = i % 2 ? 1 : s.correct[i / 2];
    weights[i] = i % 2 ? 0 : .3;
  }
  crd_calibrator *const plain = fit_pairs(*state, "histogram", "edges=equal-mass,bins=13",
                                          (test_pairs){ ROWS, s.confidence, s.correct, NULL });
  crd_calibrator *const padded = fit_pairs(*state, "histogram", "edges=equal-mass,bins=13",
                                           (test_pairs){ TWICE, confidence, correct, weights });
  for (size_t i = 1; i < 100; i++) {
    const double p = (double)i / 100;
    assert_true(near(calibrated(*state, plain, p), calibrated(*state, padded, p), 1e-12));
  }
  crd_calibrator_destroy(plain);
  crd_calibrator_destroy(padded);
}

static void empty_bins_have_a_note(void **state) {
  static const double p[2] = { .95, .85 };
  crd_calibrator *const c = fit_pairs(*state, "histogram", "bins=10",
                                      (test_pairs){ 2, p, (const unsigned char[]){ 1, 0 }, NULL });
  assert_true(near(calibrated(*state, c, .32), .35, 1e-12));
  assert_string_equal(crd_calibrator_certificate(c)->note,
                      "8 of 10 bins are empty: they give their midpoint");
  assert_true(same_bits(crd_calibrator_certificate(c)->objective, 0));
  crd_calibrator_destroy(c);
}

static void bins_are_whole(void **state) {
  const sample s = draw(7);
  crd_predictions *p = NULL;
  crd_calibrator *c = NULL;
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores = crd_array_matrix(s.confidence, CRD_F64, ROWS, 1),
                                        .correct = crd_array_matrix(s.correct, CRD_U8, ROWS, 1),
                                        .input = CRD_INPUT_PAIRS };
  assert_int_equal(crd_predictions_create(*state, &parts, &p), CRD_OK);
  assert_int_equal(crd_calibrator_fit(*state, "histogram", "bins=2.5", p, &c), CRD_EUSAGE);
  assert_string_equal(crd_context_message(*state),
                      "histogram: bins=2.5, allowed are integers from 1 to 10000");
  crd_predictions_destroy(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(equal_width),        cmocka_unit_test(equal_mass),
    cmocka_unit_test(weights_are_counts), cmocka_unit_test(empty_bins_have_a_note),
    cmocka_unit_test(bins_are_whole),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
