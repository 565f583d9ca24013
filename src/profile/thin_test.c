/* thin_test.c -- every point lies near the segment that replaces it. */
#include "base/random.h"
#include "profile/thin.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { POINTS = 3000 };

static double distance(crd_point p, crd_point a, crd_point b) {
  const double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
  double along = square > 0 ? ((p.x - a.x) * dx + (p.y - a.y) * dy) / square : 0;
  along = fmin(fmax(along, 0), 1);
  return hypot(p.x - a.x - along * dx, p.y - a.y - along * dy);
}

static double uniform(uint64_t seed, size_t i) { return crd__random_uniform(seed, 9, i) - 0.5; }

/* Makes paths of several kinds: any direction, up and right, along a line, back and forth,
 * constant. */
static void make_walk(unsigned kind, crd_point *out) {
  crd_point at = { 0, 0 };
  for (size_t i = 0; i < POINTS; i++) {
    const double a = uniform(kind, 2 * i), b = uniform(kind, 2 * i + 1);
    at.x += kind == 0 ? a : kind == 1 ? (a > 0) : kind == 2 ? 1 : kind == 3 ? 3 * sin(a) : 0;
    at.y += kind == 0 ? b : kind == 1 ? (a <= 0) : kind == 2 ? b : kind == 3 ? b : 0;
    out[i] = (crd_point){ at.x / 1000, at.y / 1000 };
  }
}

/* Segments begin and end at points of the walk, in order, and replace the points between. */
static void check_walk(const crd_point *walk, const crd_point *kept, size_t count, double allowed) {
  size_t piece = 0;
  assert_memory_equal(&walk[0], &kept[0], sizeof *walk);
  assert_memory_equal(&walk[POINTS - 1], &kept[count - 1], sizeof *walk);
  for (size_t i = 1; i < POINTS && piece + 1 < count; i++) {
    if (distance(walk[i], kept[piece], kept[piece + 1]) > allowed * (1 + 1e-9) + 1e-15)
      fail_msg("point %zu is too far from piece %zu", i, piece);
    if (walk[i].x == kept[piece + 1].x && walk[i].y == kept[piece + 1].y) piece++;
  }
  assert_int_equal(piece + 1, count);
}

static size_t thin(const crd_point *walk, double tolerance, crd_point *kept) {
  crd__profile_thinning t = { .tolerance = tolerance, .kept = kept, .capacity = POINTS };
  for (size_t i = 0; i < POINTS; i++) crd__profile_thin_add(&t, walk[i].x, walk[i].y);
  assert_true(crd__profile_thin_end(&t));
  return t.count;
}

static void no_point_is_missed(void **state) {
  static crd_point walk[POINTS], kept[POINTS];
  static const double tolerances[] = { 0, 1e-4, 1e-3, 4e-3, 0.03 };
  (void)state;
  for (unsigned kind = 0; kind < 4; kind++) {
    size_t last = POINTS;
    make_walk(kind, walk);
    for (size_t i = 0; i < sizeof tolerances / sizeof *tolerances; i++) {
      const size_t count = thin(walk, tolerances[i], kept);
      check_walk(walk, kept, count, tolerances[i]);
      assert_true(count <= last);
      last = count;
    }
    assert_true(last < POINTS / 20); /* most points are dropped */
  }
}

/* A constant path is reduced to two points, a straight line to its ends. */
static void lines_have_two_points(void **state) {
  static crd_point walk[POINTS], kept[POINTS];
  (void)state;
  make_walk(4, walk);
  assert_int_equal(thin(walk, 0, kept), 2);
  for (size_t i = 0; i < POINTS; i++) walk[i] = (crd_point){ (double)i, 3 * (double)i };
  assert_int_equal(thin(walk, 0, kept), 2);
  walk[7].y += 1;
  assert_int_equal(thin(walk, 0, kept), 5);
  assert_int_equal(thin(walk, 2, kept), 2);
}

static void exceeded_capacity_is_reported(void **state) {
  crd_point kept[3];
  crd__profile_thinning t = { .kept = kept, .capacity = 3 };
  (void)state;
  for (int i = 0; i < 3; i++) crd__profile_thin_add(&t, i, i * i);
  crd__profile_thin_add(&t, 3, 0);
  assert_false(crd__profile_thin_end(&t));
  assert_int_equal(t.count, 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(no_point_is_missed),
    cmocka_unit_test(lines_have_two_points),
    cmocka_unit_test(exceeded_capacity_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
