/* pool.h -- max and average pooling. */
#ifndef CRD_GRAPH_OP_POOL_H
#define CRD_GRAPH_OP_POOL_H

#include "graph/op/window.h"

/* crd__graph_op.kind: which one; GLOBAL is added if the window is the whole input. */
enum { CRD__POOL_LARGEST, CRD__POOL_AVERAGE, CRD__POOL_GLOBAL };

crd_status crd__graph_pool_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node);
/* Plan with oneDNN in the layout of the input, or with our own kernel where oneDNN has none. */
crd_status crd__graph_pool_plan(crd_context *ctx, crd__engine_plan *plan,
                                const crd__graph_node *node);
crd_status crd__graph_pool_backward(crd_context *ctx, crd__graph_backward *back,
                                    const crd__graph_node *node);
uint64_t crd__graph_pool_flops(const crd__graph *net, const crd__graph_node *node);

#endif
