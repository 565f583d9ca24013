/*
 * unary.h -- unary elementwise operators.
 *
 * An operator is its function (crd__graph_op.kind, a crd__kernel_unary_id) with two parameters,
 * which are the attributes alpha and beta if it has them; some read theirs in another way
 * (crd__graph_op.function).
 */
#ifndef CRD_GRAPH_OP_UNARY_H
#define CRD_GRAPH_OP_UNARY_H

#include "graph/op.h"

#define CRD__REALS "f16, f32, f64"

crd_status crd__graph_unary_function(crd_context *ctx, const crd__graph *net,
                                     const crd__graph_node *node, crd__engine_post_op *out);
crd_status crd__graph_unary_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node);
crd_status crd__graph_unary_plan(crd_context *ctx, crd__engine_plan *plan,
                                 const crd__graph_node *node);
crd_status crd__graph_unary_backward(crd_context *ctx, crd__graph_backward *back,
                                     const crd__graph_node *node);

/* The entry of an operator: its function, most inputs, name of the entry, kernel, name, types,
 * first operator set, attributes, and the tensors that its backward pass reads. */
#define CRD__UNARY_ENTRY(describe, most, entry, id, name, types, since, names, kept)               \
  const crd__graph_op crd__graph_op_##entry = {                                                    \
    .info = { name, types, since, CRD__OPSET, 1, 0 },                                              \
    .kind = CRD__UNARY_##id,                                                                       \
    .inputs_least = 1,                                                                             \
    .inputs_most = most,                                                                           \
    .outputs_least = 1,                                                                            \
    .outputs_most = 1,                                                                             \
    .attributes = names,                                                                           \
    .infer = crd__graph_unary_infer,                                                               \
    .plan = crd__graph_unary_plan,                                                                 \
    .function = describe,                                                                          \
    .backward = crd__graph_unary_backward,                                                         \
    .keep = kept,                                                                                  \
  }

#endif
