/* reduce_back_test.c -- compared with the definition, with ties among the maxima and zeros among
 * the factors. */
#include "engine/kernel/reduce.h"

#include "support.h"

#include "base/random.h"

#include <math.h>

enum { MOST = 6000 };

static float x[MOST], y[MOST], dy[MOST], work[2 * MOST], dx[2][MOST];

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

/* Return the product of all elements of the result's element but i. */
static double others(const crd__kernel_reduction *r, size_t i, size_t total) {
  const size_t to = target(r, i);
  double product = 1;
  for (size_t k = 0; k < total; k++)
    if (k != i && target(r, k) == to) product *= (double)x[k];
  return product;
}

/* Return the derivative of the result's element with respect to element i of x. */
static double slope(const crd__kernel_reduction *r, size_t i, double equal, double count) {
  const double a = (double)x[i], b = (double)y[target(r, i)];
  const double slopes[CRD__REDUCTIONS] = {
    [CRD__SUM] = 1,
    [CRD__MEAN] = 1 / count,
    [CRD__MAX] = a == b ? 1 / equal : 0,
    [CRD__MIN] = a == b ? 1 / equal : 0,
    [CRD__L1] = a > 0   ? 1
                : a < 0 ? -1
                        : 0,
    [CRD__L2] = b > 0 ? a / b : 0,
    [CRD__SUM_SQUARE] = 2 * a,
    [CRD__LOG_SUM] = exp(-b),
    [CRD__LOG_SUM_EXP] = exp(a - b),
  };
  return slopes[r->id];
}

/* Factors of few elements, with a zero or two in some. */
static void products_go_back(void **state) {
  (void)state;
  crd__kernel_reduction r = { .id = CRD__PROD, .rank = 3, .dims = { 4, 5, 6 } };
  for (unsigned marks = 0; marks < 8; marks++) {
    for (size_t i = 0; i < 120; i++) {
      x[i] = i % 29 == 7 ? 0 : (float)crd__random_uniform(1, 0, i) + 0.5F;
      dy[i] = (float)crd__random_uniform(1, 1, i) - 0.5F;
    }
    for (size_t d = 0; d < 3; d++) r.reduced[d] = marks >> d & 1;
    for (unsigned t = 0; t < 2; t++) crd__kernel_reduce_back(t + 1, &r, x, NULL, dy, work, dx[t]);
    assert_memory_equal(dx[0], dx[1], 120 * sizeof(float));
    for (size_t i = 0; i < 120; i++) {
      const double right = (double)dy[target(&r, i)] * others(&r, i, 120);
      assert_true(fabs((double)dx[0][i] - right) <= 1e-6 * fabs(right));
    }
  }
}

static void check(crd__kernel_reduction r, unsigned marks) {
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
  for (size_t i = 0; i < total; i++) count[target(&r, i)]++;
  for (int id = 0; id < CRD__REDUCTIONS; id++) {
    if (id == CRD__PROD) continue;
    r.id = (crd__kernel_reduce_id)id;
    crd__kernel_reduce_axes(1, r.id, CRD_F32, r.rank, r.dims, r.reduced, x, y);
    for (unsigned t = 0; t < 2; t++) crd__kernel_reduce_back(t + 1, &r, x, y, dy, work, dx[t]);
    assert_memory_equal(dx[0], dx[1], total * sizeof(float));
    for (size_t i = 0; i < total; i++) equal[i] = 0;
    for (size_t i = 0; i < total; i++) equal[target(&r, i)] += x[i] == y[target(&r, i)];
    for (size_t i = 0; i < total; i++) {
      const size_t to = target(&r, i);
      const double right = (double)dy[to] * slope(&r, i, equal[to], count[to]);
      assert_true((double)dx[0][i] == right ||
                  fabs((double)dx[0][i] - right) <= 2e-6 * fabs(right));
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
  const struct CMUnitTest tests[] = { cmocka_unit_test(reductions_go_back),
                                      cmocka_unit_test(products_go_back) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
