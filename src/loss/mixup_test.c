/*
 * mixup_test.c -- lambda against the moments and the distribution of Beta(a, a), partners,
 * mixtures.
 *
 * The seed is fixed, so a limit of five standard errors always holds or never.
 */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWS = 20000, ROWS = 40 };

static double draw(crd_context *ctx, double alpha, uint64_t step) {
  const int64_t label = 0;
  const crd_array labels = crd_array_matrix(&label, CRD_I64, 1, 1);
  double lambda;
  size_t partner;
  const crd_mixup_options options = { .size = sizeof options, .alpha = alpha, .step = step };
  assert_int_equal(crd_mixup_draw(ctx, &options, &labels, &lambda, &partner), CRD_OK);
  assert_true(lambda >= 0 && lambda <= 1 && partner == 0);
  return lambda;
}

/* Mean 1/2, variance 1 / (4 (2a + 1)), excess -6 / (2a + 3). */
static void moments_are_those_of_beta(void **state) {
  static const double alphas[] = { 0.001, 0.01, 0.2, 0.5, 1, 2, 100, 1e6 };
  for (size_t k = 0; k < sizeof alphas / sizeof *alphas; k++) {
    const double a = alphas[k], variance = 1 / (4 * (2 * a + 1));
    const double fourth = variance * variance * (3 - 6 / (2 * a + 3));
    double sum = 0, squares = 0;
    for (size_t i = 0; i < DRAWS; i++) {
      const double off = draw(*state, a, i) - 0.5;
      sum += off;
      squares += off * off;
    }
    assert_true(fabs(sum / DRAWS) < 5 * sqrt(variance / DRAWS));
    assert_true(fabs(squares / DRAWS - variance) <
                5 * sqrt((fourth - variance * variance) / DRAWS));
  }
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double arcsine(double x) { return 2 / acos(-1) * asin(sqrt(x)); }
static double flat(double x) { return x; }
static double smooth_step(double x) { return x * x * (3 - 2 * x); }

/* Kolmogorov-Smirnov: P(sqrt(n) D > 1.95) = 0.001. */
static void distribution_is_beta(void **state) {
  static const struct {
    double alpha, (*below)(double x);
  } known[] = { { 0.5, arcsine }, { 1, flat }, { 2, smooth_step } };
  double *const drawn = malloc(DRAWS * sizeof *drawn);
  for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
    double distance = 0;
    for (size_t i = 0; i < DRAWS; i++) drawn[i] = draw(*state, known[k].alpha, i);
    qsort(drawn, DRAWS, sizeof *drawn, ascending);
    for (size_t i = 0; i < DRAWS; i++) {
      const double share = known[k].below(drawn[i]);
      distance = fmax(distance, fabs(share - (double)i / DRAWS));
      distance = fmax(distance, fabs(share - (double)(i + 1) / DRAWS));
    }
    assert_true(sqrt(DRAWS) * distance < 1.95);
  }
  free(drawn);
}

/* P(lambda < x) = x^a / (a B(a, a)) for small x: tails that need logarithms. */
static void tails_are_those_of_beta(void **state) {
  static const struct {
    double alpha, x;
  } tails[] = { { 0.2, 1e-6 }, { 0.2, 1e-12 }, { 0.01, 1e-20 }, { 0.01, 1e-300 } };
  for (size_t k = 0; k < sizeof tails / sizeof *tails; k++) {
    const double a = tails[k].alpha, x = tails[k].x;
    const double share = exp(a * log(x) - log(a) - 2 * lgamma(a) + lgamma(2 * a));
    size_t count = 0;
    for (size_t i = 0; i < DRAWS; i++) count += draw(*state, a, i) < x;
    assert_true(fabs((double)count / DRAWS - share) < 5 * sqrt(share * (1 - share) / DRAWS));
  }
}

static void extremes_have_a_value(void **state) {
  const int64_t label = 0;
  const crd_array labels = crd_array_matrix(&label, CRD_I64, 1, 1);
  double lambda = -1;
  size_t partner;
  assert_true(draw(*state, 0, 1) == 1 && draw(*state, -3, 1) == 1 &&
              draw(*state, -INFINITY, 1) == 1);
  for (uint64_t i = 0; i < 100; i++) {
    const double least = draw(*state, 5e-324, i);
    assert_true(least == 0 || least == 1);
  }
  for (int bad = 0; bad < 2; bad++) {
    const crd_mixup_options options = { .size = sizeof options, .alpha = bad ? (double)NAN : 2e6 };
    assert_int_equal(crd_mixup_draw(*state, &options, &labels, &lambda, &partner), CRD_EUSAGE);
  }
  assert_true(lambda == -1);
}

/* ---- Partners. */

static void draw_partners(crd_context *ctx, crd_mixup_pairs pairs, uint64_t step, const int64_t *y,
                          size_t rows, size_t *partner) {
  const crd_mixup_options options = {
    .size = sizeof options, .alpha = 1, .pairs = pairs, .step = step
  };
  const crd_array labels = crd_array_matrix(y, CRD_I64, rows, 1);
  double lambda;
  assert_int_equal(crd_mixup_draw(ctx, &options, &labels, &lambda, partner), CRD_OK);
}

/* All 24 permutations of four rows are equally likely (chi-squared test, 23 degrees of freedom). */
static void partners_are_any_permutation(void **state) {
  enum { ORDERS = 24 };
  static const int64_t y[4] = { 0 };
  size_t partner[4], counts[256] = { 0 }, seen = 0;
  double chi = 0;
  for (uint64_t i = 0; i < DRAWS; i++) {
    draw_partners(*state, CRD_PAIRS_ANY, i, y, 4, partner);
    counts[partner[0] * 64 + partner[1] * 16 + partner[2] * 4 + partner[3]]++;
    assert_int_equal(1 << partner[0] | 1 << partner[1] | 1 << partner[2] | 1 << partner[3], 15);
  }
  for (size_t i = 0; i < 256; i++) {
    const double expected = (double)DRAWS / ORDERS, off = (double)counts[i] - expected;
    seen += counts[i] > 0;
    if (counts[i] > 0) chi += off * off / expected;
  }
  assert_int_equal(seen, ORDERS);
  assert_true(chi < 49.7); /* exceeded with probability 0.001 */
}

static void partners_are_of_other_classes(void **state) {
  int64_t y[ROWS];
  size_t partner[ROWS], hits[ROWS] = { 0 };
  for (size_t i = 0; i < ROWS; i++) y[i] = i == 7 ? -5 : i % 4 == 1;
  for (uint64_t step = 0; step < 2000; step++) {
    draw_partners(*state, CRD_PAIRS_DIFFERENT_CLASS, step, y, ROWS, partner);
    for (size_t i = 0; i < ROWS; i++) assert_true(y[partner[i]] != y[i]);
    hits[partner[7]]++;
  }
  for (size_t i = 0; i < ROWS; i++) /* 2000 / 39 each, five standard errors */
    assert_true(i == 7 ? hits[i] == 0 : hits[i] > 16 && hits[i] < 87);
  memset(y, 0, sizeof y);
  draw_partners(*state, CRD_PAIRS_DIFFERENT_CLASS, 1, y, ROWS, partner);
  for (size_t i = 0; i < ROWS; i++) assert_int_equal(partner[i], i);
}

static void step_and_seed_are_all_that_counts(void **state) {
  static const int64_t y[ROWS] = { 0, 1, 2 };
  size_t a[ROWS], b[ROWS];
  for (int pairs = CRD_PAIRS_ANY; pairs <= CRD_PAIRS_DIFFERENT_CLASS; pairs++) {
    draw_partners(*state, (crd_mixup_pairs)pairs, 3, y, ROWS, a);
    draw_partners(*state, (crd_mixup_pairs)pairs, 3, y, ROWS, b);
    assert_memory_equal(a, b, sizeof a);
    draw_partners(*state, (crd_mixup_pairs)pairs, 4, y, ROWS, b);
    assert_memory_not_equal(a, b, sizeof a);
    crd_context_set_seed(*state, 9);
    draw_partners(*state, (crd_mixup_pairs)pairs, 3, y, ROWS, b);
    assert_memory_not_equal(a, b, sizeof a);
    assert_true(draw(*state, 1, 3) == draw(*state, 1, 3));
    crd_context_set_seed(*state, 0);
  }
}

/* ---- Mixtures. */

static const int64_t classes_of_three[3] = { 1, 2, 0 };
static const size_t partners_of_three[3] = { 1, 1, 0 };

static void rows_and_labels_are_mixed(void **state) {
  static const double x[6] = { 0, 1, 2, 3, -4, 8 };
  static const float single[6] = { 0, 1, 2, 3, -4, 8 };
  static const double wanted[6] = { 1.5, 2.5, 2, 3, -1, 2.75 };
  static const double wanted_shares[9] = { 0, .25, .75, 0, 0, 1, .25, .75, 0 };
  double out[6], shares[9];
  float out_single[6];
  const crd_array rows = crd_array_matrix(x, CRD_F64, 3, 2);
  const crd_array single_rows = crd_array_matrix(single, CRD_F32, 3, 2);
  const crd_array labels = crd_array_matrix(classes_of_three, CRD_I64, 3, 1);
  const size_t *const partner = partners_of_three;
  assert_int_equal(crd_mixup_rows(*state, &rows, 0.25, partner, out), CRD_OK);
  assert_int_equal(crd_mixup_rows(*state, &single_rows, 0.25, partner, out_single), CRD_OK);
  assert_int_equal(crd_mixup_labels(*state, &labels, 3, 0.25, partner, shares), CRD_OK);
  for (size_t i = 0; i < 6; i++)
    assert_true(out[i] == wanted[i] && (double)out_single[i] == wanted[i]);
  for (size_t i = 0; i < 9; i++) assert_true(shares[i] == wanted_shares[i]);
}

static double cross_entropy(crd_context *ctx, const double *z, crd_array labels) {
  crd_loss *loss = NULL;
  crd_loss_value value;
  const crd_array logits = crd_array_matrix(z, CRD_F64, 3, 3);
  const crd_targets targets = { .size = sizeof targets, .labels = labels };
  assert_int_equal(crd_loss_create(ctx, "ce", NULL, &loss), CRD_OK);
  assert_int_equal(crd_loss_evaluate(ctx, loss, &logits, &targets, &value, NULL), CRD_OK);
  crd_loss_destroy(loss);
  return value.value;
}

/* Cross-entropy of the mixture is the mixture of the two cross-entropies. */
static void mixed_labels_are_targets(void **state) {
  static const double z[9] = { 1, -2, .5, 3, 0, -1, .2, .1, 4 };
  static const int64_t other[3] = { 2, 2, 1 };
  double shares[9];
  const crd_array labels = crd_array_matrix(classes_of_three, CRD_I64, 3, 1);
  assert_int_equal(crd_mixup_labels(*state, &labels, 3, 0.3, partners_of_three, shares), CRD_OK);
  const double mixed = cross_entropy(*state, z, crd_array_matrix(shares, CRD_F64, 3, 3));
  const double both = 0.3 * cross_entropy(*state, z, labels) +
                      0.7 * cross_entropy(*state, z, crd_array_matrix(other, CRD_I64, 3, 1));
  assert_true(near(mixed, both, 1e-14));
}

static void nonsense_is_refused(void **state) {
  static const double x[6] = { 0 };
  static const size_t beyond[3] = { 0, 3, 1 };
  static const double halves[2] = { 0, 0.5 };
  double out[9] = { 7 }, lambda;
  size_t partner[2];
  const crd_array rows = crd_array_matrix(x, CRD_F64, 3, 2),
                  whole = crd_array_matrix(x, CRD_I64, 3, 2);
  const crd_array labels = crd_array_matrix(classes_of_three, CRD_I64, 3, 1);
  const crd_array broken = crd_array_matrix(halves, CRD_F64, 2, 1);
  const crd_mixup_options options = { .size = sizeof options,
                                      .alpha = 1,
                                      .pairs = CRD_PAIRS_DIFFERENT_CLASS };
  const size_t *const fine = partners_of_three;
  crd_array turned = rows;
  turned.strides[0] = 8;
  turned.strides[1] = 24;
  assert_int_equal(crd_mixup_rows(*state, &rows, 0.5, beyond, out), CRD_EUSAGE);
  assert_non_null(strstr(crd_context_message(*state), "partner of row 1 is 3"));
  assert_int_equal(crd_mixup_rows(*state, &rows, 1.5, fine, out), CRD_EUSAGE);
  assert_int_equal(crd_mixup_rows(*state, &rows, (double)NAN, fine, out), CRD_EUSAGE);
  assert_int_equal(crd_mixup_rows(*state, &whole, 0.5, fine, out), CRD_EUSAGE);
  assert_int_equal(crd_mixup_rows(*state, &turned, 0.5, fine, out), CRD_EUSAGE);
  assert_int_equal(crd_mixup_labels(*state, &labels, 2, 0.5, fine, out), CRD_EINPUT);
  assert_non_null(strstr(crd_context_message(*state), "labels row 1 is 2, allowed are 0 to 1"));
  assert_int_equal(crd_mixup_labels(*state, &rows, 3, 0.5, fine, out), CRD_EUSAGE);
  assert_int_equal(crd_mixup_draw(*state, &options, &broken, &lambda, partner), CRD_EINPUT);
  assert_int_equal(crd_mixup_draw(*state, &options, &rows, &lambda, partner), CRD_EUSAGE);
  assert_true(out[0] == 7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(moments_are_those_of_beta),
    cmocka_unit_test(distribution_is_beta),
    cmocka_unit_test(tails_are_those_of_beta),
    cmocka_unit_test(extremes_have_a_value),
    cmocka_unit_test(partners_are_any_permutation),
    cmocka_unit_test(partners_are_of_other_classes),
    cmocka_unit_test(step_and_seed_are_all_that_counts),
    cmocka_unit_test(rows_and_labels_are_mixed),
    cmocka_unit_test(mixed_labels_are_targets),
    cmocka_unit_test(nonsense_is_refused),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
