/*
 * arrange.c -- buffers into one block of memory: those that are needed at the same time side by
 * side, the others on top of each other. Largest first, each at the lowest offset that is free
 * during its time: simple, and close to the lower bound on real networks.
 *
 * A buffer's time is an interval of steps. Which placed buffers overlap it is asked of a segment
 * tree over the steps, whose nodes list the intervals that cover them: all that hold its first step
 * (the path from that leaf to the root), and those that begin later within it. So the cost grows
 * with the number of overlaps, not with the square of the number of buffers.
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

static bool in_block(const crd__engine_buffer *buffer) {
  return !buffer->fixed && buffer->first <= buffer->last;
}

/* ---- Placed buffers by their time. */

typedef struct {
  size_t buffer, next; /* next: another item of the same list + 1; 0: none */
} item;

typedef struct {
  size_t leaves; /* steps, rounded up to a power of two */
  size_t *cover; /* of each node of the tree (root 1): first item + 1 */
  size_t *begin; /* of each step: first item of the buffers that begin there + 1 */
  item *items;
  size_t count;
} timetable;

/* Most nodes that an interval is made of, and its item in `begin`. */
static size_t items_each(size_t leaves) {
  size_t levels = 1;
  while (leaves >>= 1) levels++;
  return 2 * levels + 1;
}

static void push(timetable *t, size_t *list, size_t buffer) {
  t->items[t->count] = (item){ buffer, *list };
  *list = ++t->count;
}

static void insert(timetable *t, const crd__engine_buffer *buffer, size_t number) {
  size_t low = (size_t)buffer->first + t->leaves, high = (size_t)buffer->last + t->leaves + 1;
  push(t, &t->begin[buffer->first], number);
  for (; low < high; low /= 2, high /= 2) {
    if (low % 2) push(t, &t->cover[low++], number);
    if (high % 2) push(t, &t->cover[--high], number);
  }
}

static size_t collect(const timetable *t, size_t list, const crd__engine_plan *plan, range *out) {
  size_t count = 0;
  for (size_t at = list; at; at = t->items[at - 1].next) {
    const crd__engine_buffer *const b = &plan->buffers[t->items[at - 1].buffer];
    out[count++] = (range){ b->offset, b->offset + rounded(b->bytes) };
  }
  return count;
}

/* Ranges of the placed buffers that are needed at the same time as this one. */
static size_t neighbours(const timetable *t, const crd__engine_plan *plan,
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
                                size_t count, timetable *t, range *ranges) {
  plan->bytes = CRD__ALIGNMENT;
  for (size_t i = 0; i < count; i++) {
    crd__engine_buffer *const buffer = &plan->buffers[order[i].number];
    if (crd__interrupted(ctx)) return crd__fail(ctx, CRD_EINTERRUPTED, "interrupted");
    const size_t others = neighbours(t, plan, buffer, ranges);
    qsort(ranges, others, sizeof *ranges, lower_first);
    buffer->offset = find_gap(ranges, others, rounded(buffer->bytes));
    if (buffer->offset + rounded(buffer->bytes) > plan->bytes)
      plan->bytes = buffer->offset + rounded(buffer->bytes);
    insert(t, buffer, order[i].number);
  }
  return CRD_OK;
}

crd_status crd__engine_plan_arrange(crd_context *ctx, crd__engine_plan *plan) {
  const size_t room = plan->buffer_count + 1;
  timetable t = { .leaves = 1 };
  sized *order = NULL;
  range *ranges = NULL;
  size_t count = 0, steps = 1;
  for (size_t i = 0; i < plan->buffer_count; i++)
    if (in_block(&plan->buffers[i]) && (size_t)plan->buffers[i].last >= steps)
      steps = (size_t)plan->buffers[i].last + 1;
  while (t.leaves < steps) t.leaves *= 2;
  crd_status status = crd__new(ctx, room, sizeof *order, "a plan of memory", &order);
  if (status == CRD_OK) status = crd__new(ctx, room, sizeof *ranges, "a plan of memory", &ranges);
  if (status == CRD_OK)
    status = crd__new(ctx, 2 * t.leaves, sizeof *t.cover, "a plan of memory", &t.cover);
  if (status == CRD_OK)
    status = crd__new(ctx, t.leaves, sizeof *t.begin, "a plan of memory", &t.begin);
  if (status == CRD_OK)
    status =
        crd__new(ctx, room, items_each(t.leaves) * sizeof *t.items, "a plan of memory", &t.items);
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
