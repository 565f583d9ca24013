/* curve.h -- operators that do the same to each number. */
#ifndef CRD_GRAPH_OP_CURVE_H
#define CRD_GRAPH_OP_CURVE_H

#include "graph/op.h"

/* The output is as the input, of a type for which there is the function. */
crd_status crd__curve_infer(crd_context *ctx, crd__net *net, crd__node *node);
/* In whatever form the input lies, and over it where nobody else reads it. What is to be done is
 * the operator's `curve`. */
crd_status crd__curve_plan(crd_context *ctx, crd__plan *plan, const crd__node *node);
/* The way back, from the result or from the input, whichever tells the slope. */
crd_status crd__curve_backward(crd_context *ctx, crd__back *back, const crd__node *node);
/* `out` becomes `gradient` times the slope at `data`: the result of the curve, or what it was taken
 * of (dnn.h: crd__curve_from_result). */
crd_status crd__curve_undo(crd_context *ctx, crd__plan *plan, const crd__node *node,
                           const crd__after *curve, int data, int gradient, int out);
/* What a node does to each number, where a rule may fuse it into the node before; false: it is no
 * such node. */
bool crd__curve_of(crd_context *ctx, const crd__net *net, const crd__node *node, crd__after *out);

#endif
