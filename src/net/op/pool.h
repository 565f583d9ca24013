/* pool.h -- the largest or the mean of what a window shows. */
#ifndef CRD_NET_OP_POOL_H
#define CRD_NET_OP_POOL_H

#include "net/op/window.h"

/* What a node asks for. */
typedef struct {
  bool mean, count_padding, column_major;
  crd__window window;
} crd__pooling;

/* Of what there are means. */
crd_status crd__pool_needs_reals(crd_context *ctx, const crd__net *net, const crd__node *node);
crd_status crd__pool_infer(crd_context *ctx, crd__net *net, crd__node *node);
crd_status crd__pool_global_infer(crd_context *ctx, crd__net *net, crd__node *node);
/* By oneDNN in whatever form the input lies, or by a kernel of our own for what it does not do. */
crd_status crd__pool_plan(crd_context *ctx, crd__plan *plan, const crd__node *node,
                          const crd__pooling *pooling);
crd_status crd__pool_backward(crd_context *ctx, crd__back *back, const crd__node *node,
                              const crd__pooling *pooling);
uint64_t crd__pool_flops(const crd__net *net, const crd__node *node);

#endif
