/* soft.h -- shared by Softmax and LogSoftmax. */
#ifndef CRD_GRAPH_OP_SOFT_H
#define CRD_GRAPH_OP_SOFT_H

#include "graph/op.h"

enum { CRD__SOFT, CRD__SOFT_LOG }; /* crd__graph_op.kind */

extern const crd__graph_op_attribute crd__graph_softmax_attributes[];
crd_status crd__graph_softmax_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node);
crd_status crd__graph_softmax_plan(crd_context *ctx, crd__engine_plan *plan,
                                   const crd__graph_node *node);
crd_status crd__graph_softmax_backward(crd_context *ctx, crd__graph_backward *back,
                                       const crd__graph_node *node);

#endif
