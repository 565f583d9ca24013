/* curve.h -- operators that do the same to each number. */
#ifndef CRD_GRAPH_OP_CURVE_H
#define CRD_GRAPH_OP_CURVE_H

#include "graph/op.h"

/* The output is as the input, of a type for which there is the function. */
crd_status crd__graph_eltwise_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node);
/* In whatever form the input lies, and over it where nobody else reads it. What is to be done is
 * the operator's `curve`. */
crd_status crd__graph_eltwise_plan(crd_context *ctx, crd__engine_plan *plan,
                                   const crd__graph_node *node);
/* The way back, from the result or from the input, whichever tells the slope. */
crd_status crd__graph_eltwise_backward(crd_context *ctx, crd__graph_backward *back,
                                       const crd__graph_node *node);
/* `out` becomes `gradient` times the slope at `data`: the result of the curve, or what it was taken
 * of (dnn.h: crd__engine_eltwise_from_result). */
crd_status crd__graph_eltwise_undo(crd_context *ctx, crd__engine_plan *plan,
                                   const crd__graph_node *node, const crd__engine_post_op *curve,
                                   int data, int gradient, int out);
/* What a node does to each number, where a rule may fuse it into the node before; false: it is no
 * such node. */
bool crd__graph_eltwise_of(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                           crd__engine_post_op *out);

#endif
