/* dropout_test.c -- the share of dropped elements, the scale, and that the mask depends on its
 * counters only. */
#include "engine/kernel/dropout.h"

#include "support.h"

#include <math.h>
#include <string.h>

enum { MANY = 100003 };

static float x[MANY], y[2][MANY];
static unsigned char mask[2][MANY];

static size_t kept(const unsigned char *m) {
  size_t count = 0;
  for (size_t i = 0; i < MANY; i++) count += m[i];
  return count;
}

/* Five standard deviations of a binomial. */
static void the_share_is_right(void **state) {
  (void)state;
  static const double ratios[] = { 0, 0.1, 0.5, 0.75 };
  for (size_t i = 0; i < MANY; i++) x[i] = (float)i + 1;
  for (size_t r = 0; r < 4; r++) {
    const crd__kernel_dropout d = { .seed = 7, .node = 3, .run = 9, .ratio = ratios[r] };
    for (unsigned t = 0; t < 2; t++) {
      crd__kernel_dropout_run(t + 1, &d, MANY, x, y[t]);
      crd__kernel_dropout_mask(t + 1, &d, MANY, mask[t]);
    }
    assert_memory_equal(y[0], y[1], sizeof y[0]);
    assert_memory_equal(mask[0], mask[1], sizeof mask[0]);
    for (size_t i = 0; i < MANY; i++)
      assert_true(mask[0][i] ? fabs((double)y[0][i] * (1 - d.ratio) / (double)x[i] - 1) < 2e-7
                             : y[0][i] == 0);
    assert_true(fabs((double)kept(mask[0]) - MANY * (1 - d.ratio)) <=
                5 * sqrt(MANY * d.ratio * (1 - d.ratio)));
  }
}

/* Two masks of ratio one half agree in half of the elements. */
static void differ(const crd__kernel_dropout *a, const crd__kernel_dropout *b) {
  size_t same = 0;
  crd__kernel_dropout_mask(2, a, MANY, mask[0]);
  crd__kernel_dropout_mask(2, b, MANY, mask[1]);
  for (size_t i = 0; i < MANY; i++) same += mask[0][i] == mask[1][i];
  assert_true(fabs((double)same - MANY / 2.0) <= 5 * sqrt(MANY / 4.0));
}

static void every_run_is_another(void **state) {
  (void)state;
  const crd__kernel_dropout d = { .seed = 7, .node = 3, .run = 9, .ratio = 0.5 };
  crd__kernel_dropout other = d;
  other.run++;
  differ(&d, &other);
  other = d;
  other.node++;
  differ(&d, &other);
  other = d;
  other.seed ^= (uint64_t)1 << 40;
  differ(&d, &other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_share_is_right),
    cmocka_unit_test(every_run_is_another),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
