/* gather.c -- Gather: slices along an axis, by index; negative indices count from the end. */
#include "engine/kernel/gather.h"

#include "graph/op/plain.h"

static crd_status refuse(crd_context *ctx, const crd__graph_node *node, double index,
                         int64_t length) {
  return crd__graph_node_fail(ctx, node, "an index is %.0f; %lld to %lld are allowed", index,
                              (long long)-length, (long long)length - 1);
}

/* Check constant indices while compiling. */
static crd_status check(crd_context *ctx, const crd__graph_node *node,
                        const crd__engine_tensor *indices, int64_t length) {
  for (size_t i = 0; indices->constant && i < crd__engine_tensor_count(indices); i++) {
    const double index = crd__engine_tensor_number(indices, i);
    if (index < (double)-length || index >= (double)length) return refuse(ctx, node, index, length);
  }
  return CRD_OK;
}

static crd_status gather_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  const crd__engine_tensor *const indices = crd__graph_node_input(net, node, 1);
  int64_t dims[2 * CRD_RANK_MAX];
  size_t axis = 0, rank = 0;
  CRD_TRY(crd__graph_node_axis(ctx, node, crd__graph_node_int(node, "axis", 0), x->rank, &axis));
  if (indices->dtype != CRD_I32 && indices->dtype != CRD_I64)
    return crd__graph_node_fail(ctx, node, "its indices are %s; i32 and i64 are allowed",
                                crd_dtype_name(indices->dtype));
  CRD_TRY(check(ctx, node, indices, x->dims[axis]));
  for (size_t i = 0; i < axis; i++) dims[rank++] = x->dims[i];
  for (size_t i = 0; i < indices->rank; i++) dims[rank++] = indices->dims[i];
  for (size_t i = axis + 1; i < x->rank; i++) dims[rank++] = x->dims[i];
  return crd__graph_node_set(ctx, net, node, 0, x->dtype, rank, dims);
}

static crd_status run(crd_context *ctx, const crd__engine_step *step) {
  crd__kernel_gather g = *(const crd__kernel_gather *)step->self;
  int64_t bad;
  g.index = step->memory[1];
  if (crd__kernel_gather_run(step->threads, &g, step->memory[0], step->memory[2], &bad))
    return CRD_OK;
  return refuse(ctx, step->node, (double)bad, (int64_t)g.length);
}

static crd_status read_gather(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                              crd__kernel_gather *g) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  const crd__engine_tensor *const indices = crd__graph_node_input(net, node, 1);
  size_t axis = 0;
  *g = (crd__kernel_gather){ .size = crd_dtype_size(x->dtype),
                             .outer = 1,
                             .inner = 1,
                             .index_type = indices->dtype,
                             .count = crd__engine_tensor_count(indices) };
  CRD_TRY(crd__graph_node_axis(ctx, node, crd__graph_node_int(node, "axis", 0), x->rank, &axis));
  g->length = (size_t)x->dims[axis];
  for (size_t i = 0; i < axis; i++) g->outer *= (size_t)x->dims[i];
  for (size_t i = axis + 1; i < x->rank; i++) g->inner *= (size_t)x->dims[i];
  return CRD_OK;
}

static crd_status gather_plan(crd_context *ctx, crd__engine_plan *p, const crd__graph_node *node) {
  crd__kernel_gather g;
  CRD_TRY(read_gather(ctx, crd__graph_plan_net(p), node, &g));
  return crd__graph_plain_plan(ctx, p, node, run, &g, sizeof g);
}

static crd_status run_back(crd_context *ctx, const crd__engine_step *step) {
  crd__kernel_gather g = *(const crd__kernel_gather *)step->self;
  (void)ctx;
  g.index = step->memory[0];
  crd__kernel_gather_back(step->threads, &g, step->memory[1], step->memory[2]);
  return CRD_OK;
}

static crd_status gather_backward(crd_context *ctx, crd__graph_backward *back,
                                  const crd__graph_node *node) {
  crd__kernel_gather g;
  CRD_TRY(read_gather(ctx, crd__graph_plan_net(crd__graph_backward_plan(back)), node, &g));
  return crd__graph_plain_back(
      ctx, back, node, 0,
      &(crd__graph_plain_step){
          .run = run_back, .self = &g, .size = sizeof g, .count = 1, .read = { node->inputs[1] } });
}

static const crd__graph_op_attribute attributes[] = {
  { "axis", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};

const crd__graph_op crd__graph_op_gather = {
  .info = { "Gather", "any type; indices i32 or i64", 1, CRD__OPSET, 1, 1 },
  .inputs_least = 2,
  .inputs_most = 2,
  .outputs_least = 1,
  .outputs_most = 1,
  .strings = true,
  .attributes = attributes,
  .infer = gather_infer,
  .plan = gather_plan,
  .backward = gather_backward,
  .keep = CRD__KEEP_X1,
};
