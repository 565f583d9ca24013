/*
 * qlinear.c -- operators on quantised tensors (quantized.h): those of ONNX, and those that ONNX
 * Runtime's quantisation writes into its own domain, com.microsoft, in the format QOperator. Their
 * results are rounded, and of integers: they have no gradient.
 */
#include "graph/op/quantized.h"
#include "graph/op/scales.h"
#include "graph/op/window.h"

#define NONE CRD__NONE
#define ONE_SCALE .axes = { 1, 1 }, .bias = NONE, .condition = NONE

/* Indices of the rules; values of crd__graph_op.kind. */
enum {
  CONV,
  MATMUL,
  CONV_INTEGER,
  MATMUL_INTEGER,
  GEMM,
  ADD,
  MUL,
  SIGMOID,
  LEAKY_RELU,
  SOFTMAX,
  AVERAGE_POOL,
  GLOBAL_AVERAGE_POOL,
  CONCAT,
  WHERE
};

#define UNARY(name, version, gone)                                                                 \
  {                                                                                                \
    .inside = &crd__graph_op_##name, .form = CRD__FORM_SCALED, .opset = version, .count = 1,       \
    .y = 3, ONE_SCALE, .dropped = {                                                                \
      gone                                                                                         \
    }                                                                                              \
  }
#define BINARY(name)                                                                               \
  {                                                                                                \
    .inside = &crd__graph_op_##name, .form = CRD__FORM_SCALED, .opset = 14, .count = 2, .y = 6,    \
    ONE_SCALE                                                                                      \
  }

const crd__graph_quantized_rule crd__graph_quantized_rules[] = {
  [CONV] = { .inside = &crd__graph_op_conv,
             .form = CRD__FORM_PRODUCT,
             .opset = 11,
             .count = 2,
             .axes = { 1, 0 },
             .out = 1,
             .y = 6,
             .bias = 8,
             .condition = NONE },
  [MATMUL] = { .inside = &crd__graph_op_matmul,
               .form = CRD__FORM_PRODUCT,
               .opset = 13,
               .count = 2,
               .axes = { -2, -1 },
               .out = -1,
               .y = 6,
               .bias = NONE,
               .condition = NONE },
  [CONV_INTEGER] = { .inside = &crd__graph_op_conv,
                     .form = CRD__FORM_INTEGER,
                     .opset = 11,
                     .count = 2,
                     .axes = { 1, 0 },
                     .y = NONE,
                     .bias = NONE,
                     .condition = NONE },
  [MATMUL_INTEGER] = { .inside = &crd__graph_op_matmul,
                       .form = CRD__FORM_INTEGER,
                       .opset = 13,
                       .count = 2,
                       .axes = { -2, -1 },
                       .y = NONE,
                       .bias = NONE,
                       .condition = NONE },
  [GEMM] = { .inside = &crd__graph_op_gemm,
             .form = CRD__FORM_PRODUCT,
             .opset = 13,
             .count = 2,
             .axes = { 0, 1 },
             .out = -1,
             .y = 7,
             .bias = 6,
             .condition = NONE,
             .dropped = { "alpha" } },
  [ADD] = BINARY(add),
  [MUL] = BINARY(mul),
  [SIGMOID] = UNARY(sigmoid, 13, NULL),
  [LEAKY_RELU] = UNARY(leaky_relu, 16, NULL),
  [SOFTMAX] = UNARY(softmax, 13, "opset"),
  [AVERAGE_POOL] = UNARY(average_pool, 11, "channels_last"),
  [GLOBAL_AVERAGE_POOL] = UNARY(global_average_pool, 1, "channels_last"),
  [CONCAT] = { .inside = &crd__graph_op_concat,
               .form = CRD__FORM_SCALED,
               .opset = 13,
               .first = 2,
               .y = 0,
               ONE_SCALE },
  [WHERE] = { .inside = &crd__graph_op_where,
              .form = CRD__FORM_SCALED,
              .opset = 16,
              .first = 1,
              .count = 2,
              .axes = { 1, 1 },
              .y = 7,
              .bias = NONE,
              .condition = 0 },
};

/* ---- Entries. */

static const crd__graph_op_attribute of_conv[] = {
  CRD__WINDOW_ATTRIBUTES,
  { "group", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};
static const crd__graph_op_attribute of_gemm[] = {
  { "alpha", CRD__ATTRIBUTE_FLOAT },
  { "transA", CRD__ATTRIBUTE_INT },
  { "transB", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};
static const crd__graph_op_attribute of_leaky_relu[] = {
  { "alpha", CRD__ATTRIBUTE_FLOAT },
  { .name = NULL },
};
static const crd__graph_op_attribute of_softmax[] = {
  { "axis", CRD__ATTRIBUTE_INT },
  { "opset", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};
static const crd__graph_op_attribute of_average_pool[] = {
  CRD__WINDOW_ATTRIBUTES,
  { "ceil_mode", CRD__ATTRIBUTE_INT },
  { "channels_last", CRD__ATTRIBUTE_INT },
  { "count_include_pad", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};
static const crd__graph_op_attribute of_global_average_pool[] = {
  { "channels_last", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};
static const crd__graph_op_attribute of_concat[] = {
  { "axis", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};

/* Scales are never trained: bit i of `scales` for input i. */
#define QLINEAR(entry, id, title, subset, since, until, least, most, names, scales)                \
  const crd__graph_op crd__graph_op_##entry = {                                                    \
    .info = { title, subset, since, until, 0, 0 },                                                 \
    .kind = id,                                                                                    \
    .inputs_least = least,                                                                         \
    .inputs_most = most,                                                                           \
    .outputs_least = 1,                                                                            \
    .outputs_most = 1,                                                                             \
    .attributes = names,                                                                           \
    .infer = crd__graph_quantized_infer,                                                           \
    .plan = crd__graph_quantized_plan,                                                             \
    .flops = crd__graph_quantized_flops,                                                           \
    .settings = scales,                                                                            \
    .flat = true,                                                                                  \
  }
#define STANDARD(entry, id, title, subset, since, least, most, names, scales)                      \
  QLINEAR(entry, id, title, subset, since, CRD__OPSET, least, most, names, scales)
#define MICROSOFT(entry, id, title, subset, least, most, names, scales)                            \
  QLINEAR(entry, id, CRD__MICROSOFT title, subset, 1, 1, least, most, names, scales)

enum { OF_ONE = 1 << 1 | 1 << 3, OF_TWO = 1 << 1 | 1 << 4 | 1 << 6 };
#define ROUNDED "; a step function: its gradient is 0"

STANDARD(qlinear_conv, CONV, "QLinearConv",
         "any spatial dimensions, groups; weights per channel" ROUNDED, 10, 8, 9, of_conv, OF_TWO);
STANDARD(qlinear_matmul, MATMUL, "QLinearMatMul", "the second factor per column" ROUNDED, 10, 8, 8,
         NULL, OF_TWO);
STANDARD(conv_integer, CONV_INTEGER, "ConvInteger", "i8, u8; exact sums", 10, 2, 4, of_conv, 0);
STANDARD(matmul_integer, MATMUL_INTEGER, "MatMulInteger", "i8, u8; exact sums", 10, 2, 4, NULL, 0);
MICROSOFT(qgemm, GEMM, "QGemm", "to integers, or to f32 without a scale of the result" ROUNDED, 2,
          9, of_gemm, 1 << 1 | 1 << 4 | 1 << 7);
MICROSOFT(qlinear_add, ADD, "QLinearAdd", "with broadcasting" ROUNDED, 2, 8, NULL, OF_TWO);
MICROSOFT(qlinear_mul, MUL, "QLinearMul", "with broadcasting" ROUNDED, 2, 8, NULL, OF_TWO);
MICROSOFT(qlinear_sigmoid, SIGMOID, "QLinearSigmoid", "i8, u8, i16, u16" ROUNDED, 2, 5, NULL,
          OF_ONE);
MICROSOFT(qlinear_leaky_relu, LEAKY_RELU, "QLinearLeakyRelu", "i8, u8, i16, u16" ROUNDED, 2, 5,
          of_leaky_relu, OF_ONE);
MICROSOFT(qlinear_softmax, SOFTMAX, "QLinearSoftmax", "i8, u8, i16, u16" ROUNDED, 2, 5, of_softmax,
          OF_ONE);
MICROSOFT(qlinear_average_pool, AVERAGE_POOL, "QLinearAveragePool", "channels first" ROUNDED, 2, 5,
          of_average_pool, OF_ONE);
MICROSOFT(qlinear_global_average_pool, GLOBAL_AVERAGE_POOL, "QLinearGlobalAveragePool",
          "channels first" ROUNDED, 2, 5, of_global_average_pool, OF_ONE);
MICROSOFT(qlinear_concat, CONCAT, "QLinearConcat", "i8, u8, i16, u16" ROUNDED, 3, 0, of_concat, 1);
MICROSOFT(qlinear_where, WHERE, "QLinearWhere", "with broadcasting" ROUNDED, 3, 9, NULL,
          1 << 2 | 1 << 5 | 1 << 7);
