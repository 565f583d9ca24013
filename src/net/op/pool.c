/* pool.c -- the largest or the mean of what a window shows (pool.h). */
#include "net/op/pool.h"

#include <string.h>

crd_status crd__pool_infer(crd_context *ctx, crd__net *net, crd__node *node) {
  const crd__tensor *const x = crd__node_input(net, node, 0);
  crd__window window;
  int64_t dims[CRD_RANK_MAX];
  CRD_TRY(crd__window_read(ctx, node, x, NULL, &window, dims + 2));
  dims[0] = x->dims[0];
  dims[1] = x->dims[1];
  CRD_TRY(crd__node_set(ctx, net, node, 1, CRD_I64, x->rank, dims));
  return crd__node_set(ctx, net, node, 0, x->dtype, x->rank, dims);
}

crd_status crd__pool_global_infer(crd_context *ctx, crd__net *net, crd__node *node) {
  const crd__tensor *const x = crd__node_input(net, node, 0);
  int64_t dims[CRD_RANK_MAX] = { 1, 1, 1, 1, 1, 1, 1, 1 };
  CRD_TRY(crd__node_needs(ctx, net, node, 0, CRD_F32));
  if (x->rank < 3)
    return crd__node_fail(ctx, node, "its input has %zu dimensions, of at least 3", x->rank);
  memcpy(dims, x->dims, 2 * sizeof *dims);
  return crd__node_set(ctx, net, node, 0, x->dtype, x->rank, dims);
}

crd_status crd__pool_plan(crd_context *ctx, crd__plan *plan, const crd__node *node,
                          crd__pool_kind kind, const crd__window *window) {
  const crd__net *const net = crd__plan_net(plan);
  const crd__tensor *const y = crd__node_output(net, node, 0);
  crd__plan_argument arguments[] = { { CRD__ARG_SRC, 0 }, { CRD__ARG_DST, 0 } };
  crd__form src, dst;
  crd__primitive primitive;
  CRD_TRY(crd__plan_find(ctx, plan, node->inputs[0], &arguments[0].place));
  CRD_TRY(crd__plan_form(ctx, plan, arguments[0].place, &src));
  CRD_TRY(crd__form_any(ctx, net->dnn, y->rank, y->dims, &dst));
  CRD_TRY(crd__dnn_pool(ctx, net->dnn, kind, src, dst, window, &primitive));
  CRD_TRY(crd__plan_output_as(ctx, plan, node->outputs[0],
                              crd__primitive_form(&primitive, CRD__ARG_DST), &arguments[1].place));
  return crd__plan_primitive(ctx, plan, node, &primitive, 2, arguments);
}

uint64_t crd__pool_flops(const crd__net *net, const crd__node *node) {
  const crd__tensor *const x = crd__node_input(net, node, 0);
  return crd__tensor_count(x);
}
