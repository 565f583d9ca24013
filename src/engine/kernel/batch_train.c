/* batch_train.c -- see batch_train.h. A map is a contiguous part of a block: that of one sample. */
#include "engine/kernel/batch_train.h"

#include "base/parallel.h"
#include "engine/kernel/f32.h"

#include <math.h>

enum { GROUPS = 32, LANES = CRD__F32_LANES, GRAIN = 1 << 13 };

/* Sums of channels over each of a fixed number of groups of maps, for any number of threads; then
 * parameters for each channel. */
typedef struct {
  const crd__kernel_batch_train *b;
  const crd__kernel_batch_train_arrays *a;     /* NULL in the backward pass */
  const crd__kernel_batch_train_gradients *g;  /* NULL in the forward pass */
  size_t groups, width;                        /* width: channels with padding */
  double *first, *second;                      /* groups x width elements */
  float *mean, *factor, *shift, *tilt, *level; /* width elements */
} work;

static size_t group_count(const crd__kernel_channels *layout) {
  return layout->outer < GROUPS ? layout->outer : GROUPS;
}

size_t crd__kernel_batch_train_workspace(const crd__kernel_channels *layout) {
  return (2 * group_count(layout) + 3) * layout->blocks * layout->lanes;
}

static work begin(const crd__kernel_batch_train *b, double *workspace) {
  work w = { .b = b,
             .groups = group_count(&b->layout),
             .width = b->layout.blocks * b->layout.lanes };
  w.first = workspace;
  w.second = w.first + w.groups * w.width;
  w.mean = (float *)(w.second + w.groups * w.width);
  w.factor = w.mean + w.width;
  w.shift = w.factor + w.width;
  w.tilt = w.shift + w.width;
  w.level = w.tilt + w.width;
  return w;
}

static size_t map_length(const crd__kernel_channels *layout) {
  return layout->inner * layout->lanes;
}

static size_t map_grain(const crd__kernel_channels *layout) {
  return GRAIN / (map_length(layout) + 1) + 1;
}

/* Copy values of the channels of a block to sixteen lanes. */
static void spread(const work *w, const float *list, size_t block, float out[LANES]) {
  const size_t lanes = w->b->layout.lanes;
  for (size_t j = 0; j < LANES; j++) out[j] = list[block * lanes + j % lanes];
}

static void take_parameters(const work *w, size_t block, crd__kernel_f32_channels *out) {
  spread(w, w->mean, block, out->mean);
  spread(w, w->factor, block, out->factor);
  spread(w, w->shift, block, out->shift);
  spread(w, w->tilt, block, out->tilt);
  spread(w, w->level, block, out->level);
  out->relu = w->b->relu;
}

/* Set the parameters of a channel, or of padding in the last block. Both passes compute the same
 * bits, from the stored variance. */
static void set_parameters(work *w, size_t c, float mean, float variance, const float *scale,
                           const float *shift) {
  const bool real = c < w->b->layout.channels;
  w->mean[c] = real ? mean : 0;
  w->factor[c] = real ? (float)((double)scale[c] / sqrt((double)variance + w->b->epsilon)) : 0;
  w->shift[c] = real ? shift[c] : 0;
}

/* ---- Sums. */

/* Sum the maps of one block in a group; lanes that repeat a channel are added up. */
static void sum_group(const work *w, size_t group, size_t block) {
  const crd__kernel_f32_kernels *const k = crd__kernel_f32_kernels_best();
  const crd__kernel_channels *const layout = &w->b->layout;
  const size_t from = group * layout->outer / w->groups,
               to = (group + 1) * layout->outer / w->groups;
  const size_t n = map_length(layout), at_sums = group * w->width + block * layout->lanes;
  double first[LANES] = { 0 }, second[LANES] = { 0 };
  crd__kernel_f32_channels p;
  take_parameters(w, block, &p);
  for (size_t i = from; i < to; i++) {
    const size_t at = (i * layout->blocks + block) * n;
    if (w->a) k->channel_moments(n, w->a->x + at, p.mean, first, second);
    else
      k->channel_sums(n, &p, w->g->x + at, w->g->y ? w->g->y + at : NULL, w->g->dy + at,
                      w->g->daddend ? w->g->daddend + at : NULL, first, second);
  }
  for (size_t j = 0; j < layout->lanes; j++) {
    w->first[at_sums + j] = w->second[at_sums + j] = 0;
    for (size_t same = j; same < LANES; same += layout->lanes) {
      w->first[at_sums + j] += first[same];
      w->second[at_sums + j] += second[same];
    }
  }
}

static void sum_groups(void *arg, size_t from, size_t to) {
  const work *const w = arg;
  for (size_t i = from; i < to; i++) sum_group(w, i / w->b->layout.blocks, i % w->b->layout.blocks);
}

/* Sum over all groups of a channel, in order. */
static double total(const work *w, const double *sums, size_t channel) {
  double sum = 0;
  for (size_t group = 0; group < w->groups; group++) sum += sums[group * w->width + channel];
  return sum;
}

static void find_sums(unsigned threads, work *w) {
  const size_t maps = w->b->layout.outer / w->groups;
  crd__parallel_spans(threads, w->groups * w->b->layout.blocks,
                      map_grain(&w->b->layout) / (maps + 1) + 1, sum_groups, w);
}

/* ---- Maps, block by block, so that parameters are loaded once. */

typedef struct {
  size_t at; /* offset of the map */
  crd__kernel_f32_channels p;
} map;

static void take_map(const work *w, size_t index, bool first, map *m) {
  const crd__kernel_channels *const layout = &w->b->layout;
  const size_t block = index / layout->outer, outer = index % layout->outer;
  if (first || outer == 0) take_parameters(w, block, &m->p);
  m->at = (outer * layout->blocks + block) * map_length(layout);
}

/* ---- Forward pass. */

static void normalise_maps(void *arg, size_t from, size_t to) {
  const work *const w = arg;
  const crd__kernel_f32_kernels *const k = crd__kernel_f32_kernels_best();
  const size_t n = map_length(&w->b->layout);
  map m;
  for (size_t i = from; i < to; i++) {
    take_map(w, i, i == from, &m);
    k->channel_normalise(n, &m.p, w->a->x + m.at, w->a->addend ? w->a->addend + m.at : NULL,
                         w->a->y + m.at);
  }
}

static void follow_moments(work *w) {
  const crd__kernel_batch_train_arrays *const a = w->a;
  const double count = (double)(w->b->layout.outer * w->b->layout.inner);
  for (size_t c = 0; c < w->width; c++) {
    const double off = total(w, w->first, c) / count;
    const float mean = (float)((double)w->mean[c] + off);
    const double square = total(w, w->second, c) / count - off * off;
    const float variance = square < 0 ? 0 : (float)square; /* NaN stays */
    set_parameters(w, c, mean, variance, a->scale, a->shift);
    if (c < w->b->layout.channels) a->mean[c] = mean;
    if (c < w->b->layout.channels) a->variance[c] = variance;
  }
}

void crd__kernel_batch_train_run(unsigned threads, const crd__kernel_batch_train *b,
                                 const crd__kernel_batch_train_arrays *arrays) {
  const crd__kernel_channels *const layout = &b->layout;
  work w = begin(b, arrays->workspace);
  w.a = arrays;
  /* The first value of each channel stands in for the mean until that is known. */
  for (size_t c = 0; c < w.width; c++) {
    w.mean[c] = arrays->x[c / layout->lanes * map_length(layout) + c % layout->lanes];
    w.factor[c] = w.shift[c] = w.tilt[c] = w.level[c] = 0;
  }
  find_sums(threads, &w);
  follow_moments(&w);
  crd__parallel_spans(threads, layout->outer * layout->blocks, map_grain(layout), normalise_maps,
                      &w);
}

/* ---- Backward pass. */

/* The gradient of the addend has already passed the ReLU. */
static void bend_maps(void *arg, size_t from, size_t to) {
  const work *const w = arg;
  const crd__kernel_f32_kernels *const k = crd__kernel_f32_kernels_best();
  const crd__kernel_batch_train_gradients *const g = w->g;
  const size_t n = map_length(&w->b->layout);
  map m;
  for (size_t i = from; i < to; i++) {
    take_map(w, i, i == from, &m);
    m.p.relu = w->b->relu && !g->daddend;
    k->channel_bend(n, &m.p, g->x + m.at, g->y ? g->y + m.at : NULL,
                    (g->daddend ? g->daddend : g->dy) + m.at, g->dx + m.at);
  }
}

static void follow_sums(work *w) {
  const crd__kernel_batch_train_gradients *const g = w->g;
  const double count = (double)(w->b->layout.outer * w->b->layout.inner);
  for (size_t c = 0; c < w->b->layout.channels; c++) {
    const double sum = total(w, w->first, c), product = total(w, w->second, c);
    const double inverse = 1 / sqrt((double)g->variance[c] + w->b->epsilon);
    const double factor = (double)g->scale[c] * inverse;
    w->level[c] = (float)(-factor * sum / count);
    w->tilt[c] = (float)(-factor * inverse * inverse * product / count);
    g->dscale[c] = (float)(product * inverse);
    g->dshift[c] = (float)sum;
  }
}

void crd__kernel_batch_train_back(unsigned threads, const crd__kernel_batch_train *b,
                                  const crd__kernel_batch_train_gradients *arrays) {
  work w = begin(b, arrays->workspace);
  w.g = arrays;
  for (size_t c = 0; c < w.width; c++) {
    const bool real = c < b->layout.channels;
    set_parameters(&w, c, real ? arrays->mean[c] : 0, real ? arrays->variance[c] : 1, arrays->scale,
                   arrays->shift);
    w.tilt[c] = w.level[c] = 0;
  }
  find_sums(threads, &w);
  follow_sums(&w);
  crd__parallel_spans(threads, b->layout.outer * b->layout.blocks, map_grain(&b->layout), bend_maps,
                      &w);
}
