/* batch_norm_back_test.c -- against central differences of the kernel for doubles. */
#include "net/kernel/batch_norm.h"

#include "support.h"

#include "base/random.h"

#include <math.h>
#include <string.h>

enum { MOST = 4000, CHANNELS = 3 };

static const double step = 1e-5, epsilon = 0.125;

static double x[MOST], y[MOST], dy[MOST], scale[CHANNELS], shift[CHANNELS], zero[CHANNELS];
static float fx[MOST], fdy[MOST], fscale[CHANNELS], fshift[CHANNELS];

static void make(uint64_t stream, size_t n, double *wide, float *narrow) {
  for (size_t i = 0; i < n; i++) {
    narrow[i] = (float)(crd__random_uniform(1, stream, i) * 3 - 1);
    wide[i] = (double)narrow[i];
  }
}

static double value(size_t batch, size_t space) {
  const crd__batch_norm b = { CRD_F64, CRD_F64, CRD_F64, batch, CHANNELS, space, epsilon, 0, true };
  crd__batch_norm_run(1, &b,
                      &(crd__batch_norm_arrays){ x, scale, shift, zero, zero, y, NULL, NULL });
  double sum = 0;
  for (size_t i = 0; i < batch * CHANNELS * space; i++) sum += dy[i] * y[i];
  return sum;
}

static double difference(double *at, size_t batch, size_t space) {
  const double keep = *at;
  *at = keep + step;
  const double high = value(batch, space);
  *at = keep - step;
  const double low = value(batch, space);
  *at = keep;
  return (high - low) / (2 * step);
}

static void close_to(float found, double right, double terms) {
  assert_true(fabs((double)found - right) <= 1e-6 * (1 + fabs(right)) + 1e-7 * terms);
}

static void check(size_t batch, size_t space) {
  static float dx[2][MOST], over[MOST];
  float dscale[CHANNELS], dshift[CHANNELS];
  const size_t total = batch * CHANNELS * space;
  const double n = (double)(batch * space);
  const crd__batch_norm b = { CRD_F32, CRD_F32, CRD_F32, batch, CHANNELS, space, epsilon, 0, true };
  for (unsigned t = 0; t < 2; t++)
    crd__batch_norm_back(t + 1, &b,
                         &(crd__batch_norm_gradients){ fx, fdy, fscale, dx[t], dscale, dshift });
  assert_memory_equal(dx[0], dx[1], total * sizeof(float));
  memcpy(over, fdy, total * sizeof(float));
  crd__batch_norm_back(1, &b, &(crd__batch_norm_gradients){ fx, over, fscale, over, NULL, NULL });
  assert_memory_equal(over, dx[0], total * sizeof(float));
  for (size_t c = 0; c < CHANNELS; c++) {
    close_to(dscale[c], difference(&scale[c], batch, space), n);
    close_to(dshift[c], difference(&shift[c], batch, space), n);
  }
  for (size_t i = 0; i < total; i += 1 + total / 100)
    close_to(dx[0][i], difference(&x[i], batch, space), 1);
}

static void batches_go_back(void **state) {
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
  const struct CMUnitTest tests[] = { cmocka_unit_test(batches_go_back) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
