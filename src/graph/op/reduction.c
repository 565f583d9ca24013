/* reduction.c -- ReduceMean, ReduceSum and the other reductions, over any dimensions;
 * crd__graph_op.kind is a crd__kernel_reduce_id. */
#include "engine/kernel/element.h"
#include "engine/kernel/reduce.h"
#include "graph/op/plain.h"

#include <string.h>

typedef struct {
  crd__kernel_reduce_id id;
  crd_dtype dtype;
  crd__graph_shape in;
  bool reduced[CRD_RANK_MAX];
} reducing;

/* Read the axes: an attribute up to operator set 12 (ReduceSum) or 17 (others), later an input. */
static crd_status find_axes(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                            bool *reduced) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  const int last = node->op->kind == CRD__SUM ? 12 : 17;
  const bool none = crd__graph_node_int(node, "noop_with_empty_axes", 0);
  crd__graph_list axes;
  CRD_TRY(crd__graph_plain_list(ctx, net, node, "axes", last, 1, &axes));
  return crd__graph_node_axes(ctx, node, &axes, x->rank, !none, reduced);
}

/* Maxima and minima are defined for bool too, functions of sums for floating-point types only. */
static crd_status check_type(crd_context *ctx, const crd__graph_node *node, crd_dtype dtype) {
  const int id = node->op->kind;
  const bool real = id == CRD__L2 || id == CRD__LOG_SUM || id == CRD__LOG_SUM_EXP;
  if (dtype == CRD_BOOL ? id == CRD__MAX || id == CRD__MIN
                        : !real || crd__kernel_carrier_of(dtype) == CRD__REAL)
    return CRD_OK;
  return crd__graph_node_fail(ctx, node, "its input is %s, expected a %s type",
                              crd_dtype_name(dtype), real ? "floating-point" : "numeric");
}

static crd_status reduction_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  const bool keep = crd__graph_node_int(node, "keepdims", 1);
  bool reduced[CRD_RANK_MAX];
  int64_t dims[CRD_RANK_MAX];
  size_t rank = 0;
  CRD_TRY(check_type(ctx, node, x->dtype));
  CRD_TRY(find_axes(ctx, net, node, reduced));
  for (size_t i = 0; i < x->rank; i++) {
    if (!reduced[i]) dims[rank++] = x->dims[i];
    else if (keep) dims[rank++] = 1;
  }
  return crd__graph_node_set(ctx, net, node, 0, x->dtype, rank, dims);
}

/* The axes were read while planning, also if they are an input. */
static crd_status run(crd_context *ctx, const crd__engine_step *step) {
  const reducing *const r = step->self;
  (void)ctx;
  crd__kernel_reduce_axes(step->threads, r->id, r->dtype, r->in.rank, r->in.dims, r->reduced,
                          step->memory[0], step->memory[1]);
  return CRD_OK;
}

static crd_status reduction_plan(crd_context *ctx, crd__engine_plan *plan,
                                 const crd__graph_node *node) {
  const crd__graph *const net = crd__graph_plan_net(plan);
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  reducing r = { .id = (crd__kernel_reduce_id)node->op->kind,
                 .dtype = x->dtype,
                 .in = crd__graph_shape_of(x) };
  int places[2];
  CRD_TRY(find_axes(ctx, net, node, r.reduced));
  CRD_TRY(crd__engine_plan_plain(ctx, plan, node->inputs[0], &places[0]));
  CRD_TRY(crd__engine_plan_output(ctx, plan, node->outputs[0], &places[1]));
  return crd__engine_plan_step(ctx, plan, node, run, &r, sizeof r, 2, places);
}

/* Memory: of x, y and the workspace those that are read, each in its place; dy; dx. */
static crd_status run_back(crd_context *ctx, const crd__engine_step *step) {
  const crd__kernel_reduction *const r = step->self;
  const crd__kernel_reduce_reads reads = crd__kernel_reduce_back_reads(r->id);
  void *const *next = step->memory;
  (void)ctx;
  const float *const x = reads.x ? *next++ : NULL, *const y = reads.y ? *next++ : NULL;
  float *const work = reads.work ? *next++ : NULL;
  crd__kernel_reduce_back(step->threads, r, x, y, next[0], work, next[1]);
  return CRD_OK;
}

static crd_status reduction_backward(crd_context *ctx, crd__graph_backward *back,
                                     const crd__graph_node *node) {
  crd__engine_plan *const plan = crd__graph_backward_plan(back);
  const crd__graph *const net = crd__graph_plan_net(plan);
  const crd__graph_shape in = crd__graph_shape_of(crd__graph_node_input(net, node, 0));
  crd__kernel_reduction r = { .id = (crd__kernel_reduce_id)node->op->kind, .rank = in.rank };
  const crd__kernel_reduce_reads reads = crd__kernel_reduce_back_reads(r.id);
  const int64_t work =
      (int64_t)(reads.work * crd__engine_tensor_count(crd__graph_node_output(net, node, 0)));
  int places[5], result;
  size_t count = 0;
  crd__engine_layout layout;
  memcpy(r.dims, in.dims, sizeof r.dims);
  CRD_TRY(find_axes(ctx, net, node, r.reduced));
  if (reads.x) CRD_TRY(crd__engine_plan_plain(ctx, plan, node->inputs[0], &places[count++]));
  if (reads.y) CRD_TRY(crd__engine_plan_plain(ctx, plan, node->outputs[0], &places[count++]));
  if (reads.work) {
    CRD_TRY(crd__engine_layout_plain(ctx, net->engine.dnn, 1, &work, &layout));
    CRD_TRY(crd__engine_plan_scratch(ctx, plan, layout, &places[count++]));
  }
  CRD_TRY(crd__engine_plan_plain(ctx, plan, crd__graph_backward_incoming(back, node, 0),
                                 &places[count++]));
  CRD_TRY(crd__graph_backward_tensor(ctx, back, node, 0, &result));
  CRD_TRY(crd__engine_plan_output(ctx, plan, result, &places[count++]));
  CRD_TRY(crd__engine_plan_step(ctx, plan, node, run_back, &r, sizeof r, count, places));
  return crd__graph_backward_give(ctx, back, node, 0, result);
}

/* One addition for each element of the input. */
static uint64_t reduction_flops(const crd__graph *net, const crd__graph_node *node) {
  return crd__engine_tensor_count(crd__graph_node_input(net, node, 0));
}

static const crd__graph_op_attribute attributes[] = {
  { "axes", CRD__ATTRIBUTE_INTS },
  { "keepdims", CRD__ATTRIBUTE_INT },
  { "noop_with_empty_axes", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};

#define NUMBERS "any numeric type"
#define REALS "f16, f32, f64"
#define BOTH CRD__KEEP_X | CRD__KEEP_Y

#define REDUCTION(entry, id, name, types, kept)                                                    \
  const crd__graph_op crd__graph_op_##entry = {                                                    \
    .info = { name, types, 1, CRD__OPSET, 1, 0 },                                                  \
    .kind = id,                                                                                    \
    .inputs_least = 1,                                                                             \
    .inputs_most = 2,                                                                              \
    .outputs_least = 1,                                                                            \
    .outputs_most = 1,                                                                             \
    .attributes = attributes,                                                                      \
    .infer = reduction_infer,                                                                      \
    .plan = reduction_plan,                                                                        \
    .flops = reduction_flops,                                                                      \
    .backward = reduction_backward,                                                                \
    .keep = kept,                                                                                  \
  }

REDUCTION(reduce_mean, CRD__MEAN, "ReduceMean", NUMBERS, 0);
REDUCTION(reduce_sum, CRD__SUM, "ReduceSum", NUMBERS, 0);
REDUCTION(reduce_max, CRD__MAX, "ReduceMax", NUMBERS " and bool", BOTH);
REDUCTION(reduce_min, CRD__MIN, "ReduceMin", NUMBERS " and bool", BOTH);
REDUCTION(reduce_prod, CRD__PROD, "ReduceProd", NUMBERS, CRD__KEEP_X);
REDUCTION(reduce_l1, CRD__L1, "ReduceL1", NUMBERS, CRD__KEEP_X);
REDUCTION(reduce_l2, CRD__L2, "ReduceL2", REALS, BOTH);
REDUCTION(reduce_sum_square, CRD__SUM_SQUARE, "ReduceSumSquare", NUMBERS, CRD__KEEP_X);
REDUCTION(reduce_log_sum, CRD__LOG_SUM, "ReduceLogSum", REALS, CRD__KEEP_Y);
REDUCTION(reduce_log_sum_exp, CRD__LOG_SUM_EXP, "ReduceLogSumExp", REALS, BOTH);
