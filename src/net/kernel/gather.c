/* gather.c -- see gather.h. */
#include "net/kernel/gather.h"

#include "base/parallel.h"

#include <string.h>

typedef struct {
  const crd__gather *g;
  const char *x;
  char *y;
} gathering;

static int64_t index_at(const crd__gather *g, size_t k) {
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
  const crd__gather *const g = w->g;
  const size_t bytes = g->inner * g->size;
  for (size_t r = from; r < to; r++) {
    const size_t row = r / g->count * g->length + (size_t)index_at(g, r % g->count);
    memcpy(w->y + r * bytes, w->x + row * bytes, bytes);
  }
}

bool crd__gather_run(unsigned threads, const crd__gather *g, const void *x, void *y, int64_t *bad) {
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
