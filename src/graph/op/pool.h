/* pool.h -- the largest or the mean of what a window shows. */
#ifndef CRD_GRAPH_OP_POOL_H
#define CRD_GRAPH_OP_POOL_H

#include "graph/op/window.h"

/* crd__op.kind: what is taken of a window, and whether that is all of space. */
enum { CRD__POOL_LARGEST, CRD__POOL_AVERAGE, CRD__POOL_GLOBAL };

crd_status crd__pool_infer(crd_context *ctx, crd__net *net, crd__node *node);
/* By oneDNN in whatever form the input lies, or by a kernel of our own for what it does not do. */
crd_status crd__pool_plan(crd_context *ctx, crd__plan *plan, const crd__node *node);
crd_status crd__pool_backward(crd_context *ctx, crd__back *back, const crd__node *node);
uint64_t crd__pool_flops(const crd__net *net, const crd__node *node);

#endif
