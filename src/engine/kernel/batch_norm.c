/* batch_norm.c -- see batch_norm.h; channel by channel, in float64. */
#include "engine/kernel/batch_norm.h"

#include "base/parallel.h"
#include "engine/kernel/element.h"

#include <math.h>

typedef struct {
  const crd__kernel_batch_norm *b;
  const crd__kernel_batch_norm_arrays *arrays;
} norming;

static double load(crd_dtype dtype, const void *from, size_t i) {
  crd__kernel_block v;
  crd__kernel_block_load(dtype, 1, (const char *)from + i * crd_dtype_size(dtype), 1, &v);
  return v.real[0];
}

static void store(crd_dtype dtype, double value, void *to, size_t i) {
  crd__kernel_block v;
  v.real[0] = value;
  crd__kernel_block_store(dtype, 1, &v, (char *)to + i * crd_dtype_size(dtype), 1);
}

/* Return the byte offset of the map of a channel. */
static size_t map_of(const crd__kernel_batch_norm *b, size_t image, size_t channel) {
  return (image * b->channels + channel) * b->space * crd_dtype_size(b->dtype);
}

static size_t block_length(const crd__kernel_batch_norm *b, size_t k) {
  return b->space - k < CRD__BLOCK ? b->space - k : CRD__BLOCK;
}

/* Return the mean of x - centre, or of its square, over a channel. */
static double moment(const norming *w, size_t channel, double centre, bool squared) {
  const crd__kernel_batch_norm *const b = w->b;
  double sum = 0;
  for (size_t image = 0; image < b->batch; image++)
    for (size_t k = 0; k < b->space; k += CRD__BLOCK) {
      crd__kernel_block v;
      const size_t n = block_length(b, k), at = k * crd_dtype_size(b->dtype);
      crd__kernel_block_load(b->dtype, n,
                             (const char *)w->arrays->x + map_of(b, image, channel) + at, 1, &v);
      for (size_t i = 0; i < n; i++) {
        const double d = v.real[i] - centre;
        sum += squared ? d * d : d;
      }
    }
  return sum / (double)(b->batch * b->space);
}

static void norm_map(const norming *w, size_t image, size_t channel, double mean, double factor) {
  const crd__kernel_batch_norm *const b = w->b;
  const double shift = load(b->scale_type, w->arrays->shift, channel);
  for (size_t k = 0; k < b->space; k += CRD__BLOCK) {
    crd__kernel_block v;
    const size_t n = block_length(b, k);
    const size_t at = map_of(b, image, channel) + k * crd_dtype_size(b->dtype);
    crd__kernel_block_load(b->dtype, n, (const char *)w->arrays->x + at, 1, &v);
    for (size_t i = 0; i < n; i++) v.real[i] = (v.real[i] - mean) * factor + shift;
    crd__kernel_block_store(b->dtype, n, &v, (char *)w->arrays->y + at, 1);
  }
}

static void norm_channels(void *arg, size_t from, size_t to) {
  const norming *const w = arg;
  const crd__kernel_batch_norm *const b = w->b;
  const crd__kernel_batch_norm_arrays *const a = w->arrays;
  for (size_t c = from; c < to; c++) {
    const double given[] = { load(b->mean_type, a->mean, c), load(b->mean_type, a->variance, c) };
    const double mean = b->own ? moment(w, c, 0, false) : given[0];
    const double variance = b->own ? moment(w, c, mean, true) : given[1];
    const double factor = load(b->scale_type, a->scale, c) / sqrt(variance + b->epsilon);
    for (size_t image = 0; image < b->batch; image++) norm_map(w, image, c, mean, factor);
    const double stay = b->momentum, move = 1 - b->momentum;
    if (a->running_mean) store(b->mean_type, stay * given[0] + move * mean, a->running_mean, c);
    if (a->running_variance)
      store(b->mean_type, stay * given[1] + move * variance, a->running_variance, c);
  }
}

void crd__kernel_batch_norm_run(unsigned threads, const crd__kernel_batch_norm *b,
                                const crd__kernel_batch_norm_arrays *arrays) {
  norming w = { .b = b, .arrays = arrays };
  crd__parallel_spans(threads, b->channels, (1 << 13) / (b->batch * b->space + 1), norm_channels,
                      &w);
}
