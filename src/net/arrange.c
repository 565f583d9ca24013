/*
 * arrange.c -- buffers into one block of memory: those that are needed at the same time side by
 * side, the others on top of each other. Largest first, each at the lowest offset that is free
 * during its time: simple, and close to the lower bound on real networks.
 *
 * A buffer's time is the interval of steps [first, last]. Two intervals overlap if the first step
 * of one lies in the other: those placed already that contain `first` are found in a segment tree
 * over the steps, those that begin later, up to `last`, in lists by their first step. The cost is
 * O((1 + overlapping buffers) log steps) a buffer, so that a chain of any length is planned in
 * nearly linear time.
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

/* ---- Buffers by time. */

enum { NOBODY = -1 };

typedef struct {
  int buffer, next;
} link;

typedef struct {
  size_t leaves;  /* of the segment tree: a power of two, more than the steps */
  int *tree;      /* of each node, the root is 1: its first link; NOBODY */
  int *beginning; /* of each step: the buffer placed last that begins there; NOBODY */
  int *next;      /* of each buffer: another one that begins at the same step; NOBODY */
  link *links;
  size_t link_count, link_capacity;
} timeline;

static void clear(const crd_allocator *alloc, timeline *t) {
  crd__free(alloc, t->tree);
  crd__free(alloc, t->beginning);
  crd__free(alloc, t->next);
  crd__free(alloc, t->links);
}

static crd_status start(crd_context *ctx, const crd__plan *plan, timeline *t) {
  static const char what[] = "a plan of memory";
  t->leaves = 1;
  while (t->leaves <= plan->step_count) t->leaves *= 2;
  CRD_TRY(crd__new(ctx, 2 * t->leaves, sizeof *t->tree, what, &t->tree));
  CRD_TRY(crd__new(ctx, t->leaves, sizeof *t->beginning, what, &t->beginning));
  CRD_TRY(crd__new(ctx, plan->buffer_count + 1, sizeof *t->next, what, &t->next));
  for (size_t i = 0; i < 2 * t->leaves; i++) t->tree[i] = NOBODY;
  for (size_t i = 0; i < t->leaves; i++) t->beginning[i] = NOBODY;
  return CRD_OK;
}

static crd_status hang(crd_context *ctx, timeline *t, size_t node, int buffer) {
  if (t->link_count == t->link_capacity) {
    const size_t capacity = t->link_capacity ? 2 * t->link_capacity : 64;
    link *const links = crd__resize(&ctx->alloc, t->links, capacity, sizeof *links);
    if (!links) return crd__fail(ctx, CRD_ENOMEM, "no memory for a plan of memory");
    t->links = links;
    t->link_capacity = capacity;
  }
  t->links[t->link_count] = (link){ buffer, t->tree[node] };
  t->tree[node] = (int)t->link_count++;
  return CRD_OK;
}

/* Each interval is the union of few nodes of the tree, which are disjoint. */
static crd_status enter(crd_context *ctx, timeline *t, const crd__plan *plan, int number) {
  const crd__buffer *const buffer = &plan->buffers[number];
  size_t from = t->leaves + (size_t)buffer->first, to = t->leaves + (size_t)buffer->last + 1;
  for (; from < to; from /= 2, to /= 2) {
    if (from % 2) CRD_TRY(hang(ctx, t, from++, number));
    if (to % 2) CRD_TRY(hang(ctx, t, --to, number));
  }
  t->next[number] = t->beginning[buffer->first];
  t->beginning[buffer->first] = number;
  return CRD_OK;
}

static range range_of(const crd__buffer *buffer) {
  return (range){ buffer->offset, buffer->offset + rounded(buffer->bytes) };
}

/* The memory of all buffers that were entered and overlap; each of them once. */
static size_t collect(const timeline *t, const crd__plan *plan, const crd__buffer *buffer,
                      range *out) {
  size_t count = 0;
  for (size_t node = t->leaves + (size_t)buffer->first; node > 0; node /= 2)
    for (int at = t->tree[node]; at != NOBODY; at = t->links[at].next)
      out[count++] = range_of(&plan->buffers[t->links[at].buffer]);
  for (int step = buffer->first + 1; step <= buffer->last; step++)
    for (int other = t->beginning[step]; other != NOBODY; other = t->next[other])
      out[count++] = range_of(&plan->buffers[other]);
  return count;
}

/* ---- All of them. */

static crd_status place_all(crd_context *ctx, crd__plan *plan, timeline *t, const sized *order,
                            size_t count, range *ranges) {
  plan->bytes = CRD__ALIGNMENT;
  for (size_t i = 0; i < count; i++) {
    crd__buffer *const buffer = &plan->buffers[order[i].number];
    if (crd__interrupted(ctx)) return crd__fail(ctx, CRD_EINTERRUPTED, "interrupted");
    const size_t others = collect(t, plan, buffer, ranges);
    qsort(ranges, others, sizeof *ranges, lower_first);
    buffer->offset = find_gap(ranges, others, rounded(buffer->bytes));
    if (buffer->offset + rounded(buffer->bytes) > plan->bytes)
      plan->bytes = buffer->offset + rounded(buffer->bytes);
    CRD_TRY(enter(ctx, t, plan, (int)order[i].number));
  }
  return CRD_OK;
}

static crd_status arrange(crd_context *ctx, crd__plan *plan, timeline *t, sized *order) {
  range *ranges;
  size_t count = 0;
  CRD_TRY(start(ctx, plan, t));
  CRD_TRY(crd__new(ctx, plan->buffer_count + 1, sizeof *ranges, "a plan of memory", &ranges));
  for (size_t i = 0; i < plan->buffer_count; i++)
    if (in_block(&plan->buffers[i])) order[count++] = (sized){ plan->buffers[i].bytes, i };
  qsort(order, count, sizeof *order, larger_first);
  const crd_status status = place_all(ctx, plan, t, order, count, ranges);
  crd__free(&ctx->alloc, ranges);
  return status;
}

crd_status crd__plan_arrange(crd_context *ctx, crd__plan *plan) {
  timeline t = { .leaves = 0 };
  sized *order;
  CRD_TRY(crd__new(ctx, plan->buffer_count + 1, sizeof *order, "a plan of memory", &order));
  const crd_status status = arrange(ctx, plan, &t, order);
  clear(&ctx->alloc, &t);
  crd__free(&ctx->alloc, order);
  return status;
}
