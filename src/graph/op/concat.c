/*
 * concat.c -- Concat. Feature maps in a blocked layout are concatenated by oneDNN in that layout;
 * other arrays are copied in C order.
 */
#include "base/memory.h"
#include "engine/kernel/copy.h"
#include "engine/kernel/walk.h"
#include "graph/op/plain.h"

typedef struct {
  size_t axis, size, count;
  crd__graph_shape shape; /* of one source, except for the length along the axis */
  int64_t strides[CRD_RANK_MAX];
  int64_t lengths[]; /* of each source along the axis */
} joining;

static crd_status concat_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  const crd__engine_tensor *const first = crd__graph_node_input(net, node, 0);
  crd__graph_shape out = crd__graph_shape_of(first);
  size_t axis = 0;
  CRD_TRY(crd__graph_node_axis(ctx, node, crd__graph_node_int(node, "axis", 0), out.rank, &axis));
  for (size_t k = 1; k < node->input_count; k++) {
    const crd__engine_tensor *const t = crd__graph_node_input(net, node, k);
    if (!t) return crd__graph_node_fail(ctx, node, "its input %zu is required, but left out", k);
    if (t->dtype != first->dtype || t->rank != out.rank)
      return crd__graph_node_fail(
          ctx, node, "its input %zu is %s of %zu dimensions, its first %s of %zu: they must agree",
          k, crd_dtype_name(t->dtype), t->rank, crd_dtype_name(first->dtype), out.rank);
    for (size_t d = 0; d < out.rank; d++)
      if (d != axis && t->dims[d] != out.dims[d])
        return crd__graph_node_fail(
            ctx, node, "dimension %zu of its input %zu is %lld, that of its first %lld", d, k,
            (long long)t->dims[d], (long long)out.dims[d]);
    if (t->dims[axis] > INT64_MAX - out.dims[axis])
      return crd__graph_node_fail(ctx, node, "its result is too long");
    out.dims[axis] += t->dims[axis];
  }
  return crd__graph_node_set(ctx, net, node, 0, first->dtype, out.rank, out.dims);
}

static crd_status run(crd_context *ctx, const crd__engine_step *step) {
  const joining *const j = step->self;
  char *to = step->memory[j->count];
  (void)ctx;
  for (size_t k = 0; k < j->count; k++) {
    crd__graph_shape shape = j->shape;
    shape.dims[j->axis] = j->lengths[k];
    crd__kernel_copy(step->threads, j->size, shape.rank, shape.dims, to, j->strides,
                     step->memory[k], NULL);
    to += (size_t)(j->lengths[k] * j->strides[j->axis]) * j->size;
  }
  return CRD_OK;
}

static crd_status plan_plain(crd_context *ctx, crd__engine_plan *p, const crd__graph_node *node,
                             size_t axis) {
  const crd__graph *const net = crd__graph_plan_net(p);
  const crd__engine_tensor *const y = crd__graph_node_output(net, node, 0);
  joining *j;
  const size_t bytes = sizeof *j + node->input_count * sizeof *j->lengths;
  CRD_TRY(crd__new(ctx, bytes, 1, "a step", &j));
  j->axis = axis;
  j->size = crd_dtype_size(y->dtype);
  j->count = node->input_count;
  j->shape = crd__graph_shape_of(y);
  crd__kernel_strides_make(y->rank, y->dims, j->strides);
  for (size_t k = 0; k < j->count; k++)
    j->lengths[k] = crd__graph_node_input(net, node, k)->dims[axis];
  const crd_status status = crd__graph_plain_plan(ctx, p, node, run, j, bytes);
  crd__free(&ctx->alloc, j);
  return status;
}

/* Plan the concatenation in a blocked layout. EABSENT if C order is as good. */
static crd_status plan_blocked(crd_context *ctx, crd__engine_plan *p, const crd__graph_node *node,
                               size_t axis, crd__engine_layout *layouts,
                               crd__engine_plan_argument *arguments) {
  const crd__graph *const net = crd__graph_plan_net(p);
  const crd__engine_tensor *const y = crd__graph_node_output(net, node, 0);
  const size_t count = node->input_count;
  bool plain = true;
  crd__engine_layout to;
  crd__engine_primitive primitive;
  for (size_t k = 0; k < count; k++) {
    arguments[k].argument = (crd__engine_argument)(CRD__ARG_SOURCE + (int)k);
    if (crd__engine_tensor_count(crd__graph_node_input(net, node, k)) == 0) return CRD_EABSENT;
    CRD_TRY(crd__engine_plan_find(ctx, p, node->inputs[k], &arguments[k].place));
    CRD_TRY(crd__engine_plan_layout(ctx, p, arguments[k].place, &layouts[k]));
    plain = plain && crd__engine_plan_is_plain(p, arguments[k].place);
  }
  if (plain) return CRD_EABSENT;
  CRD_TRY(crd__engine_layout_any(ctx, net->engine.dnn, y->rank, y->dims, &to));
  CRD_TRY(crd__engine_dnn_concat(ctx, net->engine.dnn, axis, count, layouts, to, &primitive));
  arguments[count].argument = CRD__ARG_DST;
  CRD_TRY(crd__engine_plan_output_as(ctx, p, node->outputs[0],
                                     crd__engine_primitive_layout(&primitive, CRD__ARG_DST),
                                     &arguments[count].place));
  return crd__engine_plan_primitive(ctx, p, node, &primitive, count + 1, arguments);
}

static crd_status concat_plan(crd_context *ctx, crd__engine_plan *p, const crd__graph_node *node) {
  const crd__engine_tensor *const y = crd__graph_node_output(crd__graph_plan_net(p), node, 0);
  crd__engine_layout *layouts;
  crd__engine_plan_argument *arguments = NULL;
  size_t axis = 0;
  CRD_TRY(crd__graph_node_axis(ctx, node, crd__graph_node_int(node, "axis", 0), y->rank, &axis));
  if (y->dtype != CRD_F32) return plan_plain(ctx, p, node, axis);
  CRD_TRY(crd__new(ctx, node->input_count, sizeof *layouts, "memory layouts", &layouts));
  crd_status status = crd__new(ctx, node->input_count + 1, sizeof *arguments,
                               "a primitive's arguments", &arguments);
  if (status == CRD_OK) status = plan_blocked(ctx, p, node, axis, layouts, arguments);
  crd__free(&ctx->alloc, layouts);
  crd__free(&ctx->alloc, arguments);
  return status == CRD_EABSENT ? plan_plain(ctx, p, node, axis) : status;
}

/* ---- Backward pass: each source gets its part, in a blocked layout or in C order. */

typedef struct {
  crd__graph_shape part;
  int64_t offset, strides[CRD_RANK_MAX];
} cutting;

static crd_status run_back(crd_context *ctx, const crd__engine_step *step) {
  const cutting *const c = step->self;
  (void)ctx;
  crd__kernel_copy(step->threads, sizeof(float), c->part.rank, c->part.dims, step->memory[1], NULL,
                   (const float *)step->memory[0] + c->offset, c->strides);
  return CRD_OK;
}

/* Plan it in the source's layout. EABSENT if an operand is in C order, or if the part would split a
 * block. */
static crd_status cut_blocked(crd_context *ctx, crd__graph_backward *back,
                              const crd__graph_node *node, size_t k, const crd__graph_shape *part,
                              const int64_t *offsets) {
  crd__engine_plan *const p = crd__graph_backward_plan(back);
  int whole, source, result, place;
  crd__engine_layout layout, seen;
  CRD_TRY(crd__engine_plan_find(ctx, p, crd__graph_backward_incoming(back, node, 0), &whole));
  CRD_TRY(crd__engine_plan_find(ctx, p, node->inputs[k], &source));
  if (crd__engine_plan_is_plain(p, whole) || crd__engine_plan_is_plain(p, source))
    return CRD_EABSENT;
  CRD_TRY(crd__engine_plan_layout(ctx, p, whole, &layout));
  CRD_TRY(crd__engine_layout_part(ctx, crd__graph_plan_net(p)->engine.dnn, layout, part->rank,
                                  part->dims, offsets, &seen));
  CRD_TRY(crd__engine_plan_view(ctx, p, whole, seen, &whole));
  CRD_TRY(crd__engine_plan_layout(ctx, p, source, &layout));
  CRD_TRY(crd__graph_backward_tensor(ctx, back, node, k, &result));
  CRD_TRY(crd__engine_plan_output_as(ctx, p, result, layout, &place));
  CRD_TRY(crd__engine_plan_reorder(ctx, p, whole, place));
  return crd__graph_backward_give(ctx, back, node, k, result);
}

static crd_status cut_plain(crd_context *ctx, crd__graph_backward *back,
                            const crd__graph_node *node, size_t k, const cutting *c) {
  return crd__graph_plain_back(
      ctx, back, node, k,
      &(crd__graph_plain_step){ .run = run_back, .self = c, .size = sizeof *c });
}

static crd_status concat_backward(crd_context *ctx, crd__graph_backward *back,
                                  const crd__graph_node *node) {
  const crd__graph *const net = crd__graph_plan_net(crd__graph_backward_plan(back));
  const crd__graph_shape y = crd__graph_shape_of(crd__graph_node_output(net, node, 0));
  int64_t start[CRD_RANK_MAX] = { 0 };
  cutting c;
  size_t axis = 0;
  CRD_TRY(crd__graph_node_axis(ctx, node, crd__graph_node_int(node, "axis", 0), y.rank, &axis));
  crd__kernel_strides_make(y.rank, y.dims, c.strides);
  for (size_t k = 0; k < node->input_count; k++) {
    c.part = crd__graph_shape_of(crd__graph_node_input(net, node, k));
    c.offset = start[axis] * c.strides[axis];
    crd_status status = CRD_OK;
    if (crd__graph_backward_wants(back, node, k))
      status = cut_blocked(ctx, back, node, k, &c.part, start);
    if (status == CRD_EABSENT) status = cut_plain(ctx, back, node, k, &c);
    CRD_TRY(status);
    start[axis] += c.part.dims[axis];
  }
  return CRD_OK;
}

static const crd__graph_op_attribute attributes[] = {
  { "axis", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};

const crd__graph_op crd__graph_op_concat = {
  .info = { "Concat", "any type", 4, CRD__OPSET, 1, 1 },
  .inputs_least = 1,
  .inputs_most = 0,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = attributes,
  .infer = concat_infer,
  .plan = concat_plan,
  .flops = crd__graph_plain_flops,
  .backward = concat_backward,
};
