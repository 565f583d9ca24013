/* spans.h -- which row numbers have been counted: sorted, disjoint spans, neighbours joined. */
#ifndef CRD_METRIC_SPANS_H
#define CRD_METRIC_SPANS_H

#include "base/context.h"

typedef struct {
  uint64_t from, to; /* rows from .. to-1 */
} crd__span;

typedef struct {
  crd__span *items;
  size_t count;
} crd__spans;

/* `out` becomes a and b together. EINPUT names the rows that both hold; `out` is a new list. */
crd_status crd__spans_join(crd_context *ctx, const crd_allocator *alloc, const crd__spans *a,
                           const crd__spans *b, crd__spans *out);
void crd__spans_clear(const crd_allocator *alloc, crd__spans *spans);

#endif
