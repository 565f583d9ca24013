/* plain.c -- see plain.h. */
#include "net/op/plain.h"

#include "base/memory.h"

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
