/* judge_test.c -- directions of known errors and doubts: verdicts, and how often they err. */
#include "network/judge.h"

#include "support.h"

#include "base/random.h"

#include <math.h>
#include <string.h>

enum { DIRECTIONS = 20, CHECKS = 2000 };
static const double tolerance = 0.01;

/* Errors of gradients that are off by `wrong` along each direction, up to noise of deviation
 * `doubt`. */
static crd_check_verdict verdict(double wrong, double doubt, uint64_t seed) {
  crd_check_direction directions[DIRECTIONS];
  crd__network_check check = { .shown.count = DIRECTIONS, .directions = directions };
  for (size_t i = 0; i < DIRECTIONS; i++)
    directions[i] =
        (crd_check_direction){ .error = fabs(wrong + doubt * crd__random_normal(seed, 1, i)),
                               .doubt = doubt };
  crd__network_judge(tolerance, &check);
  return check.shown.verdict;
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
  assert_true(times(0, 0.005, CRD_CHECK_RIGHT) > CHECKS * 99 / 100);
  assert_true(times(0.03, 0.005, CRD_CHECK_WRONG) > CHECKS * 99 / 100);
  assert_true(times(0, 0.02, CRD_CHECK_UNDECIDED) > CHECKS * 9 / 10);
  assert_true(times(0.0101, 0.005, CRD_CHECK_UNDECIDED) > CHECKS * 9 / 10);
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
  crd__network_check check = { .shown.count = DIRECTIONS, .directions = directions };
  (void)state;
  directions[7] = (crd_check_direction){ .error = 0.02, .doubt = 0.003 };
  crd__network_judge(tolerance, &check);
  assert_true(check.shown.verdict == CRD_CHECK_WRONG && check.shown.failed == 1 &&
              check.shown.worst == 7);
  directions[7] = (crd_check_direction){ .error = 5, .doubt = 2 };
  crd__network_judge(tolerance, &check);
  assert_true(check.shown.verdict == CRD_CHECK_RIGHT && check.shown.failed == 0 &&
              check.shown.unsure == 1);
  directions[7].doubt = INFINITY;
  crd__network_judge(tolerance, &check);
  assert_true(check.shown.verdict == CRD_CHECK_RIGHT && check.shown.unsure == 1);
  for (size_t i = 0; i < DIRECTIONS; i++) directions[i].doubt = INFINITY;
  crd__network_judge(tolerance, &check);
  assert_int_equal(check.shown.verdict, CRD_CHECK_UNDECIDED);
}

/* Derivatives of the standard deviation 1 along the directions. */
static void derivatives(uint64_t seed, double scale, size_t count, crd_check_direction *out) {
  for (size_t i = 0; i < count; i++)
    out[i] = (crd_check_direction){ .backward = scale * crd__random_normal(seed, 2, i) };
}

/* Errors are relative to derivatives as they are along the directions, if that of the first point
 * was a peak. */
static void typical_derivatives_are_not_peaks(void **state) {
  crd_check_direction directions[DIRECTIONS];
  crd__network_check check = { .shown.count = DIRECTIONS, .directions = directions };
  size_t lowered = 0;
  (void)state;
  for (uint64_t seed = 0; seed < CHECKS; seed++) {
    derivatives(seed, 1, DIRECTIONS, directions);
    lowered += crd__network_typical(&check, 1) < 1;
    assert_true(crd__network_typical(&check, 0.25) == 0.25);
    assert_in_range(crd__network_typical(&check, 1000) * 1000, 200, 3000);
    /* One derivative that is large does not make up for the others, whichever pass it is from. */
    directions[3] = (crd_check_direction){ .difference = 1e6 };
    assert_true(crd__network_typical(&check, 1000) < 3);
  }
  assert_true(lowered < CHECKS / 8);
  memset(directions, 0, sizeof directions);
  assert_true(crd__network_typical(&check, 1) < 1e-9);
  check.shown.count = 2;
  assert_true(crd__network_typical(&check, 1) == 1);
}

static bool is_rougher(double deviation, double closer) {
  crd__network_peaks peaks = { 0 };
  crd__network_peaks_see(deviation, closer, &peaks);
  assert_true(peaks.looked == 1 && peaks.rougher == peaks.ever);
  return peaks.rougher;
}

/* Return the verdict on `failed` directions that are wrong by themselves. */
static crd_check_verdict verdict_of_peaks(crd__network_peaks peaks, size_t failed) {
  crd_check_direction directions[DIRECTIONS] = { { 0 } };
  crd__network_check check = { .shown.count = DIRECTIONS, .directions = directions };
  for (size_t i = 0; i < failed; i++)
    directions[i] = (crd_check_direction){ .error = 1, .doubt = 0.001 };
  crd__network_judge(tolerance, &check);
  crd__network_judge_peaks(&peaks, &check);
  const bool undecided = check.shown.verdict == CRD_CHECK_UNDECIDED;
  assert_int_equal(check.shown.failed, undecided ? 0 : failed);
  assert_int_equal(check.shown.unsure, undecided ? DIRECTIONS : 0);
  assert_true(undecided == isinf(check.shown.limit) && undecided == isinf(directions[7].doubt));
  return check.shown.verdict;
}

/* With twice the points, deviations of kinks halve, those of noise fall to 0.7 on average; those of
 * narrow peaks grow now and then, and much. */
static void narrow_peaks_are_given_up(void **state) {
  (void)state;
  assert_false(is_rougher(1, 0.5) || is_rougher(1, 1.3) || is_rougher(0, 0));
  assert_true(is_rougher(1, 1.5) && is_rougher(0, 1e-9));
  for (size_t failed = 0; failed < 4; failed += 3) {
    const crd_check_verdict plain = failed ? CRD_CHECK_WRONG : CRD_CHECK_RIGHT;
    assert_int_equal(verdict_of_peaks((crd__network_peaks){ 0 }, failed), plain);
    assert_int_equal(verdict_of_peaks((crd__network_peaks){ 20, 2, 2 }, failed), plain);
    assert_int_equal(verdict_of_peaks((crd__network_peaks){ 2, 2, 2 }, failed), plain);
    assert_int_equal(verdict_of_peaks((crd__network_peaks){ 20, 3, 3 }, failed),
                     CRD_CHECK_UNDECIDED);
  }
  assert_int_equal(verdict_of_peaks((crd__network_peaks){ 40, 5, 5 }, 6), CRD_CHECK_WRONG);
  assert_int_equal(verdict_of_peaks((crd__network_peaks){ 40, 0, 5 }, 5), CRD_CHECK_UNDECIDED);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(directions_are_judged_together),
    cmocka_unit_test(right_gradients_are_never_wrong),
    cmocka_unit_test(wrong_gradients_are_rarely_right),
    cmocka_unit_test(single_directions_count),
    cmocka_unit_test(typical_derivatives_are_not_peaks),
    cmocka_unit_test(narrow_peaks_are_given_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
