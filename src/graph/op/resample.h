/* resample.h -- the attributes and inputs of Resize and Upsample: how each axis is resampled. */
#ifndef CRD_GRAPH_OP_RESAMPLE_H
#define CRD_GRAPH_OP_RESAMPLE_H

#include "engine/kernel/resample.h"
#include "graph/op.h"

typedef struct {
  crd__kernel_sampling how;
  size_t rank;
  int64_t in[CRD_RANK_MAX], out[CRD_RANK_MAX];
  float factor[CRD_RANK_MAX]; /* by which each axis is scaled */
} crd__graph_resampling;

/* Read how a node resamples its first input; fails if that is unsupported. */
crd_status crd__graph_resampling_read(crd_context *ctx, const crd__graph *net,
                                      const crd__graph_node *node, crd__graph_resampling *out);
/* Return how an axis is sampled; up to operator set 10, nearest neighbours are rounded up where an
 * axis shrinks, else down. */
crd__kernel_sampling crd__graph_resampling_of(const crd__graph_node *node,
                                              const crd__graph_resampling *r, size_t axis);

#endif
