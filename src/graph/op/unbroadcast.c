/* unbroadcast.c -- the backward pass of broadcasting (unbroadcast.h). */
#include "graph/op/unbroadcast.h"
#include "engine/kernel/reduce.h"
#include "graph/op/plain.h"

typedef struct {
  crd__graph_shape from;
  bool summed[CRD_RANK_MAX];
  float factor;
  size_t count; /* of the result */
} summing;

static crd_status run(crd_context *ctx, const crd__engine_step *step) {
  const summing *const s = step->self;
  float *const y = step->memory[1];
  (void)ctx;
  crd__kernel_reduce_axes(step->threads, CRD__SUM, CRD_F32, s->from.rank, s->from.dims, s->summed,
                          step->memory[0], y);
  for (size_t i = 0; i < s->count && s->factor != 1; i++) y[i] *= s->factor;
  return CRD_OK;
}

/* Find the dimensions of `from` along which an array of shape `to` was broadcast; false: none. */
static bool find_repeats(const crd__graph_shape *from, const crd__engine_tensor *to, bool *summed) {
  bool any = false;
  for (size_t i = 1; i <= from->rank; i++) {
    const int64_t own = i <= to->rank ? to->dims[to->rank - i] : 1;
    summed[from->rank - i] = own == 1 && from->dims[from->rank - i] != 1;
    any |= summed[from->rank - i] || i > to->rank;
  }
  return any;
}

static crd_status sum_and_give(crd_context *ctx, crd__graph_backward *back,
                               const crd__graph_node *node, size_t input, int tensor,
                               const crd__engine_tensor *seen, float factor) {
  crd__engine_plan *const plan = crd__graph_backward_plan(back);
  const crd__engine_tensor to = *crd__graph_node_input(crd__graph_plan_net(plan), node, input);
  summing s = { .from = crd__graph_shape_of(&crd__graph_plan_net(plan)->engine.tensors[tensor]),
                .factor = factor,
                .count = crd__engine_tensor_count(&to) };
  int result, places[2];
  const bool repeated = find_repeats(&s.from, seen ? seen : &to, s.summed);
  if (!repeated && factor == 1 && s.from.rank == to.rank)
    return crd__graph_backward_give(ctx, back, node, input, tensor);
  CRD_TRY(crd__graph_backward_tensor(ctx, back, node, input, &result));
  if (factor == 1 &&
      crd__engine_tensor_count(&to) ==
          crd__engine_tensor_count(&crd__graph_plan_net(plan)->engine.tensors[tensor])) {
    CRD_TRY(crd__engine_plan_alias(ctx, plan, result, tensor));
    return crd__graph_backward_give(ctx, back, node, input, result);
  }
  CRD_TRY(crd__engine_plan_plain(ctx, plan, tensor, &places[0]));
  CRD_TRY(crd__engine_plan_output(ctx, plan, result, &places[1]));
  CRD_TRY(crd__engine_plan_step(ctx, plan, node, run, &s, sizeof s, 2, places));
  return crd__graph_backward_give(ctx, back, node, input, result);
}

crd_status crd__graph_unbroadcast_give(crd_context *ctx, crd__graph_backward *back,
                                       const crd__graph_node *node, size_t input, int tensor,
                                       const crd__engine_tensor *seen) {
  return sum_and_give(ctx, back, node, input, tensor, seen, 1);
}

crd_status crd__graph_unbroadcast_give_scaled(crd_context *ctx, crd__graph_backward *back,
                                              const crd__graph_node *node, size_t input, int tensor,
                                              float factor) {
  return sum_and_give(ctx, back, node, input, tensor, NULL, factor);
}
