/* parameters.c -- norm, step and copies of the parameters of a network (parameters.h). */
#include "train/parameters.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/reduce.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 1 << 14 /* elements: fewer are not worth a thread */, LANES = 8 };

/* ---- The list. */

static bool does_decay(const crd_parameter *p, crd_decay decay) {
  return p->gradient && (decay == CRD_DECAY_ALL || p->shape.rank >= 2);
}

/* Adds the parameters that have a gradient, or those that have none. */
static void add(const crd_network *network, bool trained, crd_decay decay,
                crd__train_parameters *out) {
  const crd_parameter *p;
  for (size_t i = 0; (p = crd_network_parameter(network, i)); i++) {
    if ((p->gradient != NULL) != trained) continue;
    out->items[out->count++] =
        (crd__train_parameter){ .shape = p, .first = out->all, .decays = does_decay(p, decay) };
    out->all += p->count;
  }
}

crd_status crd__train_parameters_make(crd_context *ctx, const crd_network *network, crd_decay decay,
                                      const crd__train_optimiser *optimiser,
                                      crd__train_parameters *out) {
  size_t count = 0;
  *out = (crd__train_parameters){ 0 };
  while (crd_network_parameter(network, count)) count++;
  CRD_TRY(crd__new(ctx, count, sizeof *out->items, "parameters", &out->items));
  add(network, true, decay, out);
  out->trained = out->count;
  out->elements = out->all;
  add(network, false, decay, out);
  for (size_t s = 0; optimiser->states[s]; s++)
    CRD_TRY(crd__new(ctx, out->elements, sizeof(float), "the optimiser", &out->states[s]));
  return crd__new(ctx, crd__reduce_cells(out->elements, 1), sizeof(double), "a norm",
                  &out->partial);
}

void crd__train_parameters_clear(const crd_allocator *alloc, crd__train_parameters *parameters) {
  crd__free(alloc, parameters->items);
  for (size_t s = 0; s < CRD__TRAIN_STATES_MAX; s++) crd__free(alloc, parameters->states[s]);
  crd__free(alloc, parameters->partial);
  *parameters = (crd__train_parameters){ 0 };
}

/* Returns the trained parameter that holds an element. */
static size_t find(const crd__train_parameters *parameters, size_t element) {
  size_t low = 0, high = parameters->trained; /* items[low].first <= element */
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    if (parameters->items[middle].first <= element) low = middle;
    else high = middle;
  }
  return low;
}

typedef void (*visit)(void *self, const crd__train_parameter *parameter, size_t from, size_t count);

/* Calls `fn` for the part of each trained parameter within elements from .. to-1. */
static void walk(const crd__train_parameters *parameters, size_t from, size_t to, visit fn,
                 void *self) {
  for (size_t i = find(parameters, from); from < to; i++) {
    const crd__train_parameter *const p = &parameters->items[i];
    const size_t end = p->first + p->shape->count, until = end < to ? end : to;
    if (until > from) fn(self, p, from - p->first, until - from);
    if (until > from) from = until;
  }
}

/* ---- The norm. */

static void add_squares(void *self, const crd__train_parameter *parameter, size_t from,
                        size_t count) {
  const float *const g = parameter->shape->gradient + from;
  double lane[LANES] = { 0 };
  size_t i = 0;
  for (; i + LANES <= count; i += LANES)
    for (size_t j = 0; j < LANES; j++) lane[j] += (double)g[i + j] * (double)g[i + j];
  for (size_t j = 0; i + j < count; j++) lane[j] += (double)g[i + j] * (double)g[i + j];
  for (size_t j = 0; j < LANES; j++) *(double *)self += lane[j];
}

static void add_chunk(void *arg, size_t from, size_t to, double *sums) {
  walk(arg, from, to, add_squares, sums);
}

crd_status crd__train_parameters_norm(crd_context *ctx, const crd__train_parameters *parameters,
                                      double *norm) {
  double sum;
  const crd__load load = { .rows = parameters->elements, .work = 1 };
  CRD_TRY(crd__reduce_in(ctx, load, 1, add_chunk, (void *)(uintptr_t)parameters,
                         parameters->partial, &sum));
  *norm = sqrt(sum);
  return CRD_OK;
}

float crd__train_clip(double norm, double clip) {
  const double factor = clip > 0 ? clip / (norm + 1e-6) : 1;
  return (float)(factor < 1 ? factor : 1);
}

/* ---- The step. */

typedef struct {
  const crd__train_parameters *parameters;
  const crd__train_optimiser *optimiser;
  const crd__train_update *update;
} stepping;

static void step_part(void *self, const crd__train_parameter *parameter, size_t from,
                      size_t count) {
  const stepping *const s = self;
  crd__train_update update = *s->update;
  crd__train_span span = { .count = count,
                           .values = parameter->shape->values + from,
                           .gradient = parameter->shape->gradient + from };
  if (!parameter->decays) update.decay = 0;
  for (size_t k = 0; k < CRD__TRAIN_STATES_MAX; k++)
    if (s->parameters->states[k])
      span.state[k] = s->parameters->states[k] + parameter->first + from;
  s->optimiser->step(&update, &span);
}

static void step_span(void *arg, size_t from, size_t to) {
  walk(((stepping *)arg)->parameters, from, to, step_part, arg);
}

void crd__train_parameters_step(const crd__train_parameters *parameters,
                                const crd__train_optimiser *optimiser,
                                const crd__train_update *update, unsigned threads) {
  stepping s = { .parameters = parameters, .optimiser = optimiser, .update = update };
  crd__parallel_spans(threads, parameters->elements, GRAIN, step_span, &s);
}

/* ---- Copies. */

void crd__train_parameters_read(const crd__train_parameters *parameters, float *out) {
  for (size_t i = 0; i < parameters->count; i++) {
    const crd__train_parameter *const p = &parameters->items[i];
    if (p->shape->count) memcpy(out + p->first, p->shape->values, p->shape->count * sizeof *out);
  }
}

void crd__train_parameters_write(const crd__train_parameters *parameters, const float *from) {
  for (size_t i = 0; i < parameters->count; i++) {
    const crd__train_parameter *const p = &parameters->items[i];
    if (p->shape->count) memcpy(p->shape->values, from + p->first, p->shape->count * sizeof *from);
  }
}

/* x - x is 0 for every finite x, and NaN for others: a sum that vectorises. */
static bool is_finite(const float *values, size_t count) {
  float sum = 0;
  for (size_t i = 0; i < count; i++) sum += values[i] - values[i];
  return sum == 0;
}

const crd_parameter *crd__train_parameters_invalid(const crd__train_parameters *parameters) {
  for (size_t i = 0; i < parameters->count; i++) {
    const crd_parameter *const p = parameters->items[i].shape;
    if (!is_finite(p->values, p->count)) return p;
  }
  return NULL;
}
