/* quadtree_test.c -- repulsion against all pairs; duplicates, lines, distant and close points. */
#include "support.h"

#include "base/context.h"
#include "base/random.h"
#include "math/tsne/quadtree.h"

#include <math.h>

enum { POINTS = 400 };

static double y[2 * POINTS];

/* The definition. */
static void repel(size_t points, size_t i, double f[2], double *z) {
  f[0] = f[1] = *z = 0;
  for (size_t j = 0; j < points; j++) {
    const double dx = y[2 * i] - y[2 * j], dy = y[2 * i + 1] - y[2 * j + 1];
    const double q = 1 / (1 + dx * dx + dy * dy);
    if (j == i) continue;
    f[0] += q * q * dx;
    f[1] += q * q * dy;
    *z += q;
  }
}

/* Largest error of a force, relative to the largest force, and of the sum of z, relative to it. */
static void measure(crd_context *ctx, size_t points, double angle, double error[2]) {
  crd__math_quadtree *tree;
  double most = 0, sum = 0, expected_sum = 0;
  assert_int_equal(crd__math_quadtree_create(ctx, points, &tree), CRD_OK);
  crd__math_quadtree_build(tree, y, angle);
  error[0] = 0;
  for (size_t place = 0; place < points; place++) {
    double f[2], z, expected[2], expected_z;
    crd__math_quadtree_repel(tree, place, f, &z);
    repel(points, crd__math_quadtree_point(tree, place), expected, &expected_z);
    error[0] = fmax(error[0], hypot(f[0] - expected[0], f[1] - expected[1]));
    most = fmax(most, hypot(expected[0], expected[1]));
    sum += z;
    expected_sum += expected_z;
  }
  error[0] = most > 0 ? error[0] / most : error[0];
  error[1] = fabs(sum / expected_sum - 1);
  crd__math_quadtree_destroy(&ctx->alloc, tree);
}

static void draw(size_t points, double width, double height) {
  for (size_t i = 0; i < points; i++) {
    y[2 * i] = width * (crd__random_uniform(3, 0, 2 * i) - 0.3);
    y[2 * i + 1] = height * (crd__random_uniform(3, 0, 2 * i + 1) - 0.6);
  }
}

static void is_exact_at_angle_0(void **state) {
  static const double sizes[] = { 1e-8, 1e-3, 1, 40, 1e5 };
  static const size_t counts[] = { 2, 3, 4, 17, POINTS };
  double error[2];
  for (size_t s = 0; s < 5; s++)
    for (size_t n = 0; n < 5; n++) {
      draw(counts[n], sizes[s], sizes[4 - s]);
      measure(*state, counts[n], 0, error);
      if (!(error[0] < 1e-12 && error[1] < 1e-12))
        fail_msg("%zu points, %g x %g: %g, %g", counts[n], sizes[s], sizes[4 - s], error[0],
                 error[1]);
    }
}

/* The error decreases with the angle, but is not 0, since not all pairs are visited. */
static void angles_are_within_bounds(void **state) {
  static const double angles[] = { 0.2, 0.5, 0.7 }, force[] = { 0.003, 0.03, 0.06 };
  double error[2];
  draw(POINTS, 60, 40);
  for (size_t a = 0; a < 3; a++) {
    measure(*state, POINTS, angles[a], error);
    if (!(error[0] > 1e-9 && error[0] < force[a] && error[1] < force[a]))
      fail_msg("angle %g: %g, %g", angles[a], error[0], error[1]);
  }
}

/* At angle 1, the root would act as one point even on a point in its own corner. */
static void no_square_is_outside_itself(void **state) {
  crd_context *const ctx = *state;
  crd__math_quadtree *tree;
  double f[2], z, expected[2], expected_z;
  for (size_t i = 0; i < 2 * POINTS; i++) y[i] = 1000 + 1e-3 * crd__random_uniform(5, 0, i);
  y[0] = y[1] = 0;
  assert_int_equal(crd__math_quadtree_create(ctx, POINTS, &tree), CRD_OK);
  crd__math_quadtree_build(tree, y, 1);
  assert_int_equal(crd__math_quadtree_point(tree, 0), 0);
  crd__math_quadtree_repel(tree, 0, f, &z);
  repel(POINTS, 0, expected, &expected_z);
  assert_true(fabs(z / expected_z - 1) < 1e-9 && fabs(f[0] / expected[0] - 1) < 1e-9);
  crd__math_quadtree_destroy(&ctx->alloc, tree);
}

/* Many or all points coincide, and a pair that 32 levels of the tree do not separate. */
static void copies_act_together(void **state) {
  static const size_t places[] = { 1, 2, 5, 40 };
  double error[2];
  for (size_t k = 0; k < 4; k++) {
    draw(POINTS, 10, 10);
    for (size_t i = 0; i < 2 * POINTS; i++) y[i] = y[i % (2 * places[k])];
    measure(*state, POINTS, 0, error);
    if (!(error[0] < 1e-12 && error[1] < 1e-12))
      fail_msg("%zu places: %g, %g", places[k], error[0], error[1]);
  }
  draw(POINTS, 1e3, 1e3);
  y[0] = y[2] + 1e-12;
  y[1] = y[3];
  measure(*state, POINTS, 0, error);
  assert_true(error[0] < 1e-9 && error[1] < 1e-12);
}

/* Each point has one position on the curve. */
static void curve_visits_all(void **state) {
  bool seen[POINTS] = { false };
  crd__math_quadtree *tree;
  crd_context *const ctx = *state;
  draw(POINTS, 1, 1);
  assert_int_equal(crd__math_quadtree_create(ctx, POINTS, &tree), CRD_OK);
  crd__math_quadtree_build(tree, y, 0.5);
  for (size_t place = 0; place < POINTS; place++) {
    const size_t point = crd__math_quadtree_point(tree, place);
    assert_true(point < POINTS && !seen[point]);
    seen[point] = true;
  }
  crd__math_quadtree_destroy(&ctx->alloc, tree);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(is_exact_at_angle_0),
                                      cmocka_unit_test(angles_are_within_bounds),
                                      cmocka_unit_test(no_square_is_outside_itself),
                                      cmocka_unit_test(copies_act_together),
                                      cmocka_unit_test(curve_visits_all) };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
