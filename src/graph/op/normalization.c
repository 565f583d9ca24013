/* normalization.c -- see normalization.h. */
#include "graph/op/normalization.h"

crd_status crd__graph_norm_backward(crd_context *ctx, crd__graph_backward *back,
                                    const crd__graph_node *node, const crd__graph_norm_step *step) {
  crd__engine_plan *const p = crd__graph_backward_plan(back);
  const int incoming = crd__graph_backward_incoming(back, node, 0);
  int places[7], results[3] = { 0 };
  size_t count = 4;
  crd__engine_layout workspace;
  CRD_TRY(crd__engine_layout_plain(ctx, crd__graph_plan_net(p)->engine.dnn, 1, &step->workspace,
                                   &workspace));
  for (size_t i = 0; i < 2; i++)
    CRD_TRY(crd__engine_plan_plain(ctx, p, node->inputs[i], &places[i]));
  CRD_TRY(crd__engine_plan_plain(ctx, p, incoming, &places[2]));
  CRD_TRY(crd__engine_plan_scratch(ctx, p, workspace, &places[3]));
  for (size_t i = 0; i < 3; i++) {
    step->wants[i] = crd__graph_backward_wants(back, node, i);
    if (!step->wants[i]) continue;
    CRD_TRY(crd__graph_backward_tensor(ctx, back, node, i, &results[i]));
    CRD_TRY(crd__engine_plan_output(ctx, p, results[i], &places[count++]));
  }
  CRD_TRY(crd__engine_plan_step(ctx, p, node, step->run, step->self, step->size, count, places));
  for (size_t i = 0; i < 3; i++)
    if (step->wants[i]) CRD_TRY(crd__graph_backward_give(ctx, back, node, i, results[i]));
  return CRD_OK;
}
