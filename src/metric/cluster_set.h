/* cluster_set.h -- the clusters that rows belong to: their keys in ascending order, each once. */
#ifndef CRD_METRIC_CLUSTER_SET_H
#define CRD_METRIC_CLUSTER_SET_H

#include "base/context.h"
#include "data/predictions.h"

/* All zero is the empty set. */
typedef struct {
  uint64_t *keys;
  size_t count;
} crd__metric_cluster_set;

/* Those of predictions; none where rows are independent. */
crd_status crd__metric_cluster_set_of(crd_context *ctx, const crd_allocator *alloc,
                                      const crd_predictions *predictions,
                                      crd__metric_cluster_set *out);
/* Those of either set. */
crd_status crd__metric_cluster_set_join(crd_context *ctx, const crd_allocator *alloc,
                                        const crd__metric_cluster_set *a,
                                        const crd__metric_cluster_set *b,
                                        crd__metric_cluster_set *out);
bool crd__metric_cluster_set_equal(const crd__metric_cluster_set *a,
                                   const crd__metric_cluster_set *b);
/* How many are in both. */
size_t crd__metric_cluster_set_common(const crd__metric_cluster_set *a,
                                      const crd__metric_cluster_set *b);
void crd__metric_cluster_set_clear(const crd_allocator *alloc, crd__metric_cluster_set *set);

#endif
