/*
 * split.c -- Split: parts along an axis, of given lengths or equal ones. From operator set 18 on
 * the last part may be shorter, with num_outputs.
 */
#include "base/memory.h"
#include "engine/kernel/copy.h"
#include "engine/kernel/walk.h"
#include "graph/op/plain.h"

typedef struct {
  size_t axis, size, count;
  crd__graph_shape shape;
  int64_t strides[CRD_RANK_MAX];
  int64_t lengths[]; /* along the axis; negative: that part is left out */
} parting;

static crd_status read_lengths(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                               int64_t length, crd__graph_list *out) {
  const int64_t parts = (int64_t)node->output_count;
  CRD_TRY(crd__graph_plain_list(ctx, net, node, "split", 12, 1, out));
  if (out->given) {
    int64_t sum = 0;
    if (out->count != node->output_count)
      return crd__graph_node_fail(ctx, node, "it has %zu lengths for %zu outputs", out->count,
                                  node->output_count);
    for (size_t i = 0; i < out->count; i++) {
      if (out->items[i] < 0 || out->items[i] > length - sum)
        return crd__graph_node_fail(ctx, node, "part %zu has length %lld, with %lld left", i,
                                    (long long)out->items[i], (long long)(length - sum));
      sum += out->items[i];
    }
    if (sum != length)
      return crd__graph_node_fail(ctx, node, "its parts have a total length of %lld, not %lld",
                                  (long long)sum, (long long)length);
    return CRD_OK;
  }
  const int64_t part = (length + parts - 1) / parts;
  if (parts > CRD__LIST_MAX ||
      (length % parts && (node->opset < 18 || part * (parts - 1) > length)))
    return crd__graph_node_fail(ctx, node, "a length of %lld cannot be split into %lld parts",
                                (long long)length, (long long)parts);
  out->count = (size_t)parts;
  for (int64_t i = 0; i < parts; i++)
    out->items[i] = i + 1 < parts ? part : length - part * (parts - 1);
  return CRD_OK;
}

static crd_status split_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  const crd__engine_tensor x = *crd__graph_node_input(net, node, 0);
  crd__graph_shape out = crd__graph_shape_of(&x);
  crd__graph_list lengths;
  size_t axis = 0;
  CRD_TRY(crd__graph_node_axis(ctx, node, crd__graph_node_int(node, "axis", 0), x.rank, &axis));
  const int64_t parts = crd__graph_node_int(node, "num_outputs", (int64_t)node->output_count);
  if (parts != (int64_t)node->output_count)
    return crd__graph_node_fail(ctx, node, "its num_outputs is %lld, but it has %zu",
                                (long long)parts, node->output_count);
  CRD_TRY(read_lengths(ctx, net, node, x.dims[axis], &lengths));
  for (size_t i = 0; i < node->output_count; i++) {
    out.dims[axis] = lengths.items[i];
    CRD_TRY(crd__graph_node_set(ctx, net, node, i, x.dtype, x.rank, out.dims));
  }
  return CRD_OK;
}

/* Memory: the source, then the parts in use. */
static crd_status run(crd_context *ctx, const crd__engine_step *step) {
  const parting *const s = step->self;
  const char *from = step->memory[0];
  (void)ctx;
  for (size_t k = 0, next = 1; k < s->count; k++) {
    const bool wanted = s->lengths[k] >= 0;
    crd__graph_shape shape = s->shape;
    shape.dims[s->axis] = wanted ? s->lengths[k] : -1 - s->lengths[k];
    if (wanted)
      crd__kernel_copy(step->threads, s->size, shape.rank, shape.dims, step->memory[next++], NULL,
                       from, s->strides);
    from += (size_t)(shape.dims[s->axis] * s->strides[s->axis]) * s->size;
  }
  return CRD_OK;
}

static crd_status plan_parts(crd_context *ctx, crd__engine_plan *p, const crd__graph_node *node,
                             parting *s, size_t bytes, int *places) {
  size_t count = 0;
  CRD_TRY(crd__engine_plan_plain(ctx, p, node->inputs[0], &places[count++]));
  for (size_t i = 0; i < node->output_count; i++) {
    if (node->outputs[i] == CRD__NONE) s->lengths[i] = -1 - s->lengths[i];
    else CRD_TRY(crd__engine_plan_output(ctx, p, node->outputs[i], &places[count++]));
  }
  return crd__engine_plan_step(ctx, p, node, run, s, bytes, count, places);
}

static crd_status new_parting(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                              size_t *bytes, parting **out) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  parting *s;
  size_t axis = 0;
  crd__graph_list lengths;
  *bytes = sizeof *s + node->output_count * sizeof *s->lengths;
  CRD_TRY(crd__graph_node_axis(ctx, node, crd__graph_node_int(node, "axis", 0), x->rank, &axis));
  CRD_TRY(read_lengths(ctx, net, node, x->dims[axis], &lengths));
  CRD_TRY(crd__new(ctx, *bytes, 1, "a step", &s));
  s->axis = axis;
  s->size = crd_dtype_size(x->dtype);
  s->count = node->output_count;
  s->shape = crd__graph_shape_of(x);
  crd__kernel_strides_make(x->rank, x->dims, s->strides);
  for (size_t i = 0; i < s->count; i++) s->lengths[i] = lengths.items[i];
  *out = s;
  return CRD_OK;
}

static crd_status split_plan(crd_context *ctx, crd__engine_plan *p, const crd__graph_node *node) {
  parting *s;
  int places[1 + CRD__LIST_MAX];
  size_t bytes;
  CRD_TRY(new_parting(ctx, crd__graph_plan_net(p), node, &bytes, &s));
  const crd_status status = plan_parts(ctx, p, node, s, bytes, places);
  crd__free(&ctx->alloc, s);
  return status;
}

/* ---- Backward pass: the gradient of parts without a reader is 0. */

/* Memory: the incoming gradients of the parts, then the whole. */
static crd_status run_back(crd_context *ctx, const crd__engine_step *step) {
  const parting *const s = step->self;
  const float zero = 0;
  float *to = step->memory[step->count - 1];
  (void)ctx;
  for (size_t k = 0, next = 0; k < s->count; k++) {
    const bool there = s->lengths[k] >= 0;
    crd__graph_shape shape = s->shape;
    shape.dims[s->axis] = there ? s->lengths[k] : -1 - s->lengths[k];
    if (there)
      crd__kernel_copy(step->threads, s->size, shape.rank, shape.dims, to, s->strides,
                       step->memory[next++], NULL);
    else crd__kernel_fill(step->threads, s->size, shape.rank, shape.dims, to, s->strides, &zero);
    to += shape.dims[s->axis] * s->strides[s->axis];
  }
  return CRD_OK;
}

static crd_status plan_back(crd_context *ctx, crd__graph_backward *back,
                            const crd__graph_node *node, parting *s, size_t bytes, int *places) {
  crd__engine_plan *const p = crd__graph_backward_plan(back);
  size_t count = 0;
  int result;
  for (size_t i = 0; i < node->output_count; i++) {
    const int incoming = crd__graph_backward_incoming(back, node, i);
    if (incoming == CRD__NONE) s->lengths[i] = -1 - s->lengths[i];
    else CRD_TRY(crd__engine_plan_plain(ctx, p, incoming, &places[count++]));
  }
  CRD_TRY(crd__graph_backward_tensor(ctx, back, node, 0, &result));
  CRD_TRY(crd__engine_plan_output(ctx, p, result, &places[count++]));
  CRD_TRY(crd__engine_plan_step(ctx, p, node, run_back, s, bytes, count, places));
  return crd__graph_backward_give(ctx, back, node, 0, result);
}

static crd_status split_backward(crd_context *ctx, crd__graph_backward *back,
                                 const crd__graph_node *node) {
  parting *s;
  int places[1 + CRD__LIST_MAX];
  size_t bytes;
  CRD_TRY(new_parting(ctx, crd__graph_plan_net(crd__graph_backward_plan(back)), node, &bytes, &s));
  const crd_status status = plan_back(ctx, back, node, s, bytes, places);
  crd__free(&ctx->alloc, s);
  return status;
}

static const crd__graph_op_attribute attributes[] = {
  { "axis", CRD__ATTRIBUTE_INT },
  { "split", CRD__ATTRIBUTE_INTS },
  { "num_outputs", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};

const crd__graph_op crd__graph_op_split = {
  .info = { "Split", "any type; the lengths must not depend on data", 2, CRD__OPSET, 1, 1 },
  .inputs_least = 1,
  .inputs_most = 2,
  .outputs_least = 1,
  .outputs_most = CRD__LIST_MAX,
  .attributes = attributes,
  .infer = split_infer,
  .plan = split_plan,
  .flops = crd__graph_plain_flops,
  .backward = split_backward,
};
