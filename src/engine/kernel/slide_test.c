/* slide_test.c -- convolution and pooling against loops over all indices, in two and three
 * dimensions. */
#include "engine/kernel/slide.h"

#include "support.h"

#include "base/random.h"
#include "engine/kernel/element.h"

#include <math.h>

enum { MOST = 60000 };

static double x[MOST], weights[MOST], y[MOST], again[MOST];
static int64_t places[MOST];

static uint64_t below(uint64_t *counter, uint64_t n) {
  return crd__random_bits(9, 0, (*counter)++) % n;
}

static crd__kernel_slide any_window(uint64_t *counter, size_t spatial) {
  crd__kernel_slide w = { .spatial = spatial };
  for (size_t d = 0; d < spatial; d++) {
    w.size[d] = 1 + (int64_t)below(counter, 3);
    w.stride[d] = 1 + (int64_t)below(counter, 3);
    w.dilation[d] = 1 + (int64_t)below(counter, 2);
    w.before[d] = (int64_t)below(counter, (uint64_t)w.size[d]);
    w.after[d] = (int64_t)below(counter, (uint64_t)w.size[d]);
    w.in[d] = 5 + (int64_t)below(counter, spatial == 1 ? 900 : 6);
    w.out[d] =
        (w.in[d] + w.before[d] + w.after[d] - (w.size[d] - 1) * w.dilation[d] - 1) / w.stride[d] +
        1;
  }
  return w;
}

/* Return the index in the map under a tap of an output; -1 in the padding, -2 beyond. */
static int64_t under(const crd__kernel_slide *w, size_t output, size_t tap) {
  int64_t at = 0, step = 1, o = (int64_t)output, t = (int64_t)tap;
  bool padding = false;
  for (size_t d = w->spatial; d-- > 0;) {
    const int64_t here =
        o % w->out[d] * w->stride[d] + t % w->size[d] * w->dilation[d] - w->before[d];
    o /= w->out[d];
    t /= w->size[d];
    if (here >= w->in[d] + w->after[d]) return -2;
    if (here < 0 || here >= w->in[d]) padding = true;
    at += here * step;
    step *= w->in[d];
  }
  return padding ? -1 : at;
}

static void check_conv(const crd__kernel_conv *c) {
  const size_t in = crd__kernel_slide_map(c->window.in, c->window.spatial);
  const size_t out = crd__kernel_slide_map(c->window.out, c->window.spatial);
  const size_t taps = crd__kernel_slide_taps(&c->window), channels = c->groups * c->outputs;
  crd__kernel_conv_run(1, c, x, y);
  crd__kernel_conv_run(2, c, x, again);
  assert_memory_equal(y, again, c->batch * channels * out * sizeof *y);
  for (size_t i = 0; i < c->batch * channels * out; i++) {
    const size_t o = i % out, channel = i / out % channels, image = i / out / channels;
    double sum = c->bias ? x[channel] : 0;
    for (size_t k = 0; k < c->inputs; k++)
      for (size_t t = 0; t < taps; t++) {
        const int64_t at = under(&c->window, o, t);
        const size_t map = (image * c->groups + channel / c->outputs) * c->inputs + k;
        if (at >= 0)
          sum += x[map * in + (size_t)at] * weights[(channel * c->inputs + k) * taps + t];
      }
    assert_true(fabs(sum - y[i]) <= 1e-12);
  }
}

static void check_pool(const crd__kernel_pool *p) {
  const size_t in = crd__kernel_slide_map(p->window.in, p->window.spatial);
  const size_t out = crd__kernel_slide_map(p->window.out, p->window.spatial);
  crd__kernel_pool_run(2, p, x, y, p->mean ? NULL : places);
  for (size_t i = 0; i < p->maps * out; i++) {
    double sum = 0, count = 0;
    int64_t best = -1;
    for (size_t t = 0; t < crd__kernel_slide_taps(&p->window); t++) {
      const int64_t at = under(&p->window, i % out, t);
      count += at >= 0 || (at == -1 && p->count_padding);
      if (at < 0) continue;
      sum += x[i / out * in + (size_t)at];
      if (best < 0 || x[i / out * in + (size_t)at] > x[i / out * in + (size_t)best]) best = at;
    }
    if (p->mean) assert_true(isnan(sum / count) ? isnan(y[i]) : fabs(y[i] - sum / count) <= 1e-14);
    else if (best < 0) assert_true(y[i] == -INFINITY && places[i] == -1);
    else assert_true(y[i] == x[i / out * in + (size_t)best]);
    if (!p->mean && best >= 0) assert_int_equal(places[i], (int64_t)(i / out * in) + best);
  }
}

/* float32 x has ties now and then; `places` has the index of each maximum. */
static void check_pool_back(crd__kernel_pool p) {
  static float single[MOST], out[MOST], dy[MOST], dx[MOST], twice[MOST];
  static double right[MOST];
  const size_t in = crd__kernel_slide_map(p.window.in, p.window.spatial);
  const size_t made = crd__kernel_slide_map(p.window.out, p.window.spatial);
  p.dtype = CRD_F32;
  for (size_t i = 0; i < p.maps * in; i++) single[i] = (float)round(x[i] * 8), right[i] = 0;
  for (size_t i = 0; i < p.maps * made; i++) dy[i] = (float)weights[i];
  crd__kernel_pool_run(1, &p, single, out, p.mean ? NULL : places);
  crd__kernel_pool_back(1, &p, p.mean ? NULL : single, dy, dx);
  crd__kernel_pool_back(2, &p, p.mean ? NULL : single, dy, twice);
  assert_memory_equal(dx, twice, p.maps * in * sizeof *dx);
  for (size_t i = 0; i < p.maps * made; i++) {
    double count = 0;
    if (!p.mean && places[i] >= 0) right[places[i]] += (double)dy[i];
    for (int pass = 0; pass < 2 && p.mean; pass++)
      for (size_t t = 0; t < crd__kernel_slide_taps(&p.window); t++) {
        const int64_t at = under(&p.window, i % made, t);
        if (pass == 0) count += at >= 0 || (at == -1 && p.count_padding);
        else if (at >= 0) right[i / made * in + (size_t)at] += (double)dy[i] / count;
      }
  }
  for (size_t i = 0; i < p.maps * in; i++) assert_true(fabs((double)dx[i] - right[i]) <= 1e-6);
}

static void any_window_slides(void **state) {
  (void)state;
  uint64_t counter = 0;
  for (size_t i = 0; i < MOST; i++) {
    x[i] = crd__random_uniform(1, 0, i) - 0.5;
    weights[i] = crd__random_uniform(1, 1, i) - 0.5;
  }
  for (size_t round = 0; round < 150; round++) {
    const crd__kernel_slide w = any_window(&counter, 1 + round % 3);
    const crd__kernel_conv c = { .dtype = CRD_F64,
                                 .batch = 2,
                                 .groups = 1 + below(&counter, 2),
                                 .inputs = 1 + below(&counter, 3),
                                 .outputs = 1 + below(&counter, 3),
                                 .window = w,
                                 .weights = weights,
                                 .bias = round % 2 ? x : NULL };
    check_conv(&c);
    const crd__kernel_pool p = {
      .dtype = CRD_F64, .maps = 3, .window = w, .mean = round % 4 > 1, .count_padding = round % 2
    };
    check_pool(&p);
    check_pool_back(p);
  }
}

static void integers_and_columns(void **state) {
  (void)state;
  const uint8_t in[] = { 1, 9, 3, 4, 5, 200 };
  uint8_t out[2];
  const crd__kernel_pool p = { .dtype = CRD_U8,
                               .maps = 1,
                               .window = { .spatial = 2,
                                           .in = { 2, 3 },
                                           .out = { 1, 2 },
                                           .size = { 2, 2 },
                                           .stride = { 1, 1 },
                                           .dilation = { 1, 1 } },
                               .column_major = true };
  crd__kernel_pool_run(1, &p, in, out, places);
  assert_true(out[0] == 9 && out[1] == 200 && places[0] == 2 && places[1] == 5);
}

/* Without input channels the result is the bias, and the window is not walked through. */
static void no_input_channels(void **state) {
  (void)state;
  const double bias[] = { 3, 5 };
  const int64_t wide = (int64_t)1 << 40;
  const crd__kernel_conv c = { .dtype = CRD_F64,
                               .batch = 1,
                               .groups = 1,
                               .outputs = 2,
                               .window = { .spatial = 1,
                                           .in = { 2 },
                                           .out = { 2 },
                                           .size = { wide },
                                           .stride = { 1 },
                                           .dilation = { 1 },
                                           .before = { wide / 2 },
                                           .after = { wide / 2 } },
                               .bias = bias };
  const double expected[] = { 3, 3, 5, 5 };
  crd__kernel_conv_run(1, &c, x, y);
  assert_memory_equal(y, expected, sizeof expected);
  crd__kernel_conv_transpose_run(1, &c, x, again);
  assert_memory_equal(again, expected, sizeof expected);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(any_window_slides),
    cmocka_unit_test(integers_and_columns),
    cmocka_unit_test(no_input_channels),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
