/*
 * defaults_test.c -- an omitted attribute or input means the default of ONNX's operator
 * documentation.
 *
 * Each case is a node without the attribute (or optional input), the same node with the documented
 * default, and the same node with another value. The first two must agree to the bit, in inference
 * and in training; the third must differ, or the case proves nothing. Every attribute in the table
 * of operators needs a case, or a reason why it has none.
 */
#include "modelkit/modelkit.h"
#include "support.h"

#include "graph/op.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *attribute; /* or the name of an input */
  net_words node;        /* without the attribute */
  /* Added to the attributes; for an input, the node's inputs. */
  const char *standard, *other;
  bool input, same; /* same: accepted, without effect */
} row;

#define BATCH "f32 3x4x5; f32 4; f32 4; f32 4; f32 4 positive"
#define POOL "f32 1x3x8x8", "kernel_shape=[3,3]"
#define CONV "f32 1x2x8x8; f32 4x2x3x3"

/* A row whose attribute has a number. */
#define VALUE(op, opset, inputs, attribute, standard, other)                                       \
  { attribute, { op, opset, inputs, "", 1 }, attribute "=" standard, attribute "=" other, 0, 0 }
/* The rows of a reduction, whose axes became an input with operator set 18. */
#define REDUCED "f32 3x4 positive"
#define AXES REDUCED "; $i64 2 = 0 1", REDUCED "; $i64 1 = 1"
#define REDUCTION(op)                                                                              \
  VALUE(op, 11, REDUCED, "axes", "[0,1]", "[1]"), VALUE(op, 11, REDUCED, "keepdims", "1", "0"),    \
      VALUE(op, 18, REDUCED, "noop_with_empty_axes", "0", "1"), {                                  \
    "axes", { op, 18, REDUCED, "", 1 }, AXES, 1, 0                                                 \
  }

static const row rows[] = {
  { "epsilon",
    { "BatchNormalization", 15, BATCH, "", 1 },
    "epsilon=0.00001",
    "epsilon=0.001",
    0,
    0 },
  { "epsilon",
    { "BatchNormalization", 15, BATCH, "training_mode=1", 3 },
    "epsilon=0.00001",
    "epsilon=0.001",
    0,
    0 },
  { "momentum",
    { "BatchNormalization", 15, BATCH, "training_mode=1", 3 },
    "momentum=0.9",
    "momentum=0.99",
    0,
    0 },
  { "training_mode",
    { "BatchNormalization", 15, BATCH, "", 1 },
    "training_mode=0",
    "training_mode=1",
    0,
    0 },
  { "spatial", { "BatchNormalization", 7, BATCH, "", 1 }, "spatial=1", "spatial=0", 0, 0 },
  { "is_test", { "BatchNormalization", 6, BATCH, "", 1 }, "is_test=0", "is_test=1", 0, 0 },
  { "saturate", { "Cast", 19, "f32 3x4", "to=6", 1 }, "saturate=1", "saturate=0", 0, 1 },
  { "saturate", { "CastLike", 19, "f32 3x4; i32 1", "", 1 }, "saturate=1", "saturate=0", 0, 1 },
  { "min", { "Clip", 6, "f32 3x4", "", 1 }, "min=-3.4028234663852886e38", "min=0.0", 0, 0 },
  { "max", { "Clip", 6, "f32 3x4", "", 1 }, "max=3.4028234663852886e38", "max=0.0", 0, 0 },
  { "min",
    { "Clip", 13, "f32 3x4", "", 1 },
    "f32 3x4; $f32 = -3.4028234663852886e38",
    "f32 3x4; $f32 = 0",
    1,
    0 },
  { "value",
    { "ConstantOfShape", 9, "$i64 2 = 2 3", "", 1 },
    "value=<f32 1 = 0>",
    "value=<f32 1 = 1>",
    0,
    0 },
  { "group", { "Conv", 11, "f32 1x2x8x8; f32 4x1x3x3", "", 1 }, "group=1", "group=2", 0, 0 },
  { "auto_pad", { "Conv", 11, CONV, "", 1 }, "auto_pad=NOTSET", "auto_pad=SAME_UPPER", 0, 0 },
  { "dilations", { "Conv", 11, CONV, "", 1 }, "dilations=[1,1]", "dilations=[1,2]", 0, 0 },
  { "kernel_shape", { "Conv", 11, CONV, "", 1 }, "kernel_shape=[3,3]", "kernel_shape=[3,2]", 0, 0 },
  { "pads", { "Conv", 11, CONV, "", 1 }, "pads=[0,0,0,0]", "pads=[1,0,0,0]", 0, 0 },
  { "strides", { "Conv", 11, CONV, "", 1 }, "strides=[1,1]", "strides=[1,2]", 0, 0 },
  { "ratio", { "Dropout", 7, "f32 8x40", "", 1 }, "ratio=0.5", "ratio=0.25", 0, 0 },
  { "ratio", { "Dropout", 11, "f32 8x40", "", 1 }, "ratio=0.5", "ratio=0.0", 0, 0 },
  { "ratio",
    { "Dropout", 13, "f32 8x40", "", 1 },
    "f32 8x40; $f32 = 0.5",
    "f32 8x40; $f32 = 0.25",
    1,
    0 },
  { "axis", { "Flatten", 13, "f32 2x3x4", "", 1 }, "axis=1", "axis=2", 0, 0 },
  { "axis", { "Gather", 13, "f32 3x3; i64 2 = 2 0", "", 1 }, "axis=0", "axis=1", 0, 0 },
  { "approximate", { "Gelu", 20, "f32 3x4", "", 1 }, "approximate=none", "approximate=tanh", 0, 0 },
  { "alpha", { "Gemm", 13, "f32 3x3; f32 3x3; f32 3", "", 1 }, "alpha=1.0", "alpha=0.5", 0, 0 },
  { "beta", { "Gemm", 13, "f32 3x3; f32 3x3; f32 3", "", 1 }, "beta=1.0", "beta=0.5", 0, 0 },
  { "transA", { "Gemm", 13, "f32 3x3; f32 3x3; f32 3", "", 1 }, "transA=0", "transA=1", 0, 0 },
  { "transB", { "Gemm", 13, "f32 3x3; f32 3x3; f32 3", "", 1 }, "transB=0", "transB=1", 0, 0 },
  { "broadcast",
    { "Gemm", 6, "f32 3x3; f32 3x3; f32 3x3", "", 1 },
    "broadcast=0",
    "broadcast=1",
    0,
    1 },
  { "alpha", { "HardSigmoid", 6, "f32 3x4", "", 1 }, "alpha=0.2", "alpha=0.3", 0, 0 },
  { "beta", { "HardSigmoid", 6, "f32 3x4", "", 1 }, "beta=0.5", "beta=0.4", 0, 0 },
  { "axis", { "LayerNormalization", 17, "f32 2x3x4; f32 4", "", 1 }, "axis=-1", "axis=1", 0, 0 },
  { "epsilon",
    { "LayerNormalization", 17, "f32 2x3x4; f32 4", "", 1 },
    "epsilon=0.00001",
    "epsilon=0.001",
    0,
    0 },
  { "stash_type",
    { "LayerNormalization", 17, "f32 2x3x4; f32 4", "", 3 },
    "stash_type=1",
    "stash_type=0",
    0,
    1 },
  { "axis", { "RMSNormalization", 23, "f32 2x3x4; f32 4", "", 1 }, "axis=-1", "axis=1", 0, 0 },
  { "epsilon",
    { "RMSNormalization", 23, "f32 2x3x4; f32 4", "", 1 },
    "epsilon=0.00001",
    "epsilon=0.001",
    0,
    0 },
  { "stash_type",
    { "RMSNormalization", 23, "f32 2x3x4; f32 4", "", 1 },
    "stash_type=1",
    "stash_type=0",
    0,
    1 },
  { "epsilon",
    { "GroupNormalization", 21, "f32 2x4x3; f32 4; f32 4", "num_groups=2", 1 },
    "epsilon=0.00001",
    "epsilon=0.001",
    0,
    0 },
  { "stash_type",
    { "GroupNormalization", 21, "f32 2x4x3; f32 4; f32 4", "num_groups=2", 1 },
    "stash_type=1",
    "stash_type=0",
    0,
    1 },
  { "epsilon",
    { "InstanceNormalization", 22, "f32 2x4x3; f32 4; f32 4", "", 1 },
    "epsilon=0.00001",
    "epsilon=0.001",
    0,
    0 },
  { "alpha", { "LeakyRelu", 6, "f32 3x4", "", 1 }, "alpha=0.01", "alpha=0.1", 0, 0 },
  { "ceil_mode", { "MaxPool", 12, POOL " strides=[2,2]", 1 }, "ceil_mode=0", "ceil_mode=1", 0, 0 },
  { "storage_order", { "MaxPool", 12, POOL, 2 }, "storage_order=0", "storage_order=1", 0, 0 },
  { "auto_pad", { "MaxPool", 12, POOL, 1 }, "auto_pad=NOTSET", "auto_pad=SAME_LOWER", 0, 0 },
  { "dilations", { "MaxPool", 12, POOL, 1 }, "dilations=[1,1]", "dilations=[2,1]", 0, 0 },
  { "pads", { "MaxPool", 12, POOL, 1 }, "pads=[0,0,0,0]", "pads=[1,0,0,0]", 0, 0 },
  { "strides", { "MaxPool", 12, POOL, 1 }, "strides=[1,1]", "strides=[2,1]", 0, 0 },
  { "ceil_mode",
    { "AveragePool", 11, POOL " strides=[2,2]", 1 },
    "ceil_mode=0",
    "ceil_mode=1",
    0,
    0 },
  { "count_include_pad",
    { "AveragePool", 11, POOL " pads=[1,1,1,1]", 1 },
    "count_include_pad=0",
    "count_include_pad=1",
    0,
    0 },
  { "auto_pad", { "AveragePool", 11, POOL, 1 }, "auto_pad=NOTSET", "auto_pad=SAME_LOWER", 0, 0 },
  { "dilations", { "AveragePool", 19, POOL, 1 }, "dilations=[1,1]", "dilations=[2,1]", 0, 0 },
  { "pads", { "AveragePool", 11, POOL, 1 }, "pads=[0,0,0,0]", "pads=[1,0,0,0]", 0, 0 },
  { "strides", { "AveragePool", 11, POOL, 1 }, "strides=[1,1]", "strides=[2,1]", 0, 0 },
  { "mode", { "Pad", 2, "f32 3x4", "pads=[1,0,0,1]", 1 }, "mode=constant", "mode=edge", 0, 0 },
  { "value", { "Pad", 2, "f32 3x4", "pads=[1,0,0,1]", 1 }, "value=0.0", "value=1.0", 0, 0 },
  { "value",
    { "Pad", 13, "f32 3x4; $i64 4 = 1 0 0 1", "", 1 },
    "f32 3x4; $i64 4 = 1 0 0 1; f32 = 0",
    "f32 3x4; $i64 4 = 1 0 0 1; f32 = 1",
    1,
    0 },
  { "axes", { "ReduceMax", 11, "f32 3x4", "", 1 }, "axes=[0,1]", "axes=[1]", 0, 0 },
  { "axes", { "ReduceMean", 11, "f32 3x4", "", 1 }, "axes=[0,1]", "axes=[1]", 0, 0 },
  { "axes", { "ReduceSum", 11, "f32 3x4", "", 1 }, "axes=[0,1]", "axes=[1]", 0, 0 },
  { "keepdims", { "ReduceMax", 11, "f32 3x4", "axes=[1]", 1 }, "keepdims=1", "keepdims=0", 0, 0 },
  { "keepdims", { "ReduceMean", 11, "f32 3x4", "axes=[1]", 1 }, "keepdims=1", "keepdims=0", 0, 0 },
  { "keepdims", { "ReduceSum", 11, "f32 3x4", "axes=[1]", 1 }, "keepdims=1", "keepdims=0", 0, 0 },
  { "noop_with_empty_axes",
    { "ReduceMax", 18, "f32 3x4", "", 1 },
    "noop_with_empty_axes=0",
    "noop_with_empty_axes=1",
    0,
    0 },
  { "noop_with_empty_axes",
    { "ReduceMean", 18, "f32 3x4", "", 1 },
    "noop_with_empty_axes=0",
    "noop_with_empty_axes=1",
    0,
    0 },
  { "noop_with_empty_axes",
    { "ReduceSum", 13, "f32 3x4", "", 1 },
    "noop_with_empty_axes=0",
    "noop_with_empty_axes=1",
    0,
    0 },
  { "allowzero",
    { "Reshape", 14, "f32 3x4; $i64 2 = 0 4", "", 1 },
    "allowzero=0",
    "allowzero=1",
    0,
    0 },
  { "start", { "Shape", 15, "f32 2x3x4", "", 1 }, "start=0", "start=1", 0, 0 },
  { "end", { "Shape", 15, "f32 2x3x4", "", 1 }, "end=3", "end=2", 0, 0 },
  { "axes", { "Slice", 9, "f32 4x4", "starts=[1] ends=[3]", 1 }, "axes=[0]", "axes=[1]", 0, 0 },
  { "axes",
    { "Slice", 13, "f32 4x4; $i64 1 = 1; $i64 1 = 3", "", 1 },
    "f32 4x4; $i64 1 = 1; $i64 1 = 3; $i64 1 = 0",
    "f32 4x4; $i64 1 = 1; $i64 1 = 3; $i64 1 = 1",
    1,
    0 },
  { "steps",
    { "Slice", 13, "f32 4x4; $i64 1 = 1; $i64 1 = 4; $i64 1 = 0", "", 1 },
    "f32 4x4; $i64 1 = 1; $i64 1 = 4; $i64 1 = 0; $i64 1 = 1",
    "f32 4x4; $i64 1 = 1; $i64 1 = 4; $i64 1 = 0; $i64 1 = 2",
    1,
    0 },
  { "axis", { "Softmax", 11, "f32 2x3x4", "", 1 }, "axis=1", "axis=2", 0, 0 },
  { "axis", { "Softmax", 13, "f32 2x3x4", "", 1 }, "axis=-1", "axis=1", 0, 0 },
  { "axis", { "LogSoftmax", 11, "f32 2x3x4", "", 1 }, "axis=1", "axis=2", 0, 0 },
  { "axis", { "LogSoftmax", 13, "f32 2x3x4", "", 1 }, "axis=-1", "axis=1", 0, 0 },
  { "axis", { "Split", 11, "f32 4x4", "", 2 }, "axis=0", "axis=1", 0, 0 },
  { "split", { "Split", 11, "f32 4x4", "", 2 }, "split=[2,2]", "split=[1,3]", 0, 0 },
  { "num_outputs", { "Split", 18, "f32 5x4", "", 2 }, "num_outputs=2", "num_outputs=3", 0, 0 },
  { "axes", { "Squeeze", 11, "f32 1x3x1", "", 1 }, "axes=[0,2]", "axes=[0]", 0, 0 },
  { "norm", { "ai.onnx.ml.Normalizer", 1, "f32 3x4", "", 1 }, "norm=MAX", "norm=L1", 0, 0 },
  { "threshold",
    { "ai.onnx.ml.Binarizer", 1, "f32 3x4", "", 1 },
    "threshold=0.0",
    "threshold=0.5",
    0,
    0 },
  { "perm", { "Transpose", 13, "f32 2x3x4", "", 1 }, "perm=[2,1,0]", "perm=[0,1,2]", 0, 0 },

/* Files with cases of their own. */
#include "defaults_attention.h"
#include "defaults_elementwise.h"
#include "defaults_index.h"
#include "defaults_quantized.h"
#include "defaults_recurrent.h"
#include "defaults_resize.h"
#include "defaults_transposed.h"
};
enum { ROWS = sizeof rows / sizeof *rows };

/* Attributes without a default in ONNX, or whose default cannot be written down. */
static const struct {
  const char *op, *attribute, *reason;
} without[] = {
  { "Attention", "q_num_heads", "required of three dimensions" },
  { "Attention", "kv_num_heads", "required of three dimensions" },
  { "RotaryEmbedding", "num_heads", "required of three dimensions" },
  { "BitShift", "direction", "required" },
  { "Cast", "to", "required" },
  { NULL, "round_mode", "of casts to f8e8m0, which is not supported" },
  { "Concat", "axis", "required" },
  { "Constant", NULL, "the constant itself" },
  { "Dropout", "seed", "random; ours comes from the context" },
  { "DequantizeLinear", "output_dtype", "networks round to the type that the file declares" },
  { "Einsum", "equation", "required" },
  { "GroupNormalization", "num_groups", "required" },
  { "MaxPool", "kernel_shape", "required" },
  { "AveragePool", "kernel_shape", "required" },
  { "Pad", "pads", "required" },
  { "Slice", "starts", "required" },
  { "Slice", "ends", "required" },
  { "TopK", "k", "required" },
  { "Unsqueeze", "axes", "required" },
  { "Upsample", "scales", "required" },
  { "ai.onnx.ml.LinearClassifier", NULL, "its model; classical_cases.h has nodes without them" },
  { "ai.onnx.ml.LinearRegressor", NULL, "its model; classical_cases.h has nodes without them" },
  { "ai.onnx.ml.SVMClassifier", NULL, "its model; classical_cases.h has nodes without them" },
  { "ai.onnx.ml.SVMRegressor", NULL, "its model; classical_cases.h has nodes without them" },
  { "ai.onnx.ml.TreeEnsemble", NULL, "its model; classical_cases.h has nodes without them" },
  { "ai.onnx.ml.TreeEnsembleClassifier", NULL, "its model; the same" },
  { "ai.onnx.ml.TreeEnsembleRegressor", NULL, "its model; the same" },
  { "ai.onnx.ml.Scaler", NULL, "ONNX gives none; 0 and 1 in classical_cases.h" },
  { "ai.onnx.ml.Imputer", NULL, "its values; the replaced one is in classical_cases.h" },
  { "ai.onnx.ml.FeatureVectorizer", NULL, "the columns of its inputs" },
  { "ai.onnx.ml.ZipMap", NULL, "the labels" },
  { "ai.onnx.ml.LabelEncoder", NULL, "keys and values; the default is in classical_cases.h" },
  { "ai.onnx.ml.OneHotEncoder", NULL, "the categories; zeros=0 is refused at run time only" },
  { "com.microsoft.QLinearConcat", "axis", "required" },
  { "com.microsoft.QLinearAveragePool", "kernel_shape", "required" },
  { "com.microsoft.QLinearSoftmax", "opset", "required" },
  { "com.microsoft.QuantizeLinear", NULL, "those of ONNX's QuantizeLinear" },
  { "com.microsoft.DequantizeLinear", NULL, "those of ONNX's DequantizeLinear" },
  { NULL, "axis", "of arithmetic up to operator set 6: none is the end, not a number" },
  { NULL, "broadcast", "of arithmetic up to operator set 6: shapes that differ are broadcast" },
};

/* ---- The outputs of a node. */

typedef struct {
  char refusal[200]; /* or empty */
  size_t length;
  unsigned char bytes[8192]; /* of all outputs: type, dimensions, values */
} outcome;

static void keep(outcome *o, const void *bytes, size_t count) {
  assert_true(o->length + count <= sizeof o->bytes);
  if (count) memcpy(o->bytes + o->length, bytes, count);
  o->length += count;
}

static void run(crd_context *ctx, const net_words *words, crd_network *network, outcome *o) {
  net_input inputs[NET_INPUTS_MAX];
  crd_array given[NET_INPUTS_MAX];
  void *bytes[NET_INPUTS_MAX];
  size_t count = 0;
  const size_t all = net_inputs(words->inputs, 5, inputs);
  for (size_t i = 0; i < all; i++)
    if (inputs[i].given && !inputs[i].shaping) {
      bytes[count] = net_store(&inputs[i].tensor);
      given[count] = net_view(&inputs[i].tensor, bytes[count]);
      count++;
    }
  if (crd_network_run(ctx, network, given, count) != CRD_OK)
    fail_msg("%s: %s", words->op, crd_context_message(ctx));
  const crd_array *y;
  for (size_t i = 0; (y = crd_network_output(network, i)); i++) {
    keep(o, &y->dtype, sizeof y->dtype);
    keep(o, y->dims, y->rank * sizeof *y->dims);
    keep(o, y->data, crd_array_count(y) * crd_dtype_size(y->dtype));
  }
  for (size_t i = 0; i < count; i++) free(bytes[i]);
  net_clear_inputs(inputs, all);
}

static void ask(crd_context *ctx, const net_words *words, crd_mode mode, outcome *o) {
  crd__text bytes;
  crd_model *model = NULL;
  crd_network *network = NULL;
  *o = (outcome){ .length = 0 };
  crd__text_init(&bytes, &ctx->alloc);
  net_model_of(words, 5, false, &bytes);
  if (crd_model_open_memory(ctx, "node.onnx", bytes.bytes, bytes.length, &model) != CRD_OK ||
      crd_network_compile(
          ctx, model, &(crd_compile_options){ .size = sizeof(crd_compile_options), .mode = mode },
          &network) != CRD_OK)
    snprintf(o->refusal, sizeof o->refusal, "%s", crd_context_message(ctx));
  else run(ctx, words, network, o);
  crd_network_destroy(network);
  crd_model_destroy(model);
  crd__text_clear(&bytes);
}

static bool alike(const outcome *a, const outcome *b) {
  return strcmp(a->refusal, b->refusal) == 0 && a->length == b->length &&
         memcmp(a->bytes, b->bytes, a->length) == 0;
}

/* Adds to the attributes of a case, or replaces its inputs. */
static net_words with(const row *r, const char *more, char buffer[300]) {
  net_words words = r->node;
  snprintf(buffer, 300, "%s %s", r->input ? "" : words.attributes, more);
  if (r->input) words.inputs = buffer + 1;
  else words.attributes = buffer[0] == ' ' ? buffer + 1 : buffer;
  return words;
}

/* ---- The tests. */

static void defaults_are_documented_ones(void **state) {
  static outcome out, standard, other;
  static const crd_mode modes[] = { CRD_MODE_INFERENCE, CRD_MODE_TRAINING };
  size_t wrong = 0;
  for (size_t i = 0; i < ROWS; i++) {
    bool matters = false;
    for (size_t m = 0; m < 2; m++) {
      char buffer[300];
      ask(*state, &rows[i].node, modes[m], &out);
      const net_words same = with(&rows[i], rows[i].standard, buffer);
      ask(*state, &same, modes[m], &standard);
      const net_words differs = with(&rows[i], rows[i].other, buffer);
      ask(*state, &differs, modes[m], &other);
      matters = matters || !alike(&out, &other);
      if (alike(&out, &standard)) continue;
      print_error("%s (opset %d), %s%s: without it, it is not %s%s%s\n", rows[i].node.op,
                  rows[i].node.opset, rows[i].attribute, m ? ", in training" : "", rows[i].standard,
                  *out.refusal ? ": " : "", out.refusal);
      wrong++;
    }
    if (matters != rows[i].same) continue;
    print_error("%s (opset %d): %s has no effect\n", rows[i].node.op, rows[i].node.opset,
                rows[i].other);
    wrong++;
  }
  assert_int_equal(wrong, 0);
}

static bool has_row(const char *op, const char *attribute) {
  for (size_t i = 0; i < ROWS; i++)
    if (!strcmp(rows[i].node.op, op) && !strcmp(rows[i].attribute, attribute)) return true;
  for (size_t i = 0; i < sizeof without / sizeof *without; i++)
    if ((!without[i].op || !strcmp(without[i].op, op)) &&
        (!without[i].attribute || !strcmp(without[i].attribute, attribute)))
      return true;
  return false;
}

static void attributes_have_rows(void **state) {
  size_t missing = 0;
  const crd__graph_op *op;
  (void)state;
  for (size_t i = 0; (op = crd__graph_op_at(i)); i++)
    for (const crd__graph_op_attribute *a = op->attributes; a && a->name; a++) {
      if (has_row(op->info.name, a->name)) continue;
      print_error("%s: no case for the default of '%s'\n", op->info.name, a->name);
      missing++;
    }
  assert_int_equal(missing, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(defaults_are_documented_ones),
    cmocka_unit_test(attributes_have_rows),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
