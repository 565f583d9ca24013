/* walk.c -- see walk.h. */
#include "engine/kernel/walk.h"

#include "base/parallel.h"

#include <assert.h>

/* Least number of elements for a thread. */
enum { GRAIN = 1 << 14 };

void crd__kernel_strides_make(size_t rank, const int64_t *dims, int64_t *strides) {
  int64_t step = 1;
  for (size_t d = rank; d-- > 0;) {
    strides[d] = step;
    step *= dims[d];
  }
}

void crd__kernel_strides_broadcast(size_t from_rank, const int64_t *from, size_t rank,
                                   int64_t *strides) {
  int64_t own[CRD_RANK_MAX];
  const size_t more = rank - from_rank;
  crd__kernel_strides_make(from_rank, from, own);
  for (size_t d = 0; d < rank; d++)
    strides[d] = d < more || from[d - more] == 1 ? 0 : own[d - more];
}

/* True if dimension d of length `next` is contiguous with the last one of the walk in every
 * array. */
static bool follows(const crd__kernel_walk *w, int64_t strides[][CRD_RANK_MAX], size_t d,
                    int64_t next) {
  if (w->rank == 0) return false;
  for (size_t a = 0; a < w->arrays; a++)
    if (w->steps[a][w->rank - 1] != strides[a][d] * next) return false;
  return true;
}

crd__kernel_walk crd__kernel_walk_make(size_t arrays, size_t rank, const int64_t *dims,
                                       const int64_t *const strides[]) {
  crd__kernel_walk w = { .arrays = arrays, .total = 1 };
  int64_t own[CRD__WALK_ARRAYS][CRD_RANK_MAX];
  for (size_t a = 0; a < arrays; a++) {
    if (!strides[a]) crd__kernel_strides_make(rank, dims, own[a]);
    for (size_t d = 0; strides[a] && d < rank; d++) own[a][d] = strides[a][d];
  }
  for (size_t d = 0; d < rank; d++) {
    w.total *= (size_t)dims[d];
    if (dims[d] == 1) continue;
    if (follows(&w, own, d, dims[d])) w.dims[w.rank - 1] *= (size_t)dims[d];
    else w.dims[w.rank++] = (size_t)dims[d];
    for (size_t a = 0; a < arrays; a++) w.steps[a][w.rank - 1] = own[a][d];
  }
  if (w.rank == 0) w.dims[w.rank++] = 1;
  return w;
}

typedef struct {
  const crd__kernel_walk *walk;
  crd__kernel_walk_row *row;
  void *arg;
} walking;

/* Advance to the next row: increment the last outer index that can grow, reset those after it. */
static void next_row(const crd__kernel_walk *w, size_t *index, ptrdiff_t *at) {
  for (size_t d = w->rank - 1; d-- > 0;) {
    const bool grows = ++index[d] < w->dims[d];
    const ptrdiff_t back = grows ? 0 : (ptrdiff_t)w->dims[d];
    for (size_t a = 0; a < w->arrays; a++) at[a] += w->steps[a][d] * (1 - back);
    if (grows) return;
    index[d] = 0;
  }
}

static void walk_span(void *arg, size_t from, size_t to) {
  const walking *const g = arg;
  const crd__kernel_walk *const w = g->walk;
  size_t index[CRD_RANK_MAX], rest = from;
  ptrdiff_t at[CRD__WALK_ARRAYS] = { 0 };
  assert(w->rank > 0);
  for (size_t d = w->rank; d-- > 0; rest /= w->dims[d]) {
    index[d] = rest % w->dims[d];
    for (size_t a = 0; a < w->arrays; a++) at[a] += (ptrdiff_t)index[d] * w->steps[a][d];
  }
  const size_t last = w->rank - 1;
  while (from < to) {
    const size_t left = w->dims[last] - index[last];
    const size_t count = left < to - from ? left : to - from;
    g->row(g->arg, w, count, at);
    for (size_t a = 0; a < w->arrays; a++) at[a] -= (ptrdiff_t)index[last] * w->steps[a][last];
    index[last] = 0;
    next_row(w, index, at);
    from += count;
  }
}

void crd__kernel_walk_run(unsigned threads, const crd__kernel_walk *walk, crd__kernel_walk_row *row,
                          void *arg) {
  walking g = { .walk = walk, .row = row, .arg = arg };
  crd__parallel_spans(threads, walk->total, GRAIN, walk_span, &g);
}
