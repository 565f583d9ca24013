/* arithmetic.h -- operators of two arrays, number by number, with NumPy's broadcasting;
 * crd__op.kind is a crd__pair_id. */
#ifndef CRD_GRAPH_OP_ARITHMETIC_H
#define CRD_GRAPH_OP_ARITHMETIC_H

#include "engine/kernel/f32.h"
#include "graph/op.h"

/* Up to operator set 6 the second array is broadcast only where 'broadcast' says so, from dimension
 * 'axis' of the first on. */
extern const crd__op_attribute crd__arithmetic_attributes[];

/* An operand as it is broadcast: dimensions behind those that 'axis' aligns are 1. */
crd_status crd__arithmetic_operand(crd_context *ctx, const crd__net *net, const crd__node *node,
                                   size_t index, crd__tensor *out);
crd_status crd__arithmetic_infer(crd_context *ctx, crd__net *net, crd__node *node);
crd_status crd__arithmetic_plan(crd_context *ctx, crd__plan *plan, const crd__node *node);
/* Back through a product, a quotient or a power; the plan holds what of the operands that reads. */
crd_status crd__arithmetic_backward(crd_context *ctx, crd__back *back, const crd__node *node);
/* f32 arrays of one shape are combined by oneDNN, which can do more to the result. */
bool crd__arithmetic_takes_after(const crd__net *net, const crd__node *node,
                                 const crd__after *after);

#endif
