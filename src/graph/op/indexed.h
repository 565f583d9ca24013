/* indexed.h -- the indices of GatherElements, GatherND, ScatterElements and ScatterND: input 1 of a
 * node whose input 0 is the array. */
#ifndef CRD_GRAPH_OP_INDEXED_H
#define CRD_GRAPH_OP_INDEXED_H

#include "engine/kernel/index.h"
#include "graph/op.h"

/* Read indices along the attribute 'axis', one for each element of the result. Fail if their shape
 * does not match the array, or a constant one is out of range. */
crd_status crd__graph_indexed_elements(crd_context *ctx, const crd__graph *net,
                                       const crd__graph_node *node, crd__kernel_index *out);
/* The same for tuples, the last dimension of the indices, that select slices of the array behind
 * its first `batch` dimensions. Sets *rank and dims to the shape of the selected slices. */
crd_status crd__graph_indexed_slices(crd_context *ctx, const crd__graph *net,
                                     const crd__graph_node *node, int64_t batch,
                                     crd__kernel_index *out, size_t *rank,
                                     int64_t dims[2 * CRD_RANK_MAX]);
/* Fail if an index is out of range. */
crd_status crd__graph_indexed_check(crd_context *ctx, const crd__graph_node *node,
                                    const crd__kernel_index *g);

#endif
