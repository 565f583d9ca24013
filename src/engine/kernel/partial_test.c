/* partial_test.c -- partial derivatives with respect to either operand against central differences
 * in float64. */
#include "engine/kernel/partial.h"

#include "support.h"

#include "base/random.h"
#include "engine/kernel/walk.h"

#include <math.h>

enum { MOST = 12000 };

static const double step = 1e-5;

static float x[MOST], y[MOST], dz[MOST], found[2][MOST];

/* Return z for one element, by the definition. */
static double value(crd__kernel_partial_id id, double a, double b) {
  switch (id) {
  case CRD__PARTIAL_MUL_X:
  case CRD__PARTIAL_MUL_Y:
    return a * b;
  case CRD__PARTIAL_DIV_X:
  case CRD__PARTIAL_DIV_Y:
    return a / b;
  case CRD__PARTIAL_POW_X:
  case CRD__PARTIAL_POW_Y:
    return pow(a, b);
  case CRD__PARTIAL_MOD_Y:
    return a - floor(a / b) * b;
  case CRD__PARTIAL_FMOD_Y:
    return fmod(a, b);
  default:
    return a > 0 ? a : a * b;
  }
}

static bool by_x(crd__kernel_partial_id id) { return id % 2 == 0 && id < CRD__PARTIAL_MOD_Y; }

/* A quotient of a remainder that steps within a difference. */
static bool steps(crd__kernel_partial_id id, double a, double b) {
  return id >= CRD__PARTIAL_MOD_Y && floor(a / (b - step)) != floor(a / (b + step));
}

/* Bases of powers and divisors stay away from 0; prelu's x has both signs, away from its kink. */
static void make(crd__kernel_partial_id id) {
  const bool prelu = id == CRD__PARTIAL_PRELU_X || id == CRD__PARTIAL_PRELU_Y;
  for (size_t i = 0; i < MOST; i++) {
    x[i] = (float)(crd__random_uniform(1, 0, i) + 0.5);
    if (prelu && i % 3 == 0) x[i] = -x[i];
    y[i] = i % 5 == 0 ? 2 : (float)(crd__random_uniform(1, 1, i) * 2 + 0.5);
    dz[i] = (float)(crd__random_uniform(1, 2, i) - 0.25);
  }
}

/* Return the index in an operand of element i of the common shape. */
static size_t source(size_t rank, const int64_t *dims, const int64_t *strides, size_t i) {
  size_t at = 0;
  for (size_t d = rank; d-- > 0; i /= (size_t)dims[d])
    at += i % (size_t)dims[d] * (size_t)strides[d];
  return at;
}

typedef struct {
  size_t rank, x_rank, y_rank;
  int64_t dims[4], x[4], y[4];
} shapes;

static const shapes cases[] = {
  { 2, 2, 2, { 7, 300 }, { 7, 300 }, { 7, 300 } },
  { 4, 4, 1, { 3, 4, 5, 6 }, { 3, 4, 5, 6 }, { 6 } },
  { 4, 4, 4, { 3, 4, 50, 6 }, { 3, 4, 50, 6 }, { 3, 4, 1, 1 } },
  { 4, 3, 4, { 2, 4, 5, 6 }, { 4, 1, 6 }, { 2, 1, 5, 6 } },
  { 3, 3, 0, { 4, 5, 60 }, { 4, 5, 60 }, { 0 } },
  { 3, 3, 2, { 4, 1, 60 }, { 4, 1, 1 }, { 1, 60 } },
};

static void check(crd__kernel_partial_id id, const shapes *s) {
  int64_t strides[2][CRD_RANK_MAX];
  size_t total = 1;
  for (size_t d = 0; d < s->rank; d++) total *= (size_t)s->dims[d];
  make(id);
  crd__kernel_strides_broadcast(s->x_rank, s->x, s->rank, strides[0]);
  crd__kernel_strides_broadcast(s->y_rank, s->y, s->rank, strides[1]);
  for (unsigned t = 0; t < 2; t++)
    crd__kernel_partial(t + 1, id, s->rank, s->dims, found[t], dz, x, strides[0], y, strides[1]);
  assert_memory_equal(found[0], found[1], total * sizeof *found[0]);
  for (size_t i = 0; i < total; i++) {
    const double a = (double)x[source(s->rank, s->dims, strides[0], i)];
    const double b = (double)y[source(s->rank, s->dims, strides[1], i)];
    const double e = by_x(id) ? step : 0, f = by_x(id) ? 0 : step;
    const double slope = (value(id, a + e, b + f) - value(id, a - e, b - f)) / (2 * step);
    if (!steps(id, a, b))
      assert_true(fabs((double)found[0][i] - (double)dz[i] * slope) <= 1e-6 * fabs(slope) + 1e-9);
  }
}

static void derivatives_are_right(void **state) {
  (void)state;
  for (int id = 0; id < CRD__PARTIALS; id++)
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
      check((crd__kernel_partial_id)id, &cases[c]);
}

/* As in torch.autograd. */
static void edges(void **state) {
  (void)state;
  const int64_t one = 1;
  const float g = 1, zero = 0, two = 2, negative = -3, three = 3;
  float out;
  crd__kernel_partial(1, CRD__PARTIAL_POW_X, 1, &one, &out, &g, &zero, NULL, &zero, NULL);
  assert_true(out == 0);
  crd__kernel_partial(1, CRD__PARTIAL_POW_Y, 1, &one, &out, &g, &zero, NULL, &two, NULL);
  assert_true(out == 0);
  crd__kernel_partial(1, CRD__PARTIAL_POW_X, 1, &one, &out, &g, &negative, NULL, &two, NULL);
  assert_true(out == -6);
  crd__kernel_partial(1, CRD__PARTIAL_POW_X, 1, &one, &out, &g, &negative, NULL, &three, NULL);
  assert_true(out == 27);
  crd__kernel_partial(1, CRD__PARTIAL_PRELU_X, 1, &one, &out, &g, &zero, NULL, &three, NULL);
  assert_true(out == 3);
  crd__kernel_partial(1, CRD__PARTIAL_MUL_X, 1, &one, &out, &g, NULL, NULL, &three, NULL);
  assert_true(out == 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(derivatives_are_right),
    cmocka_unit_test(edges),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
