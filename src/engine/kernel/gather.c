/* gather.c -- see gather.h. */
#include "engine/kernel/gather.h"

#include "base/parallel.h"

#include <string.h>

typedef struct {
  const crd__kernel_gather *g;
  const char *x;
  char *y;
} gathering;

static int64_t index_at(const crd__kernel_gather *g, size_t k) {
  int32_t narrow;
  int64_t wide;
  if (g->index_type == CRD_I64) memcpy(&wide, (const char *)g->index + 8 * k, sizeof wide);
  else {
    memcpy(&narrow, (const char *)g->index + 4 * k, sizeof narrow);
    wide = narrow;
  }
  return wide < 0 ? wide + (int64_t)g->length : wide;
}

static void gather_span(void *arg, size_t from, size_t to) {
  const gathering *const w = arg;
  const crd__kernel_gather *const g = w->g;
  const size_t bytes = g->inner * g->size;
  for (size_t r = from; r < to; r++) {
    const size_t row = r / g->count * g->length + (size_t)index_at(g, r % g->count);
    memcpy(w->y + r * bytes, w->x + row * bytes, bytes);
  }
}

bool crd__kernel_gather_run(unsigned threads, const crd__kernel_gather *g, const void *x, void *y,
                            int64_t *bad) {
  gathering w = { .g = g, .x = x, .y = y };
  for (size_t k = 0; k < g->count; k++) {
    const int64_t index = index_at(g, k);
    if (index >= 0 && index < (int64_t)g->length) continue;
    *bad = index < 0 ? index - (int64_t)g->length : index;
    return false;
  }
  if (!g->inner) return true;
  crd__parallel_spans(threads, g->outer * g->count, (1 << 14) / g->inner, gather_span, &w);
  return true;
}

/* ---- Backward pass: threads share the columns, so that each has its sums in one order. */

enum { COLUMNS = 256 };

typedef struct {
  const crd__kernel_gather *g;
  const float *dy;
  float *dx;
} scattering;

static void scatter_span(void *arg, size_t from, size_t to) {
  const scattering *const s = arg;
  const crd__kernel_gather *const g = s->g;
  const size_t blocks = (g->inner + COLUMNS - 1) / COLUMNS;
  for (size_t b = from; b < to; b++) {
    const size_t outer = b / blocks, first = b % blocks * COLUMNS;
    const size_t n = g->inner - first < COLUMNS ? g->inner - first : COLUMNS;
    float *const dx = s->dx + outer * g->length * g->inner + first;
    const float *const dy = s->dy + outer * g->count * g->inner + first;
    for (size_t r = 0; r < g->length; r++) memset(dx + r * g->inner, 0, n * sizeof *dx);
    for (size_t k = 0; k < g->count; k++) {
      float *const sums = dx + (size_t)index_at(g, k) * g->inner;
      for (size_t i = 0; i < n; i++) sums[i] += dy[k * g->inner + i];
    }
  }
}

void crd__kernel_gather_back(unsigned threads, const crd__kernel_gather *g, const float *dy,
                             float *dx) {
  scattering s = { .g = g, .dy = dy, .dx = dx };
  const size_t blocks = (g->inner + COLUMNS - 1) / COLUMNS;
  const size_t each = (g->length + g->count) * (g->inner < COLUMNS ? g->inner : COLUMNS) + 1;
  crd__parallel_spans(threads, g->outer * blocks, (1 << 14) / each, scatter_span, &s);
}
