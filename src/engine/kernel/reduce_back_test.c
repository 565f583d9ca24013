/* reduce_back_test.c -- compared with the definition, with ties among the maxima. */
#include "engine/kernel/reduce.h"

#include "support.h"

#include "base/random.h"

#include <math.h>

enum { MOST = 6000 };

static float x[MOST], y[MOST], dy[MOST], ties[MOST], dx[2][MOST];

/* Return the index in the result of element i. */
static size_t target(const crd__kernel_reduction *r, size_t i) {
  size_t at = 0, step = 1;
  for (size_t d = r->rank; d-- > 0; i /= (size_t)r->dims[d])
    if (!r->reduced[d]) {
      at += i % (size_t)r->dims[d] * step;
      step *= (size_t)r->dims[d];
    }
  return at;
}

static void check(crd__kernel_reduction r, unsigned marks) {
  static const crd__kernel_reduce_id ids[] = { CRD__SUM, CRD__MEAN, CRD__MAX };
  static double equal[MOST], count[MOST];
  size_t total = 1;
  for (size_t d = 0; d < r.rank; d++) {
    r.reduced[d] = marks >> d & 1;
    total *= (size_t)r.dims[d];
  }
  for (size_t i = 0; i < total; i++) {
    x[i] = (float)(crd__random_bits(1, 0, i) % 5);
    dy[i] = (float)crd__random_uniform(1, 1, i) - 0.5F;
    equal[i] = count[i] = 0;
  }
  for (size_t k = 0; k < 3; k++) {
    r.id = ids[k];
    crd__kernel_reduce_axes(1, r.id, CRD_F32, r.rank, r.dims, r.reduced, x, y);
    for (unsigned t = 0; t < 2; t++) crd__kernel_reduce_back(t + 1, &r, x, y, dy, ties, dx[t]);
    assert_memory_equal(dx[0], dx[1], total * sizeof(float));
    for (size_t i = 0; i < total && r.id == CRD__MAX; i++)
      if (x[i] == y[target(&r, i)]) equal[target(&r, i)]++;
    for (size_t i = 0; i < total && r.id == CRD__SUM; i++) count[target(&r, i)]++;
    for (size_t i = 0; i < total; i++) {
      const size_t to = target(&r, i);
      const double g = (double)dy[to];
      const double right = r.id == CRD__SUM    ? g
                           : r.id == CRD__MEAN ? g / count[to]
                           : x[i] == y[to]     ? g / equal[to]
                                               : 0;
      assert_true(fabs((double)dx[0][i] - right) <= 2e-7 * fabs(right));
    }
  }
}

static void reductions_go_back(void **state) {
  (void)state;
  for (unsigned marks = 0; marks < 16; marks++) {
    check((crd__kernel_reduction){ .rank = 4, .dims = { 3, 4, 5, 6 } }, marks);
    check((crd__kernel_reduction){ .rank = 4, .dims = { 2, 1, 50, 60 } }, marks);
  }
  check((crd__kernel_reduction){ .rank = 0 }, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(reductions_go_back) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
