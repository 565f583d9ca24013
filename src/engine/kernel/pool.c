/* pool.c -- max and average pooling, see slide.h. */
#include "base/parallel.h"
#include "engine/kernel/element.h"
#include "engine/kernel/slide.h"

#include <math.h>
#include <string.h>

typedef struct {
  const crd__kernel_pool *p;
  const char *x;
  char *y;
  int64_t *places;
} pooling;

/* The state of a piece of a row. */
typedef struct {
  crd__kernel_block best;    /* maximum, or sum */
  int64_t at[CRD__BLOCK];    /* index of the maximum in the map; -1: none yet */
  int64_t count[CRD__BLOCK]; /* elements in the sum */
} piece;

/* The first maximum stays, as does the first NaN. */
#define KEEP(member, odd, better)                                                                  \
  for (size_t i = 0; i < n; i++) {                                                                 \
    const size_t j = u->from + i;                                                                  \
    if (s->at[j] >= 0 && ((odd) || !(better))) continue;                                           \
    s->best.member[j] = v->member[i];                                                              \
    s->at[j] = u->at + (int64_t)i * u->step;                                                       \
  }

static void keep_largest(crd_dtype dtype, const crd__kernel_block *v, const crd__kernel_under *u,
                         piece *s) {
  const size_t n = u->to - u->from;
  const crd__kernel_carrier carrier = crd__kernel_carrier_of(dtype);
  if (carrier == CRD__REAL)
    KEEP(real, isnan(s->best.real[j]), isnan(v->real[i]) || v->real[i] > s->best.real[j])
  else if (carrier == CRD__SIGNED) KEEP(whole, false, v->whole[i] > s->best.whole[j])
  else KEEP(natural, false, v->natural[i] > s->best.natural[j])
}

static void add_up(const crd__kernel_block *v, const crd__kernel_under *u, bool count, piece *s) {
  for (size_t i = 0; i < u->to - u->from; i++) {
    s->best.real[u->from + i] += v->real[i];
    if (count) s->count[u->from + i]++;
  }
}

static void count_up(const crd__kernel_under *u, piece *s) {
  for (size_t i = u->from; i < u->to; i++) s->count[i]++;
}

/* Convert an index to column-major order. */
static int64_t turn(const crd__kernel_slide *w, int64_t at) {
  int64_t turned = 0;
  for (size_t d = w->spatial; d-- > 0; at /= w->in[d]) {
    int64_t step = 1;
    for (size_t e = 0; e < d; e++) step *= w->in[e];
    turned += at % w->in[d] * step;
  }
  return turned;
}

static void gather_piece(const pooling *g, const char *map, size_t row, size_t first, size_t n,
                         piece *s) {
  const crd__kernel_pool *const p = g->p;
  const size_t taps = crd__kernel_slide_taps(&p->window);
  for (size_t k = 0; k < taps; k++) {
    crd__kernel_under u;
    crd__kernel_block v;
    if (p->mean && p->count_padding &&
        crd__kernel_slide_under(&p->window, row, k, first, n, true, &u))
      count_up(&u, s);
    if (!crd__kernel_slide_under(&p->window, row, k, first, n, false, &u)) continue;
    crd__kernel_block_load(p->dtype, u.to - u.from, map + (size_t)u.at * crd_dtype_size(p->dtype),
                           (ptrdiff_t)u.step, &v);
    if (p->mean) add_up(&v, &u, !p->count_padding, s);
    else keep_largest(p->dtype, &v, &u, s);
  }
}

static void start_piece(const crd__kernel_pool *p, size_t n, piece *s) {
  for (size_t i = 0; i < n; i++) s->best.real[i] = p->mean ? 0 : -INFINITY;
  for (size_t i = 0; i < n; i++) s->at[i] = -1, s->count[i] = 0;
  if (!p->mean) crd__kernel_block_convert(CRD_F64, p->dtype, n, &s->best);
}

static void pool_piece(const pooling *g, size_t map, size_t row, size_t first, size_t n) {
  const crd__kernel_pool *const p = g->p;
  const size_t size = crd_dtype_size(p->dtype), last = p->window.spatial - 1;
  const size_t maps = crd__kernel_slide_map(p->window.in, p->window.spatial);
  const size_t to =
      (map * crd__kernel_slide_rows(&p->window) + row) * (size_t)p->window.out[last] + first;
  piece s;
  start_piece(p, n, &s);
  gather_piece(g, g->x + map * maps * size, row, first, n, &s);
  for (size_t i = 0; i < n && p->mean; i++) s.best.real[i] /= (double)s.count[i];
  crd__kernel_block_store(p->dtype, n, &s.best, g->y + to * size, 1);
  for (size_t i = 0; i < n && g->places; i++)
    g->places[to + i] = s.at[i] < 0 ? -1
                                    : (int64_t)(map * maps) +
                                          (p->column_major ? turn(&p->window, s.at[i]) : s.at[i]);
}

static void pool_rows(void *arg, size_t from, size_t to) {
  const pooling *const g = arg;
  const crd__kernel_slide *const w = &g->p->window;
  const size_t rows = crd__kernel_slide_rows(w), length = (size_t)w->out[w->spatial - 1];
  for (size_t r = from; r < to; r++)
    for (size_t k = 0; k < length; k += CRD__BLOCK)
      pool_piece(g, r / rows, r % rows, k, length - k < CRD__BLOCK ? length - k : CRD__BLOCK);
}

void crd__kernel_pool_run(unsigned threads, const crd__kernel_pool *p, const void *x, void *y,
                          int64_t *places) {
  pooling g = { .p = p, .x = x, .y = y, .places = places };
  crd__parallel_spans(threads, p->maps * crd__kernel_slide_rows(&p->window), 16, pool_rows, &g);
}

/* ---- Backward pass: a map belongs to one thread, and its sums have one order. */

typedef struct {
  const crd__kernel_pool *p;
  const float *x, *dy;
  float *dx;
} spreading;

static void spread_mean(const crd__kernel_pool *p, size_t row, size_t first, size_t n,
                        const float *dy, float *dx) {
  const size_t taps = crd__kernel_slide_taps(&p->window);
  crd__kernel_under u;
  piece s;
  start_piece(p, n, &s);
  for (size_t k = 0; k < taps; k++)
    if (crd__kernel_slide_under(&p->window, row, k, first, n, p->count_padding, &u))
      count_up(&u, &s);
  for (size_t k = 0; k < taps; k++)
    if (crd__kernel_slide_under(&p->window, row, k, first, n, false, &u))
      for (size_t i = u.from; i < u.to; i++)
        dx[u.at + (int64_t)(i - u.from) * u.step] += dy[i] / (float)s.count[i];
}

static void spread_largest(const crd__kernel_pool *p, const float *x, size_t row, size_t first,
                           size_t n, const float *dy, float *dx) {
  const pooling g = { .p = p };
  piece s;
  start_piece(p, n, &s);
  gather_piece(&g, (const char *)x, row, first, n, &s);
  for (size_t i = 0; i < n; i++)
    if (s.at[i] >= 0) dx[s.at[i]] += dy[i];
}

static void spread_maps(void *arg, size_t from, size_t to) {
  const spreading *const g = arg;
  const crd__kernel_slide *const w = &g->p->window;
  const size_t in = crd__kernel_slide_map(w->in, w->spatial), rows = crd__kernel_slide_rows(w);
  const size_t length = (size_t)w->out[w->spatial - 1];
  for (size_t map = from; map < to; map++) {
    float *const dx = g->dx + map * in;
    memset(dx, 0, in * sizeof *dx);
    for (size_t row = 0; row < rows; row++)
      for (size_t k = 0; k < length; k += CRD__BLOCK) {
        const size_t n = length - k < CRD__BLOCK ? length - k : CRD__BLOCK;
        const float *const dy = g->dy + (map * rows + row) * length + k;
        if (g->p->mean) spread_mean(g->p, row, k, n, dy, dx);
        else spread_largest(g->p, g->x + map * in, row, k, n, dy, dx);
      }
  }
}

void crd__kernel_pool_back(unsigned threads, const crd__kernel_pool *p, const float *x,
                           const float *dy, float *dx) {
  spreading g = { .p = p, .x = x, .dy = dy, .dx = dx };
  crd__parallel_spans(threads, p->maps, 1, spread_maps, &g);
}
