/*
 * quantized.h -- operators on quantised tensors, computed by the operator of the same name on
 * floats: the inputs are dequantised, a node inside the node (crd__graph_node.inside) computes, and
 * its result is quantised. A rule (qlinear.c) says which input is what.
 */
#ifndef CRD_GRAPH_OP_QUANTIZED_H
#define CRD_GRAPH_OP_QUANTIZED_H

#include "engine/kernel/composite/quantize.h"
#include "graph/op.h"

/* How the node inside is used.
 *
 * SCALED    on dequantised values: the result is quantised with the scale of y.
 * PRODUCT   a product of two factors, on integers without their zero points, kept in float32: the
 *           result, sums of integers, is multiplied by the factors' scales and quantised at once.
 * INTEGER   the same, and the result is the sums, as int32. They are exact: where float32 might
 *           round them, the first factor is divided into two parts, or all is computed in float64.
 */
typedef enum { CRD__FORM_SCALED, CRD__FORM_PRODUCT, CRD__FORM_INTEGER } crd__graph_quantized_form;

typedef struct {
  const crd__graph_op *inside;
  crd__graph_quantized_form form;
  int opset;     /* of the node inside */
  int first;     /* the input with which the quantised ones begin; with scale and zero point each */
  int count;     /* how many of them there are; 0: up to the last input */
  int axes[2];   /* along which the scales and zero points of a product's factors may vary */
  int out;       /* and the axis of the result, along which those of the second vary */
  int y;         /* the input with the scale of y, before its zero point; NONE */
  int bias;      /* an input of int32, with the scale of the product; NONE */
  int condition; /* an input that is passed on, as the first; NONE */
  const char *dropped[3]; /* attributes that the node inside does not have */
} crd__graph_quantized_rule;

/* In the order of crd__graph_op.kind. */
extern const crd__graph_quantized_rule crd__graph_quantized_rules[];

crd_status crd__graph_quantized_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node);
crd_status crd__graph_quantized_plan(crd_context *ctx, crd__engine_plan *plan,
                                     const crd__graph_node *node);
uint64_t crd__graph_quantized_flops(const crd__graph *net, const crd__graph_node *node);

/* ---- For both. */

/* An input of the node inside: its value, scale and zero point, as inputs of the node. */
typedef struct {
  int x, scale, zero, axis;
  bool passed, bias; /* passed: without a change */
} crd__graph_quantized_operand;

const crd__graph_quantized_rule *crd__graph_quantized_rule_of(const crd__graph_node *node);
crd__graph_quantized_operand crd__graph_quantized_operand_at(const crd__graph_node *node,
                                                             size_t index);
/* Return an input of the node; NULL if it is left out, or NONE. */
const crd__engine_tensor *crd__graph_quantized_input(const crd__graph *net,
                                                     const crd__graph_node *node, int index);
/* Describe how an operand becomes a tensor of `to`. Products take the scales later. Fails if types
 * or shapes are unsupported. */
crd_status crd__graph_quantized_read(crd_context *ctx, const crd__graph *net,
                                     const crd__graph_node *node,
                                     const crd__graph_quantized_operand *o, crd_dtype to,
                                     crd__kernel_part part, crd__kernel_quantization *q);
/* Return the axis of a product's result along which the scales of the second factor vary. */
size_t crd__graph_quantized_channel(const crd__graph_quantized_rule *rule, size_t rank);

#endif
