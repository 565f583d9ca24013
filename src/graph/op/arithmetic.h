/* arithmetic.h -- binary elementwise operators with NumPy broadcasting; crd__graph_op.kind is a
 * crd__kernel_pair_id. */
#ifndef CRD_GRAPH_OP_ARITHMETIC_H
#define CRD_GRAPH_OP_ARITHMETIC_H

#include "engine/kernel/f32.h"
#include "graph/op.h"

/* Up to operator set 6 the second array is broadcast only if 'broadcast' is set, aligned with the
 * first at dimension 'axis'. */
extern const crd__graph_op_attribute crd__graph_arithmetic_attributes[];

/* Get an operand with the shape that is broadcast: trailing dimensions of 1 align it as 'axis'
 * demands. */
crd_status crd__graph_arithmetic_operand(crd_context *ctx, const crd__graph *net,
                                         const crd__graph_node *node, size_t index,
                                         crd__engine_tensor *out);
crd_status crd__graph_arithmetic_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node);
crd_status crd__graph_arithmetic_plan(crd_context *ctx, crd__engine_plan *plan,
                                      const crd__graph_node *node);
/* Plan the backward pass of a product, a quotient or a power. The plan has kept the operands it
 * reads. */
crd_status crd__graph_arithmetic_backward(crd_context *ctx, crd__graph_backward *back,
                                          const crd__graph_node *node);
/* True for float32 arrays of one shape: oneDNN combines them, and can apply post-ops. */
bool crd__graph_arithmetic_takes_after(const crd__graph *net, const crd__graph_node *node,
                                       const crd__engine_post_op *after);

#endif
