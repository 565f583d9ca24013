/* norm_test.c -- layer normalization and softmax of every floating-point type against plain
 * loops. */
#include "engine/kernel/norm.h"

#include "support.h"

#include "base/random.h"
#include "engine/kernel/element.h"

#include <math.h>

enum { MOST = 40000 };

static const crd_dtype reals[] = { CRD_F16, CRD_F32, CRD_F64 };
static const double close_to[] = { 2e-3, 1e-6, 1e-14 };

static double x[MOST], y[MOST], in[MOST], out[MOST], again[MOST];

/* Values representable in the type, so that rounding of the input does not matter. */
static void make(crd_dtype dtype, uint64_t stream, double *values, void *typed) {
  for (size_t i = 0; i < MOST; i++) values[i] = crd__random_uniform(1, stream, i) * 4 - 1;
  crd__kernel_cast(1, CRD_F64, dtype, MOST, values, typed);
  crd__kernel_cast(1, dtype, CRD_F64, MOST, typed, values);
}

static void rows_are_normalised(void **state) {
  (void)state;
  static double scale[MOST], shift[MOST], typed_scale[MOST], typed_shift[MOST];
  float mean[MOST], inverse[MOST];
  for (size_t both = 0; both < 6; both++)
    for (size_t n = 1; n < 3000; n = n * 3 + 1) {
      const size_t t = both / 2;
      const bool rms = both % 2;
      make(reals[t], 0, x, in);
      make(reals[t], 1, scale, typed_scale);
      make(reals[t], 2, shift, typed_shift);
      const size_t rows = MOST / n;
      const crd__kernel_layer_norm l = { reals[t], rows,        n,
                                         0.125,    typed_scale, n % 2 ? typed_shift : NULL,
                                         rms };
      crd__kernel_layer_norm_run(1, &l, in, out, mean, inverse);
      crd__kernel_layer_norm_run(2, &l, in, again, NULL, NULL);
      assert_memory_equal(out, again, rows * n * crd_dtype_size(reals[t]));
      crd__kernel_cast(1, reals[t], CRD_F64, rows * n, out, y);
      for (size_t r = 0; r < rows; r++) {
        double m = 0, v = 0;
        for (size_t i = 0; i < n && !rms; i++) m += x[r * n + i] / (double)n;
        for (size_t i = 0; i < n; i++) v += (x[r * n + i] - m) * (x[r * n + i] - m) / (double)n;
        const double s = 1 / sqrt(v + 0.125);
        /* float32 is summed by 20 additions in turn, each within 2^-24 of at most 3. */
        assert_true(fabs((double)mean[r] - m) <= 1e-6 && fabs((double)inverse[r] / s - 1) <= 1e-6);
        for (size_t i = 0; i < n; i++) {
          const double right = (x[r * n + i] - m) * s * scale[i] + (n % 2 ? shift[i] : 0);
          assert_true(fabs(y[r * n + i] - right) <= close_to[t] * (1 + fabs(right)));
        }
      }
    }
}

static void check_softmax(size_t t, bool logarithm, size_t outer, size_t n, size_t inner) {
  make(reals[t], 3, x, in);
  crd__kernel_softmax(1, reals[t], logarithm, outer, n, inner, in, out);
  crd__kernel_softmax(2, reals[t], logarithm, outer, n, inner, in, again);
  assert_memory_equal(out, again, outer * n * inner * crd_dtype_size(reals[t]));
  crd__kernel_cast(1, reals[t], CRD_F64, outer * n * inner, out, y);
  for (size_t c = 0; c < outer * inner; c++) {
    const size_t first = c / inner * n * inner + c % inner;
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += exp(x[first + i * inner]);
    for (size_t i = 0; i < n; i++) {
      const double z = x[first + i * inner], right = logarithm ? z - log(sum) : exp(z) / sum;
      assert_true(fabs(y[first + i * inner] - right) <=
                  close_to[t] * fabs(right) + 1e-7 * (t == 0));
    }
  }
}

static void rows_become_probabilities(void **state) {
  (void)state;
  for (size_t t = 0; t < 3; t++)
    for (int logarithm = 0; logarithm < 2; logarithm++) {
      check_softmax(t, logarithm, 300, 10, 1);
      check_softmax(t, logarithm, 3, 1000, 1);
      check_softmax(t, logarithm, 4, 30, 50);
    }
}

static void far_numbers(void **state) {
  (void)state;
  const float a[] = { 1e30F, 1e30F, -1e30F, -INFINITY };
  float b[4];
  crd__kernel_softmax(1, CRD_F32, false, 1, 4, 1, a, b);
  assert_true(b[0] == 0.5F && b[1] == 0.5F && b[2] == 0 && b[3] == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(rows_are_normalised),
    cmocka_unit_test(rows_become_probabilities),
    cmocka_unit_test(far_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
