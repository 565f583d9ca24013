/* group_norm.c -- see group_norm.h. float32 uses the kernels of f32.h, with the parameters of one
 * channel in all lanes; other types go through double. */
#include "engine/kernel/group_norm.h"

#include "base/parallel.h"
#include "engine/kernel/element.h"
#include "engine/kernel/f32.h"

#include <math.h>

enum { GRAIN = 1 << 13 };

typedef struct {
  const crd__kernel_group_norm *g;
  const crd__kernel_group_norm_arrays *a; /* of the backward pass */
  const char *x;
  char *y;
} norming;

/* Return the index of the scale and shift of a channel of the group. */
static size_t parameter(const crd__kernel_group_norm *g, size_t group, size_t channel) {
  return g->shared ? group : group * g->per + channel;
}

static void fill(float *lanes, float value) {
  for (size_t i = 0; i < CRD__F32_LANES; i++) lanes[i] = value;
}

/* ---- Forward pass. */

static void norm_float32(const norming *w, size_t row) {
  const crd__kernel_group_norm *const g = w->g;
  const crd__kernel_f32_kernels *const k = crd__kernel_f32_kernels_best();
  const float *const scale = g->scale, *const shift = g->shift;
  crd__kernel_f32_channels p = { .relu = false };
  float mean, inverse;
  k->moments(g->per * g->inner, (const float *)(const void *)w->x + row * g->per * g->inner,
             (float)g->epsilon, &mean, &inverse);
  fill(p.mean, mean);
  for (size_t c = 0; c < g->per; c++) {
    const size_t at = (row * g->per + c) * g->inner, own = parameter(g, row % g->groups, c);
    fill(p.factor, inverse * scale[own]);
    fill(p.shift, shift[own]);
    k->channel_normalise(g->inner, &p, (const float *)(const void *)w->x + at, NULL,
                         (float *)(void *)w->y + at);
  }
}

/* Return the mean of x - centre over n elements, or of its square. */
static double moment(crd_dtype dtype, size_t count, const char *x, double centre, bool squared) {
  double sum = 0;
  for (size_t k = 0; k < count; k += CRD__BLOCK) {
    const size_t n = count - k < CRD__BLOCK ? count - k : CRD__BLOCK;
    crd__kernel_block v;
    crd__kernel_block_load(dtype, n, x + k * crd_dtype_size(dtype), 1, &v);
    for (size_t i = 0; i < n; i++) {
      const double d = v.real[i] - centre;
      sum += squared ? d * d : d;
    }
  }
  return sum / (double)count;
}

static void norm_channel(const norming *w, size_t at, size_t own, double mean, double inverse) {
  const crd__kernel_group_norm *const g = w->g;
  const size_t size = crd_dtype_size(g->dtype);
  crd__kernel_block scale, shift;
  crd__kernel_block_load(g->dtype, 1, (const char *)g->scale + own * size, 1, &scale);
  crd__kernel_block_load(g->dtype, 1, (const char *)g->shift + own * size, 1, &shift);
  for (size_t k = 0; k < g->inner; k += CRD__BLOCK) {
    const size_t n = g->inner - k < CRD__BLOCK ? g->inner - k : CRD__BLOCK;
    crd__kernel_block v;
    crd__kernel_block_load(g->dtype, n, w->x + (at + k) * size, 1, &v);
    for (size_t i = 0; i < n; i++)
      v.real[i] = (v.real[i] - mean) * inverse * scale.real[0] + shift.real[0];
    crd__kernel_block_store(g->dtype, n, &v, w->y + (at + k) * size, 1);
  }
}

static void norm_reals(const norming *w, size_t row) {
  const crd__kernel_group_norm *const g = w->g;
  const size_t count = g->per * g->inner;
  const char *const x = w->x + row * count * crd_dtype_size(g->dtype);
  const double mean = moment(g->dtype, count, x, 0, false);
  const double inverse = 1 / sqrt(moment(g->dtype, count, x, mean, true) + g->epsilon);
  for (size_t c = 0; c < g->per; c++)
    norm_channel(w, (row * g->per + c) * g->inner, parameter(g, row % g->groups, c), mean, inverse);
}

static void norm_rows(void *arg, size_t from, size_t to) {
  const norming *const w = arg;
  for (size_t row = from; row < to; row++) {
    if (w->g->dtype == CRD_F32) norm_float32(w, row);
    else norm_reals(w, row);
  }
}

void crd__kernel_group_norm_run(unsigned threads, const crd__kernel_group_norm *g, const void *x,
                                void *y) {
  norming w = { .g = g, .x = x, .y = y };
  if (g->per * g->inner == 0) return;
  crd__parallel_spans(threads, g->batch * g->groups, GRAIN / (g->per * g->inner), norm_rows, &w);
}

/* ---- Backward pass. */

/* Compute the two sums of each channel of a group; returns scale times them, over the group. */
static void sum_channels(const norming *w, size_t row, float mean, float inverse, double *level,
                         double *tilt) {
  const crd__kernel_group_norm *const g = w->g;
  const crd__kernel_f32_kernels *const k = crd__kernel_f32_kernels_best();
  const float *const scale = g->scale;
  *level = *tilt = 0;
  for (size_t c = 0; c < g->per; c++) {
    const size_t channel = row * g->per + c, at = channel * g->inner;
    const double factor = (double)scale[parameter(g, row % g->groups, c)];
    const double shift = k->sum(g->inner, w->a->dy + at);
    const double product = k->dot(g->inner, w->a->x + at, mean, w->a->dy + at) * (double)inverse;
    w->a->sums[2 * channel] = (float)product;
    w->a->sums[2 * channel + 1] = (float)shift;
    *level += factor * shift;
    *tilt += factor * product;
  }
}

static void back_rows(void *arg, size_t from, size_t to) {
  const norming *const w = arg;
  const crd__kernel_group_norm *const g = w->g;
  const crd__kernel_f32_kernels *const k = crd__kernel_f32_kernels_best();
  const float *const scale = g->scale;
  const double n = (double)(g->per * g->inner);
  for (size_t row = from; row < to; row++) {
    crd__kernel_f32_channels p = { .relu = false };
    float mean, inverse;
    double level, tilt;
    k->moments(g->per * g->inner, w->a->x + row * g->per * g->inner, (float)g->epsilon, &mean,
               &inverse);
    sum_channels(w, row, mean, inverse, &level, &tilt);
    fill(p.mean, mean);
    fill(p.level, (float)(-(double)inverse * level / n));
    fill(p.tilt, (float)(-(double)inverse * (double)inverse * tilt / n));
    for (size_t c = 0; c < g->per && w->a->dx; c++) {
      const size_t at = (row * g->per + c) * g->inner;
      fill(p.factor, inverse * scale[parameter(g, row % g->groups, c)]);
      k->channel_bend(g->inner, &p, w->a->x + at, NULL, w->a->dy + at, w->a->dx + at);
    }
  }
}

/* Sum over the samples, in order; and over the channels of a group that share their parameters. */
static void back_parameters(void *arg, size_t from, size_t to) {
  const norming *const w = arg;
  const crd__kernel_group_norm *const g = w->g;
  const size_t channels = g->groups * g->per, wide = g->shared ? g->per : 1;
  for (size_t p = from; p < to; p++) {
    double scale = 0, shift = 0;
    for (size_t b = 0; b < g->batch; b++)
      for (size_t c = 0; c < wide; c++) {
        const float *const sums = &w->a->sums[2 * (b * channels + p * wide + c)];
        scale += (double)sums[0];
        shift += (double)sums[1];
      }
    if (w->a->dscale) w->a->dscale[p] = (float)scale;
    if (w->a->dshift) w->a->dshift[p] = (float)shift;
  }
}

void crd__kernel_group_norm_back(unsigned threads, const crd__kernel_group_norm *g,
                                 const crd__kernel_group_norm_arrays *arrays) {
  norming w = { .g = g, .a = arrays };
  const size_t parameters = g->shared ? g->groups : g->groups * g->per;
  for (size_t p = 0; p < parameters && arrays->dscale; p++) arrays->dscale[p] = 0;
  for (size_t p = 0; p < parameters && arrays->dshift; p++) arrays->dshift[p] = 0;
  if (g->per * g->inner == 0) return;
  crd__parallel_spans(threads, g->batch * g->groups, GRAIN / (g->per * g->inner), back_rows, &w);
  if (arrays->dscale || arrays->dshift)
    crd__parallel_spans(threads, parameters, 1 + GRAIN / (g->batch + 1), back_parameters, &w);
}
