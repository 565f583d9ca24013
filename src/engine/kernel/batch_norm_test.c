/* batch_norm_test.c -- with given statistics and those of the batch, every floating-point type,
 * against plain loops. */
#include "engine/kernel/batch_norm.h"

#include "support.h"

#include "base/random.h"
#include "engine/kernel/element.h"

#include <math.h>

enum { BATCH = 3, CHANNELS = 5, SPACE = 700, ALL = BATCH * CHANNELS * SPACE };

static double x[ALL], y[ALL], in[ALL], out[2][ALL];
static double given[4][CHANNELS]; /* scale, shift, mean, variance */

static void check(crd_dtype dtype, bool own, double within) {
  double typed[4][CHANNELS], running[2][CHANNELS];
  crd__kernel_cast(1, CRD_F64, dtype, ALL, x, in);
  crd__kernel_cast(1, dtype, CRD_F64, ALL, in, x); /* values representable in the type */
  for (size_t i = 0; i < 4; i++)
    crd__kernel_cast(1, CRD_F64, CRD_F32, CHANNELS, given[i], typed[i]);
  const crd__kernel_batch_norm b = { .dtype = dtype,
                                     .scale_type = CRD_F32,
                                     .mean_type = CRD_F32,
                                     .batch = BATCH,
                                     .channels = CHANNELS,
                                     .space = SPACE,
                                     .epsilon = 0.125,
                                     .momentum = 0.75,
                                     .own = own };
  for (unsigned t = 0; t < 2; t++) {
    const crd__kernel_batch_norm_arrays arrays = { in,       typed[0], typed[1],   typed[2],
                                                   typed[3], out[t],   running[0], running[1] };
    crd__kernel_batch_norm_run(1 + t, &b, &arrays);
  }
  assert_memory_equal(out[0], out[1], ALL * crd_dtype_size(dtype));
  crd__kernel_cast(1, dtype, CRD_F64, ALL, out[0], y);
  for (size_t c = 0; c < CHANNELS; c++) {
    double mean = 0, variance = 0;
    for (size_t i = 0; i < BATCH * SPACE; i++)
      mean += x[(i / SPACE * CHANNELS + c) * SPACE + i % SPACE] / (BATCH * SPACE);
    for (size_t i = 0; i < BATCH * SPACE; i++)
      variance +=
          pow(x[(i / SPACE * CHANNELS + c) * SPACE + i % SPACE] - mean, 2) / (BATCH * SPACE);
    if (!own) mean = given[2][c], variance = given[3][c];
    for (size_t i = 0; i < BATCH * SPACE; i++) {
      const size_t at = (i / SPACE * CHANNELS + c) * SPACE + i % SPACE;
      const double right = (x[at] - mean) / sqrt(variance + 0.125) * given[0][c] + given[1][c];
      assert_true(fabs(y[at] - right) <= within * (1 + fabs(right)));
    }
    float moved[2];
    for (size_t k = 0; k < 2; k++) {
      moved[k] = ((const float *)(const void *)running[k])[c];
      const double right = 0.75 * given[2 + k][c] + 0.25 * (k ? variance : mean);
      assert_true(fabs((double)moved[k] - right) <= 1e-6);
    }
  }
}

static void every_type(void **state) {
  (void)state;
  for (size_t i = 0; i < ALL; i++) x[i] = crd__random_uniform(1, 0, i) * 4 - 1;
  for (size_t i = 0; i < 4 * CHANNELS; i++) /* values representable in float32 */
    given[i / CHANNELS][i % CHANNELS] = (double)(float)(crd__random_uniform(1, 1, i) + 0.25);
  for (int own = 0; own < 2; own++) {
    check(CRD_F64, own, 1e-13);
    check(CRD_F32, own, 1e-7);
    check(CRD_F16, own, 1e-3);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(every_type) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
