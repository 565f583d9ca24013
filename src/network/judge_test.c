/* judge_test.c -- directions of known errors and doubts: verdicts, and how often they err. */
#include "network/judge.h"

#include "support.h"

#include "base/random.h"

#include <math.h>

enum { DIRECTIONS = 20, CHECKS = 2000 };
static const double tolerance = 0.01;

/* Errors of gradients that are off by `wrong` along each direction, up to noise of deviation
 * `doubt`. */
static crd_check_verdict verdict(double wrong, double doubt, uint64_t seed) {
  crd_check_direction directions[DIRECTIONS];
  crd_check check = { .count = DIRECTIONS, .directions = directions };
  for (size_t i = 0; i < DIRECTIONS; i++)
    directions[i] =
        (crd_check_direction){ .error = fabs(wrong + doubt * crd__random_normal(seed, 1, i)),
                               .doubt = doubt };
  crd__network_judge(tolerance, &check);
  return check.verdict;
}

static size_t times(double wrong, double doubt, crd_check_verdict wanted) {
  size_t found = 0;
  for (uint64_t seed = 0; seed < CHECKS; seed++) found += verdict(wrong, doubt, seed) == wanted;
  return found;
}

/* Doubts of half the tolerance are decided by all directions together, which no single one could
 * be. */
static void directions_are_judged_together(void **state) {
  (void)state;
  assert_true(times(0, 0.005, CRD_CHECK_RIGHT) > CHECKS * 0.99);
  assert_true(times(0.03, 0.005, CRD_CHECK_WRONG) > CHECKS * 0.99);
  assert_true(times(0, 0.02, CRD_CHECK_UNDECIDED) > CHECKS * 0.9);
  assert_true(times(0.0101, 0.005, CRD_CHECK_UNDECIDED) > CHECKS * 0.9);
}

static void right_gradients_are_never_wrong(void **state) {
  static const double doubts[] = { 1e-4, 2e-3, 0.005, 0.01, 0.03, 0.2 };
  (void)state;
  for (size_t i = 0; i < sizeof doubts / sizeof *doubts; i++)
    assert_int_equal(times(0, doubts[i], CRD_CHECK_WRONG), 0);
}

static void wrong_gradients_are_rarely_right(void **state) {
  static const double doubts[] = { 1e-4, 2e-3, 0.005, 0.01, 0.03, 0.2 };
  (void)state;
  for (size_t i = 0; i < sizeof doubts / sizeof *doubts; i++)
    assert_true(times(0.0101, doubts[i], CRD_CHECK_RIGHT) < CHECKS / 100);
}

/* One direction is enough if it is far beyond its doubt, and one without meaning does not matter.
 */
static void single_directions_count(void **state) {
  crd_check_direction directions[DIRECTIONS] = { { 0 } };
  crd_check check = { .count = DIRECTIONS, .directions = directions };
  (void)state;
  directions[7] = (crd_check_direction){ .error = 0.02, .doubt = 0.003 };
  crd__network_judge(tolerance, &check);
  assert_true(check.verdict == CRD_CHECK_WRONG && check.failed == 1 && check.worst == 7);
  directions[7] = (crd_check_direction){ .error = 5, .doubt = 2 };
  crd__network_judge(tolerance, &check);
  assert_true(check.verdict == CRD_CHECK_RIGHT && check.failed == 0 && check.unsure == 1);
  directions[7].doubt = INFINITY;
  crd__network_judge(tolerance, &check);
  assert_true(check.verdict == CRD_CHECK_RIGHT && check.unsure == 1);
  for (size_t i = 0; i < DIRECTIONS; i++) directions[i].doubt = INFINITY;
  crd__network_judge(tolerance, &check);
  assert_int_equal(check.verdict, CRD_CHECK_UNDECIDED);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(directions_are_judged_together),
    cmocka_unit_test(right_gradients_are_never_wrong),
    cmocka_unit_test(wrong_gradients_are_rarely_right),
    cmocka_unit_test(single_directions_count),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
