/* batch_train_test.c -- batch norm in training against the kernel for doubles, and the way back
 * against central differences of that. */
#include "net/kernel/batch_norm.h"

#include "support.h"

#include "base/random.h"

#include <math.h>
#include <string.h>

enum { MOST = 4000, CHANNELS = 3 };

static const double step = 1e-5, epsilon = 0.125, momentum = 0.9;

static double x[MOST], y[MOST], dy[MOST], scale[CHANNELS], shift[CHANNELS], zero[CHANNELS];
static float fx[MOST], fy[2][MOST], fdy[MOST], fscale[CHANNELS], fshift[CHANNELS];

static void make(uint64_t stream, size_t n, double *wide, float *narrow) {
  for (size_t i = 0; i < n; i++) {
    narrow[i] = (float)(crd__random_uniform(1, stream, i) * 3 - 1);
    wide[i] = (double)narrow[i];
  }
}

static double value(size_t batch, size_t space, double *mean, double *variance) {
  const crd__batch_norm b = { CRD_F64, CRD_F64, CRD_F64, batch, CHANNELS, space, epsilon, 0, true };
  crd__batch_norm_run(1, &b,
                      &(crd__batch_norm_arrays){ x, scale, shift, zero, zero, y, mean, variance });
  double sum = 0;
  for (size_t i = 0; i < batch * CHANNELS * space; i++) sum += dy[i] * y[i];
  return sum;
}

static double difference(double *at, size_t batch, size_t space) {
  const double keep = *at;
  *at = keep + step;
  const double high = value(batch, space, NULL, NULL);
  *at = keep - step;
  const double low = value(batch, space, NULL, NULL);
  *at = keep;
  return (high - low) / (2 * step);
}

static void close_to(float found, double right, double terms) {
  assert_true(fabs((double)found - right) <= 1e-6 * (1 + fabs(right)) + 1e-7 * terms);
}

static void check(size_t batch, size_t space) {
  static float dx[2][MOST], over[MOST];
  float mean[CHANNELS], inverse[CHANNELS], runs[2][2][CHANNELS], dscale[CHANNELS], dshift[CHANNELS];
  double own_mean[CHANNELS], own_variance[CHANNELS];
  const size_t total = batch * CHANNELS * space;
  const double n = (double)(batch * space);
  const crd__batch_train b = { batch, CHANNELS, space, epsilon, momentum };
  for (unsigned t = 0; t < 2; t++) {
    for (size_t c = 0; c < CHANNELS; c++) runs[t][0][c] = 2, runs[t][1][c] = 5;
    crd__batch_train_run(t + 1, &b,
                         &(crd__batch_train_arrays){ fx, fscale, fshift, fy[t], mean, inverse,
                                                     runs[t][0], runs[t][1] });
    crd__batch_train_back(
        t + 1, &b,
        &(crd__batch_back_arrays){ fx, fdy, fscale, mean, inverse, dx[t], dscale, dshift });
  }
  assert_memory_equal(fy[0], fy[1], total * sizeof(float));
  assert_memory_equal(dx[0], dx[1], total * sizeof(float));
  assert_memory_equal(runs[0], runs[1], sizeof runs[0]);
  memcpy(over, fdy, total * sizeof(float));
  crd__batch_train_back(
      1, &b, &(crd__batch_back_arrays){ fx, over, fscale, mean, inverse, over, NULL, NULL });
  assert_memory_equal(over, dx[0], total * sizeof(float));
  value(batch, space, own_mean, own_variance);
  for (size_t i = 0; i < total; i++) close_to(fy[0][i], y[i], 1);
  for (size_t c = 0; c < CHANNELS; c++) {
    close_to(runs[0][0][c], momentum * 2 + (1 - momentum) * own_mean[c], 1);
    close_to(runs[0][1][c], momentum * 5 + (1 - momentum) * own_variance[c] * n / (n - 1), 1);
    close_to(dscale[c], difference(&scale[c], batch, space), n);
    close_to(dshift[c], difference(&shift[c], batch, space), n);
  }
  for (size_t i = 0; i < total; i += 1 + total / 100)
    close_to(dx[0][i], difference(&x[i], batch, space), 1);
}

static void batches_are_normalised_and_go_back(void **state) {
  (void)state;
  make(0, MOST, x, fx);
  make(1, MOST, dy, fdy);
  make(2, CHANNELS, scale, fscale);
  make(3, CHANNELS, shift, fshift);
  check(4, 17);
  check(16, 1);
  check(1, 1200);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(batches_are_normalised_and_go_back) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
