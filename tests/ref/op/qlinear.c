/*
 * qlinear.c -- operators on quantised tensors: the same on floats, of dequantised inputs,
 * quantised.
 *
 * Products (Conv, MatMul, Gemm) are sums of products of integers without their zero points. Those
 * of ConvInteger and MatMulInteger are the result; others are multiplied by a_scale b_scale /
 * y_scale, in float32.
 */
#include "ref/op/quantized.h"

#include <math.h>
#include <string.h>

enum { OPERANDS_MAX = 4 };

/* A node on floats, with its tensors. */
typedef struct {
  ref_node node;
  ref_tensor tensors[OPERANDS_MAX];
  const ref_tensor *inputs[OPERANDS_MAX];
} floats;

/* The element of a scale or zero point for element n of x, which varies along an axis. */
static double value_at(const ref_tensor *scale, const ref_tensor *x, size_t n, int64_t axis) {
  int64_t at[CRD_RANK_MAX];
  if (!scale) return 0;
  if (ref_count(scale) == 1) return scale->values[0];
  ref_index(x, n, at);
  return scale->values[at[axis < 0 ? axis + (int64_t)x->rank : axis]];
}

static void open_floats(const ref_node *of, int opset, floats *f) {
  memset(f, 0, sizeof *f);
  f->node = (ref_node){ .opset = opset, .attributes = of->attributes, .output_count = 1 };
  f->node.inputs = f->inputs;
}

/* Add (x - zero) scale; without a scale, x - zero. */
static void add(floats *f, const ref_tensor *x, const ref_tensor *scale, const ref_tensor *zero,
                int64_t axis) {
  ref_node maker = { .op = "" };
  ref_tensor *const t = ref_make(&maker, 0, CRD_F32, x->rank, x->dims, false);
  for (size_t n = 0; n < ref_count(x); n++) {
    const double whole = x->values[n] - value_at(zero, x, n, axis);
    t->values[n] = scale ? ref_round(CRD_F32, whole * value_at(scale, x, n, axis)) : whole;
  }
  f->tensors[f->node.input_count] = *t;
  f->inputs[f->node.input_count] = &f->tensors[f->node.input_count];
  f->node.input_count++;
}

static void pass(floats *f, const ref_tensor *x) { f->inputs[f->node.input_count++] = x; }

static void close_floats(floats *f) {
  for (size_t i = 0; i < f->node.input_count; i++) {
    ref_node maker = { .op = "", .outputs = { f->tensors[i] } };
    ref_clear(&maker);
  }
  ref_clear(&f->node);
}

/* Quantise the result with the scale at input y and the zero point after it. */
static void finish(ref_node *node, floats *f, crd_dtype otherwise, size_t y) {
  const ref_tensor *const v = &f->node.outputs[0], *const zero = ref_input(node, y + 1);
  const crd_dtype to = zero ? zero->dtype : otherwise;
  ref_tensor *const q = ref_make(node, 0, to, v->rank, v->dims, false);
  for (size_t n = 0; n < ref_count(q); n++) {
    const float quotient = (float)v->values[n] / (float)node->inputs[y]->values[0];
    q->values[n] = ref_saturate(to, (double)nearbyintf(quotient) + (zero ? zero->values[0] : 0));
  }
  close_floats(f);
}

/* ---- Functions of dequantised values. */

static void unary(ref_node *node, void (*compute)(ref_node *), int opset) {
  floats f;
  open_floats(node, opset, &f);
  add(&f, node->inputs[0], node->inputs[1], ref_input(node, 2), 0);
  compute(&f.node);
  finish(node, &f, node->inputs[0]->dtype, 3);
}

void ref_QLinearSigmoid(ref_node *node) { unary(node, ref_Sigmoid, 13); }
void ref_QLinearLeakyRelu(ref_node *node) { unary(node, ref_LeakyRelu, 16); }
void ref_QLinearAveragePool(ref_node *node) { unary(node, ref_AveragePool, 11); }
void ref_QLinearGlobalAveragePool(ref_node *node) { unary(node, ref_GlobalAveragePool, 1); }
void ref_QLinearSoftmax(ref_node *node) {
  unary(node, ref_Softmax, (int)ref_int(node, "opset", 13));
}

static void binary(ref_node *node, void (*compute)(ref_node *)) {
  floats f;
  open_floats(node, 14, &f);
  for (size_t i = 0; i < 6; i += 3)
    add(&f, node->inputs[i], node->inputs[i + 1], ref_input(node, i + 2), 0);
  compute(&f.node);
  finish(node, &f, node->inputs[0]->dtype, 6);
}

void ref_QLinearAdd(ref_node *node) { binary(node, ref_Add); }
void ref_QLinearMul(ref_node *node) { binary(node, ref_Mul); }

void ref_QLinearConcat(ref_node *node) {
  floats f;
  open_floats(node, 13, &f);
  for (size_t i = 2; i < node->input_count; i += 3)
    add(&f, node->inputs[i], node->inputs[i + 1], ref_input(node, i + 2), 0);
  ref_Concat(&f.node);
  finish(node, &f, node->inputs[2]->dtype, 0);
}

void ref_QLinearWhere(ref_node *node) {
  floats f;
  open_floats(node, 16, &f);
  pass(&f, node->inputs[0]);
  for (size_t i = 1; i < 7; i += 3)
    add(&f, node->inputs[i], node->inputs[i + 1], ref_input(node, i + 2), 0);
  ref_Where(&f.node);
  finish(node, &f, node->inputs[1]->dtype, 7);
}

/* ---- Products. */

/* The two factors without their zero points, and a bias. */
static void product(const ref_node *node, void (*compute)(ref_node *), const int64_t axes[2],
                    size_t step, const ref_tensor *bias, floats *f) {
  const bool whole = step == 1; /* zero points after both factors */
  for (size_t i = 0; i < 2; i++)
    add(f, node->inputs[i * step], NULL, ref_input(node, whole ? 2 + i : 3 * i + 2), axes[i]);
  if (bias) add(f, bias, NULL, NULL, 0);
  compute(&f->node);
}

static void integer(ref_node *node, void (*compute)(ref_node *), const int64_t axes[2]) {
  floats f;
  open_floats(node, 13, &f);
  product(node, compute, axes, 1, NULL, &f);
  const ref_tensor *const v = &f.node.outputs[0];
  ref_tensor *const y = ref_make(node, 0, CRD_I32, v->rank, v->dims, false);
  for (size_t n = 0; n < ref_count(y); n++) y->values[n] = v->values[n];
  close_floats(&f);
}

void ref_ConvInteger(ref_node *node) { integer(node, ref_Conv, (int64_t[]){ 1, 0 }); }
void ref_MatMulInteger(ref_node *node) { integer(node, ref_MatMul, (int64_t[]){ -2, -1 }); }

/* Scale the sums; the scale of the second factor varies along an axis of the result. Without a
 * scale at input y, the result is float32. */
static void rescale(ref_node *node, floats *f, int64_t axis, size_t y, float alpha) {
  const ref_tensor *const v = &f->node.outputs[0], *const scale = ref_input(node, y);
  const ref_tensor *const zero = ref_input(node, y + 1);
  const crd_dtype to = !scale ? CRD_F32 : zero ? zero->dtype : node->inputs[0]->dtype;
  ref_tensor *const q = ref_make(node, 0, to, v->rank, v->dims, false);
  for (size_t n = 0; n < ref_count(q); n++) {
    const float b = (float)value_at(node->inputs[4], q, n, axis);
    const float factor = alpha * ((float)node->inputs[1]->values[0] * b);
    const float whole = scale ? (float)v->values[n] * (factor / (float)scale->values[0])
                              : (float)v->values[n] * factor;
    q->values[n] = (double)whole;
    if (!scale) continue;
    q->values[n] = ref_saturate(to, (double)nearbyintf(whole) + (zero ? zero->values[0] : 0));
  }
  close_floats(f);
}

void ref_QLinearConv(ref_node *node) {
  floats f;
  open_floats(node, 11, &f);
  product(node, ref_Conv, (int64_t[]){ 1, 0 }, 3, ref_input(node, 8), &f);
  rescale(node, &f, 1, 6, 1);
}

void ref_QLinearMatMul(ref_node *node) {
  floats f;
  open_floats(node, 13, &f);
  product(node, ref_MatMul, (int64_t[]){ -2, -1 }, 3, NULL, &f);
  rescale(node, &f, -1, 6, 1);
}

/* The attribute alpha is that of Gemm, but scales the bias as well. */
void ref_QGemm(ref_node *node) {
  const bool across[] = { ref_int(node, "transA", 0) != 0, ref_int(node, "transB", 0) != 0 };
  const ref_attribute attributes[] = {
    { "transA", REF_INT, 1, { across[0] }, NULL, NULL },
    { "transB", REF_INT, 1, { across[1] }, NULL, NULL },
    { .name = NULL },
  };
  floats f;
  open_floats(node, 13, &f);
  f.node.attributes = attributes;
  product(node, ref_Gemm, (int64_t[]){ across[0], !across[1] }, 3, ref_input(node, 6), &f);
  rescale(node, &f, -1, 7, (float)ref_number(node, "alpha", 1));
}
