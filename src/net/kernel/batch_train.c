/* batch_train.c -- batch norm in training, see batch_norm.h; one channel after the other. */
#include "base/parallel.h"
#include "net/kernel/batch_norm.h"
#include "net/kernel/f32.h"

#include <math.h>
#include <string.h>

typedef struct {
  const crd__batch_train *b;
  const crd__batch_train_arrays *on;
  const crd__batch_back_arrays *back;
} training;

static size_t map_of(const crd__batch_train *b, size_t image, size_t channel) {
  return (image * b->channels + channel) * b->space;
}

/* The mean of x, then of its squared distance from that. */
static void find_moments(const training *t, size_t channel, double *mean, double *variance) {
  const crd__f32_kernels *const k = crd__f32_kernels_best();
  const double count = (double)(t->b->batch * t->b->space);
  double sum = 0, square = 0;
  for (size_t i = 0; i < t->b->batch; i++)
    sum += k->sum(t->b->space, t->on->x + map_of(t->b, i, channel));
  const float centre = (float)(sum / count);
  for (size_t i = 0; i < t->b->batch; i++)
    square += k->squares(t->b->space, t->on->x + map_of(t->b, i, channel), centre);
  *mean = sum / count;
  *variance = square / count;
}

static void run_channels(void *arg, size_t from, size_t to) {
  const training *const t = arg;
  const crd__f32_kernels *const k = crd__f32_kernels_best();
  const crd__batch_train_arrays *const a = t->on;
  const double count = (double)(t->b->batch * t->b->space), stay = t->b->momentum;
  for (size_t c = from; c < to; c++) {
    double mean, variance;
    find_moments(t, c, &mean, &variance);
    const double inverse = 1 / sqrt(variance + t->b->epsilon);
    a->mean[c] = (float)mean;
    a->inverse[c] = (float)inverse;
    for (size_t i = 0; i < t->b->batch; i++) {
      const size_t at = map_of(t->b, i, c);
      k->line(t->b->space, a->x + at, a->mean[c], (float)(inverse * (double)a->scale[c]),
              a->shift[c], a->y + at);
    }
    if (a->running_mean)
      a->running_mean[c] = (float)(stay * (double)a->running_mean[c] + (1 - stay) * mean);
    if (a->running_variance)
      a->running_variance[c] = (float)(stay * (double)a->running_variance[c] +
                                       (1 - stay) * variance * (count / (count - 1)));
  }
}

void crd__batch_train_run(unsigned threads, const crd__batch_train *b,
                          const crd__batch_train_arrays *arrays) {
  training t = { .b = b, .on = arrays };
  crd__parallel_spans(threads, b->channels, (1 << 13) / (b->batch * b->space + 1), run_channels,
                      &t);
}

static void back_channels(void *arg, size_t from, size_t to) {
  const training *const t = arg;
  const crd__f32_kernels *const k = crd__f32_kernels_best();
  const crd__batch_back_arrays *const a = t->back;
  const double count = (double)(t->b->batch * t->b->space);
  for (size_t c = from; c < to; c++) {
    const double inverse = (double)a->inverse[c], factor = inverse * (double)a->scale[c];
    double sum = 0, product = 0;
    for (size_t i = 0; i < t->b->batch; i++) {
      const size_t at = map_of(t->b, i, c);
      sum += k->sum(t->b->space, a->dy + at);
      product += k->dot(t->b->space, a->x + at, a->mean[c], a->dy + at);
    }
    if (a->dscale) a->dscale[c] = (float)(product * inverse);
    if (a->dshift) a->dshift[c] = (float)sum;
    for (size_t i = 0; i < t->b->batch && a->dx; i++) {
      const size_t at = map_of(t->b, i, c);
      if (a->dx != a->dy) memcpy(a->dx + at, a->dy + at, t->b->space * sizeof *a->dx);
      k->bend(t->b->space, a->x + at, a->mean[c],
              (float)(-factor * inverse * inverse * product / count), (float)factor,
              (float)(-factor * sum / count), a->dx + at);
    }
  }
}

void crd__batch_train_back(unsigned threads, const crd__batch_train *b,
                           const crd__batch_back_arrays *arrays) {
  training t = { .b = b, .back = arrays };
  crd__parallel_spans(threads, b->channels, (1 << 13) / (b->batch * b->space + 1), back_channels,
                      &t);
}
