/* tile.c -- Tile: its input repeated along each dimension, as often as a constant says. */
#include "engine/kernel/tile.h"
#include "graph/op/plain.h"

#include <string.h>

typedef struct {
  crd__kernel_tiling tiling;
  size_t size;
} tiling;

static crd_status read_tiling(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                              crd__kernel_tiling *out) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  crd__graph_list repeats;
  CRD_TRY(crd__graph_node_list_input(ctx, net, node, 1, &repeats));
  if (repeats.count != x->rank)
    return crd__graph_node_fail(ctx, node, "it has %zu repeats for %zu dimensions", repeats.count,
                                x->rank);
  *out = (crd__kernel_tiling){ .rank = x->rank };
  memcpy(out->dims, x->dims, sizeof out->dims);
  memcpy(out->repeats, repeats.items, sizeof out->repeats);
  return CRD_OK;
}

static crd_status tile_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  crd__kernel_tiling t;
  int64_t dims[CRD_RANK_MAX];
  CRD_TRY(read_tiling(ctx, net, node, &t));
  for (size_t d = 0; d < t.rank; d++) {
    if (t.repeats[d] < 0 || (t.dims[d] > 0 && t.repeats[d] > INT64_MAX / t.dims[d]))
      return crd__graph_node_fail(ctx, node, "dimension %zu cannot be repeated %lld times", d,
                                  (long long)t.repeats[d]);
    dims[d] = t.dims[d] * t.repeats[d];
  }
  return crd__graph_node_set(ctx, net, node, 0, crd__graph_node_input(net, node, 0)->dtype, t.rank,
                             dims);
}

static crd_status run(crd_context *ctx, const crd__engine_step *step) {
  const tiling *const t = step->self;
  (void)ctx;
  crd__kernel_tile(step->threads, &t->tiling, t->size, step->memory[0], step->memory[2]);
  return CRD_OK;
}

static crd_status tile_plan(crd_context *ctx, crd__engine_plan *p, const crd__graph_node *node) {
  const crd__graph *const net = crd__graph_plan_net(p);
  tiling t = { .size = crd_dtype_size(crd__graph_node_input(net, node, 0)->dtype) };
  CRD_TRY(read_tiling(ctx, net, node, &t.tiling));
  return crd__graph_plain_plan(ctx, p, node, run, &t, sizeof t);
}

static crd_status run_back(crd_context *ctx, const crd__engine_step *step) {
  (void)ctx;
  crd__kernel_tile_back(step->threads, step->self, step->memory[0], step->memory[1]);
  return CRD_OK;
}

static crd_status tile_backward(crd_context *ctx, crd__graph_backward *back,
                                const crd__graph_node *node) {
  crd__kernel_tiling t;
  CRD_TRY(read_tiling(ctx, crd__graph_plan_net(crd__graph_backward_plan(back)), node, &t));
  return crd__graph_plain_back(
      ctx, back, node, 0,
      &(crd__graph_plain_step){ .run = run_back, .self = &t, .size = sizeof t });
}

const crd__graph_op crd__graph_op_tile = {
  .info = { "Tile", "any type; the repeats must not depend on data", 6, CRD__OPSET, 1, 1 },
  .inputs_least = 2,
  .inputs_most = 2,
  .outputs_least = 1,
  .outputs_most = 1,
  .infer = tile_infer,
  .plan = tile_plan,
  .flops = crd__graph_plain_flops,
  .backward = tile_backward,
};
