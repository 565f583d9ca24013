/*
 * arrange.c -- buffers into one block of memory: those that are needed at the same time side by
 * side, the others on top of each other. Largest first, each at the lowest offset that is free
 * during its time: simple, and close to the lower bound on real networks.
 */
#include "base/memory.h"
#include "net/plan_private.h"

#include <stdlib.h>

typedef struct {
  size_t bytes, number;
} sized;

static int larger_first(const void *a, const void *b) {
  const sized *const x = a, *const y = b;
  if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
  return x->number < y->number ? -1 : 1;
}

typedef struct {
  size_t from, to;
} range;

static int lower_first(const void *a, const void *b) {
  const range *const x = a, *const y = b;
  return (x->from > y->from) - (x->from < y->from);
}

static bool overlap(const crd__buffer *a, const crd__buffer *b) {
  return a->first <= b->last && b->first <= a->last;
}

/* The lowest gap of `bytes` between ranges that are sorted. */
static size_t find_gap(const range *ranges, size_t count, size_t bytes) {
  size_t at = 0;
  for (size_t i = 0; i < count; i++) {
    if (ranges[i].from >= at + bytes) break;
    if (ranges[i].to > at) at = ranges[i].to;
  }
  return at;
}

static size_t rounded(size_t bytes) {
  return (bytes + CRD__ALIGNMENT - 1) / CRD__ALIGNMENT * CRD__ALIGNMENT;
}

static bool in_block(const crd__buffer *buffer) {
  return !buffer->fixed && buffer->first <= buffer->last;
}

crd_status crd__plan_arrange(crd_context *ctx, crd__plan *plan) {
  sized *order;
  range *ranges;
  size_t count = 0;
  CRD_TRY(crd__new(ctx, plan->buffer_count + 1, sizeof *order, "a plan of memory", &order));
  const crd_status status =
      crd__new(ctx, plan->buffer_count + 1, sizeof *ranges, "a plan of memory", &ranges);
  if (status != CRD_OK) {
    crd__free(&ctx->alloc, order);
    return status;
  }
  for (size_t i = 0; i < plan->buffer_count; i++)
    if (in_block(&plan->buffers[i])) order[count++] = (sized){ plan->buffers[i].bytes, i };
  qsort(order, count, sizeof *order, larger_first);
  plan->bytes = CRD__ALIGNMENT;
  for (size_t i = 0; i < count; i++) {
    crd__buffer *const buffer = &plan->buffers[order[i].number];
    size_t others = 0;
    for (size_t j = 0; j < i; j++) {
      const crd__buffer *const other = &plan->buffers[order[j].number];
      if (overlap(buffer, other))
        ranges[others++] = (range){ other->offset, other->offset + rounded(other->bytes) };
    }
    qsort(ranges, others, sizeof *ranges, lower_first);
    buffer->offset = find_gap(ranges, others, rounded(buffer->bytes));
    if (buffer->offset + rounded(buffer->bytes) > plan->bytes)
      plan->bytes = buffer->offset + rounded(buffer->bytes);
  }
  crd__free(&ctx->alloc, order);
  crd__free(&ctx->alloc, ranges);
  return CRD_OK;
}
