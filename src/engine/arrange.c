/*
 * arrange.c -- memory planning: offset assignment for all buffers in one block, so that buffers
 * with overlapping lifetimes do not overlap in memory. Greedy by size: largest first, each at the
 * lowest offset that is free during its lifetime. Simple, and close to the lower bound on real
 * networks.
 *
 * A lifetime is an interval of steps. A segment tree over the steps finds the placed buffers whose
 * lifetimes overlap a new one: those that contain its first step (lists on the path from that leaf
 * to the root), and those that begin later within it. So the cost grows with the number of
 * overlaps, not with the square of the number of buffers.
 */
#include "base/memory.h"
#include "engine/plan_private.h"

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

/* Return the offset of the lowest gap of `bytes` between sorted ranges. */
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

static bool in_block(const crd__engine_buffer *buffer) {
  return !buffer->fixed && buffer->first <= buffer->last;
}

/* ---- Placed buffers by lifetime. */

typedef struct {
  size_t buffer, next; /* next: index + 1 of the next item in the list; 0: none */
} item;

typedef struct {
  size_t leaves; /* number of steps, rounded up to a power of two */
  size_t *cover; /* for each node of the tree (root 1): index + 1 of its first item */
  size_t *begin; /* for each step: index + 1 of the first item among buffers that begin there */
  item *items;
  size_t count;
} lifetimes;

/* Return the most items that one interval needs: in tree nodes, and one in `begin`. */
static size_t items_each(size_t leaves) {
  size_t levels = 1;
  while (leaves >>= 1) levels++;
  return 2 * levels + 1;
}

static void push(lifetimes *t, size_t *list, size_t buffer) {
  t->items[t->count] = (item){ buffer, *list };
  *list = ++t->count;
}

static void insert(lifetimes *t, const crd__engine_buffer *buffer, size_t number) {
  size_t low = (size_t)buffer->first + t->leaves, high = (size_t)buffer->last + t->leaves + 1;
  push(t, &t->begin[buffer->first], number);
  for (; low < high; low /= 2, high /= 2) {
    if (low % 2) push(t, &t->cover[low++], number);
    if (high % 2) push(t, &t->cover[--high], number);
  }
}

static size_t collect(const lifetimes *t, size_t list, const crd__engine_plan *plan, range *out) {
  size_t count = 0;
  for (size_t at = list; at; at = t->items[at - 1].next) {
    const crd__engine_buffer *const b = &plan->buffers[t->items[at - 1].buffer];
    out[count++] = (range){ b->offset, b->offset + rounded(b->bytes) };
  }
  return count;
}

/* Collect the ranges of placed buffers whose lifetimes overlap that of `buffer`. */
static size_t find_overlaps(const lifetimes *t, const crd__engine_plan *plan,
                            const crd__engine_buffer *buffer, range *out) {
  size_t count = 0;
  for (size_t node = (size_t)buffer->first + t->leaves; node; node /= 2)
    count += collect(t, t->cover[node], plan, out + count);
  for (int step = buffer->first + 1; step <= buffer->last; step++)
    count += collect(t, t->begin[step], plan, out + count);
  return count;
}

/* ---- The block. */

static crd_status place_buffers(crd_context *ctx, crd__engine_plan *plan, const sized *order,
                                size_t count, lifetimes *t, range *ranges) {
  plan->bytes = CRD__ALIGNMENT;
  for (size_t i = 0; i < count; i++) {
    crd__engine_buffer *const buffer = &plan->buffers[order[i].number];
    CRD_TRY(crd__check_interrupt(ctx));
    const size_t others = find_overlaps(t, plan, buffer, ranges);
    qsort(ranges, others, sizeof *ranges, lower_first);
    buffer->offset = find_gap(ranges, others, rounded(buffer->bytes));
    if (buffer->offset + rounded(buffer->bytes) > plan->bytes)
      plan->bytes = buffer->offset + rounded(buffer->bytes);
    insert(t, buffer, order[i].number);
  }
  return CRD_OK;
}

crd_status crd__engine_plan_arrange(crd_context *ctx, crd__engine_plan *plan) {
  const size_t most = plan->buffer_count + 1;
  lifetimes t = { .leaves = 1 };
  sized *order = NULL;
  range *ranges = NULL;
  size_t count = 0, steps = 1;
  for (size_t i = 0; i < plan->buffer_count; i++)
    if (in_block(&plan->buffers[i]) && (size_t)plan->buffers[i].last >= steps)
      steps = (size_t)plan->buffers[i].last + 1;
  while (t.leaves < steps) t.leaves *= 2;
  crd_status status = crd__new(ctx, most, sizeof *order, "the memory plan", &order);
  if (status == CRD_OK) status = crd__new(ctx, most, sizeof *ranges, "the memory plan", &ranges);
  if (status == CRD_OK)
    status = crd__new(ctx, 2 * t.leaves, sizeof *t.cover, "the memory plan", &t.cover);
  if (status == CRD_OK)
    status = crd__new(ctx, t.leaves, sizeof *t.begin, "the memory plan", &t.begin);
  if (status == CRD_OK)
    status =
        crd__new(ctx, most, items_each(t.leaves) * sizeof *t.items, "the memory plan", &t.items);
  for (size_t i = 0; status == CRD_OK && i < plan->buffer_count; i++)
    if (in_block(&plan->buffers[i])) order[count++] = (sized){ plan->buffers[i].bytes, i };
  if (status == CRD_OK) {
    qsort(order, count, sizeof *order, larger_first);
    status = place_buffers(ctx, plan, order, count, &t, ranges);
  }
  void *const owned[] = { order, ranges, t.cover, t.begin, t.items };
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) crd__free(&ctx->alloc, owned[i]);
  return status;
}
