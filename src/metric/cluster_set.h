/* cluster_set.h -- a set of clusters of rows: their keys in ascending order, each once. */
#ifndef CRD_METRIC_CLUSTER_SET_H
#define CRD_METRIC_CLUSTER_SET_H

#include "base/context.h"
#include "data/predictions.h"

/* Zero-initialised, it is the empty set. */
typedef struct {
  uint64_t *keys;
  size_t count;
} crd__metric_cluster_set;

/* Sets *out to the clusters of the predictions; empty if their rows are independent. ENOMEM. */
crd_status crd__metric_cluster_set_of(crd_context *ctx, const crd_allocator *alloc,
                                      const crd_predictions *predictions,
                                      crd__metric_cluster_set *out);
/* Sets *out to the union of both sets. ENOMEM. */
crd_status crd__metric_cluster_set_join(crd_context *ctx, const crd_allocator *alloc,
                                        const crd__metric_cluster_set *a,
                                        const crd__metric_cluster_set *b,
                                        crd__metric_cluster_set *out);
bool crd__metric_cluster_set_equal(const crd__metric_cluster_set *a,
                                   const crd__metric_cluster_set *b);
/* Returns the size of the intersection. */
size_t crd__metric_cluster_set_common(const crd__metric_cluster_set *a,
                                      const crd__metric_cluster_set *b);
void crd__metric_cluster_set_clear(const crd_allocator *alloc, crd__metric_cluster_set *set);

#endif
