/* curve.h -- unary elementwise operators that oneDNN has. */
#ifndef CRD_GRAPH_OP_CURVE_H
#define CRD_GRAPH_OP_CURVE_H

#include "graph/op.h"

/* The output has the input's shape and type; fails if the function is not defined for the type. */
crd_status crd__graph_eltwise_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node);
/* Plan in the layout of the input, in place if it has no other reader. The function is the
 * operator's `curve`. */
crd_status crd__graph_eltwise_plan(crd_context *ctx, crd__engine_plan *plan,
                                   const crd__graph_node *node);
/* Plan the backward pass, from the result or from the input (crd__engine_eltwise_from_result). */
crd_status crd__graph_eltwise_backward(crd_context *ctx, crd__graph_backward *back,
                                       const crd__graph_node *node);
/* Plan out = gradient * f'(x), where `data` is the function's result or its input x (dnn.h:
 * crd__engine_eltwise_from_result). */
crd_status crd__graph_eltwise_undo(crd_context *ctx, crd__engine_plan *plan,
                                   const crd__graph_node *node, const crd__engine_post_op *curve,
                                   int data, int gradient, int out);
/* Get the function of a node that may be fused as a post-op; false if it is not such a node. */
bool crd__graph_eltwise_of(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                           crd__engine_post_op *out);

#endif
