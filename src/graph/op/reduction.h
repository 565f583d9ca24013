/* reduction.h -- what ReduceMean, ReduceSum and ReduceMax share; crd__op.kind is a crd__reduce_id.
 */
#ifndef CRD_GRAPH_OP_REDUCTION_H
#define CRD_GRAPH_OP_REDUCTION_H

#include "engine/kernel/reduce.h"
#include "graph/op/plain.h"

extern const crd__op_attribute crd__reduction_attributes[];

crd_status crd__reduction_infer(crd_context *ctx, crd__net *net, crd__node *node);
crd_status crd__reduction_plan(crd_context *ctx, crd__plan *plan, const crd__node *node);
crd_status crd__reduction_backward(crd_context *ctx, crd__back *back, const crd__node *node);
/* One addition for each number that goes in. */
uint64_t crd__reduction_flops(const crd__net *net, const crd__node *node);

#endif
