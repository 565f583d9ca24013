/* quantized.c -- operators on quantised tensors by those on floats, see quantized.h. */
#include "graph/op/quantized.h"

#include "graph/op/scales.h"

#include <string.h>

const crd__graph_quantized_rule *crd__graph_quantized_rule_of(const crd__graph_node *node) {
  return &crd__graph_quantized_rules[node->op->kind];
}

/* ---- Which input is what. */

static size_t operand_count(const crd__graph_node *node) {
  const crd__graph_quantized_rule *const r = crd__graph_quantized_rule_of(node);
  const bool biased = r->bias != CRD__NONE && (size_t)r->bias < node->input_count &&
                      node->inputs[r->bias] != CRD__NONE;
  const size_t quantized =
      r->count ? (size_t)r->count : (node->input_count - (size_t)r->first + 2) / 3;
  return quantized + biased + (r->condition != CRD__NONE);
}

crd__graph_quantized_operand crd__graph_quantized_operand_at(const crd__graph_node *node,
                                                             size_t index) {
  const crd__graph_quantized_rule *const r = crd__graph_quantized_rule_of(node);
  const int i = (int)index - (r->condition != CRD__NONE);
  crd__graph_quantized_operand o = { .axis = i == 0 ? r->axes[0] : r->axes[1] };
  if (i < 0) return (crd__graph_quantized_operand){ .x = r->condition, .passed = true };
  if (r->count && i >= r->count)
    return (crd__graph_quantized_operand){
      .x = r->bias, .scale = CRD__NONE, .zero = CRD__NONE, .bias = true
    };
  if (r->form == CRD__FORM_INTEGER)
    o = (crd__graph_quantized_operand){ i, CRD__NONE, r->count + i, o.axis, 0, 0 };
  else
    o = (crd__graph_quantized_operand){
      r->first + 3 * i, r->first + 3 * i + 1, r->first + 3 * i + 2, o.axis, 0, 0
    };
  if (r->inside == &crd__graph_op_gemm && crd__graph_node_int(node, i ? "transB" : "transA", 0))
    o.axis = i ? 0 : 1;
  return o;
}

const crd__engine_tensor *crd__graph_quantized_input(const crd__graph *net,
                                                     const crd__graph_node *node, int index) {
  return index == CRD__NONE ? NULL : crd__graph_node_input(net, node, (size_t)index);
}

crd_status crd__graph_quantized_read(crd_context *ctx, const crd__graph *net,
                                     const crd__graph_node *node,
                                     const crd__graph_quantized_operand *o, crd_dtype to,
                                     crd__kernel_part part, crd__kernel_quantization *q) {
  const bool scaled = crd__graph_quantized_rule_of(node)->form == CRD__FORM_SCALED;
  const crd__engine_tensor *const x = crd__graph_quantized_input(net, node, o->x);
  const crd__engine_tensor *const scale =
      crd__graph_quantized_input(net, node, scaled ? o->scale : CRD__NONE);
  const crd__engine_tensor *const zero = crd__graph_quantized_input(net, node, o->zero);
  if (!x || (o->bias ? x->dtype != CRD_I32 : !crd__graph_is_quantized(x->dtype)))
    return crd__graph_node_fail(ctx, node, "its input %d is %s; %s supported", o->x,
                                x ? crd_dtype_name(x->dtype) : "left out",
                                o->bias ? "only i32 is" : "i8, u8, i16 and u16 are");
  if (scaled && (!scale || scale->dtype != CRD_F32))
    return crd__graph_node_fail(ctx, node, "its input %d must be a scale of f32", o->scale);
  if (zero) CRD_TRY(crd__graph_node_needs(ctx, net, node, (size_t)o->zero, x->dtype));
  if (scale && zero && crd__engine_tensor_count(scale) != crd__engine_tensor_count(zero))
    return crd__graph_node_fail(ctx, node, "its input %d has %zu zero points for %zu scales",
                                o->zero, crd__engine_tensor_count(zero),
                                crd__engine_tensor_count(scale));
  *q = (crd__kernel_quantization){ .from = x->dtype,
                                   .to = to,
                                   .scale_type = CRD_F32,
                                   .zero_type = x->dtype,
                                   .work = to,
                                   .part = part };
  const int by = scale ? o->scale : o->zero;
  return crd__graph_scales_of(ctx, net, node, x, by == CRD__NONE ? node->input_count : (size_t)by,
                              o->axis, 0, &q->scales);
}

/* ---- Inference. */

static bool is_constant(const crd__graph *net, const crd__graph_node *node, int index) {
  return !crd__graph_quantized_input(net, node, index) ||
         crd__graph_quantized_input(net, node, index)->constant;
}

/* Dequantise a constant now. */
static crd_status fold_operand(crd_context *ctx, crd__graph *net, const crd__graph_node *node,
                               const crd__graph_quantized_operand *o, int *out) {
  const crd__engine_tensor x = *crd__graph_quantized_input(net, node, o->x);
  crd__kernel_quantization q;
  float *values;
  CRD_TRY(crd__graph_quantized_read(ctx, net, node, o, CRD_F32, CRD__PART_ALL, &q));
  const bool scaled =
      crd__graph_quantized_rule_of(node)->form == CRD__FORM_SCALED && o->scale != CRD__NONE;
  if (scaled) q.scale = crd__graph_quantized_input(net, node, o->scale)->constant;
  q.zero = crd__graph_quantized_input(net, node, o->zero)
               ? crd__graph_quantized_input(net, node, o->zero)->constant
               : NULL;
  CRD_TRY(crd__graph_floats(ctx, net, x.name, x.rank, x.dims, out, &values));
  crd__kernel_dequantize(net->engine.threads, &q, x.constant, values);
  return CRD_OK;
}

/* Add the tensor that the node inside reads: a constant, or one that a step will compute. */
static crd_status add_operand(crd_context *ctx, crd__graph *net, const crd__graph_node *node,
                              size_t index, crd_dtype to, int *out) {
  const crd__graph_quantized_operand o = crd__graph_quantized_operand_at(node, index);
  crd__kernel_quantization q;
  if (o.passed) {
    *out = node->inputs[o.x];
    return CRD_OK;
  }
  CRD_TRY(crd__graph_quantized_read(ctx, net, node, &o, to, CRD__PART_ALL, &q));
  const bool divided =
      crd__graph_quantized_rule_of(node)->form == CRD__FORM_INTEGER && index == 0; /* perhaps */
  if (to == CRD_F32 && !divided && is_constant(net, node, o.x) && is_constant(net, node, o.scale) &&
      is_constant(net, node, o.zero))
    return fold_operand(ctx, net, node, &o, out);
  const crd__engine_tensor x = *crd__graph_quantized_input(net, node, o.x);
  const crd__graph_node maker = {
    .op = node->op, .name = node->name, .output_count = 1, .outputs = out
  };
  CRD_TRY(crd__engine_add_tensor(ctx, &net->engine, x.name, out));
  return crd__graph_node_set(ctx, net, &maker, 0, to, x.rank, x.dims);
}

static bool is_dropped(const crd__graph_quantized_rule *r, const char *name) {
  for (size_t i = 0; i < sizeof r->dropped / sizeof *r->dropped && r->dropped[i]; i++)
    if (strcmp(r->dropped[i], name) == 0) return true;
  return false;
}

/* Add a node inside, with as many inputs as there are operands; they are not set yet. */
static crd_status make_inside(crd_context *ctx, crd__graph *net, const crd__graph_node *node,
                              crd__graph_node *inside) {
  const crd__graph_quantized_rule *const r = crd__graph_quantized_rule_of(node);
  crd__onnx_attribute *attributes;
  *inside = (crd__graph_node){ .op = r->inside,
                               .named = node->op,
                               .name = node->name,
                               .opset = (int)crd__graph_node_int(node, "opset", r->opset),
                               .input_count = operand_count(node),
                               .output_count = 1,
                               .addend = CRD__NONE,
                               .exact = r->form != CRD__FORM_SCALED };
  CRD_TRY(crd__engine_memory(ctx, &net->engine, inside->input_count, sizeof *inside->inputs,
                             &inside->inputs));
  CRD_TRY(crd__engine_memory(ctx, &net->engine, 1, sizeof *inside->outputs, &inside->outputs));
  CRD_TRY(crd__engine_memory(ctx, &net->engine, node->attribute_count + 1, sizeof *attributes,
                             &attributes));
  for (size_t i = 0; i < node->attribute_count; i++)
    if (!is_dropped(r, node->attributes[i].name))
      attributes[inside->attribute_count++] = node->attributes[i];
  inside->attributes = attributes;
  return crd__engine_add_tensor(ctx, &net->engine, node->name, &inside->outputs[0]);
}

/* The largest element of the second factor without its zero point, if it is a constant. */
static float largest(const crd__engine_tensor *b) {
  float most = 255;
  if (!b->constant) return most;
  most = 0;
  for (size_t i = 0; i < crd__engine_tensor_count(b); i++) {
    float value;
    memcpy(&value, (const char *)b->constant + i * sizeof value, sizeof value);
    most = value > most ? value : -value > most ? -value : most;
  }
  return most;
}

/* Choose how many parts the first factor is divided into, so that all sums are exact in float32,
 * which has all integers up to 2^24; 0: in none. */
static size_t choose_parts(const crd__graph *net, const crd__graph_node *node, int factor) {
  const crd__engine_tensor *const a = crd__graph_node_input(net, node, 0);
  const crd__engine_tensor *const w = crd__graph_node_input(net, node, 1);
  const bool conv = crd__graph_quantized_rule_of(node)->inside == &crd__graph_op_conv;
  const size_t terms = conv ? crd__engine_tensor_count(w) / (size_t)(w->dims[0] ? w->dims[0] : 1)
                       : a->rank ? (size_t)a->dims[a->rank - 1]
                                 : 0;
  const double most = (double)largest(&net->engine.tensors[factor]) * (double)terms;
  return most * 255 <= 0x1p24 ? 1 : most * CRD__PART_BASE <= 0x1p24 ? 2 : 0;
}

static crd_status check_integers(crd_context *ctx, const crd__graph *net,
                                 const crd__graph_node *node) {
  for (size_t i = 0; i < 2; i++) {
    const crd_dtype dtype = crd__graph_node_input(net, node, i)->dtype;
    if (dtype != CRD_I8 && dtype != CRD_U8)
      return crd__graph_node_fail(ctx, node, "its input %zu is %s; i8 and u8 are supported", i,
                                  crd_dtype_name(dtype));
  }
  return CRD_OK;
}

/* Add the nodes inside: one, or one for each part of the first factor. */
static crd_status make_all(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  const bool integer = crd__graph_quantized_rule_of(node)->form == CRD__FORM_INTEGER;
  crd__graph_node *inside;
  size_t parts = 1;
  if (integer) CRD_TRY(check_integers(ctx, net, node));
  CRD_TRY(crd__engine_memory(ctx, &net->engine, 2, sizeof *inside, &inside));
  CRD_TRY(make_inside(ctx, net, node, &inside[0]));
  for (size_t i = 0; i < inside->input_count; i++)
    CRD_TRY(add_operand(ctx, net, node, i, CRD_F32, &inside->inputs[i]));
  if (integer) parts = choose_parts(net, node, inside->inputs[1]);
  for (size_t i = 0; i < inside->input_count && !parts; i++)
    CRD_TRY(add_operand(ctx, net, node, i, CRD_F64, &inside->inputs[i]));
  if (parts > 1) {
    CRD_TRY(make_inside(ctx, net, node, &inside[1]));
    CRD_TRY(add_operand(ctx, net, node, 0, CRD_F32, &inside[1].inputs[0]));
    inside[1].inputs[1] = inside[0].inputs[1];
  }
  node->inside = inside;
  node->inside_count = parts > 1 ? 2 : 1;
  for (size_t p = 0; p < node->inside_count; p++)
    CRD_TRY(inside[p].op->infer(ctx, net, &inside[p]));
  return CRD_OK;
}

static crd_status check_scale(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                              int index, size_t most) {
  const crd__engine_tensor *const scale = crd__graph_quantized_input(net, node, index);
  if (scale && scale->dtype == CRD_F32 &&
      (crd__engine_tensor_count(scale) == 1 || crd__engine_tensor_count(scale) == most))
    return CRD_OK;
  return crd__graph_node_fail(ctx, node,
                              "its input %d must be a scale of f32, of 1 element or %zu; it is %s, "
                              "of %zu",
                              index, most, scale ? crd_dtype_name(scale->dtype) : "left out",
                              scale ? crd__engine_tensor_count(scale) : 0);
}

size_t crd__graph_quantized_channel(const crd__graph_quantized_rule *r, size_t rank) {
  return r->out < 0 ? rank - 1 : (size_t)r->out;
}

static crd_status check_result(crd_context *ctx, const crd__graph *net,
                               const crd__graph_node *node) {
  const crd__graph_quantized_rule *const r = crd__graph_quantized_rule_of(node);
  const crd__engine_tensor *const y = &net->engine.tensors[node->inside->outputs[0]];
  const crd__engine_tensor *const zero =
      crd__graph_quantized_input(net, node, r->y == CRD__NONE ? r->y : r->y + 1);
  if (r->form == CRD__FORM_INTEGER) return CRD_OK;
  if (crd__graph_quantized_input(net, node, r->y)) CRD_TRY(check_scale(ctx, net, node, r->y, 1));
  else if (r->inside != &crd__graph_op_gemm)
    return crd__graph_node_fail(ctx, node, "the scale of its result is left out");
  if (zero && (!crd__graph_is_quantized(zero->dtype) || crd__engine_tensor_count(zero) != 1))
    return crd__graph_node_fail(ctx, node,
                                "the zero point of its result is %s, of %zu elements; one of i8, "
                                "u8, i16 or u16 is supported",
                                crd_dtype_name(zero->dtype), crd__engine_tensor_count(zero));
  if (r->form != CRD__FORM_PRODUCT) return CRD_OK;
  CRD_TRY(check_scale(ctx, net, node, r->first + 1, 1));
  return check_scale(ctx, net, node, r->first + 4,
                     y->rank ? (size_t)y->dims[crd__graph_quantized_channel(r, y->rank)] : 1);
}

/* The type of the zero point; without one, that of the first quantised input. */
static crd_dtype result_type(const crd__graph *net, const crd__graph_node *node) {
  const crd__graph_quantized_rule *const r = crd__graph_quantized_rule_of(node);
  if (r->form == CRD__FORM_INTEGER) return CRD_I32;
  if (!crd__graph_quantized_input(net, node, r->y)) return CRD_F32;
  const crd__engine_tensor *const zero = crd__graph_quantized_input(net, node, r->y + 1);
  return zero ? zero->dtype : crd__graph_quantized_input(net, node, r->first)->dtype;
}

crd_status crd__graph_quantized_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  if (crd__graph_node_int(node, "channels_last", 0))
    return crd__graph_node_fail(ctx, node,
                                "its attribute channels_last is set, which is not "
                                "supported");
  CRD_TRY(make_all(ctx, net, node));
  CRD_TRY(check_result(ctx, net, node));
  const crd__engine_tensor y = net->engine.tensors[node->inside->outputs[0]];
  return crd__graph_node_set(ctx, net, node, 0, result_type(net, node), y.rank, y.dims);
}

uint64_t crd__graph_quantized_flops(const crd__graph *net, const crd__graph_node *node) {
  const crd__graph_node *const inside = node->inside;
  return inside->op->flops ? inside->op->flops(net, inside)
                           : crd__engine_tensor_count(crd__graph_node_output(net, node, 0));
}
