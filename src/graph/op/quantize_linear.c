/*
 * quantize_linear.c -- QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear:
 *
 *   q = saturate(round(x / scale) + zero),   x = (q - zero) scale
 *
 * (kernel/quantize.h). ONNX Runtime has the first two also in its own domain, for models older than
 * the operator sets that allow 16 bits.
 *
 * Quantisation is a step function: its derivative is 0 wherever there is one, and the backward pass
 * stops at it. ONNX defines no straight-through estimator, and none is assumed. Nor do integers
 * have a gradient that DequantizeLinear could pass on; a scale that depends on an input, as that of
 * DynamicQuantizeLinear, has one, which is unsupported.
 */
#include "graph/op/plain.h"
#include "graph/op/scales.h"
#include "onnx/reader.h"

enum { QUANTIZE, DEQUANTIZE }; /* crd__graph_op.kind */

static crd_status wrong_type(crd_context *ctx, const crd__graph_node *node, size_t input,
                             crd_dtype found, const char *allowed) {
  return crd__graph_node_fail(ctx, node, "its input %zu is %s; %s are supported", input,
                              crd_dtype_name(found), allowed);
}

/* Read the type of the result from an attribute; 0, its default, changes nothing. */
static crd_status read_type(crd_context *ctx, const crd__graph_node *node, const char *attribute,
                            crd_dtype *out) {
  const int64_t type = crd__graph_node_int(node, attribute, 0);
  if (!type || crd__onnx_dtype(type, out)) return CRD_OK;
  return crd__graph_node_fail(ctx, node, "its %s is ONNX type %lld, which is not supported",
                              attribute, (long long)type);
}

static crd_status check_zero(crd_context *ctx, const crd__graph *net, const crd__graph_node *node) {
  const crd__engine_tensor *const scale = crd__graph_node_input(net, node, 1);
  const crd__engine_tensor *const zero = crd__graph_node_input(net, node, 2);
  if (scale->dtype != CRD_F32) return wrong_type(ctx, node, 1, scale->dtype, "f16, bf16 and f32");
  if (!zero || crd__engine_tensor_count(zero) == crd__engine_tensor_count(scale)) return CRD_OK;
  return crd__graph_node_fail(ctx, node, "it has %zu zero points for %zu scales",
                              crd__engine_tensor_count(zero), crd__engine_tensor_count(scale));
}

static bool is_real(crd_dtype dtype) { return crd__engine_computed(dtype) == CRD_F32; }

static crd_status read_quantize(crd_context *ctx, const crd__graph *net,
                                const crd__graph_node *node, crd__kernel_quantization *q) {
  const crd__engine_tensor *const zero = crd__graph_node_input(net, node, 2);
  if (!is_real(q->from) && q->from != CRD_I32)
    return wrong_type(ctx, node, 0, q->from, "f16, bf16, f32 and i32");
  q->work = q->from == CRD_F16 && q->scale_type == CRD_F16 ? CRD_F16 : CRD_F32;
  CRD_TRY(read_type(ctx, node, "precision", &q->work));
  q->to = zero ? zero->dtype : CRD_U8;
  CRD_TRY(read_type(ctx, node, "output_dtype", &q->to));
  if (zero && q->to != zero->dtype)
    return crd__graph_node_fail(ctx, node, "its output_dtype is %s, but its zero point is %s",
                                crd_dtype_name(q->to), crd_dtype_name(zero->dtype));
  if (!crd__graph_is_quantized(q->to) || !is_real(q->work) || q->work == CRD_BF16)
    return crd__graph_node_fail(ctx, node,
                                "it quantises to %s in %s; i8, u8, i16 and u16 are "
                                "supported, in f16 and f32",
                                crd_dtype_name(q->to), crd_dtype_name(q->work));
  return CRD_OK;
}

static crd_status read_dequantize(crd_context *ctx, const crd__graph *net,
                                  const crd__graph_node *node, crd__kernel_quantization *q) {
  if (!crd__graph_is_quantized(q->from) && q->from != CRD_I32)
    return wrong_type(ctx, node, 0, q->from, "i8, u8, i16, u16 and i32");
  CRD_TRY(crd__graph_node_needs(ctx, net, node, 2, q->from));
  q->work = CRD_F32;
  q->to = q->scale_type;
  CRD_TRY(read_type(ctx, node, "output_dtype", &q->to));
  return is_real(q->to) ? CRD_OK
                        : crd__graph_node_fail(ctx, node,
                                               "its output_dtype is %s; f16, bf16 and "
                                               "f32 are supported",
                                               crd_dtype_name(q->to));
}

/* Read the node with the types of the model: a quotient of two float16 is rounded to float16. */
static crd_status read_node(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                            crd__kernel_quantization *q) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  *q = (crd__kernel_quantization){ .from = crd__engine_tensor_type(x),
                                   .scale_type = crd__engine_tensor_type(
                                       crd__graph_node_input(net, node, 1)) };
  CRD_TRY(check_zero(ctx, net, node));
  if (node->op->kind == QUANTIZE) CRD_TRY(read_quantize(ctx, net, node, q));
  else CRD_TRY(read_dequantize(ctx, net, node, q));
  q->zero_type = node->op->kind == QUANTIZE ? q->to : q->from;
  return crd__graph_scales_of(ctx, net, node, x, 1, crd__graph_node_int(node, "axis", 1),
                              crd__graph_node_int(node, "block_size", 0), &q->scales);
}

static crd_status quantize_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  crd__kernel_quantization q;
  CRD_TRY(read_node(ctx, net, node, &q));
  return crd__graph_node_set(ctx, net, node, 0, q.to, x->rank, x->dims);
}

static crd_status run(crd_context *ctx, const crd__engine_step *step) {
  crd__kernel_quantization q = *(const crd__kernel_quantization *)step->self;
  const bool quantizes = crd__graph_is_quantized(q.to);
  (void)ctx;
  q.scale = step->memory[1];
  q.zero = step->count > 3 ? step->memory[2] : NULL;
  if (quantizes)
    crd__kernel_quantize(step->threads, &q, step->memory[0], step->memory[step->count - 1]);
  else crd__kernel_dequantize(step->threads, &q, step->memory[0], step->memory[step->count - 1]);
  return CRD_OK;
}

static crd_status quantize_plan(crd_context *ctx, crd__engine_plan *p,
                                const crd__graph_node *node) {
  crd__kernel_quantization q;
  CRD_TRY(read_node(ctx, crd__graph_plan_net(p), node, &q));
  q.from = crd__engine_computed(q.from);
  q.to = crd__engine_computed(q.to);
  q.scale_type = crd__engine_computed(q.scale_type);
  return crd__graph_plain_plan(ctx, p, node, run, &q, sizeof q);
}

/* ---- Scale and zero point from the data. */

static crd_status dynamic_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  const crd__engine_tensor x = *crd__graph_node_input(net, node, 0);
  CRD_TRY(crd__graph_node_needs(ctx, net, node, 0, CRD_F32));
  CRD_TRY(crd__graph_node_set(ctx, net, node, 0, CRD_U8, x.rank, x.dims));
  CRD_TRY(crd__graph_node_set(ctx, net, node, 1, CRD_F32, 0, NULL));
  return crd__graph_node_set(ctx, net, node, 2, CRD_U8, 0, NULL);
}

static crd_status run_dynamic(crd_context *ctx, const crd__engine_step *step) {
  (void)ctx;
  crd__kernel_quantize_dynamic(step->threads, *(const size_t *)step->self, step->memory[0],
                               step->memory[1], step->memory[2], step->memory[3]);
  return CRD_OK;
}

static crd_status dynamic_plan(crd_context *ctx, crd__engine_plan *p, const crd__graph_node *node) {
  const size_t count =
      crd__engine_tensor_count(crd__graph_node_input(crd__graph_plan_net(p), node, 0));
  return crd__graph_plain_plan(ctx, p, node, run_dynamic, &count, sizeof count);
}

static const crd__graph_op_attribute attributes[] = {
  { "saturate", CRD__ATTRIBUTE_INT },  /* of QuantizeLinear: of results of f8, */
  { "precision", CRD__ATTRIBUTE_INT }, /* and the type of the quotient */
  { "axis", CRD__ATTRIBUTE_INT },         { "block_size", CRD__ATTRIBUTE_INT },
  { "output_dtype", CRD__ATTRIBUTE_INT }, { .name = NULL },
};

enum { SCALE_AND_ZERO = 2 | 4 }; /* crd__graph_op.settings: never trained */

#define QUANTIZATION(entry, id, title, subset, since, until, stops)                                \
  const crd__graph_op crd__graph_op_##entry = {                                                    \
    .info = { title, subset, since, until, 0, 0 },                                                 \
    .kind = id,                                                                                    \
    .inputs_least = 2,                                                                             \
    .inputs_most = 3,                                                                              \
    .outputs_least = 1,                                                                            \
    .outputs_most = 1,                                                                             \
    .attributes = attributes + ((id) == QUANTIZE ? 0 : 2),                                         \
    .infer = quantize_infer,                                                                       \
    .plan = quantize_plan,                                                                         \
    .settings = SCALE_AND_ZERO,                                                                    \
    .flat = stops,                                                                                 \
  }
#define QUANTIZES                                                                                  \
  "f16, f32, i32 to i8, u8, i16, u16; per tensor, axis or block; a step function: its gradient "   \
  "is 0"
#define DEQUANTIZES                                                                                \
  "i8, u8, i16, u16, i32 to f16, f32; per tensor, axis or block; integers have no gradient"

QUANTIZATION(quantize_linear, QUANTIZE, "QuantizeLinear", QUANTIZES, 10, CRD__OPSET, true);
QUANTIZATION(dequantize_linear, DEQUANTIZE, "DequantizeLinear", DEQUANTIZES, 10, CRD__OPSET, false);
QUANTIZATION(microsoft_quantize_linear, QUANTIZE, CRD__MICROSOFT "QuantizeLinear", QUANTIZES, 1, 1,
             true);
QUANTIZATION(microsoft_dequantize_linear, DEQUANTIZE, CRD__MICROSOFT "DequantizeLinear",
             DEQUANTIZES, 1, 1, false);

const crd__graph_op crd__graph_op_dynamic_quantize_linear = {
  .info = { "DynamicQuantizeLinear", "f32 to u8; without a gradient", 11, CRD__OPSET, 0, 0 },
  .inputs_least = 1,
  .inputs_most = 1,
  .outputs_least = 3,
  .outputs_most = 3,
  .infer = dynamic_infer,
  .plan = dynamic_plan,
};
