/* pool.h -- the largest or the mean of what a window shows. */
#ifndef CRD_GRAPH_OP_POOL_H
#define CRD_GRAPH_OP_POOL_H

#include "graph/op/window.h"

/* crd__graph_op.kind: what is taken of a window, and whether that is all of space. */
enum { CRD__POOL_LARGEST, CRD__POOL_AVERAGE, CRD__POOL_GLOBAL };

crd_status crd__graph_pool_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node);
/* By oneDNN in whatever form the input lies, or by a kernel of our own for what it does not do. */
crd_status crd__graph_pool_plan(crd_context *ctx, crd__engine_plan *plan,
                                const crd__graph_node *node);
crd_status crd__graph_pool_backward(crd_context *ctx, crd__graph_backward *back,
                                    const crd__graph_node *node);
uint64_t crd__graph_pool_flops(const crd__graph *net, const crd__graph_node *node);

#endif
