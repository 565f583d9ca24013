/*
 * spans.c -- sets of row indices.
 *
 * Two parts with the same row index are two files that both count from 0, or one file given twice:
 * merging them would count rows twice, so that fails.
 */
#include "metric/spans.h"
#include "base/memory.h"

#include <stdio.h>

/* Takes the next span of either list, lowest first. */
static const crd__metric_span *take(const crd__metric_spans *a, size_t *i,
                                    const crd__metric_spans *b, size_t *j) {
  const bool left = *j == b->count || (*i < a->count && a->items[*i].from < b->items[*j].from);
  return left ? &a->items[(*i)++] : &b->items[(*j)++];
}

crd_status crd__metric_spans_join(crd_context *ctx, const crd_allocator *alloc,
                                  const crd__metric_spans *a, const crd__metric_spans *b,
                                  crd__metric_spans *out) {
  crd__metric_spans joined = { .items =
                                   crd__calloc(alloc, a->count + b->count, sizeof *joined.items) };
  if (!joined.items) return crd__fail(ctx, CRD_ENOMEM, "no memory for a list of rows");
  for (size_t i = 0, j = 0; i + j < a->count + b->count;) {
    const crd__metric_span next = *take(a, &i, b, &j);
    crd__metric_span *const last = joined.count ? &joined.items[joined.count - 1] : NULL;
    if (last && next.from < last->to) {
      const uint64_t end = next.to < last->to ? next.to : last->to;
      crd__metric_spans_clear(alloc, &joined);
      return crd__fail(
          ctx, CRD_EINPUT,
          "rows %llu:%llu are in both parts; give each part the index of its first row "
          "(%s)",
          (unsigned long long)next.from, (unsigned long long)end, crd__spell(ctx, "first_row"));
    }
    if (last && next.from == last->to) last->to = next.to;
    else joined.items[joined.count++] = next;
  }
  *out = joined;
  return CRD_OK;
}

const char *crd__metric_spans_text(const crd__metric_spans *spans, char out[CRD__SPANS_TEXT]) {
  enum { SHOWN = 3 };
  size_t used = 0;
  out[0] = '\0';
  for (size_t i = 0; i < spans->count && i < SHOWN; i++)
    used += (size_t)snprintf(out + used, CRD__SPANS_TEXT - used, "%s%llu:%llu", i ? ", " : "",
                             (unsigned long long)spans->items[i].from,
                             (unsigned long long)spans->items[i].to);
  if (spans->count > SHOWN) snprintf(out + used, CRD__SPANS_TEXT - used, ", ...");
  return spans->count ? out : "none";
}

void crd__metric_spans_clear(const crd_allocator *alloc, crd__metric_spans *spans) {
  crd__free(alloc, spans->items);
  *spans = (crd__metric_spans){ 0 };
}
