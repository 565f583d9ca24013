/* batch_train.c -- see batch_train.h. A map is the part of a block that lies in one piece: that of
 * one image. */
#include "engine/kernel/batch_train.h"

#include "base/parallel.h"
#include "engine/kernel/f32.h"

#include <math.h>

enum { GROUPS = 32, LANES = CRD__F32_LANES, GRAIN = 1 << 13 };

/* Sums of channels over each of a fixed number of groups of maps, whatever the threads; then what
 * follows from them for each channel. */
typedef struct {
  const crd__kernel_batch_train *b;
  const crd__kernel_batch_train_arrays *a;     /* NULL on the way back */
  const crd__kernel_batch_train_gradients *g;  /* NULL on the way there */
  size_t groups, width;                        /* channels with those that fill up */
  double *first, *second;                      /* of groups x width */
  float *mean, *factor, *shift, *tilt, *level; /* of width */
} work;

static size_t group_count(const crd__kernel_channels *lie) {
  return lie->outer < GROUPS ? lie->outer : GROUPS;
}

size_t crd__kernel_batch_train_workspace(const crd__kernel_channels *lie) {
  return (2 * group_count(lie) + 3) * lie->blocks * lie->lanes;
}

static work begin(const crd__kernel_batch_train *b, double *room) {
  work w = { .b = b, .groups = group_count(&b->lie), .width = b->lie.blocks * b->lie.lanes };
  w.first = room;
  w.second = w.first + w.groups * w.width;
  w.mean = (float *)(w.second + w.groups * w.width);
  w.factor = w.mean + w.width;
  w.shift = w.factor + w.width;
  w.tilt = w.shift + w.width;
  w.level = w.tilt + w.width;
  return w;
}

static size_t map_length(const crd__kernel_channels *lie) { return lie->inner * lie->lanes; }

static size_t map_grain(const crd__kernel_channels *lie) {
  return GRAIN / (map_length(lie) + 1) + 1;
}

/* A list of channels as the sixteen lanes of a block see it. */
static void spread(const work *w, const float *list, size_t block, float out[LANES]) {
  const size_t lanes = w->b->lie.lanes;
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

/* Of a channel, or of what fills up the last block. The same bits both ways, from the variance as
 * it is kept. */
static void set_parameters(work *w, size_t c, float mean, float variance, const float *scale,
                           const float *shift) {
  const bool real = c < w->b->lie.channels;
  w->mean[c] = real ? mean : 0;
  w->factor[c] = real ? (float)((double)scale[c] / sqrt((double)variance + w->b->epsilon)) : 0;
  w->shift[c] = real ? shift[c] : 0;
}

/* ---- Sums. */

/* Of the maps of one block in a group; lanes that repeat a channel come together. */
static void sum_group(const work *w, size_t group, size_t block) {
  const crd__kernel_f32_kernels *const k = crd__kernel_f32_kernels_best();
  const crd__kernel_channels *const lie = &w->b->lie;
  const size_t from = group * lie->outer / w->groups, to = (group + 1) * lie->outer / w->groups;
  const size_t n = map_length(lie), at_sums = group * w->width + block * lie->lanes;
  double first[LANES] = { 0 }, second[LANES] = { 0 };
  crd__kernel_f32_channels p;
  take_parameters(w, block, &p);
  for (size_t i = from; i < to; i++) {
    const size_t at = (i * lie->blocks + block) * n;
    if (w->a) k->channel_moments(n, w->a->x + at, p.mean, first, second);
    else
      k->channel_sums(n, &p, w->g->x + at, w->g->y ? w->g->y + at : NULL, w->g->dy + at,
                      w->g->daddend ? w->g->daddend + at : NULL, first, second);
  }
  for (size_t j = 0; j < lie->lanes; j++) {
    w->first[at_sums + j] = w->second[at_sums + j] = 0;
    for (size_t same = j; same < LANES; same += lie->lanes) {
      w->first[at_sums + j] += first[same];
      w->second[at_sums + j] += second[same];
    }
  }
}

static void sum_groups(void *arg, size_t from, size_t to) {
  const work *const w = arg;
  for (size_t i = from; i < to; i++) sum_group(w, i / w->b->lie.blocks, i % w->b->lie.blocks);
}

/* All groups of a channel, from first to last. */
static double total(const work *w, const double *sums, size_t channel) {
  double sum = 0;
  for (size_t group = 0; group < w->groups; group++) sum += sums[group * w->width + channel];
  return sum;
}

static void find_sums(unsigned threads, work *w) {
  const size_t maps = w->b->lie.outer / w->groups;
  crd__parallel_spans(threads, w->groups * w->b->lie.blocks, map_grain(&w->b->lie) / (maps + 1) + 1,
                      sum_groups, w);
}

/* ---- Maps, block by block, so that parameters are taken once. */

typedef struct {
  size_t at; /* where it begins */
  crd__kernel_f32_channels p;
} map;

static void take_map(const work *w, size_t index, bool first, map *m) {
  const crd__kernel_channels *const lie = &w->b->lie;
  const size_t block = index / lie->outer, outer = index % lie->outer;
  if (first || outer == 0) take_parameters(w, block, &m->p);
  m->at = (outer * lie->blocks + block) * map_length(lie);
}

/* ---- There. */

static void normalise_maps(void *arg, size_t from, size_t to) {
  const work *const w = arg;
  const crd__kernel_f32_kernels *const k = crd__kernel_f32_kernels_best();
  const size_t n = map_length(&w->b->lie);
  map m;
  for (size_t i = from; i < to; i++) {
    take_map(w, i, i == from, &m);
    k->channel_normalise(n, &m.p, w->a->x + m.at, w->a->addend ? w->a->addend + m.at : NULL,
                         w->a->y + m.at);
  }
}

static void follow_moments(work *w) {
  const crd__kernel_batch_train_arrays *const a = w->a;
  const double count = (double)(w->b->lie.outer * w->b->lie.inner);
  for (size_t c = 0; c < w->width; c++) {
    const double off = total(w, w->first, c) / count;
    const float mean = (float)((double)w->mean[c] + off);
    const double square = total(w, w->second, c) / count - off * off;
    const float variance = square < 0 ? 0 : (float)square; /* and a NaN stays one */
    set_parameters(w, c, mean, variance, a->scale, a->shift);
    if (c < w->b->lie.channels) a->mean[c] = mean;
    if (c < w->b->lie.channels) a->variance[c] = variance;
  }
}

void crd__kernel_batch_train_run(unsigned threads, const crd__kernel_batch_train *b,
                                 const crd__kernel_batch_train_arrays *arrays) {
  const crd__kernel_channels *const lie = &b->lie;
  work w = begin(b, arrays->room);
  w.a = arrays;
  /* The first number of each channel stands for the mean until that is known. */
  for (size_t c = 0; c < w.width; c++) {
    w.mean[c] = arrays->x[c / lie->lanes * map_length(lie) + c % lie->lanes];
    w.factor[c] = w.shift[c] = w.tilt[c] = w.level[c] = 0;
  }
  find_sums(threads, &w);
  follow_moments(&w);
  crd__parallel_spans(threads, lie->outer * lie->blocks, map_grain(lie), normalise_maps, &w);
}

/* ---- And back. */

/* What goes to the addend has been through the Relu. */
static void bend_maps(void *arg, size_t from, size_t to) {
  const work *const w = arg;
  const crd__kernel_f32_kernels *const k = crd__kernel_f32_kernels_best();
  const crd__kernel_batch_train_gradients *const g = w->g;
  const size_t n = map_length(&w->b->lie);
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
  const double count = (double)(w->b->lie.outer * w->b->lie.inner);
  for (size_t c = 0; c < w->b->lie.channels; c++) {
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
  work w = begin(b, arrays->room);
  w.g = arrays;
  for (size_t c = 0; c < w.width; c++) {
    const bool real = c < b->lie.channels;
    set_parameters(&w, c, real ? arrays->mean[c] : 0, real ? arrays->variance[c] : 1, arrays->scale,
                   arrays->shift);
    w.tilt[c] = w.level[c] = 0;
  }
  find_sums(threads, &w);
  follow_sums(&w);
  crd__parallel_spans(threads, b->lie.outer * b->lie.blocks, map_grain(&b->lie), bend_maps, &w);
}
