/* plain.c -- see plain.h. */
#include "graph/op/plain.h"

#include "base/memory.h"
#include "graph/op/unbroadcast.h"

#include <string.h>

crd__shape crd__shape_of(const crd__tensor *tensor) {
  crd__shape shape = { .rank = tensor->rank };
  memcpy(shape.dims, tensor->dims, sizeof shape.dims);
  return shape;
}

crd_status crd__plain_list(crd_context *ctx, const crd__net *net, const crd__node *node,
                           const char *attribute, int last, size_t index, crd__list *out) {
  if (node->opset <= last) return crd__node_list(ctx, node, attribute, out);
  return crd__node_list_input(ctx, net, node, index, out);
}

static crd_status find_places(crd_context *ctx, crd__plan *plan, const crd__node *node, int *places,
                              size_t *count) {
  *count = 0;
  for (size_t i = 0; i < node->input_count; i++)
    if (node->inputs[i] != CRD__NONE)
      CRD_TRY(crd__plan_plain(ctx, plan, node->inputs[i], &places[(*count)++]));
  for (size_t i = 0; i < node->output_count; i++)
    if (node->outputs[i] != CRD__NONE)
      CRD_TRY(crd__plan_output(ctx, plan, node->outputs[i], &places[(*count)++]));
  return CRD_OK;
}

crd_status crd__plain_plan(crd_context *ctx, crd__plan *plan, const crd__node *node,
                           crd__step_fn run, const void *self, size_t size) {
  int *places;
  size_t count;
  CRD_TRY(crd__new(ctx, node->input_count + node->output_count, sizeof *places,
                   "the places of a step", &places));
  crd_status status = find_places(ctx, plan, node, places, &count);
  if (status == CRD_OK) status = crd__plan_step(ctx, plan, node, run, self, size, count, places);
  crd__free(&ctx->alloc, places);
  return status;
}

uint64_t crd__plain_flops(const crd__net *net, const crd__node *node) {
  (void)net, (void)node;
  return 0;
}

/* ---- Back. */

static crd_status plan_back(crd_context *ctx, crd__back *back, const crd__node *node,
                            const crd__plain_step *step, int result) {
  crd__plan *const plan = crd__back_plan(back);
  const int incoming = crd__back_incoming(back, node, 0);
  int places[sizeof step->read / sizeof *step->read + 2];
  int *const from = &places[step->count], *const to = &places[step->count + 1];
  for (size_t i = 0; i < step->count; i++)
    CRD_TRY(crd__plan_plain(ctx, plan, step->read[i], &places[i]));
  CRD_TRY(crd__plan_plain(ctx, plan, incoming, from));
  if (step->over) CRD_TRY(crd__plan_output_over(ctx, plan, result, *from, incoming, to));
  else CRD_TRY(crd__plan_output(ctx, plan, result, to));
  return crd__plan_step(ctx, plan, node, step->run, step->self, step->size, step->count + 2,
                        places);
}

crd_status crd__plain_back(crd_context *ctx, crd__back *back, const crd__node *node, size_t input,
                           const crd__plain_step *step) {
  int result;
  CRD_TRY(crd__back_tensor(ctx, back, node, input, &result));
  CRD_TRY(plan_back(ctx, back, node, step, result));
  return crd__back_give(ctx, back, node, input, result);
}

crd_status crd__plain_back_wide(crd_context *ctx, crd__back *back, const crd__node *node,
                                size_t input, const crd__plain_step *step,
                                const crd__tensor *seen) {
  crd__plan *const plan = crd__back_plan(back);
  const crd__tensor y = *crd__node_output(crd__plan_net(plan), node, 0);
  int result;
  CRD_TRY(crd__plan_tensor(ctx, plan, y.name, y.rank, y.dims, &result));
  CRD_TRY(plan_back(ctx, back, node, step, result));
  return crd__unbroadcast_give(ctx, back, node, input, result, seen);
}
