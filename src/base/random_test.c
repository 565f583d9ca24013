/* random_test.c -- known answers of Philox, moments, independence of seeds and streams. */
#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

/* The known-answer tests that come with the authors' Random123. */
static void known_answers(void **state) {
  (void)state;
  static const struct {
    uint32_t counter[4], key[2], answer[4];
  } cases[] = {
    { { 0, 0, 0, 0 }, { 0, 0 }, { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
    { { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff },
      { 0xffffffff, 0xffffffff },
      { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
    { { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 },
      { 0xa4093822, 0x299f31d0 },
      { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint32_t counter[4];
    for (size_t j = 0; j < 4; j++) counter[j] = cases[i].counter[j];
    crd__philox(counter, cases[i].key);
    for (size_t j = 0; j < 4; j++) assert_int_equal(counter[j], cases[i].answer[j]);
  }
}

static void uniform_fills_the_unit_interval(void **state) {
  (void)state;
  enum { N = 100000 };
  double sum = 0, square = 0;
  for (uint64_t i = 0; i < N; i++) {
    const double u = crd__random_uniform(3, 9, i);
    assert_true(u >= 0 && u < 1);
    sum += u;
    square += u * u;
  }
  /* Five standard errors of the mean of u (sd 1/sqrt 12) and of u^2 (sd 2/sqrt 45). */
  assert_true(fabs(sum / N - 0.5) < 5 * 0.2887 / sqrt(N));
  assert_true(fabs(square / N - 1.0 / 3) < 5 * 0.2981 / sqrt(N));
}

static void seeds_streams_and_indices_differ(void **state) {
  (void)state;
  const uint64_t here = crd__random_bits(1, 2, 3);
  assert_true(here == crd__random_bits(1, 2, 3));
  assert_true(here != crd__random_bits(2, 2, 3));
  assert_true(here != crd__random_bits(1, 3, 3));
  assert_true(here != crd__random_bits(1, 2, 4));
  assert_true(here != crd__random_bits(1, 2, 3 + (UINT64_C(1) << 32)));
}

static void normal_has_its_moments(void **state) {
  (void)state;
  enum { N = 100000 };
  double sum[5] = { 0 };
  for (uint64_t i = 0; i < N; i++) {
    const double z = crd__random_normal(3, 9, i);
    for (int k = 1; k < 5; k++) sum[k] += pow(z, k) / N;
  }
  /* 5 standard errors: sqrt(1, 2, 15, 96) / sqrt(N). */
  assert_true(fabs(sum[1]) < 5 * 0.0032);
  assert_true(fabs(sum[2] - 1) < 5 * 0.0045);
  assert_true(fabs(sum[3]) < 5 * 0.0123);
  assert_true(fabs(sum[4] - 3) < 5 * 0.031);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(known_answers),
    cmocka_unit_test(uniform_fills_the_unit_interval),
    cmocka_unit_test(normal_has_its_moments),
    cmocka_unit_test(seeds_streams_and_indices_differ),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
