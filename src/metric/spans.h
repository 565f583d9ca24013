/* spans.h -- sets of row indices: sorted, disjoint spans, adjacent ones joined. */
#ifndef CRD_METRIC_SPANS_H
#define CRD_METRIC_SPANS_H

#include "base/context.h"

typedef struct {
  uint64_t from, to; /* rows from .. to-1 */
} crd__metric_span;

typedef struct {
  crd__metric_span *items;
  size_t count;
} crd__metric_spans;

/* Sets *out to the union of a and b, a new list. EINPUT names the rows that are in both. */
crd_status crd__metric_spans_join(crd_context *ctx, const crd_allocator *alloc,
                                  const crd__metric_spans *a, const crd__metric_spans *b,
                                  crd__metric_spans *out);
/* Writes "0:5000, 7000:8000", of many spans the first three and "..."; returns `out`. */
enum { CRD__SPANS_TEXT = 160 };
const char *crd__metric_spans_text(const crd__metric_spans *spans, char out[CRD__SPANS_TEXT]);
void crd__metric_spans_clear(const crd_allocator *alloc, crd__metric_spans *spans);

#endif
