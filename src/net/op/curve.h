/* curve.h -- operators that do the same to each number. */
#ifndef CRD_NET_OP_CURVE_H
#define CRD_NET_OP_CURVE_H

#include "net/op.h"

/* The output is as the input, of a type for which there is the function. */
crd_status crd__curve_infer(crd_context *ctx, crd__net *net, crd__node *node);
/* In whatever form the input lies, and over it where nobody else reads it. What is to be done is
 * the operator's `curve`. */
crd_status crd__curve_plan(crd_context *ctx, crd__plan *plan, const crd__node *node);
/* What a node does to each number, where a rule may fuse it into the node before; false: it is no
 * such node. */
bool crd__curve_of(crd_context *ctx, const crd__net *net, const crd__node *node, crd__after *out);

#endif
