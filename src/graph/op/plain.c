/* plain.c -- see plain.h. */
#include "graph/op/plain.h"

#include "base/memory.h"
#include "graph/op/unbroadcast.h"

#include <string.h>

crd__graph_shape crd__graph_shape_of(const crd__engine_tensor *tensor) {
  crd__graph_shape shape = { .rank = tensor->rank };
  memcpy(shape.dims, tensor->dims, sizeof shape.dims);
  return shape;
}

crd__kernel_along crd__graph_plain_along(const crd__engine_tensor *tensor, size_t axis) {
  crd__kernel_along a = {
    .dtype = tensor->dtype, .outer = 1, .length = (size_t)tensor->dims[axis], .inner = 1
  };
  for (size_t d = 0; d < axis; d++) a.outer *= (size_t)tensor->dims[d];
  for (size_t d = axis + 1; d < tensor->rank; d++) a.inner *= (size_t)tensor->dims[d];
  return a;
}

crd_status crd__graph_plain_list(crd_context *ctx, const crd__graph *net,
                                 const crd__graph_node *node, const char *attribute, int last,
                                 size_t index, crd__graph_list *out) {
  if (node->opset <= last) return crd__graph_node_list(ctx, node, attribute, out);
  return crd__graph_node_list_input(ctx, net, node, index, out);
}

static crd_status find_places(crd_context *ctx, crd__engine_plan *plan, const crd__graph_node *node,
                              int *places, size_t *count) {
  *count = 0;
  for (size_t i = 0; i < node->input_count; i++)
    if (node->inputs[i] != CRD__NONE)
      CRD_TRY(crd__engine_plan_plain(ctx, plan, node->inputs[i], &places[(*count)++]));
  for (size_t i = 0; i < node->output_count; i++)
    if (node->outputs[i] != CRD__NONE)
      CRD_TRY(crd__engine_plan_output(ctx, plan, node->outputs[i], &places[(*count)++]));
  return CRD_OK;
}

crd_status crd__graph_plain_plan(crd_context *ctx, crd__engine_plan *plan,
                                 const crd__graph_node *node, crd__engine_step_fn run,
                                 const void *self, size_t size) {
  int *places;
  size_t count;
  CRD_TRY(crd__new(ctx, node->input_count + node->output_count, sizeof *places, "a step's places",
                   &places));
  crd_status status = find_places(ctx, plan, node, places, &count);
  if (status == CRD_OK)
    status = crd__engine_plan_step(ctx, plan, node, run, self, size, count, places);
  crd__free(&ctx->alloc, places);
  return status;
}

uint64_t crd__graph_plain_flops(const crd__graph *net, const crd__graph_node *node) {
  (void)net, (void)node;
  return 0;
}

/* ---- Backward pass. */

static crd_status plan_back(crd_context *ctx, crd__graph_backward *back,
                            const crd__graph_node *node, const crd__graph_plain_step *step,
                            int result) {
  crd__engine_plan *const plan = crd__graph_backward_plan(back);
  const int incoming = crd__graph_backward_incoming(back, node, 0);
  int places[sizeof step->read / sizeof *step->read + 2];
  int *const from = &places[step->count], *const to = &places[step->count + 1];
  for (size_t i = 0; i < step->count; i++)
    CRD_TRY(crd__engine_plan_plain(ctx, plan, step->read[i], &places[i]));
  CRD_TRY(crd__engine_plan_plain(ctx, plan, incoming, from));
  if (step->over) CRD_TRY(crd__engine_plan_output_over(ctx, plan, result, *from, incoming, to));
  else CRD_TRY(crd__engine_plan_output(ctx, plan, result, to));
  return crd__engine_plan_step(ctx, plan, node, step->run, step->self, step->size, step->count + 2,
                               places);
}

crd_status crd__graph_plain_back(crd_context *ctx, crd__graph_backward *back,
                                 const crd__graph_node *node, size_t input,
                                 const crd__graph_plain_step *step) {
  int result;
  CRD_TRY(crd__graph_backward_tensor(ctx, back, node, input, &result));
  CRD_TRY(plan_back(ctx, back, node, step, result));
  return crd__graph_backward_give(ctx, back, node, input, result);
}

crd_status crd__graph_plain_back_wide(crd_context *ctx, crd__graph_backward *back,
                                      const crd__graph_node *node, size_t input,
                                      const crd__graph_plain_step *step,
                                      const crd__engine_tensor *seen) {
  crd__engine_plan *const plan = crd__graph_backward_plan(back);
  const crd__engine_tensor y = *crd__graph_node_output(crd__graph_plan_net(plan), node, 0);
  int result;
  CRD_TRY(crd__engine_plan_tensor(ctx, plan, y.name, y.rank, y.dims, &result));
  CRD_TRY(plan_back(ctx, back, node, step, result));
  return crd__graph_unbroadcast_give(ctx, back, node, input, result, seen);
}
