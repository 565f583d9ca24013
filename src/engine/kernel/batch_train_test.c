/* batch_train_test.c -- compared with the formulas in float64, for every layout of channels. */
#include "engine/kernel/batch_train.h"

#include "support.h"

#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OUTER = 5, INNER_MOST = 600, CHANNELS = 19, WIDTH = 32, MOST = OUTER * WIDTH * INNER_MOST };
static const double epsilon = 1e-3;

typedef struct {
  crd__kernel_batch_train b;
  bool adds;
  double offset; /* added to all x, large compared with their deviations */
} task;

/* Values in the order of the layout, and expected values in float64. */
static float x[MOST], addend[MOST], dy[MOST], y[2][MOST], dx[2][MOST], daddend[2][MOST];
static float scale[CHANNELS], shift[CHANNELS], mean[CHANNELS], variance[CHANNELS];
static float dscale[CHANNELS], dshift[CHANNELS];
static double workspace[(2 * OUTER + 3) * WIDTH];

static size_t place(const crd__kernel_channels *l, size_t outer, size_t channel, size_t inner) {
  const size_t block = channel / l->lanes, lane = channel % l->lanes;
  return ((outer * l->blocks + block) * l->inner + inner) * l->lanes + lane;
}

static void make(const task *t) {
  const crd__kernel_channels *const l = &t->b.layout;
  uint64_t at = 0;
  memset(x, 0, sizeof x);
  memset(addend, 0, sizeof addend);
  memset(dy, 0, sizeof dy);
  for (size_t c = 0; c < l->channels; c++) {
    scale[c] = (float)crd__random_normal(1, 1, c);
    shift[c] = (float)crd__random_normal(1, 2, c);
    for (size_t o = 0; o < l->outer; o++)
      for (size_t i = 0; i < l->inner; i++, at++) {
        const size_t k = place(l, o, c, i);
        x[k] = (float)(t->offset + (1 + (double)c) * crd__random_normal(1, 3, at));
        addend[k] = (float)crd__random_normal(1, 4, at);
        dy[k] = (float)(1 + crd__random_normal(1, 5, at));
      }
  }
}

static void close_to(const char *what, float found, double right, double size) {
  if (!(fabs((double)found - right) <= 2e-6 * size))
    fail_msg("%s is %.9g, not %.9g", what, (double)found, right);
}

static void run(const task *t, unsigned threads, float *to, float *to_dx, float *to_daddend) {
  crd__kernel_batch_train_run(threads, &t->b,
                              &(crd__kernel_batch_train_arrays){ x, scale, shift,
                                                                 t->adds ? addend : NULL, to, mean,
                                                                 variance, workspace });
  crd__kernel_batch_train_back(
      threads, &t->b,
      &(crd__kernel_batch_train_gradients){ x, scale, shift, mean, variance, dy,
                                            t->b.relu && t->adds ? to : NULL, to_daddend, to_dx,
                                            dscale, dshift, workspace });
}

typedef struct {
  double mean, variance, inverse, sum, product;
} moments;

/* The ReLU's mask is taken from the computed result, because values near 0 may round to either
 * side. */
static double incoming(const task *t, size_t k) {
  return t->b.relu && !(y[0][k] > 0) ? 0 : (double)dy[k];
}

static moments find(const task *t, size_t c) {
  const crd__kernel_channels *const l = &t->b.layout;
  const double count = (double)(l->outer * l->inner);
  moments m = { 0 };
  for (size_t o = 0; o < l->outer; o++)
    for (size_t i = 0; i < l->inner; i++) m.mean += (double)x[place(l, o, c, i)] / count;
  for (size_t o = 0; o < l->outer; o++)
    for (size_t i = 0; i < l->inner; i++) {
      const size_t k = place(l, o, c, i);
      const double d = (double)x[k] - m.mean;
      m.variance += d * d / count;
      m.sum += incoming(t, k);
      m.product += incoming(t, k) * d;
    }
  m.inverse = 1 / sqrt(m.variance + epsilon);
  return m;
}

static void compare_channel(const task *t, size_t c) {
  const crd__kernel_channels *const l = &t->b.layout;
  const double count = (double)(l->outer * l->inner), far = 1 + fabs(t->offset);
  const moments m = find(t, c);
  close_to("a mean", mean[c], m.mean, far);
  close_to("a variance", variance[c], m.variance, m.variance);
  close_to("the gradient with respect to a scale", dscale[c], m.product * m.inverse, count * far);
  close_to("the gradient with respect to a shift", dshift[c], m.sum, count);
  for (size_t o = 0; o < l->outer; o++)
    for (size_t i = 0; i < l->inner; i++) {
      const size_t k = place(l, o, c, i);
      const double z = ((double)x[k] - m.mean) * m.inverse, g = incoming(t, k);
      const double before =
          (double)scale[c] * z + (double)shift[c] + (t->adds ? (double)addend[k] : 0);
      close_to("a result", y[0][k], t->b.relu ? fmax(before, 0) : before, 10 * far);
      close_to("the gradient with respect to the input", dx[0][k],
               (double)scale[c] * m.inverse *
                   (g - m.sum / count - z * m.product * m.inverse / count),
               10 * far);
      if (t->b.relu) close_to("the gradient with respect to the addend", daddend[0][k], g, 0);
    }
}

/* Padding of the last block stays 0. */
static void compare_filling(const crd__kernel_channels *l) {
  for (size_t c = l->channels; c < l->blocks * l->lanes; c++)
    for (size_t i = 0; i < l->inner; i++) {
      const size_t k = place(l, l->outer - 1, c, i);
      assert_true(y[0][k] == 0 && dx[0][k] == 0);
    }
}

static void check(size_t lanes, size_t inner, bool adds, bool relu, double offset) {
  const task t = { .b = { .layout = { OUTER, (CHANNELS + lanes - 1) / lanes, inner, lanes,
                                      CHANNELS },
                          .epsilon = epsilon,
                          .relu = relu },
                   .adds = adds,
                   .offset = offset };
  const size_t bytes = OUTER * t.b.layout.blocks * lanes * inner * sizeof(float);
  assert_true(crd__kernel_batch_train_workspace(&t.b.layout) <=
              sizeof workspace / sizeof *workspace);
  make(&t);
  for (unsigned threads = 1; threads <= 3; threads += 2)
    run(&t, threads, y[threads > 1], dx[threads > 1], relu ? daddend[threads > 1] : NULL);
  assert_memory_equal(y[0], y[1], bytes);
  assert_memory_equal(dx[0], dx[1], bytes);
  for (size_t c = 0; c < CHANNELS; c++) compare_channel(&t, c);
  compare_filling(&t.b.layout);
  /* In place: dx overwrites dy, and y overwrites the addend. */
  memcpy(dx[1], dy, bytes);
  memcpy(y[1], addend, bytes);
  crd__kernel_batch_train_run(2, &t.b,
                              &(crd__kernel_batch_train_arrays){ x, scale, shift,
                                                                 adds ? y[1] : NULL, y[1], mean,
                                                                 variance, workspace });
  crd__kernel_batch_train_back(
      2, &t.b,
      &(crd__kernel_batch_train_gradients){ x, scale, shift, mean, variance, dx[1],
                                            relu && adds ? y[1] : NULL, NULL, dx[1], dscale, dshift,
                                            workspace });
  assert_memory_equal(y[0], y[1], bytes);
  assert_memory_equal(dx[0], dx[1], bytes);
}

static void every_lie(void **state) {
  static const size_t lanes[] = { 1, 8, 16 }, inner[] = { 1, 15, 17, 63, INNER_MOST };
  (void)state;
  for (size_t l = 0; l < 3; l++)
    for (size_t i = 0; i < 5; i++)
      for (int kind = 0; kind < 4; kind++) check(lanes[l], inner[i], kind & 1, kind & 2, 0);
}

/* Values far from 0: in float32, the mean of squares minus the square of the mean would cancel. */
static void far_from_zero(void **state) {
  (void)state;
  check(1, 63, false, true, 1000);
  check(16, 63, true, true, -1000);
}

/* NaN propagates to every result and statistic. */
static void nan_stays(void **state) {
  const task t = { .b = { .layout = { OUTER, CHANNELS, 17, 1, CHANNELS }, .relu = true } };
  (void)state;
  make(&t);
  x[place(&t.b.layout, 2, 3, 4)] = NAN;
  run(&t, 1, y[0], dx[0], NULL);
  assert_true(isnan(mean[3]) && isnan(variance[3]));
  for (size_t i = 0; i < t.b.layout.inner; i++)
    assert_true(isnan(y[0][place(&t.b.layout, 0, 3, i)]));
  assert_false(isnan(mean[2]) || isnan(variance[2]) || isnan(y[0][place(&t.b.layout, 0, 2, 0)]));
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(every_lie), cmocka_unit_test(far_from_zero),
                                      cmocka_unit_test(nan_stays) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
