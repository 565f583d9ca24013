/*
 * cast.c -- Cast and CastLike: type conversion. Floating-point values are truncated to integers and
 * saturate; NaN becomes 0.
 *
 * CastLike takes the type of its second input, and nothing else of it: once the type is known, the
 * input is dropped, so that a constant is folded although the other input is not one.
 *
 * float16 and bfloat16 are computed in float32. Of a cast to float16 only the overflow remains:
 * values that round to infinity (models make masks so) are infinite, all others keep their digits.
 * Casts between types that are computed in the same one are the identity.
 */
#include "base/parallel.h"
#include "engine/kernel/element.h"
#include "graph/op/plain.h"
#include "onnx/reader.h"

#include <math.h>

typedef struct {
  crd_dtype from, to;
  size_t count;
  bool overflows;
} casting;

static bool is_half(const crd__engine_tensor *tensor) {
  return crd__engine_tensor_type(tensor) == CRD_F16;
}

/* Set the type of the output; drop the cast if that is computed as the input is. */
static crd_status set_type(crd_context *ctx, crd__graph *net, crd__graph_node *node,
                           crd_dtype dtype) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  CRD_TRY(crd__graph_node_set(ctx, net, node, 0, dtype, x->rank, x->dims));
  if (x->dtype == crd__engine_computed(dtype) && (is_half(x) || dtype != CRD_F16))
    node->op = &crd__graph_op_identity;
  return CRD_OK;
}

static crd_status cast_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  const int64_t to = crd__graph_node_int(node, "to", 0);
  crd_dtype dtype;
  if (!crd__onnx_dtype(to, &dtype))
    return crd__graph_node_fail(ctx, node, "it casts to ONNX type %lld, which is not supported",
                                (long long)to);
  return set_type(ctx, net, node, dtype);
}

static crd_status cast_like_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  const crd__engine_tensor *const like = crd__graph_node_input(net, node, 1);
  if (!like) return crd__graph_node_fail(ctx, node, "its second input is left out");
  node->input_count = 1;
  return set_type(ctx, net, node, crd__engine_tensor_type(like));
}

/* The first number that rounds to 2^16, which float16 does not have. */
#define HALF_OVERFLOW 65520.0F

static void overflow_span(void *arg, size_t from, size_t to) {
  float *const y = arg;
  for (size_t i = from; i < to; i++)
    y[i] = fabsf(y[i]) >= HALF_OVERFLOW ? copysignf(INFINITY, y[i]) : y[i];
}

static crd_status run(crd_context *ctx, const crd__engine_step *step) {
  const casting *const c = step->self;
  (void)ctx;
  crd__kernel_cast(step->threads, c->from, c->to, c->count, step->memory[0], step->memory[1]);
  if (c->overflows)
    crd__parallel_spans(step->threads, c->count, 1 << 14, overflow_span, step->memory[1]);
  return CRD_OK;
}

static crd_status cast_plan(crd_context *ctx, crd__engine_plan *p, const crd__graph_node *node) {
  const crd__graph *const net = crd__graph_plan_net(p);
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  const crd__engine_tensor *const y = crd__graph_node_output(net, node, 0);
  const casting c = { x->dtype, y->dtype, crd__engine_tensor_count(x), is_half(y) };
  return crd__graph_plain_plan(ctx, p, node, run, &c, sizeof c);
}

/* Only casts from f32 to f16 have a gradient, which is the identity. */
static crd_status cast_backward(crd_context *ctx, crd__graph_backward *back,
                                const crd__graph_node *node) {
  return crd__graph_backward_give(ctx, back, node, 0, crd__graph_backward_incoming(back, node, 0));
}

static const crd__graph_op_attribute attributes[] = {
  { "to", CRD__ATTRIBUTE_INT },
  { "saturate", CRD__ATTRIBUTE_INT },      /* of casts to f8, */
  { "round_mode", CRD__ATTRIBUTE_STRING }, /* and to f8e8m0 */
  { .name = NULL },
};

const crd__graph_op crd__graph_op_cast = {
  .info = { "Cast", "between f16, bf16, f32, f64, integers of 8 to 64 bits and bool", 6, CRD__OPSET,
            1, 1 },
  .inputs_least = 1,
  .inputs_most = 1,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = attributes,
  .typed = true,
  .infer = cast_infer,
  .plan = cast_plan,
  .backward = cast_backward,
};

const crd__graph_op crd__graph_op_cast_like = {
  .info = { "CastLike", "between f16, bf16, f32, f64, integers of 8 to 64 bits and bool", 15,
            CRD__OPSET, 1, 1 },
  .inputs_least = 2,
  .inputs_most = 2,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = attributes + 1,
  .typed = true,
  .infer = cast_like_infer,
  .plan = cast_plan,
  .backward = cast_backward,
};
