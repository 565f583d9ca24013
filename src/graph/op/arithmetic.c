/*
 * arithmetic.c -- binary operators. Arrays of the same shape are combined by oneDNN in the layout
 * of one of them, so that a residual connection needs no reorder; so are feature maps in a blocked
 * layout with one value per channel (squeeze and excitation). All other cases run in C order.
 */
#include "graph/op/arithmetic.h"
#include "engine/kernel/binary.h"
#include "engine/kernel/partial.h"
#include "engine/kernel/walk.h"
#include "graph/op/plain.h"

#include <string.h>

const crd__graph_op_attribute crd__graph_arithmetic_attributes[] = {
  { "axis", CRD__ATTRIBUTE_INT },
  { "broadcast", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};

crd_status crd__graph_arithmetic_operand(crd_context *ctx, const crd__graph *net,
                                         const crd__graph_node *node, size_t index,
                                         crd__engine_tensor *out) {
  const crd__engine_tensor *const first = crd__graph_node_input(net, node, 0);
  size_t axis;
  *out = *crd__graph_node_input(net, node, index);
  if (index == 0 || node->opset >= 7 || !crd__graph_node_has(node, "axis")) return CRD_OK;
  CRD_TRY(
      crd__graph_node_axis(ctx, node, crd__graph_node_int(node, "axis", 0), first->rank, &axis));
  if (axis + out->rank > first->rank)
    return crd__graph_node_fail(
        ctx, node, "its second input does not match the first from dimension %zu on", axis);
  while (axis + out->rank < first->rank) out->dims[out->rank++] = 1;
  return CRD_OK;
}

crd_status crd__graph_arithmetic_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  const crd__engine_tensor *const a = crd__graph_node_input(net, node, 0),
                                  *const b = crd__graph_node_input(net, node, 1);
  int64_t dims[CRD_RANK_MAX] = { 0 };
  crd__engine_tensor seen;
  size_t rank = a->rank;
  if (a->dtype == CRD_BOOL || a->dtype != b->dtype)
    return crd__graph_node_fail(ctx, node,
                                "its inputs are %s and %s; they must be numeric and of one type",
                                crd_dtype_name(a->dtype), crd_dtype_name(b->dtype));
  memcpy(dims, a->dims, rank * sizeof *dims);
  CRD_TRY(crd__graph_arithmetic_operand(ctx, net, node, 1, &seen));
  CRD_TRY(crd__graph_node_broadcast(ctx, node, &seen, &rank, dims));
  return crd__graph_node_set(ctx, net, node, 0, a->dtype, rank, dims);
}

/* Combine in the layout of the operand that is not in C order, if there is one. */
static crd_status plan_same(crd_context *ctx, crd__engine_plan *plan, const crd__graph_node *node,
                            crd__engine_dnn_binary kind) {
  const crd__graph *const net = crd__graph_plan_net(plan);
  crd__engine_plan_argument arguments[] = { { CRD__ARG_SRC, 0 },
                                            { CRD__ARG_SRC_1, 0 },
                                            { CRD__ARG_DST, 0 } };
  crd__engine_layout layout;
  crd__engine_primitive primitive;
  CRD_TRY(crd__engine_plan_find(ctx, plan, node->inputs[0], &arguments[0].place));
  CRD_TRY(crd__engine_plan_find(ctx, plan, node->inputs[1], &arguments[1].place));
  const size_t leader = crd__engine_plan_is_plain(plan, arguments[0].place);
  CRD_TRY(crd__engine_plan_layout(ctx, plan, arguments[leader].place, &layout));
  for (size_t i = 0; i < 2; i++)
    CRD_TRY(crd__engine_plan_as(ctx, plan, node->inputs[i], layout, &arguments[i].place));
  CRD_TRY(crd__engine_dnn_combine(ctx, net->engine.dnn, kind, layout, layout, layout, &node->after,
                                  &primitive));
  /* If channels are padded to a block and there are post-ops, oneDNN 2.6 clears the result before
   * it reads the operands. */
  if (node->after.count && crd__engine_layout_bytes(layout) !=
                               crd__engine_tensor_bytes(crd__graph_node_output(net, node, 0)))
    CRD_TRY(crd__engine_plan_output_as(ctx, plan, node->outputs[0], layout, &arguments[2].place));
  else
    CRD_TRY(crd__engine_plan_output_over(ctx, plan, node->outputs[0], arguments[0].place,
                                         node->inputs[0], &arguments[2].place));
  return crd__engine_plan_primitive(ctx, plan, node, &primitive, 3, arguments);
}

/* True if `each` has one value per channel of the maps, for each sample or for all. */
static bool is_of_channels(const crd__engine_tensor *each, const crd__engine_tensor *maps) {
  bool fits = each->rank == maps->rank && maps->rank > 2 && each->dims[1] == maps->dims[1] &&
              (each->dims[0] == 1 || each->dims[0] == maps->dims[0]);
  for (size_t i = 2; i < maps->rank && fits; i++) fits = each->dims[i] == 1;
  return fits;
}

/* Combine feature maps (input `wide`) with one value per channel, for commutative operators.
 * EABSENT if the maps are in C order, or if oneDNN is slow with these layouts. */
static crd_status plan_channels(crd_context *ctx, crd__engine_plan *plan,
                                const crd__graph_node *node, crd__engine_dnn_binary kind,
                                size_t wide) {
  crd__engine_plan_argument arguments[] = { { CRD__ARG_SRC, 0 },
                                            { CRD__ARG_SRC_1, 0 },
                                            { CRD__ARG_DST, 0 } };
  crd__engine_layout maps, each;
  crd__engine_primitive primitive;
  CRD_TRY(crd__engine_plan_find(ctx, plan, node->inputs[wide], &arguments[0].place));
  CRD_TRY(crd__engine_plan_find(ctx, plan, node->inputs[1 - wide], &arguments[1].place));
  if (crd__engine_plan_is_plain(plan, arguments[0].place)) return CRD_EABSENT;
  CRD_TRY(crd__engine_plan_layout(ctx, plan, arguments[0].place, &maps));
  CRD_TRY(crd__engine_plan_layout(ctx, plan, arguments[1].place, &each));
  CRD_TRY(crd__engine_dnn_combine(ctx, crd__graph_plan_net(plan)->engine.dnn, kind, maps, each,
                                  maps, &node->after, &primitive));
  if (strncmp(crd__engine_primitive_implementation(&primitive), "ref", 3) == 0) return CRD_EABSENT;
  CRD_TRY(crd__engine_plan_output_over(ctx, plan, node->outputs[0], arguments[0].place,
                                       node->inputs[wide], &arguments[2].place));
  return crd__engine_plan_primitive(ctx, plan, node, &primitive, 3, arguments);
}

/* ---- In C order, by our own kernel. */

typedef struct {
  crd__kernel_pair_id id;
  crd_dtype dtypes[2];
  crd__graph_shape out;
  int64_t strides[2][CRD_RANK_MAX];
} broadcast;

static crd_status run_own(crd_context *ctx, const crd__engine_step *step) {
  const broadcast *const b = step->self;
  (void)ctx;
  crd__kernel_binary(step->threads, b->id, b->out.rank, b->out.dims, step->memory[2],
                     (crd__kernel_operand){ step->memory[0], b->dtypes[0], b->strides[0] },
                     (crd__kernel_operand){ step->memory[1], b->dtypes[1], b->strides[1] });
  return CRD_OK;
}

static crd_status plan_own(crd_context *ctx, crd__engine_plan *plan, const crd__graph_node *node,
                           crd__kernel_pair_id id) {
  const crd__graph *const net = crd__graph_plan_net(plan);
  broadcast self = { .id = id, .out = crd__graph_shape_of(crd__graph_node_output(net, node, 0)) };
  for (size_t i = 0; i < 2; i++) {
    crd__engine_tensor seen;
    CRD_TRY(crd__graph_arithmetic_operand(ctx, net, node, i, &seen));
    self.dtypes[i] = seen.dtype;
    crd__kernel_strides_broadcast(seen.rank, seen.dims, self.out.rank, self.strides[i]);
  }
  return crd__graph_plain_plan(ctx, plan, node, run_own, &self, sizeof self);
}

static bool for_dnn(const crd__graph *net, const crd__graph_node *node) {
  const crd__engine_tensor *const a = crd__graph_node_input(net, node, 0);
  const crd__engine_tensor *const b = crd__graph_node_input(net, node, 1);
  return a->dtype == CRD_F32 && crd__engine_same_shape(a->rank, a->dims, b->rank, b->dims);
}

/* Return the input with feature maps whose channels get a value from the other one, for commutative
 * operators; 2: none. */
static size_t find_maps(const crd__graph *net, const crd__graph_node *node,
                        crd__kernel_pair_id id) {
  const crd__engine_tensor *const a = crd__graph_node_input(net, node, 0);
  const crd__engine_tensor *const b = crd__graph_node_input(net, node, 1);
  if (a->dtype != CRD_F32 || (id != CRD__PAIR_ADD && id != CRD__PAIR_MUL)) return 2;
  return is_of_channels(b, a) ? 0 : is_of_channels(a, b) ? 1 : 2;
}

bool crd__graph_arithmetic_takes_after(const crd__graph *net, const crd__graph_node *node,
                                       const crd__engine_post_op *after) {
  return !after->sum && for_dnn(net, node);
}

/* The kernels for the derivatives with respect to either operand, and whether they read the
 * operands. */
static const struct {
  crd__kernel_partial_id by[2];
  bool reads[2][2];
} partials[CRD__PAIR_COUNT] = {
  [CRD__PAIR_MUL] = { { CRD__PARTIAL_MUL_X, CRD__PARTIAL_MUL_Y },
                      { { false, true }, { true, false } } },
  [CRD__PAIR_DIV] = { { CRD__PARTIAL_DIV_X, CRD__PARTIAL_DIV_Y },
                      { { false, true }, { true, true } } },
  [CRD__PAIR_POW] = { { CRD__PARTIAL_POW_X, CRD__PARTIAL_POW_Y },
                      { { true, true }, { true, true } } },
};

/* True if the backward pass reads an operand; derivatives with respect to constants do not
 * count. */
static bool reads_back(const crd__graph *net, const crd__graph_node *node, crd__kernel_pair_id id,
                       size_t input) {
  bool reads = false;
  for (size_t i = 0; i < 2 && node->back; i++)
    reads |= net->engine.tensors[node->inputs[i]].wants && partials[id].reads[i][input];
  return reads;
}

crd_status crd__graph_arithmetic_plan(crd_context *ctx, crd__engine_plan *plan,
                                      const crd__graph_node *node) {
  const crd__kernel_pair_id id = (crd__kernel_pair_id)node->op->kind;
  static const struct {
    bool there;
    crd__engine_dnn_binary kind;
  } dnn[CRD__PAIR_COUNT] = {
    [CRD__PAIR_ADD] = { true, CRD__BINARY_ADD },
    [CRD__PAIR_SUB] = { true, CRD__BINARY_SUB },
    [CRD__PAIR_MUL] = { true, CRD__BINARY_MUL },
    [CRD__PAIR_DIV] = { true, CRD__BINARY_DIV },
  };
  for (size_t i = 0; i < 2; i++)
    if (reads_back(crd__graph_plan_net(plan), node, id, i))
      crd__engine_plan_hold(plan, node->inputs[i]);
  if (dnn[id].there && for_dnn(crd__graph_plan_net(plan), node))
    return plan_same(ctx, plan, node, dnn[id].kind);
  const size_t wide = find_maps(crd__graph_plan_net(plan), node, id);
  const crd_status status =
      wide < 2 ? plan_channels(ctx, plan, node, dnn[id].kind, wide) : CRD_EABSENT;
  return status == CRD_EABSENT ? plan_own(ctx, plan, node, id) : status;
}

/* ---- Backward pass. */

typedef struct {
  crd__kernel_partial_id id;
  bool reads[2];
  crd__graph_shape out;
  int64_t strides[2][CRD_RANK_MAX];
} deriving;

/* Memory: the operands that are read, dz, the result. */
static crd_status run_back(crd_context *ctx, const crd__engine_step *step) {
  const deriving *const d = step->self;
  size_t next = 0;
  (void)ctx;
  const float *const x = d->reads[0] ? step->memory[next++] : NULL;
  const float *const y = d->reads[1] ? step->memory[next++] : NULL;
  crd__kernel_partial(step->threads, d->id, d->out.rank, d->out.dims, step->memory[next + 1],
                      step->memory[next], x, d->strides[0], y, d->strides[1]);
  return CRD_OK;
}

static crd_status run_cast(crd_context *ctx, const crd__engine_step *step) {
  const crd__engine_tensor *const t = step->self;
  (void)ctx;
  crd__kernel_cast(step->threads, t->dtype, CRD_F32, crd__engine_tensor_count(t), step->memory[0],
                   step->memory[1]);
  return CRD_OK;
}

/* Convert an exponent of another type to float32. */
static crd_status as_float32(crd_context *ctx, crd__engine_plan *plan, const crd__graph_node *node,
                             size_t index, int *out) {
  const crd__engine_tensor given = *crd__graph_node_input(crd__graph_plan_net(plan), node, index);
  int places[2];
  *out = node->inputs[index];
  if (given.dtype == CRD_F32) return CRD_OK;
  CRD_TRY(crd__engine_plan_plain(ctx, plan, *out, &places[0]));
  CRD_TRY(crd__engine_plan_tensor(ctx, plan, given.name, given.rank, given.dims, out));
  CRD_TRY(crd__engine_plan_output(ctx, plan, *out, &places[1]));
  return crd__engine_plan_step(ctx, plan, node, run_cast, &given, sizeof given, 2, places);
}

static crd_status back_to(crd_context *ctx, crd__graph_backward *back, const crd__graph_node *node,
                          crd__kernel_pair_id id, size_t input) {
  const crd__graph *const net = crd__graph_plan_net(crd__graph_backward_plan(back));
  deriving d = { .id = partials[id].by[input],
                 .out = crd__graph_shape_of(crd__graph_node_output(net, node, 0)) };
  crd__graph_plain_step step = { .run = run_back, .self = &d, .size = sizeof d };
  crd__engine_tensor seen[2];
  for (size_t i = 0; i < 2; i++) {
    CRD_TRY(crd__graph_arithmetic_operand(ctx, net, node, i, &seen[i]));
    crd__kernel_strides_broadcast(seen[i].rank, seen[i].dims, d.out.rank, d.strides[i]);
    d.reads[i] = partials[id].reads[input][i];
    if (d.reads[i])
      CRD_TRY(as_float32(ctx, crd__graph_backward_plan(back), node, i, &step.read[step.count++]));
  }
  return crd__graph_plain_back_wide(ctx, back, node, input, &step, &seen[input]);
}

crd_status crd__graph_arithmetic_backward(crd_context *ctx, crd__graph_backward *back,
                                          const crd__graph_node *node) {
  const crd__kernel_pair_id id = (crd__kernel_pair_id)node->op->kind;
  crd__engine_plan *const plan = crd__graph_backward_plan(back);
  for (size_t i = 0; i < 2; i++)
    if (crd__graph_backward_wants(back, node, i)) CRD_TRY(back_to(ctx, back, node, id, i));
  for (size_t i = 0; i < 2; i++)
    if (reads_back(crd__graph_plan_net(plan), node, id, i))
      crd__engine_plan_release(plan, node->inputs[i]);
  return CRD_OK;
}
