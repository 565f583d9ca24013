/* resample_test.c -- tables of positions and weights by hand, and resampling with one thread and
 * with several. */
#include "engine/kernel/resample.h"

#include "support.h"

#include <math.h>
#include <string.h>

static void taps_by_hand(void **state) {
  const crd__kernel_sampling linear = { .mode = CRD__SAMPLE_LINEAR };
  int32_t index[32];
  double weight[32];
  (void)state;
  assert_int_equal(crd__kernel_resample_taps(&linear, 2), 2);
  crd__kernel_resample_table(&linear, 2, 4, 2, index, weight); /* at -1/4, 1/4, 3/4, 5/4 */
  assert_memory_equal(index, ((int32_t[]){ 0, 0, 0, 1, 0, 1, 1, 1 }), 8 * sizeof *index);
  assert_true(weight[2] == .75 && weight[3] == .25 && weight[4] == .25 && weight[5] == .75);
  const crd__kernel_sampling smooth = { .mode = CRD__SAMPLE_LINEAR, .antialias = true };
  assert_int_equal(crd__kernel_resample_taps(&smooth, .5F), 4);
  crd__kernel_resample_table(&smooth, 4, 2, .5F, index, weight); /* at 1/2: distances 3/4, 1/4 */
  assert_memory_equal(index, ((int32_t[]){ 0, 0, 1, 2 }), 4 * sizeof *index);
  assert_true(weight[0] == .125 && weight[1] == .375 && weight[2] == .375 && weight[3] == .125);
  const crd__kernel_sampling cubic = { .mode = CRD__SAMPLE_CUBIC,
                                       .cubic = -.75,
                                       .exclude_outside = true };
  crd__kernel_resample_table(&cubic, 4, 8, 2, index, weight); /* the first at -1/4 */
  assert_memory_equal(index, ((int32_t[]){ 0, 0, 0, 1 }), 4 * sizeof *index);
  assert_true(weight[0] == 0 && weight[1] == 0 && fabs(weight[2] + weight[3] - 1) < 1e-15);
}

static void neighbours_by_hand(void **state) {
  static const struct {
    crd__kernel_rounding_id rounding;
    int32_t index[4];
  } rows[] = { /* at 0, 1/2, 1, 3/2 */
               { CRD__ROUND_PREFER_FLOOR, { 0, 0, 1, 1 } },
               { CRD__ROUND_PREFER_CEIL, { 0, 1, 1, 1 } },
               { CRD__ROUND_FLOOR, { 0, 0, 1, 1 } },
               { CRD__ROUND_CEIL, { 0, 1, 1, 1 } }
  };
  (void)state;
  for (size_t i = 0; i < 4; i++) {
    const crd__kernel_sampling s = { .coordinate = CRD__ASYMMETRIC, .rounding = rows[i].rounding };
    int32_t index[4];
    double weight[4];
    crd__kernel_resample_table(&s, 2, 4, 2, index, weight);
    assert_memory_equal(index, rows[i].index, sizeof index);
  }
}

enum { OUTER = 3, IN = 40, OUT = 70, MOST = 300, TAPS = 4 };
static float x[OUTER * IN * MOST], y[2][OUTER * OUT * MOST], dx[2][OUTER * IN * MOST];

/* The first column. */
static void check_rows(const crd__kernel_resample *r) {
  for (size_t i = 0; i < r->outer * r->out; i++) {
    double want = 0;
    for (size_t k = 0; k < TAPS; k++) {
      const size_t tap = i % OUT * TAPS + k;
      want += r->weight[tap] * (double)x[(i / OUT * IN + (size_t)r->index[tap]) * r->inner];
    }
    assert_true(fabs((double)y[0][i * r->inner] - want) < 1e-6);
  }
}

/* <dy, R x> is <R' dy, x>, and both passes have the same bits for any number of threads. */
static void there_and_back(void **state) {
  static const size_t inners[] = { 1, 3, MOST };
  static int32_t index[OUT * TAPS];
  static double weight[OUT * TAPS];
  const crd__kernel_sampling cubic = { .mode = CRD__SAMPLE_CUBIC, .cubic = -.5 };
  (void)state;
  crd__kernel_resample_table(&cubic, IN, OUT, 1.75F, index, weight);
  for (size_t c = 0; c < 3; c++) {
    const crd__kernel_resample r = { CRD_F32,   CRD_F32, OUTER, IN,    OUT,
                                     inners[c], TAPS,    index, weight };
    const size_t in = r.outer * r.in * r.inner, out = r.outer * r.out * r.inner;
    double left = 0, right = 0;
    for (size_t i = 0; i < in; i++) x[i] = (float)(i * 7919 % 977) / 977 - .5F;
    for (unsigned t = 0; t < 2; t++) crd__kernel_resample_run(t ? 3 : 1, &r, x, y[t]);
    assert_memory_equal(y[0], y[1], out * sizeof *y[0]);
    check_rows(&r);
    for (size_t i = 0; i < out; i++) {
      const float dy = (float)(i * 104729 % 991) / 991 - .5F;
      left += (double)dy * (double)y[0][i];
      y[1][i] = dy;
    }
    for (unsigned t = 0; t < 2; t++) crd__kernel_resample_back(t ? 3 : 1, &r, y[1], dx[t]);
    assert_memory_equal(dx[0], dx[1], in * sizeof *dx[0]);
    for (size_t i = 0; i < in; i++) right += (double)dx[0][i] * (double)x[i];
    assert_true(fabs(left - right) < 1e-4);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(taps_by_hand),
    cmocka_unit_test(neighbours_by_hand),
    cmocka_unit_test(there_and_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
