/*
 * slice.c -- Slice: start:end:step for each axis, as in Python. Negative indices count from the
 * end; indices are clamped to the array.
 */
#include "engine/kernel/copy.h"
#include "engine/kernel/walk.h"
#include "graph/op/plain.h"

#include <string.h>

typedef struct {
  crd__graph_shape out;
  size_t size, bytes; /* of an element, and of the whole array */
  int64_t offset, strides[CRD_RANK_MAX];
} slicing;

typedef struct {
  crd__graph_list starts, ends, axes, steps;
} lists;

static crd_status read_lists(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                             lists *l) {
  CRD_TRY(crd__graph_plain_list(ctx, net, node, "starts", 9, 1, &l->starts));
  CRD_TRY(crd__graph_plain_list(ctx, net, node, "ends", 9, 2, &l->ends));
  CRD_TRY(crd__graph_plain_list(ctx, net, node, "axes", 9, 3, &l->axes));
  l->steps = (crd__graph_list){ .given = false };
  if (node->opset >= 10) CRD_TRY(crd__graph_node_list_input(ctx, net, node, 4, &l->steps));
  const size_t count = l->starts.count;
  if (l->ends.count != count || (l->axes.given && l->axes.count != count) ||
      (l->steps.given && l->steps.count != count))
    return crd__graph_node_fail(
        ctx, node,
        "it has %zu starts, %zu ends, %zu axes and %zu steps: their numbers must be equal", count,
        l->ends.count, l->axes.count, l->steps.count);
  return CRD_OK;
}

static int64_t clamp(int64_t x, int64_t least, int64_t most) {
  return x < least ? least : x > most ? most : x;
}

/* Return where a slice of `length` starts, and its number of elements. */
static int64_t cut(int64_t length, int64_t start, int64_t end, int64_t step, int64_t *count) {
  if (start < 0) start = start < -length ? -1 : start + length;
  if (end < 0) end = end < -length ? -1 : end + length;
  if (step > 0) {
    start = clamp(start, 0, length);
    end = clamp(end, 0, length);
    *count = end > start ? (end - start - 1) / step + 1 : 0;
  } else {
    start = clamp(start, 0, length - 1); /* -1 if the length is 0 */
    end = clamp(end, -1, length - 1);
    *count = length && start > end ? (start - end - 1) / -(step < -length ? -length : step) + 1 : 0;
  }
  return *count ? start : 0;
}

static crd_status read_slice(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                             slicing *s) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  bool marks[CRD_RANK_MAX];
  lists l;
  s->out = crd__graph_shape_of(x);
  s->size = crd_dtype_size(x->dtype);
  s->bytes = crd__engine_tensor_bytes(x);
  s->offset = 0;
  crd__kernel_strides_make(x->rank, x->dims, s->strides);
  CRD_TRY(read_lists(ctx, net, node, &l));
  CRD_TRY(crd__graph_node_axes(ctx, node, &l.axes, x->rank, false, marks));
  for (size_t i = 0; i < l.starts.count; i++) {
    const int64_t step = l.steps.given ? l.steps.items[i] : 1;
    const int64_t axis = l.axes.given ? l.axes.items[i] : (int64_t)i;
    size_t d = 0;
    CRD_TRY(crd__graph_node_axis(ctx, node, axis, x->rank, &d));
    if (step == 0) return crd__graph_node_fail(ctx, node, "its step is 0");
    const int64_t start =
        cut(x->dims[d], l.starts.items[i], l.ends.items[i], step, &s->out.dims[d]);
    s->offset += start * s->strides[d];
    if (s->out.dims[d] > 1) s->strides[d] *= step;
  }
  return CRD_OK;
}

static crd_status slice_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  slicing s;
  CRD_TRY(read_slice(ctx, net, node, &s));
  return crd__graph_node_set(ctx, net, node, 0, crd__graph_node_input(net, node, 0)->dtype,
                             s.out.rank, s.out.dims);
}

static crd_status run(crd_context *ctx, const crd__engine_step *step) {
  const slicing *const s = step->self;
  (void)ctx;
  crd__kernel_copy(step->threads, s->size, s->out.rank, s->out.dims, step->memory[1], NULL,
                   (const char *)step->memory[0] + (size_t)s->offset * s->size, s->strides);
  return CRD_OK;
}

static crd_status slice_plan(crd_context *ctx, crd__engine_plan *p, const crd__graph_node *node) {
  slicing s;
  int places[2];
  CRD_TRY(read_slice(ctx, crd__graph_plan_net(p), node, &s));
  CRD_TRY(crd__engine_plan_plain(ctx, p, node->inputs[0], &places[0]));
  CRD_TRY(crd__engine_plan_output(ctx, p, node->outputs[0], &places[1]));
  return crd__engine_plan_step(ctx, p, node, run, &s, sizeof s, 2, places);
}

static crd_status run_back(crd_context *ctx, const crd__engine_step *step) {
  const slicing *const s = step->self;
  float *const dx = step->memory[1];
  (void)ctx;
  memset(dx, 0, s->bytes);
  crd__kernel_copy(step->threads, s->size, s->out.rank, s->out.dims, dx + s->offset, s->strides,
                   step->memory[0], NULL);
  return CRD_OK;
}

static crd_status slice_backward(crd_context *ctx, crd__graph_backward *back,
                                 const crd__graph_node *node) {
  slicing s;
  CRD_TRY(read_slice(ctx, crd__graph_plan_net(crd__graph_backward_plan(back)), node, &s));
  return crd__graph_plain_back(
      ctx, back, node, 0,
      &(crd__graph_plain_step){ .run = run_back, .self = &s, .size = sizeof s });
}

static const crd__graph_op_attribute attributes[] = {
  { "starts", CRD__ATTRIBUTE_INTS },
  { "ends", CRD__ATTRIBUTE_INTS },
  { "axes", CRD__ATTRIBUTE_INTS },
  { .name = NULL },
};

const crd__graph_op crd__graph_op_slice = {
  .info = { "Slice", "any type; bounds must not depend on data", 1, CRD__OPSET, 1, 1 },
  .inputs_least = 1,
  .inputs_most = 5,
  .outputs_least = 1,
  .outputs_most = 1,
  .strings = true,
  .attributes = attributes,
  .infer = slice_infer,
  .plan = slice_plan,
  .flops = crd__graph_plain_flops,
  .backward = slice_backward,
};
