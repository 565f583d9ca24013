/*
 * variadic.c -- Max, Min, Sum and Mean of any number of arrays, with NumPy broadcasting;
 * crd__graph_op.kind is one of MAX, MIN, SUM, MEAN.
 *
 * The inputs are accumulated one after another in the output. Inputs that share the maximum or
 * minimum share its gradient, as in torch.maximum.
 */
#include "base/memory.h"
#include "engine/kernel/binary.h"
#include "engine/kernel/copy.h"
#include "engine/kernel/ties.h"
#include "engine/kernel/walk.h"
#include "graph/op/plain.h"
#include "graph/op/unbroadcast.h"

enum { MAX, MIN, SUM, MEAN };

typedef struct {
  int kind;
  crd_dtype dtype;
  crd__graph_shape out;
  size_t count, which; /* which: the input whose gradient is computed */
  int64_t strides[][CRD_RANK_MAX];
} gathering;

static crd_status variadic_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  const crd__engine_tensor *const first = crd__graph_node_input(net, node, 0);
  crd__graph_shape out = crd__graph_shape_of(first);
  if (first->dtype == CRD_BOOL) return crd__graph_node_fail(ctx, node, "its inputs are bool");
  for (size_t i = 1; i < node->input_count; i++) {
    const crd__engine_tensor *const t = crd__graph_node_input(net, node, i);
    if (!t) return crd__graph_node_fail(ctx, node, "its input %zu is required, but left out", i);
    if (t->dtype != first->dtype)
      return crd__graph_node_fail(ctx, node, "its input %zu is %s, its first %s: they must agree",
                                  i, crd_dtype_name(t->dtype), crd_dtype_name(first->dtype));
    CRD_TRY(crd__graph_node_broadcast(ctx, node, t, &out.rank, out.dims));
  }
  return crd__graph_node_set(ctx, net, node, 0, first->dtype, out.rank, out.dims);
}

/* Create the description of a node; *size is its size in bytes. */
static crd_status describe(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                           gathering **out, size_t *size) {
  const crd__engine_tensor *const y = crd__graph_node_output(net, node, 0);
  *size = sizeof **out + node->input_count * sizeof *(*out)->strides;
  CRD_TRY(crd__new(ctx, *size, 1, "a step", out));
  (*out)->kind = node->op->kind;
  (*out)->dtype = y->dtype;
  (*out)->out = crd__graph_shape_of(y);
  (*out)->count = node->input_count;
  for (size_t i = 0; i < node->input_count; i++) {
    const crd__engine_tensor *const t = crd__graph_node_input(net, node, i);
    crd__kernel_strides_broadcast(t->rank, t->dims, y->rank, (*out)->strides[i]);
  }
  return CRD_OK;
}

static crd_status run(crd_context *ctx, const crd__engine_step *step) {
  static const crd__kernel_pair_id pairs[] = { CRD__PAIR_MAX, CRD__PAIR_MIN, CRD__PAIR_ADD,
                                               CRD__PAIR_ADD };
  static const int64_t none[CRD_RANK_MAX] = { 0 };
  const gathering *const g = step->self;
  void *const y = step->memory[g->count];
  crd__kernel_block divisor;
  (void)ctx;
  crd__kernel_copy(step->threads, crd_dtype_size(g->dtype), g->out.rank, g->out.dims, y, NULL,
                   step->memory[0], g->strides[0]);
  for (size_t i = 1; i < g->count; i++)
    crd__kernel_binary(step->threads, pairs[g->kind], g->out.rank, g->out.dims, y,
                       (crd__kernel_operand){ y, g->dtype, NULL },
                       (crd__kernel_operand){ step->memory[i], g->dtype, g->strides[i] });
  if (g->kind != MEAN) return CRD_OK;
  divisor.real[0] = (double)g->count;
  crd__kernel_block_convert(CRD_F64, g->dtype, 1, &divisor);
  crd__kernel_block_store(g->dtype, 1, &divisor, &divisor, 1);
  crd__kernel_binary(step->threads, CRD__PAIR_DIV, g->out.rank, g->out.dims, y,
                     (crd__kernel_operand){ y, g->dtype, NULL },
                     (crd__kernel_operand){ &divisor, g->dtype, none });
  return CRD_OK;
}

/* The backward pass of maxima and minima reads all inputs, of which an entry can keep sixteen
 * only. */
static bool reads_back(const crd__graph_node *node) { return node->back && node->op->kind <= MIN; }

static crd_status variadic_plan(crd_context *ctx, crd__engine_plan *p,
                                const crd__graph_node *node) {
  gathering *g;
  size_t size;
  CRD_TRY(describe(ctx, crd__graph_plan_net(p), node, &g, &size));
  for (size_t i = 0; i < node->input_count && reads_back(node); i++)
    crd__engine_plan_hold(p, node->inputs[i]);
  const crd_status status = crd__graph_plain_plan(ctx, p, node, run, g, size);
  crd__free(&ctx->alloc, g);
  return status;
}

/* ---- Backward pass. */

/* Memory: the inputs, y, dy, the result. */
static crd_status run_back(crd_context *ctx, const crd__engine_step *step) {
  const gathering *const g = step->self;
  const float *const y = step->memory[g->count], *const dy = step->memory[g->count + 1];
  float *const dx = step->memory[g->count + 2];
  (void)ctx;
  for (size_t i = 0; i < g->count; i++)
    crd__kernel_ties_count(step->threads, g->out.rank, g->out.dims, i > 0, step->memory[i],
                           g->strides[i], y, dx);
  crd__kernel_ties_share(step->threads, g->out.rank, g->out.dims, step->memory[g->which],
                         g->strides[g->which], y, dy, dx);
  return CRD_OK;
}

/* Plan the gradient with respect to input g->which; `places` has memory for all operands. */
static crd_status back_to(crd_context *ctx, crd__graph_backward *back, const crd__graph_node *node,
                          const gathering *g, size_t size, int *places) {
  crd__engine_plan *const p = crd__graph_backward_plan(back);
  const crd__engine_tensor y = *crd__graph_node_output(crd__graph_plan_net(p), node, 0);
  int result;
  for (size_t i = 0; i < g->count; i++)
    CRD_TRY(crd__engine_plan_plain(ctx, p, node->inputs[i], &places[i]));
  CRD_TRY(crd__engine_plan_plain(ctx, p, node->outputs[0], &places[g->count]));
  CRD_TRY(crd__engine_plan_plain(ctx, p, crd__graph_backward_incoming(back, node, 0),
                                 &places[g->count + 1]));
  CRD_TRY(crd__engine_plan_tensor(ctx, p, y.name, y.rank, y.dims, &result));
  CRD_TRY(crd__engine_plan_output(ctx, p, result, &places[g->count + 2]));
  CRD_TRY(crd__engine_plan_step(ctx, p, node, run_back, g, size, g->count + 3, places));
  return crd__graph_unbroadcast_give(ctx, back, node, g->which, result, NULL);
}

static crd_status extreme_backward(crd_context *ctx, crd__graph_backward *back,
                                   const crd__graph_node *node) {
  crd__engine_plan *const p = crd__graph_backward_plan(back);
  gathering *g;
  size_t size;
  int *places = NULL;
  CRD_TRY(describe(ctx, crd__graph_plan_net(p), node, &g, &size));
  crd_status status =
      crd__new(ctx, node->input_count + 3, sizeof *places, "a step's places", &places);
  for (g->which = 0; status == CRD_OK && g->which < node->input_count; g->which++)
    if (crd__graph_backward_wants(back, node, g->which))
      status = back_to(ctx, back, node, g, size, places);
  crd__free(&ctx->alloc, places);
  crd__free(&ctx->alloc, g);
  for (size_t i = 0; i < node->input_count && status == CRD_OK; i++)
    crd__engine_plan_release(p, node->inputs[i]);
  return status;
}

static crd_status sum_backward(crd_context *ctx, crd__graph_backward *back,
                               const crd__graph_node *node) {
  const float factor = node->op->kind == MEAN ? 1 / (float)node->input_count : 1;
  for (size_t i = 0; i < node->input_count; i++)
    if (crd__graph_backward_wants(back, node, i))
      CRD_TRY(crd__graph_unbroadcast_give_scaled(
          ctx, back, node, i, crd__graph_backward_incoming(back, node, 0), factor));
  return CRD_OK;
}

#define VARIADIC(entry, id, name, derive, kept)                                                    \
  const crd__graph_op crd__graph_op_##entry = {                                                    \
    .info = { name, "any numeric type; NumPy broadcasting", 6, CRD__OPSET, 1, 1 },                 \
    .kind = id,                                                                                    \
    .inputs_least = 1,                                                                             \
    .inputs_most = 0,                                                                              \
    .outputs_least = 1,                                                                            \
    .outputs_most = 1,                                                                             \
    .infer = variadic_infer,                                                                       \
    .plan = variadic_plan,                                                                         \
    .backward = derive,                                                                            \
    .keep = kept,                                                                                  \
  }

VARIADIC(max, MAX, "Max", extreme_backward, CRD__KEEP_Y);
VARIADIC(min, MIN, "Min", extreme_backward, CRD__KEEP_Y);
VARIADIC(sum, SUM, "Sum", sum_backward, 0);
VARIADIC(mean, MEAN, "Mean", sum_backward, 0);
