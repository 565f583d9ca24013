/* reduction.h -- shared by ReduceMean, ReduceSum and ReduceMax; crd__graph_op.kind is a
 * crd__kernel_reduce_id. */
#ifndef CRD_GRAPH_OP_REDUCTION_H
#define CRD_GRAPH_OP_REDUCTION_H

#include "engine/kernel/reduce.h"
#include "graph/op/plain.h"

extern const crd__graph_op_attribute crd__graph_reduction_attributes[];

crd_status crd__graph_reduction_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node);
crd_status crd__graph_reduction_plan(crd_context *ctx, crd__engine_plan *plan,
                                     const crd__graph_node *node);
crd_status crd__graph_reduction_backward(crd_context *ctx, crd__graph_backward *back,
                                         const crd__graph_node *node);
/* Return one addition for each element of the input. */
uint64_t crd__graph_reduction_flops(const crd__graph *net, const crd__graph_node *node);

#endif
