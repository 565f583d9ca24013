/* index.c -- see index.h. */
#include "engine/kernel/index.h"

#include "base/parallel.h"
#include "engine/kernel/binary.h"

#include <string.h>

/* Columns of a slice that one thread updates; elements for a thread at least. */
enum { COLUMNS = 256, GRAIN = 1 << 14 };

static int64_t raw_index(const crd__kernel_index *g, size_t i) {
  int32_t narrow;
  int64_t wide;
  if (g->index_type == CRD_I64) memcpy(&wide, (const char *)g->index + 8 * i, sizeof wide);
  else {
    memcpy(&narrow, (const char *)g->index + 4 * i, sizeof narrow);
    wide = narrow;
  }
  return wide;
}

static size_t lanes_of(const crd__kernel_index *g) {
  size_t lanes = 1;
  for (size_t d = 0; d < g->rank; d++) lanes *= g->dims[d];
  return lanes;
}

bool crd__kernel_index_check(const crd__kernel_index *g, int64_t *bad, size_t *length) {
  const size_t total = lanes_of(g) * g->count * g->depth;
  for (size_t i = 0; i < total; i++) {
    const int64_t index = raw_index(g, i), most = (int64_t)g->lengths[i % g->depth];
    if (index >= -most && index < most) continue;
    *bad = index;
    *length = (size_t)most;
    return false;
  }
  return true;
}

typedef struct {
  size_t tuple, base; /* the first tuple; the offset that its indices add to */
} lane;

static lane lane_at(const crd__kernel_index *g, size_t number) {
  lane l = { 0 };
  for (size_t d = g->rank; d-- > 0; number /= g->dims[d]) {
    l.tuple += number % g->dims[d] * g->tuples[d];
    l.base += number % g->dims[d] * g->bases[d];
  }
  return l;
}

/* Return the offset of the slice that a tuple selects. */
static size_t slice_at(const crd__kernel_index *g, size_t base, size_t tuple) {
  for (size_t d = 0; d < g->depth; d++) {
    const int64_t index = raw_index(g, tuple * g->depth + d);
    base += (index < 0 ? (size_t)(index + (int64_t)g->lengths[d]) : (size_t)index) * g->strides[d];
  }
  return base;
}

/* ---- Reading. */

typedef struct {
  const crd__kernel_index *g;
  const char *x;
  char *y;
} gathering;

/* Copies of one element, of a size known at compile time. */
static void copy_slice(size_t size, size_t n, char *to, const char *from) {
  if (n > 1) memcpy(to, from, n * size);
  else if (size == 4) memcpy(to, from, 4);
  else if (size == 8) memcpy(to, from, 8);
  else memcpy(to, from, size);
}

static void gather_span(void *arg, size_t from, size_t to) {
  const gathering *const w = arg;
  const crd__kernel_index *const g = w->g;
  const size_t size = crd_dtype_size(g->dtype), bytes = g->inner * size;
  lane l = lane_at(g, from / g->count);
  for (size_t r = from; r < to; r++) {
    const size_t k = r % g->count;
    if (k == 0) l = lane_at(g, r / g->count);
    const size_t tuple = l.tuple + k * g->step;
    copy_slice(size, g->inner, w->y + tuple * bytes, w->x + slice_at(g, l.base, tuple) * size);
  }
}

void crd__kernel_index_gather(unsigned threads, const crd__kernel_index *g, const void *x,
                              void *y) {
  gathering w = { .g = g, .x = x, .y = y };
  const size_t total = lanes_of(g) * g->count;
  if (total && g->inner) crd__parallel_spans(threads, total, GRAIN / g->inner, gather_span, &w);
}

/* ---- Writing. */

static const crd__kernel_pair_id pairs[] = {
  [CRD__SCATTER_ADD] = CRD__PAIR_ADD,
  [CRD__SCATTER_MUL] = CRD__PAIR_MUL,
  [CRD__SCATTER_MAX] = CRD__PAIR_MAX,
  [CRD__SCATTER_MIN] = CRD__PAIR_MIN,
};

typedef struct {
  const crd__kernel_index *g;
  crd__kernel_scatter_id id;
  const char *updates;
  char *y;
  float *x, *du; /* of the backward pass, where y is dx */
} scattering;

/* Update n <= COLUMNS contiguous elements. */
static void update(crd_dtype dtype, crd__kernel_scatter_id id, size_t n, const char *from,
                   char *to) {
  crd__kernel_block x, u;
  if (id == CRD__SCATTER_NONE) {
    copy_slice(crd_dtype_size(dtype), n, to, from);
  } else if (id == CRD__SCATTER_ADD && dtype == CRD_F32) {
    float *const sums = (float *)(void *)to;
    const float *const terms = (const float *)(const void *)from;
    for (size_t i = 0; i < n; i++) sums[i] += terms[i];
  } else {
    crd__kernel_block_load(dtype, n, to, 1, &x);
    crd__kernel_block_load(dtype, n, from, 1, &u);
    crd__kernel_block_pair(pairs[id], crd__kernel_carrier_of(dtype), n, &x, &u);
    crd__kernel_block_store(dtype, n, &x, to, 1);
  }
}

static size_t blocks_of(const crd__kernel_index *g) { return (g->inner + COLUMNS - 1) / COLUMNS; }

/* Work on the columns from `first` on of the slices of one lane. */
typedef void lane_fn(const scattering *s, lane l, size_t first, size_t n);

static void scatter_lane(const scattering *s, lane l, size_t first, size_t n) {
  const crd__kernel_index *const g = s->g;
  const size_t size = crd_dtype_size(g->dtype);
  for (size_t k = 0; k < g->count; k++) {
    const size_t tuple = l.tuple + k * g->step;
    update(g->dtype, s->id, n, s->updates + (tuple * g->inner + first) * size,
           s->y + (slice_at(g, l.base, tuple) + first) * size);
  }
}

static void each_lane(const scattering *s, size_t from, size_t to, lane_fn *work) {
  const size_t blocks = blocks_of(s->g);
  for (size_t b = from; b < to; b++) {
    const size_t first = b % blocks * COLUMNS;
    const size_t n = s->g->inner - first < COLUMNS ? s->g->inner - first : COLUMNS;
    work(s, lane_at(s->g, b / blocks), first, n);
  }
}

static void scatter_span(void *arg, size_t from, size_t to) {
  each_lane(arg, from, to, scatter_lane);
}

static void run_lanes(unsigned threads, scattering *s, void (*span)(void *, size_t, size_t)) {
  const crd__kernel_index *const g = s->g;
  const size_t each = g->count * (g->inner < COLUMNS ? g->inner : COLUMNS) + 1;
  crd__parallel_spans(threads, lanes_of(g) * blocks_of(g), GRAIN / each, span, s);
}

void crd__kernel_index_scatter(unsigned threads, const crd__kernel_index *g,
                               crd__kernel_scatter_id id, const void *updates, void *y) {
  scattering s = { .g = g, .id = id, .updates = updates, .y = y };
  run_lanes(threads, &s, scatter_span);
}

/* ---- Backward pass: updates are undone in reverse order. */

bool crd__kernel_scatter_reads(crd__kernel_scatter_id id) { return id >= CRD__SCATTER_MUL; }

/* Apply the updates again, and save in du the values before each. */
static void replay_lane(const scattering *s, lane l, size_t first, size_t n) {
  const crd__kernel_index *const g = s->g;
  for (size_t k = 0; k < g->count; k++) {
    const size_t tuple = l.tuple + k * g->step, at = tuple * g->inner + first;
    float *const x = s->x + slice_at(g, l.base, tuple) + first;
    memcpy(s->du + at, x, n * sizeof *x);
    update(CRD_F32, s->id, n, s->updates + at * sizeof *x, (char *)x);
  }
}

/* The derivatives with respect to x and u of the element after the update of x by u. */
static void partials(crd__kernel_scatter_id id, float x, float u, float *by_x, float *by_u) {
  const bool up = id == CRD__SCATTER_MAX;
  *by_x = *by_u = .5F;
  if (id == CRD__SCATTER_MUL) *by_x = u, *by_u = x;
  else if (x != u) {
    *by_x = (x > u) == up ? 1 : 0;
    *by_u = 1 - *by_x;
  }
}

static void undo_lane(const scattering *s, lane l, size_t first, size_t n) {
  const crd__kernel_index *const g = s->g;
  for (size_t k = g->count; k-- > 0;) {
    const size_t tuple = l.tuple + k * g->step, at = tuple * g->inner + first;
    float *const dx = (float *)(void *)s->y + slice_at(g, l.base, tuple) + first;
    const float *const u = (const float *)(const void *)s->updates + at;
    float *const du = s->du + at;
    for (size_t i = 0; i < n; i++) {
      float by_x = s->id == CRD__SCATTER_ADD ? 1 : 0, by_u = 1;
      if (crd__kernel_scatter_reads(s->id)) partials(s->id, du[i], u[i], &by_x, &by_u);
      du[i] = dx[i] * by_u;
      dx[i] = by_x == 0 ? 0 : dx[i] * by_x;
    }
  }
}

static void back_span(void *arg, size_t from, size_t to) {
  const scattering *const s = arg;
  if (crd__kernel_scatter_reads(s->id)) each_lane(s, from, to, replay_lane);
  each_lane(s, from, to, undo_lane);
}

void crd__kernel_index_scatter_back(unsigned threads, const crd__kernel_index *g,
                                    crd__kernel_scatter_id id, float *x, const float *updates,
                                    float *dx, float *du) {
  scattering s = { .g = g,
                   .id = id,
                   .updates = (const char *)(updates ? updates : du),
                   .y = (char *)dx,
                   .x = x,
                   .du = du };
  run_lanes(threads, &s, back_span);
}
