/* map.h -- unary elementwise operators by our own kernel (kernel/unary.h). */
#ifndef CRD_GRAPH_OP_MAP_H
#define CRD_GRAPH_OP_MAP_H

#include "engine/kernel/unary.h"
#include "graph/op.h"

/* The output has the input's shape and type; fails if the function is not defined for the type. */
crd_status crd__graph_unary_infer(crd_context *ctx, crd__graph *net, const crd__graph_node *node,
                                  crd__kernel_unary_id id);
/* Plan in any layout, in place if the input has no other reader. */
crd_status crd__graph_unary_plan(crd_context *ctx, crd__engine_plan *plan,
                                 const crd__graph_node *node, crd__kernel_unary_id id, double a,
                                 double b);
/* Plan the backward pass from x, or with `from_y` from y; the operator's entry must keep it. */
crd_status crd__graph_unary_backward(crd_context *ctx, crd__graph_backward *back,
                                     const crd__graph_node *node, crd__kernel_unary_id id, double a,
                                     double b, bool from_y);

#endif
