/* group_norm_test.c -- group normalization against plain loops, and its gradients against central
 * differences of the forward kernel in float64. */
#include "engine/kernel/group_norm.h"

#include "support.h"

#include "base/random.h"
#include "engine/kernel/element.h"

#include <math.h>
#include <string.h>

enum { MOST = 20000 };

static const double step = 1e-5, epsilon = 0.125;

static double x[MOST], scale[MOST], shift[MOST], dy[MOST], y[MOST];
static float fx[MOST], fscale[MOST], fshift[MOST], fdy[MOST];

static void make(uint64_t stream, double *wide, float *narrow) {
  for (size_t i = 0; i < MOST; i++) {
    narrow[i] = (float)(crd__random_uniform(1, stream, i) * 3 - 1);
    wide[i] = (double)narrow[i];
  }
}

static crd__kernel_group_norm shape(size_t batch, size_t groups, size_t per, size_t inner,
                                    bool shared) {
  return (crd__kernel_group_norm){ .dtype = CRD_F64,
                                   .batch = batch,
                                   .groups = groups,
                                   .per = per,
                                   .inner = inner,
                                   .shared = shared,
                                   .epsilon = epsilon,
                                   .scale = scale,
                                   .shift = shift };
}

static size_t total(const crd__kernel_group_norm *g) {
  return g->batch * g->groups * g->per * g->inner;
}

/* Return the normalized element i. */
static double plain(const crd__kernel_group_norm *g, size_t i) {
  const size_t n = g->per * g->inner, first = i / n * n;
  const size_t group = i / n % g->groups, channel = i / g->inner % (g->groups * g->per);
  double mean = 0, variance = 0;
  for (size_t k = 0; k < n; k++) mean += x[first + k] / (double)n;
  for (size_t k = 0; k < n; k++)
    variance += (x[first + k] - mean) * (x[first + k] - mean) / (double)n;
  const size_t own = g->shared ? group : channel;
  return (x[i] - mean) / sqrt(variance + epsilon) * scale[own] + shift[own];
}

static void check_forward(const crd__kernel_group_norm *g) {
  static float out[2][MOST];
  crd__kernel_group_norm narrow = *g;
  narrow.dtype = CRD_F32;
  narrow.scale = fscale;
  narrow.shift = fshift;
  for (unsigned t = 0; t < 2; t++) crd__kernel_group_norm_run(t + 1, &narrow, fx, out[t]);
  assert_memory_equal(out[0], out[1], total(g) * sizeof(float));
  crd__kernel_group_norm_run(2, g, x, y);
  for (size_t i = 0; i < total(g); i += 1 + total(g) / 300) {
    const double right = plain(g, i);
    assert_true(fabs(y[i] - right) <= 1e-12 * (1 + fabs(right)));
    assert_true(fabs((double)out[0][i] - right) <= 3e-6 * (1 + fabs(right)));
  }
}

static double difference(const crd__kernel_group_norm *g, double *at) {
  const double keep = *at;
  double sums[2] = { 0, 0 };
  for (int k = 0; k < 2; k++) {
    *at = keep + (k ? -step : step);
    crd__kernel_group_norm_run(1, g, x, y);
    for (size_t i = 0; i < total(g); i++) sums[k] += dy[i] * y[i];
  }
  *at = keep;
  return (sums[0] - sums[1]) / (2 * step);
}

static void compare(float found, double right, size_t terms) {
  assert_true(fabs((double)found - right) <= 2e-6 * (1 + fabs(right)) + 2e-7 * (double)terms);
}

static void check_backward(const crd__kernel_group_norm *g) {
  static float dx[2][MOST], dscale[2][MOST], dshift[2][MOST], sums[MOST], only[MOST];
  crd__kernel_group_norm narrow = *g;
  const size_t parameters = g->shared ? g->groups : g->groups * g->per;
  narrow.dtype = CRD_F32;
  narrow.scale = fscale;
  for (unsigned t = 0; t < 2; t++)
    crd__kernel_group_norm_back(
        t + 1, &narrow,
        &(crd__kernel_group_norm_arrays){ fx, fdy, dx[t], dscale[t], dshift[t], sums });
  assert_memory_equal(dx[0], dx[1], total(g) * sizeof(float));
  assert_memory_equal(dscale[0], dscale[1], parameters * sizeof(float));
  assert_memory_equal(dshift[0], dshift[1], parameters * sizeof(float));
  memcpy(only, fdy, total(g) * sizeof(float));
  crd__kernel_group_norm_back(1, &narrow,
                              &(crd__kernel_group_norm_arrays){ fx, only, only, NULL, NULL, sums });
  assert_memory_equal(only, dx[0], total(g) * sizeof(float));
  for (size_t i = 0; i < total(g); i += 1 + total(g) / 30)
    compare(dx[0][i], difference(g, &x[i]), 1);
  const size_t terms = total(g) / parameters;
  for (size_t i = 0; i < parameters; i += 1 + parameters / 10) {
    compare(dscale[0][i], difference(g, &scale[i]), terms);
    compare(dshift[0][i], difference(g, &shift[i]), terms);
  }
}

static void groups_are_normalised(void **state) {
  const crd__kernel_group_norm shapes[] = {
    shape(1, 1, 1, 1, false),   shape(3, 2, 3, 20, false), shape(3, 2, 3, 20, true),
    shape(2, 16, 1, 49, false), shape(4, 5, 4, 1, false),  shape(2, 3, 2, 1500, false),
  };
  (void)state;
  make(0, x, fx);
  make(1, scale, fscale);
  make(2, shift, fshift);
  make(3, dy, fdy);
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    check_forward(&shapes[i]);
    check_backward(&shapes[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(groups_are_normalised) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
