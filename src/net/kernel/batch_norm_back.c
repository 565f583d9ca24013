/* batch_norm_back.c -- see batch_norm.h; one channel after the other. */
#include "base/parallel.h"
#include "net/kernel/batch_norm.h"
#include "net/kernel/f32.h"

#include <math.h>
#include <string.h>

typedef struct {
  const crd__batch_norm *b;
  const crd__batch_norm_gradients *a;
} returning;

static size_t map_of(const crd__batch_norm *b, size_t image, size_t channel) {
  return (image * b->channels + channel) * b->space;
}

/* The mean, and one over the deviation. */
static void find_moments(const returning *r, size_t channel, float *mean, double *inverse) {
  const crd__f32_kernels *const k = crd__f32_kernels_best();
  const double count = (double)(r->b->batch * r->b->space);
  double sum = 0, square = 0;
  for (size_t i = 0; i < r->b->batch; i++)
    sum += k->sum(r->b->space, r->a->x + map_of(r->b, i, channel));
  *mean = (float)(sum / count);
  for (size_t i = 0; i < r->b->batch; i++)
    square += k->squares(r->b->space, r->a->x + map_of(r->b, i, channel), *mean);
  *inverse = 1 / sqrt(square / count + r->b->epsilon);
}

static void back_channels(void *arg, size_t from, size_t to) {
  const returning *const r = arg;
  const crd__f32_kernels *const k = crd__f32_kernels_best();
  const crd__batch_norm_gradients *const a = r->a;
  const double count = (double)(r->b->batch * r->b->space);
  for (size_t c = from; c < to; c++) {
    double inverse, sum = 0, product = 0;
    float mean;
    find_moments(r, c, &mean, &inverse);
    for (size_t i = 0; i < r->b->batch; i++) {
      const size_t at = map_of(r->b, i, c);
      sum += k->sum(r->b->space, a->dy + at);
      product += k->dot(r->b->space, a->x + at, mean, a->dy + at);
    }
    if (a->dscale) a->dscale[c] = (float)(product * inverse);
    if (a->dshift) a->dshift[c] = (float)sum;
    const double factor = inverse * (double)a->scale[c];
    for (size_t i = 0; i < r->b->batch && a->dx; i++) {
      const size_t at = map_of(r->b, i, c);
      if (a->dx != a->dy) memcpy(a->dx + at, a->dy + at, r->b->space * sizeof *a->dx);
      k->bend(r->b->space, a->x + at, mean, (float)(-factor * inverse * inverse * product / count),
              (float)factor, (float)(-factor * sum / count), a->dx + at);
    }
  }
}

void crd__batch_norm_back(unsigned threads, const crd__batch_norm *b,
                          const crd__batch_norm_gradients *arrays) {
  returning r = { .b = b, .a = arrays };
  crd__parallel_spans(threads, b->channels, (1 << 13) / (b->batch * b->space + 1), back_channels,
                      &r);
}
