/*
 * pad.c -- Pad. `constant` pads with a value (and crops if a pad is negative), `edge` repeats the
 * last element, `reflect` mirrors without the last, `wrap` continues from the other end.
 *
 * The input is copied first; then the dimensions are padded in turn, each from the result so far,
 * which also fills the corners.
 */
#include "engine/kernel/copy.h"
#include "engine/kernel/walk.h"
#include "graph/op/plain.h"

#include <string.h>

typedef enum { CONSTANT, EDGE, REFLECT, WRAP } filling;
static const char *const words[] = { "constant", "edge", "reflect", "wrap" };

typedef struct {
  filling mode;
  crd__graph_shape in, out;
  int64_t begin[CRD_RANK_MAX], end[CRD_RANK_MAX];
  size_t size;
  bool given; /* the value is the second operand of the step */
  unsigned char value[8];
  size_t bytes[2]; /* of the gradients with respect to x and y */
} padding;

static crd_status read_mode(crd_context *ctx, const crd__graph_node *node, filling *out) {
  for (int i = 0; i < 4; i++)
    if (crd__graph_node_word_is(node, "mode", words[i], "constant")) {
      *out = (filling)i;
      return CRD_OK;
    }
  return crd__graph_node_fail(ctx, node, "its mode is none of constant, edge, reflect, wrap");
}

/* Read the pads of all dimensions, or of those listed in axes (operator set 18 on). */
static crd_status read_pads(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                            padding *p) {
  const size_t rank = p->in.rank;
  bool marks[CRD_RANK_MAX];
  crd__graph_list pads, axes = { .given = false };
  CRD_TRY(crd__graph_plain_list(ctx, net, node, "pads", 10, 1, &pads));
  if (node->opset >= 18) CRD_TRY(crd__graph_node_list_input(ctx, net, node, 3, &axes));
  CRD_TRY(crd__graph_node_axes(ctx, node, &axes, rank, false, marks));
  const size_t count = axes.given ? axes.count : rank;
  if (pads.count != 2 * count)
    return crd__graph_node_fail(ctx, node, "it has %zu pads, expected 2 for each of %zu dimensions",
                                pads.count, count);
  for (size_t i = 0; i < count; i++) {
    size_t d = i;
    if (axes.given) CRD_TRY(crd__graph_node_axis(ctx, node, axes.items[i], rank, &d));
    p->begin[d] = pads.items[i];
    p->end[d] = pads.items[count + i];
  }
  return CRD_OK;
}

static crd_status check_pads(crd_context *ctx, const crd__graph_node *node, padding *p) {
  const int64_t most = (int64_t)1 << 40;
  for (size_t d = 0; d < p->in.rank; d++) {
    const int64_t length = p->in.dims[d], low = p->begin[d] < p->end[d] ? p->begin[d] : p->end[d];
    const int64_t high = p->begin[d] < p->end[d] ? p->end[d] : p->begin[d];
    const int64_t reach = p->mode == CONSTANT ? most
                          : p->mode == EDGE   ? (length ? most : 0)
                          : p->mode == WRAP   ? length
                                              : length - 1;
    if (low < (p->mode == CONSTANT ? -length : 0) || high > (high > 0 ? reach : most))
      return crd__graph_node_fail(ctx, node,
                                  "pads of %lld and %lld are not possible for a dimension of %lld",
                                  (long long)p->begin[d], (long long)p->end[d], (long long)length);
    p->out.dims[d] = length + p->begin[d] + p->end[d];
  }
  return CRD_OK;
}

static crd_status read_padding(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                               padding *p) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  *p = (padding){ .in = crd__graph_shape_of(x),
                  .out = crd__graph_shape_of(x),
                  .size = crd_dtype_size(x->dtype),
                  .given = node->opset >= 11 && crd__graph_node_input(net, node, 2) };
  if (node->opset < 11) { /* the value was a float attribute then */
    const float value = crd__graph_node_float(node, "value", 0);
    if (x->dtype == CRD_F32) memcpy(p->value, &value, sizeof value);
    else if (value != 0)
      return crd__graph_node_fail(ctx, node,
                                  "its input is %s; up to operator set 10 only f32 is "
                                  "supported",
                                  crd_dtype_name(x->dtype));
  }
  CRD_TRY(read_mode(ctx, node, &p->mode));
  CRD_TRY(read_pads(ctx, net, node, p));
  return check_pads(ctx, node, p);
}

static crd_status pad_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  padding p;
  if (node->opset >= 11) {
    const crd__engine_tensor *const value = crd__graph_node_input(net, node, 2);
    CRD_TRY(crd__graph_node_needs(ctx, net, node, 2, x->dtype));
    if (value && crd__engine_tensor_count(value) != 1)
      return crd__graph_node_fail(ctx, node, "its value must have one element");
  }
  CRD_TRY(read_padding(ctx, net, node, &p));
  return crd__graph_node_set(ctx, net, node, 0, x->dtype, p.out.rank, p.out.dims);
}

/* The part of the input that is in the output: its offset in either, in elements. */
typedef struct {
  bool there;
  int64_t in, out, dims[CRD_RANK_MAX];
} middle;

static middle middle_of(const padding *p, const int64_t *to, const int64_t *from) {
  middle m = { .there = true };
  for (size_t d = 0; d < p->in.rank; d++) {
    const int64_t cut = p->begin[d] < 0 ? -p->begin[d] : 0;
    m.dims[d] = p->in.dims[d] - cut + (p->end[d] < 0 ? p->end[d] : 0);
    if (m.dims[d] <= 0) m.there = false;
    m.in += cut * from[d];
    m.out += (p->begin[d] > 0 ? p->begin[d] : 0) * to[d];
  }
  return m;
}

/* The sources of the padding of a dimension: index of the first element's source, index of the
 * source of the first element after the input, and how to go on from there. */
typedef struct {
  int64_t first, behind, turn;
} edges;

static edges edges_of(const padding *p, size_t d) {
  const int64_t begin = p->begin[d], length = p->in.dims[d];
  if (p->mode == EDGE) return (edges){ begin, begin + length - 1, 0 };
  if (p->mode == REFLECT) return (edges){ 2 * begin, begin + length - 2, -1 };
  return (edges){ length, begin, 1 };
}

/* Pad dimension d at both ends; earlier dimensions are complete, later ones not yet padded. */
static void extend(const padding *p, unsigned threads, size_t d, char *y, const int64_t *steps) {
  int64_t dims[CRD_RANK_MAX], source[CRD_RANK_MAX];
  const int64_t size = (int64_t)p->size, begin = p->begin[d], length = p->in.dims[d];
  for (size_t i = 0; i < p->in.rank; i++) {
    dims[i] = i < d ? p->out.dims[i] : p->in.dims[i];
    source[i] = steps[i];
    if (i > d) y += p->begin[i] * steps[i] * size;
  }
  const edges e = edges_of(p, d);
  source[d] = e.turn * steps[d];
  dims[d] = begin;
  crd__kernel_copy(threads, p->size, p->in.rank, dims, y, steps, y + e.first * steps[d] * size,
                   source);
  dims[d] = p->end[d];
  crd__kernel_copy(threads, p->size, p->in.rank, dims, y + (begin + length) * steps[d] * size,
                   steps, y + e.behind * steps[d] * size, source);
}

static crd_status run(crd_context *ctx, const crd__engine_step *step) {
  const padding *const p = step->self;
  char *const y = step->memory[step->count - 1];
  int64_t to[CRD_RANK_MAX], from[CRD_RANK_MAX];
  (void)ctx;
  crd__kernel_strides_make(p->out.rank, p->out.dims, to);
  crd__kernel_strides_make(p->in.rank, p->in.dims, from);
  if (p->mode == CONSTANT)
    crd__kernel_fill(step->threads, p->size, p->out.rank, p->out.dims, y, NULL,
                     p->given ? step->memory[1] : p->value);
  const middle m = middle_of(p, to, from);
  if (m.there)
    crd__kernel_copy(step->threads, p->size, p->in.rank, m.dims, y + (size_t)m.out * p->size, to,
                     (const char *)step->memory[0] + (size_t)m.in * p->size, from);
  for (size_t d = 0; d < p->in.rank && p->mode != CONSTANT; d++) extend(p, step->threads, d, y, to);
  return CRD_OK;
}

static crd_status pad_plan(crd_context *ctx, crd__engine_plan *steps, const crd__graph_node *node) {
  padding p;
  int places[3];
  size_t count = 0;
  CRD_TRY(read_padding(ctx, crd__graph_plan_net(steps), node, &p));
  CRD_TRY(crd__engine_plan_plain(ctx, steps, node->inputs[0], &places[count++]));
  if (p.given) CRD_TRY(crd__engine_plan_plain(ctx, steps, node->inputs[2], &places[count++]));
  CRD_TRY(crd__engine_plan_output(ctx, steps, node->outputs[0], &places[count++]));
  return crd__engine_plan_step(ctx, steps, node, run, &p, sizeof p, count, places);
}

/* ---- Backward pass: the gradient of padding is added to that of its source, the last dimension
 * first; the part of the input is then cut out. The value of constant padding has no gradient. */

/* Add the gradients of the padding at both ends of dimension d to those of its sources, slice by
 * slice, since several slices may have the same source. */
static void fold(const padding *p, unsigned threads, size_t d, float *y, const int64_t *steps) {
  int64_t dims[CRD_RANK_MAX];
  for (size_t i = 0; i < p->in.rank; i++) {
    dims[i] = i < d ? p->out.dims[i] : p->in.dims[i];
    if (i > d) y += p->begin[i] * steps[i];
  }
  dims[d] = 1;
  const edges e = edges_of(p, d);
  for (int64_t i = 0; i < p->begin[d]; i++)
    crd__kernel_add_onto(threads, p->in.rank, dims, y + (e.first + i * e.turn) * steps[d], steps,
                         y + i * steps[d], steps);
  for (int64_t i = 0; i < p->end[d]; i++)
    crd__kernel_add_onto(threads, p->in.rank, dims, y + (e.behind + i * e.turn) * steps[d], steps,
                         y + (p->begin[d] + p->in.dims[d] + i) * steps[d], steps);
}

/* Memory: dy, dx, and except for constant padding a copy of dy. */
static crd_status run_back(crd_context *ctx, const crd__engine_step *step) {
  const padding *const p = step->self;
  float *const dy = step->memory[p->mode == CONSTANT ? 0 : 2], *const dx = step->memory[1];
  int64_t to[CRD_RANK_MAX], from[CRD_RANK_MAX];
  (void)ctx;
  crd__kernel_strides_make(p->out.rank, p->out.dims, to);
  crd__kernel_strides_make(p->in.rank, p->in.dims, from);
  if (p->mode == CONSTANT) memset(dx, 0, p->bytes[0]);
  else memcpy(dy, step->memory[0], p->bytes[1]);
  for (size_t d = p->in.rank; d-- > 0 && p->mode != CONSTANT;) fold(p, step->threads, d, dy, to);
  const middle m = middle_of(p, to, from);
  if (m.there)
    crd__kernel_copy(step->threads, p->size, p->in.rank, m.dims, dx + m.in, from, dy + m.out, to);
  return CRD_OK;
}

static crd_status pad_backward(crd_context *ctx, crd__graph_backward *back,
                               const crd__graph_node *node) {
  crd__engine_plan *const steps = crd__graph_backward_plan(back);
  const crd__graph *const net = crd__graph_plan_net(steps);
  const int incoming = crd__graph_backward_incoming(back, node, 0);
  padding p;
  int places[3], result;
  crd__engine_layout layout;
  if (!crd__graph_backward_wants(back, node, 0)) return CRD_OK;
  CRD_TRY(read_padding(ctx, net, node, &p));
  p.bytes[0] = crd__engine_tensor_bytes(crd__graph_node_input(net, node, 0));
  p.bytes[1] = crd__engine_tensor_bytes(crd__graph_node_output(net, node, 0));
  CRD_TRY(crd__engine_plan_plain(ctx, steps, incoming, &places[0]));
  CRD_TRY(crd__graph_backward_tensor(ctx, back, node, 0, &result));
  CRD_TRY(crd__engine_plan_output(ctx, steps, result, &places[1]));
  if (p.mode != CONSTANT) {
    CRD_TRY(crd__engine_layout_plain(ctx, net->engine.dnn, p.out.rank, p.out.dims, &layout));
    CRD_TRY(crd__engine_plan_scratch(ctx, steps, layout, &places[2]));
  }
  CRD_TRY(crd__engine_plan_step(ctx, steps, node, run_back, &p, sizeof p,
                                p.mode == CONSTANT ? 2 : 3, places));
  return crd__graph_backward_give(ctx, back, node, 0, result);
}

static const crd__graph_op_attribute attributes[] = {
  { "mode", CRD__ATTRIBUTE_STRING },
  { "pads", CRD__ATTRIBUTE_INTS },
  { "value", CRD__ATTRIBUTE_FLOAT },
  { .name = NULL },
};

const crd__graph_op crd__graph_op_pad = {
  .info = { "Pad", "any type; constant, edge, reflect, wrap; pads must not depend on data", 2,
            CRD__OPSET, 1, 1 },
  .inputs_least = 1,
  .inputs_most = 4,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = attributes,
  .infer = pad_infer,
  .plan = pad_plan,
  .flops = crd__graph_plain_flops,
  .backward = pad_backward,
};
