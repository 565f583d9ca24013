/* arithmetic.h -- operators of two arrays, number by number, with NumPy's broadcasting;
 * crd__graph_op.kind is a crd__kernel_pair_id. */
#ifndef CRD_GRAPH_OP_ARITHMETIC_H
#define CRD_GRAPH_OP_ARITHMETIC_H

#include "engine/kernel/f32.h"
#include "graph/op.h"

/* Up to operator set 6 the second array is broadcast only where 'broadcast' says so, from dimension
 * 'axis' of the first on. */
extern const crd__graph_op_attribute crd__graph_arithmetic_attributes[];

/* An operand as it is broadcast: dimensions behind those that 'axis' aligns are 1. */
crd_status crd__graph_arithmetic_operand(crd_context *ctx, const crd__graph *net,
                                         const crd__graph_node *node, size_t index,
                                         crd__engine_tensor *out);
crd_status crd__graph_arithmetic_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node);
crd_status crd__graph_arithmetic_plan(crd_context *ctx, crd__engine_plan *plan,
                                      const crd__graph_node *node);
/* Back through a product, a quotient or a power; the plan holds what of the operands that reads. */
crd_status crd__graph_arithmetic_backward(crd_context *ctx, crd__graph_backward *back,
                                          const crd__graph_node *node);
/* f32 arrays of one shape are combined by oneDNN, which can do more to the result. */
bool crd__graph_arithmetic_takes_after(const crd__graph *net, const crd__graph_node *node,
                                       const crd__engine_post_op *after);

#endif
