/* quantize_test.c -- quantisation against plain loops, with one thread and with several. */
#include "engine/kernel/composite/quantize.h"

#include "support.h"

#include <math.h>
#include <string.h>

enum { MOST = 60000, THREADS = 3, LEVELS = 7 };

/* One scale; one for each index along the first, a middle and the last axis; one for each block,
 * the last of which is shorter. */
static const crd__kernel_scales shapes[] = {
  { 1, 1, 60000, 1, { 0, 0, 0 } }, { 1, 7, 8000, 1, { 0, 1, 0 } },  { 30, 7, 200, 1, { 0, 1, 0 } },
  { 900, 1, 7, 1, { 0, 0, 1 } },   { 1, 7, 50, 3, { 150, 50, 1 } },
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static float x[MOST], scale[200];
static uint8_t zero[200];

static size_t count_of(const crd__kernel_scales *s) { return s->outer * s->length * s->inner; }

static size_t scale_of(const crd__kernel_scales *s, size_t n) {
  return n / s->inner / s->length * s->steps[0] +
         n / s->inner % s->length / s->block * s->steps[1] + n % s->inner * s->steps[2];
}

static void fill(void) {
  for (size_t i = 0; i < MOST; i++) x[i] = (float)(i * 7919 % 977) / 8 - 60; /* with ties */
  for (size_t i = 0; i < 200; i++) {
    scale[i] = i % 2 ? 0.25F : 0.3F + (float)i / 100;
    zero[i] = (uint8_t)(i * 37);
  }
}

static crd__kernel_quantization make(size_t shape) {
  return (crd__kernel_quantization){ .scales = shapes[shape],
                                     .from = CRD_F32,
                                     .to = CRD_U8,
                                     .scale_type = CRD_F32,
                                     .zero_type = CRD_U8,
                                     .work = CRD_F32,
                                     .scale = scale,
                                     .zero = zero };
}

static void values_are_rounded(void **state) {
  static uint8_t got[MOST], want[MOST];
  (void)state;
  fill();
  for (size_t s = 0; s < SHAPES; s++) {
    const crd__kernel_quantization q = make(s);
    const size_t count = count_of(&shapes[s]);
    for (size_t n = 0; n < count; n++) {
      const size_t at = scale_of(&shapes[s], n);
      const double v = (double)nearbyintf(x[n] / scale[at]) + zero[at];
      want[n] = (uint8_t)fmin(fmax(v, 0), 255);
    }
    for (unsigned threads = 1; threads <= THREADS; threads++) {
      memset(got, 1, sizeof got);
      crd__kernel_quantize(threads, &q, x, got);
      assert_memory_equal(got, want, count);
    }
  }
}

static void integers_are_scaled(void **state) {
  static uint8_t bytes[MOST];
  static float got[MOST], want[MOST];
  (void)state;
  fill();
  for (size_t n = 0; n < MOST; n++) bytes[n] = (uint8_t)(n * 7919 % 977);
  for (size_t s = 0; s < SHAPES; s++) {
    crd__kernel_quantization q = make(s);
    q.from = CRD_U8;
    q.to = CRD_F32;
    const size_t count = count_of(&shapes[s]);
    for (size_t n = 0; n < count; n++) {
      const size_t at = scale_of(&shapes[s], n);
      want[n] = (float)(bytes[n] - zero[at]) * scale[at];
    }
    for (unsigned threads = 1; threads <= THREADS; threads++) {
      crd__kernel_dequantize(threads, &q, bytes, got);
      assert_memory_equal(got, want, count * sizeof *got);
    }
  }
}

/* 16 high + low is the whole, with low from 0 to 15. */
static void parts_add_up(void **state) {
  const uint8_t bytes[LEVELS] = { 0, 1, 15, 16, 120, 200, 255 }, middle = 120;
  float high[LEVELS], low[LEVELS];
  crd__kernel_quantization q = { .scales = crd__kernel_scales_one(LEVELS),
                                 .from = CRD_U8,
                                 .to = CRD_F32,
                                 .zero_type = CRD_U8,
                                 .work = CRD_F32,
                                 .zero = &middle,
                                 .part = CRD__PART_HIGH };
  (void)state;
  crd__kernel_dequantize(1, &q, bytes, high);
  q.part = CRD__PART_LOW;
  crd__kernel_dequantize(1, &q, bytes, low);
  for (size_t i = 0; i < LEVELS; i++) {
    assert_true(low[i] >= 0 && low[i] < CRD__PART_BASE);
    assert_true(16 * high[i] + low[i] == (float)(bytes[i] - middle));
  }
}

static void range_chooses_the_scale(void **state) {
  const float both[] = { -1, 0, 3, 1.5F }, above[] = { 1, 2 }, none[] = { 0, 0 };
  const float open[] = { -INFINITY, 1 };
  uint8_t y[4], level;
  float step;
  (void)state;
  crd__kernel_quantize_dynamic(1, 4, both, y, &step, &level);
  assert_true(step == 4.0F / 255 && level == 64); /* 63.75, rounded */
  assert_int_equal(y[0], 0);
  assert_int_equal(y[1], 64);
  assert_int_equal(y[2], 255);
  crd__kernel_quantize_dynamic(2, 2, above, y, &step, &level);
  assert_true(step == 2.0F / 255 && level == 0); /* the range includes 0 */
  crd__kernel_quantize_dynamic(1, 2, none, y, &step, &level);
  assert_true(step == 1 && level == 0 && y[0] == 0);
  crd__kernel_quantize_dynamic(1, 2, open, y, &step, &level);
  assert_true(step == INFINITY && level == 0);
}

static void sums_are_scaled_by_channel(void **state) {
  static float sums[2 * 3 * 300], real[2 * 3 * 300];
  static int8_t got[2 * 3 * 300];
  const float a = 0.5F, b[] = { 0.125F, 0.25F, 2 }, y = 0.0625F;
  const int8_t middle = -5;
  crd__kernel_requantization r = { .outer = 2,
                                   .channels = 3,
                                   .inner = 300,
                                   .alpha = 0.5F,
                                   .a = &a,
                                   .b = b,
                                   .scale = &y,
                                   .b_step = 1,
                                   .scale_type = CRD_F32,
                                   .to = CRD_I8,
                                   .zero = &middle };
  (void)state;
  for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) sums[i] = (float)(i % 41) - 20;
  for (unsigned threads = 1; threads <= THREADS; threads++) {
    crd__kernel_requantize(threads, &r, sums, got);
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
      const float value = nearbyintf(sums[i] * 0.25F * b[i / 300 % 3] / y) - 5;
      assert_true((float)got[i] == fminf(fmaxf(value, -128), 127));
    }
  }
  r.scale = NULL;
  r.zero = NULL;
  r.to = CRD_F32;
  r.b_step = 0;
  crd__kernel_requantize(1, &r, sums, real);
  for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
    assert_true(real[i] == sums[i] * 0.25F * 0.125F);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(values_are_rounded),
    cmocka_unit_test(integers_are_scaled),
    cmocka_unit_test(parts_add_up),
    cmocka_unit_test(range_chooses_the_scale),
    cmocka_unit_test(sums_are_scaled_by_channel),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
