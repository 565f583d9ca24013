/* soft.h -- what Softmax and LogSoftmax share. */
#ifndef CRD_GRAPH_OP_SOFT_H
#define CRD_GRAPH_OP_SOFT_H

#include "graph/op.h"

enum { CRD__SOFT, CRD__SOFT_LOG }; /* crd__op.kind */

extern const crd__op_attribute crd__soft_attributes[];
crd_status crd__soft_infer(crd_context *ctx, crd__net *net, crd__node *node);
crd_status crd__soft_plan(crd_context *ctx, crd__plan *plan, const crd__node *node);
crd_status crd__soft_backward(crd_context *ctx, crd__back *back, const crd__node *node);

#endif
