/* norm_back_test.c -- gradients of layer normalization and softmax against central differences of
 * the forward kernels, in float64. */
#include "engine/kernel/norm.h"

#include "support.h"

#include "base/random.h"

#include <math.h>
#include <string.h>

enum { MOST = 3000 };

static const double step = 1e-5, epsilon = 0.125;

static double x[MOST], scale[MOST], shift[MOST], dy[MOST], y[MOST];
static float fx[MOST], fscale[MOST], fdy[MOST], fy[MOST];

static void make(uint64_t stream, double *wide, float *narrow) {
  for (size_t i = 0; i < MOST; i++) {
    narrow[i] = (float)(crd__random_uniform(1, stream, i) * 3 - 1);
    wide[i] = (double)narrow[i];
  }
}

/* Return the sum of dy y. */
static double weigh(size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += dy[i] * y[i];
  return sum;
}

static bool rms;

static double norm_value(size_t rows, size_t n) {
  const crd__kernel_layer_norm l = { CRD_F64, rows, n, epsilon, scale, shift, rms };
  crd__kernel_layer_norm_run(1, &l, x, y, NULL, NULL);
  return weigh(rows * n);
}

static double norm_difference(double *at, size_t rows, size_t n) {
  const double keep = *at;
  *at = keep + step;
  const double high = norm_value(rows, n);
  *at = keep - step;
  const double low = norm_value(rows, n);
  *at = keep;
  return (high - low) / (2 * step);
}

/* A sum of n terms about 1, in short runs of float32. */
static void compare(const float *found, double right, size_t terms) {
  assert_true(fabs((double)*found - right) <= 1e-6 * (1 + fabs(right)) + 1e-7 * (double)terms);
}

static void check_norm(size_t rows, size_t n) {
  static float dx[2][MOST], dscale[2][MOST], dshift[2][MOST], moments[2 * MOST], only[MOST];
  const crd__kernel_layer_norm l = { CRD_F32, rows, n, epsilon, fscale, NULL, rms };
  for (unsigned t = 0; t < 2; t++)
    crd__kernel_layer_norm_back(
        t + 1, &l,
        &(crd__kernel_layer_norm_arrays){ fx, fdy, dx[t], dscale[t], dshift[t], moments });
  assert_memory_equal(dx[0], dx[1], rows * n * sizeof(float));
  assert_memory_equal(dscale[0], dscale[1], n * sizeof(float));
  assert_memory_equal(dshift[0], dshift[1], n * sizeof(float));
  crd__kernel_layer_norm_back(
      1, &l, &(crd__kernel_layer_norm_arrays){ fx, fdy, NULL, only, NULL, moments });
  assert_memory_equal(only, dscale[0], n * sizeof(float));
  memcpy(only, fdy, rows * n * sizeof(float));
  crd__kernel_layer_norm_back(
      1, &l, &(crd__kernel_layer_norm_arrays){ fx, only, only, NULL, NULL, moments });
  assert_memory_equal(only, dx[0], rows * n * sizeof(float));
  for (size_t i = 0; i < rows * n; i += 1 + rows * n / 100)
    compare(&dx[0][i], norm_difference(&x[i], rows, n), 1);
  for (size_t i = 0; i < n; i += 1 + n / 30) {
    compare(&dscale[0][i], norm_difference(&scale[i], rows, n), rows);
    compare(&dshift[0][i], norm_difference(&shift[i], rows, n), rows);
  }
}

static void norms_go_back(void **state) {
  (void)state;
  make(0, x, fx);
  make(1, scale, fscale);
  make(2, shift, fy);
  make(3, dy, fdy);
  for (int k = 0; k < 2; k++) {
    rms = k;
    check_norm(1, 1);
    check_norm(40, 7);
    check_norm(3, 600);
    check_norm(60, 17);
  }
}

static double soft_value(bool logarithm, size_t outer, size_t n, size_t inner) {
  crd__kernel_softmax(1, CRD_F64, logarithm, outer, n, inner, x, y);
  return weigh(outer * n * inner);
}

static void check_softmax(bool logarithm, size_t outer, size_t n, size_t inner) {
  static float dx[2][MOST], over[MOST];
  const size_t total = outer * n * inner;
  crd__kernel_softmax(1, CRD_F32, logarithm, outer, n, inner, fx, fy);
  for (unsigned t = 0; t < 2; t++)
    crd__kernel_softmax_back(t + 1, logarithm, outer, n, inner, fy, fdy, dx[t]);
  assert_memory_equal(dx[0], dx[1], total * sizeof(float));
  memcpy(over, fdy, total * sizeof(float));
  crd__kernel_softmax_back(1, logarithm, outer, n, inner, fy, over, over);
  assert_memory_equal(over, dx[0], total * sizeof(float));
  for (size_t i = 0; i < total; i += 1 + total / 100) {
    const double keep = x[i];
    x[i] = keep + step;
    const double high = soft_value(logarithm, outer, n, inner);
    x[i] = keep - step;
    const double low = soft_value(logarithm, outer, n, inner);
    x[i] = keep;
    compare(&dx[0][i], (high - low) / (2 * step), 1);
  }
}

static void probabilities_go_back(void **state) {
  (void)state;
  make(0, x, fx);
  make(3, dy, fdy);
  for (int logarithm = 0; logarithm < 2; logarithm++) {
    check_softmax(logarithm, 30, 10, 1);
    check_softmax(logarithm, 2, 1000, 1);
    check_softmax(logarithm, 4, 12, 5);
    check_softmax(logarithm, 3, 1, 1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(norms_go_back),
    cmocka_unit_test(probabilities_go_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
