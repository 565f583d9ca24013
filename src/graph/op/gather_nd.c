/*
 * gather_nd.c -- GatherElements and GatherND: elements and slices of an array by index.
 *
 *   GatherElements   y[i, j, k] = x[i, index[i, j, k], k]                     (axis 1)
 *   GatherND         y[b, i, ...] = x[b, index[b, i, 0], index[b, i, 1], ...] (batch_dims 1)
 *
 * Negative indices count from the end.
 */
#include "graph/op/indexed.h"
#include "graph/op/plain.h"

#include <string.h>

enum { ELEMENTS, SLICES }; /* crd__graph_op.kind */

static crd_status read_index(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                             crd__kernel_index *g, size_t *rank, int64_t dims[2 * CRD_RANK_MAX]) {
  const crd__engine_tensor *const indices = crd__graph_node_input(net, node, 1);
  if (node->op->kind == SLICES)
    return crd__graph_indexed_slices(ctx, net, node, crd__graph_node_int(node, "batch_dims", 0), g,
                                     rank, dims);
  *rank = indices->rank;
  memcpy(dims, indices->dims, sizeof indices->dims);
  return crd__graph_indexed_elements(ctx, net, node, g);
}

static crd_status gather_nd_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  crd__kernel_index g;
  size_t rank;
  int64_t dims[2 * CRD_RANK_MAX];
  CRD_TRY(read_index(ctx, net, node, &g, &rank, dims));
  return crd__graph_node_set(ctx, net, node, 0, g.dtype, rank, dims);
}

static crd_status run(crd_context *ctx, const crd__engine_step *step) {
  crd__kernel_index g = *(const crd__kernel_index *)step->self;
  g.index = step->memory[1];
  CRD_TRY(crd__graph_indexed_check(ctx, step->node, &g));
  crd__kernel_index_gather(step->threads, &g, step->memory[0], step->memory[2]);
  return CRD_OK;
}

static crd_status gather_nd_plan(crd_context *ctx, crd__engine_plan *p,
                                 const crd__graph_node *node) {
  crd__kernel_index g;
  size_t rank;
  int64_t dims[2 * CRD_RANK_MAX];
  CRD_TRY(read_index(ctx, crd__graph_plan_net(p), node, &g, &rank, dims));
  return crd__graph_plain_plan(ctx, p, node, run, &g, sizeof g);
}

typedef struct {
  crd__kernel_index g;
  size_t bytes; /* of the array */
} returning;

/* The gradient is added up over the readers of each element. */
static crd_status run_back(crd_context *ctx, const crd__engine_step *step) {
  returning r = *(const returning *)step->self;
  (void)ctx;
  r.g.index = step->memory[0];
  memset(step->memory[2], 0, r.bytes);
  crd__kernel_index_scatter(step->threads, &r.g, CRD__SCATTER_ADD, step->memory[1],
                            step->memory[2]);
  return CRD_OK;
}

static crd_status gather_nd_backward(crd_context *ctx, crd__graph_backward *back,
                                     const crd__graph_node *node) {
  const crd__graph *const net = crd__graph_plan_net(crd__graph_backward_plan(back));
  returning r = { .bytes = crd__engine_tensor_bytes(crd__graph_node_input(net, node, 0)) };
  size_t rank;
  int64_t dims[2 * CRD_RANK_MAX];
  CRD_TRY(read_index(ctx, net, node, &r.g, &rank, dims));
  return crd__graph_plain_back(
      ctx, back, node, 0,
      &(crd__graph_plain_step){
          .run = run_back, .self = &r, .size = sizeof r, .count = 1, .read = { node->inputs[1] } });
}

#define GATHER(entry, id, title, attribute)                                                        \
  static const crd__graph_op_attribute entry##_attributes[] = {                                    \
    { attribute, CRD__ATTRIBUTE_INT },                                                             \
    { .name = NULL },                                                                              \
  };                                                                                               \
  const crd__graph_op crd__graph_op_##entry = {                                                    \
    .info = { title, "any type; indices i32 or i64", 11, CRD__OPSET, 1, 1 },                       \
    .kind = id,                                                                                    \
    .inputs_least = 2,                                                                             \
    .inputs_most = 2,                                                                              \
    .outputs_least = 1,                                                                            \
    .outputs_most = 1,                                                                             \
    .attributes = entry##_attributes,                                                              \
    .infer = gather_nd_infer,                                                                      \
    .plan = gather_nd_plan,                                                                        \
    .flops = crd__graph_plain_flops,                                                               \
    .backward = gather_nd_backward,                                                                \
    .keep = CRD__KEEP_X1,                                                                          \
  }

GATHER(gather_elements, ELEMENTS, "GatherElements", "axis");
GATHER(gather_nd, SLICES, "GatherND", "batch_dims");
