/* affinity_test.c -- the perplexity of every row, the symmetric sum, duplicates and lines. */
#include "support.h"

#include "base/context.h"
#include "base/random.h"
#include "math/tsne/affinity.h"

#include <math.h>
#include <string.h>

enum { ROWS = 150, WIDTH = 3, COUNT = 30 };

static double perplexity_of(const double *p, size_t count) {
  double entropy = 0, sum = 0;
  for (size_t k = 0; k < count; k++) {
    assert_true(p[k] >= 0);
    if (p[k] > 0) entropy -= p[k] * log(p[k]);
    sum += p[k];
  }
  assert_true(near(sum, 1, 1e-12));
  return exp(entropy);
}

/* Squared distances in any unit, starting at 0, or at 1000 units with the last 1e12 times as large.
 */
static void rows_reach_their_perplexity(void **state) {
  static const double units[] = { 1e-200, 1e-8, 1, 1e8, 1e200 }, wanted[] = { 1.5, 5, 10, 29.5 };
  (void)state;
  for (size_t u = 0; u < 5; u++)
    for (size_t w = 0; w < 4; w++)
      for (int far = 0; far < 2; far++) {
        double p[COUNT], square = far ? 1000 * units[u] : 0;
        for (size_t k = 0; k < COUNT; k++) p[k] = square += units[u] * crd__random_uniform(1, u, k);
        if (far) p[COUNT - 1] *= 1e12;
        crd__math_affinity_row(p, COUNT, wanted[w]);
        if (wanted[w] > COUNT - 1 && far) continue; /* unreachable: the last is too far */
        if (!near(perplexity_of(p, COUNT), wanted[w], 1e-8))
          fail_msg("unit %g: perplexity %.12g, expected %g", units[u], perplexity_of(p, COUNT),
                   wanted[w]);
        for (size_t k = 1; k < COUNT; k++) assert_true(p[k] <= p[k - 1]);
      }
}

static void equals_share_alike(void **state) {
  double p[COUNT];
  (void)state;
  for (size_t equal = 12; equal <= COUNT; equal += 9) {
    for (size_t k = 0; k < COUNT; k++) p[k] = k < equal ? 0.25 : 0.5;
    crd__math_affinity_row(p, COUNT, 10);
    for (size_t k = 0; k < COUNT; k++)
      assert_true(near(p[k], k < equal ? 1 / (double)equal : 0, 1e-12));
  }
}

/* The whole matrix from the definition, with all neighbours of each row sorted. */
static void define(const double *x, size_t rows, double perplexity, double *matrix) {
  memset(matrix, 0, rows * rows * sizeof *matrix);
  for (size_t i = 0; i < rows; i++) {
    size_t which[ROWS] = { 0 }, found = 0, count = (size_t)fmin(3 * perplexity, (double)rows - 1);
    double squares[ROWS] = { 0 };
    for (size_t j = 0; j < rows; j++) {
      double square = 0;
      size_t at = found;
      if (j == i) continue;
      for (size_t c = 0; c < WIDTH; c++) square += pow(x[i * WIDTH + c] - x[j * WIDTH + c], 2);
      for (; at > 0 && squares[at - 1] > square; at--) {
        squares[at] = squares[at - 1];
        which[at] = which[at - 1];
      }
      squares[at] = square;
      which[at] = j;
      found++;
    }
    crd__math_affinity_row(squares, count, perplexity);
    for (size_t k = 0; k < count; k++) {
      matrix[i * rows + which[k]] += squares[k] / (2 * (double)rows);
      matrix[which[k] * rows + i] += squares[k] / (2 * (double)rows);
    }
  }
}

static void compare(crd_context *ctx, const double *x, size_t rows, double perplexity) {
  static double matrix[ROWS * ROWS];
  crd__math_affinities a;
  double sum = 0;
  define(x, rows, perplexity, matrix);
  assert_int_equal(crd__math_affinities_compute(ctx, x, rows, WIDTH, perplexity, &a), CRD_OK);
  assert_int_equal(a.rows, rows);
  for (size_t i = 0; i < rows; i++)
    for (size_t e = a.start[i]; e < a.start[i + 1]; e++) {
      double *const expected = matrix + i * rows + a.column[e];
      if (!(fabs(a.value[e] - *expected) <= 1e-9 * *expected))
        fail_msg("row %zu, column %zu: %.12g, expected %.12g", i, a.column[e], a.value[e],
                 *expected);
      sum += a.value[e];
      *expected = 0; /* a duplicate element fails the check */
    }
  for (size_t i = 0; i < rows * rows; i++) assert_true(matrix[i] == 0);
  assert_true(near(sum, 1, 1e-12));
  crd__math_affinities_free(&ctx->alloc, &a);
}

static void matrix_is_that_of_the_definition(void **state) {
  static const size_t sizes[] = { 4, 5, 33, ROWS };
  double x[ROWS * WIDTH];
  for (size_t i = 0; i < ROWS * WIDTH; i++) x[i] = crd__random_uniform(2, 0, i) - 0.5;
  for (size_t n = 0; n < 4; n++) {
    compare(*state, x, sizes[n], 1.2);
    compare(*state, x, sizes[n], fmin(10, (double)sizes[n] - 1.5));
  }
}

/* More duplicates of a row than it has neighbours: it must not choose itself. */
static void copies_choose_each_other(void **state) {
  double x[ROWS * WIDTH];
  for (size_t i = 0; i < ROWS * WIDTH; i++) x[i] = i < 120 * WIDTH ? 1 : (double)i;
  compare(*state, x, ROWS, 5);
  memset(x, 0, sizeof x);
  compare(*state, x, ROWS, 20);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(rows_reach_their_perplexity),
                                      cmocka_unit_test(equals_share_alike),
                                      cmocka_unit_test(matrix_is_that_of_the_definition),
                                      cmocka_unit_test(copies_choose_each_other) };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
