/* tsne_test.c -- clusters stay together, same bits, rows that are hard to separate, errors. */
#include "support.h"

#include "base/random.h"
#include "math/tsne/tsne.h"

#include <math.h>
#include <string.h>

enum { ROWS = 150, WIDTH = 6, GROUPS = 6, NEAREST = 10 };
static const crd__math_tsne_options brief = { .perplexity = 8, .iterations = 300, .angle = 0.5 };

static double x[ROWS * WIDTH], y[2 * ROWS];

/* Row i belongs to cluster i % GROUPS, around its own corner. */
static void draw_groups(double spread) {
  for (size_t i = 0; i < ROWS; i++)
    for (size_t j = 0; j < WIDTH; j++)
      x[i * WIDTH + j] = (i % GROUPS == j) + spread * (crd__random_uniform(4, j, i) - 0.5);
}

/* The fraction of points whose nearest point is in the same cluster. */
static double agreement(void) {
  size_t same = 0;
  for (size_t i = 0; i < ROWS; i++) {
    bool taken[ROWS] = { false };
    taken[i] = true;
    for (size_t k = 0; k < NEAREST; k++) {
      size_t best = ROWS;
      double least = INFINITY;
      for (size_t j = 0; j < ROWS; j++) {
        const double distance = hypot(y[2 * i] - y[2 * j], y[2 * i + 1] - y[2 * j + 1]);
        if (taken[j] || !(distance < least)) continue;
        least = distance;
        best = j;
      }
      assert_true(best < ROWS);
      taken[best] = true;
      same += best % GROUPS == i % GROUPS;
    }
  }
  return (double)same / (ROWS * NEAREST);
}

static void groups_stay_together(void **state) {
  draw_groups(0.6);
  assert_int_equal(crd__math_tsne(*state, x, ROWS, WIDTH, &brief, y), CRD_OK);
  if (!(agreement() > 0.999)) fail_msg("only %g of the nearest are of the same group", agreement());
}

/* Also if squares of the values overflow or vanish: units do not matter. */
static void units_do_not_matter(void **state) {
  static const double units[] = { 1e-300, 1e300 };
  double expected[2 * ROWS];
  const crd__math_tsne_options once = { .perplexity = 10, .iterations = 20, .angle = 0.5 };
  draw_groups(0.6);
  assert_int_equal(crd__math_tsne(*state, x, ROWS, WIDTH, &once, expected), CRD_OK);
  for (size_t u = 0; u < 2; u++) {
    draw_groups(0.6);
    for (size_t i = 0; i < ROWS * WIDTH; i++) x[i] *= units[u];
    assert_int_equal(crd__math_tsne(*state, x, ROWS, WIDTH, &once, y), CRD_OK);
    for (size_t i = 0; i < 2 * ROWS; i++) assert_true(fabs(y[i] - expected[i]) < 1e-6);
  }
}

static void bits_do_not_depend_on_threads(void **state) {
  double expected[2 * ROWS];
  draw_groups(3);
  for (unsigned threads = 1; threads <= 3; threads += 2) {
    crd_context_set_threads(*state, threads);
    assert_int_equal(crd__math_tsne(*state, x, ROWS, WIDTH, &brief, y), CRD_OK);
    if (threads == 1) memcpy(expected, y, sizeof y);
    assert_memory_equal(y, expected, sizeof y);
  }
  crd_context_set_seed(*state, 1);
  assert_int_equal(crd__math_tsne(*state, x, ROWS, WIDTH, &brief, y), CRD_OK);
  assert_memory_not_equal(y, expected, sizeof y);
  crd_context_set_seed(*state, 0);
  crd_context_set_threads(*state, 1);
}

static void assert_finite(crd_context *ctx, size_t rows, size_t width, double perplexity,
                          const char *what) {
  const crd__math_tsne_options options = { .perplexity = perplexity,
                                           .iterations = 260,
                                           .angle = 0.5 };
  double least = INFINITY, most = -INFINITY;
  assert_int_equal(crd__math_tsne(ctx, x, rows, width, &options, y), CRD_OK);
  for (size_t i = 0; i < 2 * rows; i++) {
    if (!isfinite(y[i])) fail_msg("%s: point %zu is at %g", what, i / 2, y[i]);
    least = fmin(least, y[i]);
    most = fmax(most, y[i]);
  }
  if (!(most - least > 1e-3)) fail_msg("%s: all points are at %g", what, least);
}

static void hard_rows_get_finite_points(void **state) {
  memset(x, 0, sizeof x);
  assert_finite(*state, ROWS, WIDTH, 30, "zeros");
  for (size_t i = 0; i < ROWS * WIDTH; i++) x[i] = 1e200;
  assert_finite(*state, ROWS, WIDTH, 5, "constant");
  assert_finite(*state, 4, 1, 3, "four copies");
  for (size_t i = 0; i < ROWS * WIDTH; i++) x[i] = (double)(i / WIDTH / 60);
  assert_finite(*state, ROWS, WIDTH, 20, "three rows, many times");
  for (size_t i = 0; i < ROWS; i++) x[i] = (double)(i * i);
  assert_finite(*state, ROWS, 1, 20, "one column");
  assert_finite(*state, 4, 1, 1, "four rows, one neighbour");
  assert_finite(*state, 5, 1, 4, "five rows, all neighbours");
  x[3] = 1e308;
  assert_finite(*state, ROWS, 1, 20, "one far out");
}

static void assert_refused(crd_context *ctx, size_t rows, crd__math_tsne_options options,
                           const char *message) {
  y[0] = -7;
  assert_int_not_equal(crd__math_tsne(ctx, x, rows, WIDTH, &options, y), CRD_OK);
  assert_string_equal(crd_context_message(ctx), message);
  assert_true(y[0] == -7);
}

static void the_impossible_is_refused(void **state) {
  crd__math_tsne_options o = brief;
  draw_groups(1);
  assert_refused(*state, 3, o, "t-SNE: 3 rows of 6 columns, expected at least 4 rows and 1 column");
  assert_refused(*state, 8, o, "t-SNE: perplexity 8 for 8 rows, allowed is 1 to 7 (rows - 1)");
  o.perplexity = NAN;
  assert_refused(*state, 10, o, "t-SNE: perplexity nan for 10 rows, allowed is 1 to 9 (rows - 1)");
  o = brief;
  o.angle = 1.5;
  assert_refused(*state, ROWS, o, "t-SNE: angle 1.5, allowed is 0 to 1");
}

static void stop(void *self, const char *stage, uint64_t done, uint64_t total) {
  assert_true(done <= total);
  if (strcmp(stage, "arranging points") == 0 && done == 7) crd_context_interrupt(self);
  assert_true(strcmp(stage, "arranging points") != 0 || done <= 7);
}

static void interrupt_is_heard_between_iterations(void **state) {
  crd_context *ctx;
  (void)state;
  assert_int_equal(crd_context_create(NULL, &ctx), CRD_OK);
  crd_context_set_progress(ctx, stop, ctx);
  crd_context_set_threads(ctx, 1);
  draw_groups(1);
  y[0] = -7;
  assert_int_equal(crd__math_tsne(ctx, x, ROWS, WIDTH, NULL, y), CRD_EINTERRUPTED);
  assert_true(y[0] == -7);
  crd_context_destroy(ctx);
}

/* One thread: with few rows, more threads wait longer for each other than they work. */
static int set_up(void **state) {
  const int code = open_context(state);
  crd_context_set_threads(*state, 1);
  return code;
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(groups_stay_together),
                                      cmocka_unit_test(units_do_not_matter),
                                      cmocka_unit_test(bits_do_not_depend_on_threads),
                                      cmocka_unit_test(hard_rows_get_finite_points),
                                      cmocka_unit_test(the_impossible_is_refused),
                                      cmocka_unit_test(interrupt_is_heard_between_iterations) };
  return cmocka_run_group_tests(tests, set_up, close_context);
}
