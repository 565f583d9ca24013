/* grouped.c -- see grouped.h. */
#include "graph/op/grouped.h"
#include "graph/op/unbroadcast.h"

size_t crd__graph_grouped_dims(const crd__engine_tensor *weights, int64_t groups,
                               int64_t dims[CRD_RANK_MAX + 1]) {
  size_t rank = 0;
  if (groups > 1) dims[rank++] = groups;
  dims[rank++] = weights->dims[0] / groups;
  for (size_t i = 1; i < weights->rank; i++) dims[rank++] = weights->dims[i];
  return rank;
}

crd_status crd__graph_grouped_place(crd_context *ctx, crd__engine_plan *plan,
                                    const crd__graph_node *node, int64_t groups,
                                    const crd__engine_primitive *primitive, int *place) {
  const crd__graph *const net = crd__graph_plan_net(plan);
  const crd__engine_tensor *const w = crd__graph_node_input(net, node, 1);
  const crd__engine_layout wanted = crd__engine_primitive_layout(primitive, CRD__ARG_WEIGHTS);
  int64_t dims[CRD_RANK_MAX + 1];
  crd__engine_layout seen;
  CRD_TRY(crd__engine_layout_plain(ctx, net->engine.dnn, crd__graph_grouped_dims(w, groups, dims),
                                   dims, &seen));
  if (w->constant)
    return crd__engine_plan_constant(ctx, plan, node->inputs[1], seen, wanted, place);
  return crd__engine_plan_seen(ctx, plan, node->inputs[1], seen, wanted, place);
}

crd_status crd__graph_grouped_result(crd_context *ctx, crd__graph_backward *back,
                                     const crd__graph_node *node, int64_t groups,
                                     crd__engine_layout wanted, int *tensor, int *plain,
                                     int *place) {
  crd__engine_plan *const p = crd__graph_backward_plan(back);
  const crd__graph *const net = crd__graph_plan_net(p);
  int64_t dims[CRD_RANK_MAX + 1];
  crd__engine_layout seen;
  const size_t rank = crd__graph_grouped_dims(crd__graph_node_input(net, node, 1), groups, dims);
  CRD_TRY(crd__engine_layout_plain(ctx, net->engine.dnn, rank, dims, &seen));
  CRD_TRY(crd__graph_backward_tensor(ctx, back, node, 1, tensor));
  CRD_TRY(crd__engine_plan_output(ctx, p, *tensor, plain));
  CRD_TRY(crd__engine_plan_view(ctx, p, *plain, seen, plain));
  *place = *plain;
  return crd__engine_layout_same(seen, wanted) ? CRD_OK
                                               : crd__engine_plan_scratch(ctx, p, wanted, place);
}

crd_status crd__graph_grouped_back_bias(crd_context *ctx, crd__graph_backward *back,
                                        const crd__graph_node *node) {
  const crd__graph *const net = crd__graph_plan_net(crd__graph_backward_plan(back));
  crd__engine_tensor seen = { .rank = crd__graph_node_output(net, node, 0)->rank };
  for (size_t i = 0; i < seen.rank; i++) seen.dims[i] = 1;
  seen.dims[1] = crd__graph_node_output(net, node, 0)->dims[1];
  return crd__graph_unbroadcast_give(ctx, back, node, 2,
                                     crd__graph_backward_incoming(back, node, 0), &seen);
}
