/* map.h -- operators that do the same to each number, by a kernel of our own (kernel/unary.h). */
#ifndef CRD_GRAPH_OP_MAP_H
#define CRD_GRAPH_OP_MAP_H

#include "engine/kernel/unary.h"
#include "graph/op.h"

/* The output is as the input, of a type for which there is the function. */
crd_status crd__graph_unary_infer(crd_context *ctx, crd__graph *net, const crd__graph_node *node,
                                  crd__kernel_unary_id id);
/* In whatever order the numbers lie, and over them where nobody else reads them. */
crd_status crd__graph_unary_plan(crd_context *ctx, crd__engine_plan *plan,
                                 const crd__graph_node *node, crd__kernel_unary_id id, double a,
                                 double b);
/* Back from x, which the row keeps, or with `from_y` from y. */
crd_status crd__graph_unary_backward(crd_context *ctx, crd__graph_backward *back,
                                     const crd__graph_node *node, crd__kernel_unary_id id, double a,
                                     double b, bool from_y);

#endif
