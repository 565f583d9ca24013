/*
 * pool.c -- max and average pooling, over a window or all spatial dimensions: by oneDNN in the
 * layout of the input, or by our own kernel where oneDNN has none.
 */
#include "engine/kernel/slide.h"
#include "graph/op/plain.h"
#include "graph/op/window.h"

/* crd__graph_op.kind: which one; GLOBAL is added if the window is the whole input. */
enum { LARGEST, AVERAGE, GLOBAL };

/* The attributes of a node. */
typedef struct {
  bool mean, count_padding, column_major;
  crd__engine_window window;
} pooling;

/* Read them, and compute the number of positions. */
static crd_status read_pooling(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                               pooling *out, int64_t positions[CRD_RANK_MAX]) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  *out = (pooling){ .mean = node->op->kind & AVERAGE,
                    .count_padding = crd__graph_node_int(node, "count_include_pad", 0),
                    .column_major = crd__graph_node_int(node, "storage_order", 0) };
  if (!(node->op->kind & GLOBAL))
    return crd__graph_window_read(ctx, node, x, NULL, &out->window, positions);
  if (x->rank < 3)
    return crd__graph_node_fail(ctx, node, "its input has %zu dimensions; at least 3 are needed",
                                x->rank);
  out->window = crd__graph_window_whole(x);
  for (size_t i = 0; i < out->window.count; i++) positions[i] = 1;
  return CRD_OK;
}

static crd_status pool_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  pooling p;
  int64_t dims[2 + CRD_RANK_MAX] = { x->dims[0], x->dims[1] };
  CRD_TRY(read_pooling(ctx, net, node, &p, dims + 2));
  if (p.mean) CRD_TRY(crd__graph_node_needs_reals(ctx, net, node));
  CRD_TRY(crd__graph_node_set(ctx, net, node, 1, CRD_I64, x->rank, dims));
  return crd__graph_node_set(ctx, net, node, 0, x->dtype, x->rank, dims);
}

/* ---- By oneDNN. */

static crd__engine_pool_kind kind_of(const pooling *of) {
  if (!of->mean) return CRD__POOL_MAX;
  return of->count_padding ? CRD__POOL_MEAN_PADDED : CRD__POOL_MEAN;
}

enum { WORKSPACE, FORWARD_SRC, FORWARD_DST }; /* slots of crd__engine_kept */

static crd_status plan_dnn(crd_context *ctx, crd__engine_plan *plan, const crd__graph_node *node,
                           const pooling *of) {
  const crd__graph *const net = crd__graph_plan_net(plan);
  const crd__engine_tensor *const y = crd__graph_node_output(net, node, 0);
  crd__engine_plan_argument arguments[] = { { CRD__ARG_SRC, 0 },
                                            { CRD__ARG_DST, 0 },
                                            { CRD__ARG_WORKSPACE, 0 } };
  crd__engine_layout src, dst;
  crd__engine_primitive primitive;
  CRD_TRY(crd__engine_plan_find(ctx, plan, node->inputs[0], &arguments[0].place));
  CRD_TRY(crd__engine_plan_layout(ctx, plan, arguments[0].place, &src));
  CRD_TRY(crd__engine_layout_any(ctx, net->engine.dnn, y->rank, y->dims, &dst));
  CRD_TRY(crd__engine_dnn_pool(ctx, net->engine.dnn, kind_of(of), node->back, src, dst, &of->window,
                               &primitive));
  CRD_TRY(crd__engine_plan_output_as(ctx, plan, node->outputs[0],
                                     crd__engine_primitive_layout(&primitive, CRD__ARG_DST),
                                     &arguments[1].place));
  const crd__engine_layout workspace = crd__engine_primitive_layout(&primitive, CRD__ARG_WORKSPACE);
  const bool kept = node->back && crd__engine_layout_bytes(workspace);
  if (kept) CRD_TRY(crd__engine_plan_scratch(ctx, plan, workspace, &arguments[2].place));
  if (node->back)
    *crd__graph_node_kept(plan, node) =
        (crd__engine_kept){ .planned = true,
                            .primitive = primitive,
                            .places = { kept ? arguments[2].place : CRD__NONE, arguments[0].place,
                                        arguments[1].place } };
  return crd__engine_plan_primitive(ctx, plan, node, &primitive, kept ? 3 : 2, arguments);
}

static crd_status back_dnn(crd_context *ctx, crd__graph_backward *back, const crd__graph_node *node,
                           const pooling *of) {
  crd__engine_plan *const plan = crd__graph_backward_plan(back);
  const crd__engine_kept kept = *crd__graph_node_kept(plan, node);
  crd__engine_plan_argument arguments[] = { { CRD__ARG_DIFF_DST, 0 },
                                            { CRD__ARG_DIFF_SRC, 0 },
                                            { CRD__ARG_WORKSPACE, kept.places[WORKSPACE] } };
  crd__engine_layout src, dst;
  crd__engine_primitive primitive;
  int result;
  CRD_TRY(crd__engine_plan_layout(ctx, plan, kept.places[FORWARD_SRC], &src));
  CRD_TRY(crd__engine_plan_layout(ctx, plan, kept.places[FORWARD_DST], &dst));
  CRD_TRY(crd__engine_dnn_pool_back(ctx, crd__graph_plan_net(plan)->engine.dnn, kind_of(of), src,
                                    dst, &of->window, &kept.primitive, &primitive));
  CRD_TRY(crd__engine_plan_as(ctx, plan, crd__graph_backward_incoming(back, node, 0), dst,
                              &arguments[0].place));
  CRD_TRY(crd__graph_backward_tensor(ctx, back, node, 0, &result));
  CRD_TRY(crd__engine_plan_output_as(ctx, plan, result, src, &arguments[1].place));
  CRD_TRY(crd__engine_plan_primitive(ctx, plan, node, &primitive,
                                     kept.places[WORKSPACE] == CRD__NONE ? 2 : 3, arguments));
  return crd__graph_backward_give(ctx, back, node, 0, result);
}

/* ---- By our own kernel. */

static crd_status run_own(crd_context *ctx, const crd__engine_step *step) {
  (void)ctx;
  crd__kernel_pool_run(step->threads, step->self, step->memory[0], step->memory[1],
                       step->count > 2 ? step->memory[2] : NULL);
  return CRD_OK;
}

static crd__kernel_pool own_pool(const crd__graph *net, const crd__graph_node *node,
                                 const pooling *of) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  const crd__engine_tensor *const y = crd__graph_node_output(net, node, 0);
  const crd__engine_window *const w = &of->window;
  crd__kernel_pool pool = { .dtype = x->dtype,
                            .maps = (size_t)(x->dims[0] * x->dims[1]),
                            .window = { .spatial = w->count },
                            .mean = of->mean,
                            .count_padding = of->count_padding,
                            .column_major = of->column_major };
  for (size_t i = 0; i < w->count; i++) {
    pool.window.in[i] = x->dims[2 + i];
    pool.window.out[i] = y->dims[2 + i];
    pool.window.size[i] = w->kernel[i];
    pool.window.stride[i] = w->strides[i];
    pool.window.dilation[i] = w->dilations[i];
    pool.window.before[i] = w->begin[i];
    pool.window.after[i] = w->end[i] - w->over[i];
  }
  return pool;
}

/* The backward pass looks for the maxima again: the input is kept. */
static crd_status plan_own(crd_context *ctx, crd__engine_plan *plan, const crd__graph_node *node,
                           const pooling *of) {
  const crd__graph *const net = crd__graph_plan_net(plan);
  const crd__kernel_pool pool = own_pool(net, node, of);
  int places[3];
  size_t count = 2;
  if (node->back && !pool.mean) crd__engine_plan_hold(plan, node->inputs[0]);
  CRD_TRY(crd__engine_plan_plain(ctx, plan, node->inputs[0], &places[0]));
  CRD_TRY(crd__engine_plan_output(ctx, plan, node->outputs[0], &places[1]));
  if (crd__graph_node_output(net, node, 1))
    CRD_TRY(crd__engine_plan_output(ctx, plan, node->outputs[1], &places[count++]));
  return crd__engine_plan_step(ctx, plan, node, run_own, &pool, sizeof pool, count, places);
}

/* Memory: x for maxima, dy, dx. */
static crd_status run_own_back(crd_context *ctx, const crd__engine_step *step) {
  const crd__kernel_pool *const pool = step->self;
  const size_t next = pool->mean ? 0 : 1;
  (void)ctx;
  crd__kernel_pool_back(step->threads, pool, pool->mean ? NULL : step->memory[0],
                        step->memory[next], step->memory[next + 1]);
  return CRD_OK;
}

static crd_status back_own(crd_context *ctx, crd__graph_backward *back, const crd__graph_node *node,
                           const pooling *of) {
  crd__engine_plan *const plan = crd__graph_backward_plan(back);
  const crd__kernel_pool pool = own_pool(crd__graph_plan_net(plan), node, of);
  CRD_TRY(crd__graph_plain_back(ctx, back, node, 0,
                                &(crd__graph_plain_step){ .run = run_own_back,
                                                          .self = &pool,
                                                          .size = sizeof pool,
                                                          .count = pool.mean ? 0 : 1,
                                                          .read = { node->inputs[0] } }));
  if (!pool.mean) crd__engine_plan_release(plan, node->inputs[0]);
  return CRD_OK;
}

/* oneDNN counts the overhang of ceil_mode as padding, does not return the index of a maximum, and
 * needs each window to contain an element of the input. */
static bool for_dnn(const crd__graph *net, const crd__graph_node *node, const pooling *of) {
  const crd__engine_window *const w = &of->window;
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  bool fits = x->dtype == CRD_F32 && w->count <= 3 && crd__engine_tensor_count(x) > 0 &&
              !crd__graph_node_output(net, node, 1);
  for (size_t i = 0; i < w->count; i++)
    fits &= w->begin[i] < w->kernel[i] && w->end[i] < w->kernel[i] && w->dilations[i] == 1 &&
            !(w->over[i] && of->count_padding);
  return fits;
}

static crd_status pool_plan(crd_context *ctx, crd__engine_plan *plan, const crd__graph_node *node) {
  pooling p;
  int64_t positions[CRD_RANK_MAX];
  CRD_TRY(read_pooling(ctx, crd__graph_plan_net(plan), node, &p, positions));
  const crd_status status =
      for_dnn(crd__graph_plan_net(plan), node, &p) ? plan_dnn(ctx, plan, node, &p) : CRD_EABSENT;
  return status == CRD_EABSENT ? plan_own(ctx, plan, node, &p) : status;
}

static crd_status pool_backward(crd_context *ctx, crd__graph_backward *back,
                                const crd__graph_node *node) {
  crd__engine_plan *const plan = crd__graph_backward_plan(back);
  pooling p;
  int64_t positions[CRD_RANK_MAX];
  CRD_TRY(read_pooling(ctx, crd__graph_plan_net(plan), node, &p, positions));
  return crd__graph_node_kept(plan, node)->planned ? back_dnn(ctx, back, node, &p)
                                                   : back_own(ctx, back, node, &p);
}

static uint64_t pool_flops(const crd__graph *net, const crd__graph_node *node) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  return crd__engine_tensor_count(x);
}

static const crd__graph_op_attribute for_max[] = {
  CRD__WINDOW_ATTRIBUTES,
  { "ceil_mode", CRD__ATTRIBUTE_INT },
  { "storage_order", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};
static const crd__graph_op_attribute for_mean[] = {
  CRD__WINDOW_ATTRIBUTES,
  { "ceil_mode", CRD__ATTRIBUTE_INT },
  { "count_include_pad", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};

#define POOL(entry, id, name, summary, outputs, names)                                             \
  const crd__graph_op crd__graph_op_##entry = {                                                    \
    .info = { name, summary, 1, CRD__OPSET, 1, 0 },                                                \
    .kind = id,                                                                                    \
    .inputs_least = 1,                                                                             \
    .inputs_most = 1,                                                                              \
    .outputs_least = 1,                                                                            \
    .outputs_most = outputs,                                                                       \
    .attributes = names,                                                                           \
    .infer = pool_infer,                                                                           \
    .plan = pool_plan,                                                                             \
    .backward = pool_backward,                                                                     \
    .flops = pool_flops,                                                                           \
  }

/* The second output of MaxPool is the index of the maximum. */
POOL(max_pool, LARGEST, "MaxPool", "1 to 3 spatial dimensions, dilations, ceil_mode, auto_pad", 2,
     for_max);
POOL(average_pool, AVERAGE, "AveragePool", "1 to 3 spatial dimensions, ceil_mode, auto_pad", 1,
     for_mean);
POOL(global_max_pool, LARGEST | GLOBAL, "GlobalMaxPool", "any numeric type", 1, NULL);
POOL(global_average_pool, AVERAGE | GLOBAL, "GlobalAveragePool", "f16, f32, f64", 1, NULL);
