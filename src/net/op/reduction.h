/* reduction.h -- what ReduceMean, ReduceSum and ReduceMax share. */
#ifndef CRD_NET_OP_REDUCTION_H
#define CRD_NET_OP_REDUCTION_H

#include "net/kernel/reduce.h"
#include "net/op/plain.h"

extern const crd__op_attribute crd__reduction_attributes[];

/* `last`: the operator set up to which the axes are an attribute; then they are an input. */
crd_status crd__reduction_infer(crd_context *ctx, crd__net *net, const crd__node *node, int last);
crd_status crd__reduction_plan(crd_context *ctx, crd__plan *plan, const crd__node *node, int last,
                               crd__reduce_id id);
crd_status crd__reduction_backward(crd_context *ctx, crd__back *back, const crd__node *node,
                                   int last, crd__reduce_id id);
/* One addition for each number that goes in. */
uint64_t crd__reduction_flops(const crd__net *net, const crd__node *node);

#endif
