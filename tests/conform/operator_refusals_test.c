/*
 * operator_refusals_test.c -- invalid and unsupported nodes. Each gets an error message that names
 * the file, the node and the operator, when the model is opened or compiled and never later; with
 * its inputs given or in the model.
 */
#include "modelkit/modelkit.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

#define ML "ai.onnx.ml."
#define TREE(yes, no, features, leaves)                                                            \
  "nodes_treeids=[0,0,0] nodes_nodeids=[0,1,2] nodes_modes={BRANCH_LEQ,LEAF,LEAF} "                \
  "nodes_values=[0.5,0.0,0.0] target_treeids=[0,0] target_ids=[0,0] target_weights=[1.0,2.0] "     \
  "nodes_truenodeids=" yes " nodes_falsenodeids=" no " nodes_featureids=" features                 \
  " target_nodeids=" leaves
#define FLAT(leaf, child, roots)                                                                   \
  "nodes_featureids=[0] nodes_truenodeids=" child " nodes_falsenodeids=[0] nodes_trueleafs=" leaf  \
  " nodes_falseleafs=[1] tree_roots=" roots " leaf_targetids=[0] leaf_weights=<f32 1 = 1> "        \
  "nodes_modes=<u8 1 = 0> nodes_splits=<f32 1 = 0>"

static const struct {
  const char *op;
  int opset;
  const char *inputs, *attributes;
  size_t outputs; /* 0: one */
} cases[] = {
  /* Windows. */
  { "Conv", 11, "f32 1x3x8x8; f32 4x2x3x3", "", 0 },
  { "Conv", 11, "f32 1x3x8x8; f32 4x3x3x3; f32 3", "", 0 },
  { "Conv", 11, "f32 1x4x8x8; f32 3x2x3x3", "group=2", 0 },
  { "Conv", 11, "f32 1x4x8x8; f32 4x4x3x3", "group=0", 0 },
  { "Conv", 11, "f32 1x4x8x8; f32 0x4x3x3", "group=4611686018427387904", 0 },
  { "Conv", 11, "f32 1x3x8x8; f32 4x3x3x3", "strides=[0,1]", 0 },
  { "Conv", 11, "f32 1x3x8x8; f32 4x3x3x3", "strides=[1]", 0 },
  { "Conv", 11, "f32 1x3x8x8; f32 4x3x3x3", "dilations=[-1,1]", 0 },
  { "Conv", 11, "f32 1x3x8x8; f32 4x3x3x3", "pads=[-1,0,0,0]", 0 },
  { "Conv", 11, "f32 1x3x8x8; f32 4x3x3x3", "pads=[1,1]", 0 },
  { "Conv", 11, "f32 1x3x8x8; f32 4x3x9x3", "", 0 },
  { "Conv", 11, "f32 1x3x8x8; f32 4x3x3x3", "kernel_shape=[5,5]", 0 },
  { "Conv", 11, "f32 1x3x8x8; f32 4x3x3x3", "auto_pad=SOMEHOW", 0 },
  { "Conv", 11, "f32 1x3x8x8; f32 4x3x3x3", "pads=[9223372036854775807,0,0,0]", 0 },
  { "Conv", 11, "f32 1x3x8x8; f32 4x3x3x3", "dilations=[4611686018427387904,1]", 0 },
  { "Conv", 11, "f32 1x3x8x8; i32 4x3x3x3", "", 0 },
  { "Conv", 11, "f32 3x8; f32 4x3", "", 0 },
  { "Conv", 11, "f32 1x3x8x8", "", 0 },
  { "MaxPool", 12, "f32 1x3x8x8", "", 0 },
  { "MaxPool", 12, "f32 1x3x8x8", "kernel_shape=[9,9]", 0 },
  { "MaxPool", 12, "f32 1x3x8x8", "kernel_shape=[2]", 0 },
  { "MaxPool", 12, "f32 1x3x8x8", "kernel_shape=[0,2]", 0 },
  { "MaxPool", 12, "f32 1x3x8x8", "kernel_shape=[2,2] strides=[0,1]", 0 },
  { "AveragePool", 11, "f32 1x3x8x8", "kernel_shape=[2,2] strides=[-1,1]", 0 },
  { "GlobalAveragePool", 9, "f32 3", "", 0 },

  /* Classical models: lengths of lists, labels, words, trees that are none. */
  { ML "LinearClassifier", 1, "f32 2x3", "coefficients=[1.0,2.0] classlabels_ints=[0,1]", 2 },
  { ML "LinearClassifier", 1, "f32 2x1", "coefficients=[1.0,2.0]", 2 },
  { ML "LinearClassifier", 1, "f32 2x1x1", "coefficients=[1.0,2.0] classlabels_ints=[0,1]", 2 },
  { ML "LinearClassifier", 1, "f32 2x1",
    "coefficients=[1.0,2.0] classlabels_ints=[0,1] post_transform=SOFT", 2 },
  { ML "LinearClassifier", 1, "f32 2x1",
    "coefficients=[1.0,2.0] classlabels_ints=[0,1] classlabels_strings={a,b}", 2 },
  { ML "LinearClassifier", 6, "f32 2x1", "coefficients=[1.0,2.0] classlabels_ints=[0,1]", 2 },
  { ML "LinearRegressor", 1, "f32 2x1", "coefficients=[1.0] targets=0", 0 },
  { ML "SVMClassifier", 1, "f32 2x1",
    "coefficients=[1.0,2.0] rho=[1.0] vectors_per_class=[1,-1] classlabels_ints=[0,1]", 2 },
  { ML "SVMClassifier", 1, "f32 2x1", "coefficients=[1.0] rho=[1.0] classlabels_ints=[0]", 2 },
  { ML "SVMRegressor", 1, "f32 2x1", "coefficients=[1.0] rho=[1.0] kernel_type=COSINE", 0 },
  { ML "TreeEnsembleRegressor", 1, "f32 2x1", TREE("[1,0,0]", "[2,0,0]", "[0,0,0]", "[5,2]"), 0 },
  { ML "TreeEnsembleRegressor", 1, "f32 2x1", TREE("[1,0,0]", "[3,0,0]", "[0,0,0]", "[1,2]"), 0 },
  { ML "TreeEnsembleRegressor", 1, "f32 2x1", TREE("[1,0,0]", "[1,0,0]", "[0,0,0]", "[1,2]"), 0 },
  { ML "TreeEnsembleRegressor", 1, "f32 2x1", TREE("[1,0,0]", "[2,0,0]", "[1,0,0]", "[1,2]"), 0 },
  { ML "TreeEnsembleRegressor", 1, "f32 2x1", TREE("[1,0]", "[2,0,0]", "[0,0,0]", "[1,2]"), 0 },
  { ML "TreeEnsemble", 5, "f32 2x1", FLAT("[0]", "[1]", "[0]"), 0 },
  { ML "TreeEnsemble", 5, "f32 2x1", FLAT("[0]", "[0]", "[0]"), 0 },
  { ML "Scaler", 1, "f32 2x3", "offset=[1.0,2.0] scale=[1.0]", 0 },
  { ML "Normalizer", 1, "f32 2x3", "norm=L3", 0 },
  { ML "Imputer", 1, "f32 2x3", "", 0 },
  { ML "Binarizer", 1, "f32", "", 0 },
  { ML "ArrayFeatureExtractor", 1, "f32 2x3; $i64 1 = 3", "", 0 },
  { ML "ZipMap", 1, "f32 2x3", "classlabels_int64s=[0,1]", 0 },
  { ML "OneHotEncoder", 1, "i64 2x3", "cats_strings={a,b}", 0 },
  { ML "LabelEncoder", 2, "i64 3", "keys_int64s=[1,2] values_int64s=[1]", 0 },
  { ML "FeatureVectorizer", 1, "f32 2x3; f32 3x3", "", 0 },

  /* Products and statistics. */
  { "Gemm", 13, "f32 3x4; f32 5x6", "", 0 },
  { "Gemm", 13, "f32 3x4; f32 4x5; f32 4", "", 0 },
  { "Gemm", 13, "f32 3x4; f32 4x5; f32 2x3x5", "", 0 },
  { "Gemm", 13, "f32 2x3x4; f32 4x5", "", 0 },
  { "Gemm", 13, "i32 3x4; i32 4x5", "alpha=0.5", 0 },
  { "Gemm", 13, "i64 3x4; i64 4x5; i64 5", "beta=1000000000000000000000000000000.0", 0 },
  { "MatMul", 13, "f32 3x4; f32 5x6", "", 0 },
  { "MatMul", 13, "f32 2x3x4; f32 3x4x5", "", 0 },
  { "MatMul", 13, "f32; f32 4", "", 0 },
  { "BatchNormalization", 15, "f32 1x3x4; f32 3; f32 3; f32 3; f32 4", "", 0 },
  { "BatchNormalization", 15, "f32 1x3x4; f32 3; f32 3; f32 3", "", 0 },
  { "LayerNormalization", 17, "f32 3x4; f32 3", "", 0 },
  { "LayerNormalization", 17, "f32 3x4; f32 4", "axis=2", 0 },
  { "RMSNormalization", 23, "f32 3x4; f32 3", "", 0 },
  { "RMSNormalization", 23, "f32 3x4; f32 4; f32 4", "", 0 },
  { "RMSNormalization", 22, "f32 3x4; f32 4", "", 0 },
  { "GroupNormalization", 21, "f32 3x4x5; f32 4; f32 4", "", 0 },
  { "GroupNormalization", 21, "f32 3x4x5; f32 4; f32 4", "num_groups=3", 0 },
  { "GroupNormalization", 21, "f32 3x4x5; f32 4; f32 4", "num_groups=0", 0 },
  { "GroupNormalization", 21, "f32 3x4x5; f32 2; f32 2", "num_groups=2", 0 },
  { "GroupNormalization", 18, "f32 3x4x5; f32 4; f32 4", "num_groups=2", 0 },
  { "GroupNormalization", 21, "f32 3x4x5; f64 4; f32 4", "num_groups=2", 0 },
  { "InstanceNormalization", 22, "f32 3x4x5; f32 4; f32 3", "", 0 },
  { "InstanceNormalization", 22, "f32 3; f32 3; f32 3", "", 0 },
  { "InstanceNormalization", 22, "i32 3x4x5; i32 4; i32 4", "", 0 },
  { "Softmax", 13, "f32 3x4", "axis=2", 0 },
  { "LogSoftmax", 13, "f32 3x4", "axis=-3", 0 },
  { "ReduceMean", 13, "f32 3x4", "axes=[2]", 0 },
  { "ReduceSum", 13, "f32 3x4; $ i64 1 = -3", "", 0 },

  /* Arithmetic. */
  { "Add", 14, "f32 3x4; f32 3", "", 0 },
  { "Add", 14, "f32 3x4; i32 3x4", "", 0 },
  { "Mul", 14, "f32 2x3; f32 3x2", "", 0 },
  { "Add", 14, "f32 3", "", 0 },
  { "Add", 14, "f32 3; f32 3; f32 3", "", 0 },
  { "Where", 16, "f32 3; f32 3; f32 3", "", 0 },
  { "Where", 16, "bool 3; f32 3; i64 3", "", 0 },
  { "PRelu", 16, "f32 3x4; f32 3", "", 0 },
  { "PRelu", 16, "f32 4; f32 3x4", "", 0 },

  /* Data movement. */
  { "Concat", 13, "f32 3x4; f32 2x5", "axis=1", 0 },
  { "Concat", 13, "f32 3x4; f32 3x4x1", "axis=1", 0 },
  { "Concat", 13, "f32 3x4; f32 3x4", "axis=2", 0 },
  { "Concat", 13, "f32 3x4; i32 3x4", "axis=1", 0 },
  { "Split", 13, "f32 3x4; $ i64 2 = 1 4", "axis=1", 2 },
  { "Split", 13, "f32 3x4; $ i64 2 = -1 5", "axis=1", 2 },
  { "Split", 13, "f32 3x4; $ i64 3 = 1 1 2", "axis=1", 2 },
  { "Split", 13, "f32 3x4", "axis=0", 2 },
  { "Slice", 13, "f32 3x4; $ i64 1 = 0; $ i64 1 = 2; $ i64 1 = 2", "", 0 },
  { "Slice", 13, "f32 3x4; $ i64 1 = 0; $ i64 1 = 2; $ i64 1 = 0; $ i64 1 = 0", "", 0 },
  { "Slice", 13, "f32 3x4; $ i64 1 = 0; $ i64 2 = 2 2", "", 0 },
  { "Slice", 13, "f32 3x4; $ i64 3 = 0 0 0; $ i64 3 = 1 1 1", "", 0 },
  { "Pad", 13, "f32 3x4; $ i64 3 = 1 1 1", "", 0 },
  { "Pad", 13, "f32 3x4; $ i64 4 = -4 0 0 0", "", 0 },
  { "Pad", 13, "f32 3x4; $ i64 4 = 0 0 0 9223372036854774784", "", 0 },
  { "Pad", 13, "f32 3x4; $ i64 4 = 0 1 0 1", "mode=sideways", 0 },
  { "Flatten", 13, "f32 3x4", "axis=3", 0 },
  /* Unsupported types. */
  { "PRelu", 16, "f64 3x4x5; f64 4x1", "", 0 },
  { "AveragePool", 11, "i32 1x3x4x4", "kernel_shape=[2,2]", 0 },
  { "GlobalAveragePool", 9, "u8 1x3x4x4", "", 0 },
  { "Erf", 13, "i32 3", "", 0 },
  { "Sqrt", 13, "i64 3", "", 0 },
  { "Softmax", 13, "i32 3x4", "", 0 },
  { "LayerNormalization", 17, "i32 3x4; i32 4", "", 0 },
  { "MatMul", 13, "bool 3x4; bool 4x5", "", 0 },
  { "Neg", 13, "bool 3", "", 0 },
  { "Clip", 13, "f32 3; $ f32 = nan", "", 0 },
  { "Clip", 13, "bool 3; $ bool = 0; $ bool = 1", "", 0 },
  { "ReduceSum", 13, "bool 3", "", 0 },

#include "refusals_elementwise.h"

  /* Attributes of another type, unknown attributes, and unknown operators. */
  { "Softmax", 13, "f32 3x4", "axis=1.0", 0 },
  { "Conv", 11, "f32 1x3x8x8; f32 4x3x3x3", "strides=2", 0 },
  { "LeakyRelu", 16, "f32 3", "alpha=1", 0 },
  { "Gelu", 20, "f32 3", "approximate=somehow", 0 },
  { "Relu", 14, "f32 3", "softly=1", 0 },
  { "Relu", 14, "-", "", 0 },
  { "Relu", 14, "f32 3", "", 2 },
  { "Gelu", 17, "f32 3", "", 0 },
  { "LayerNormalization", 16, "f32 3x4; f32 4", "", 0 },
  { "Nonsense", 13, "f32 3", "", 0 },

/* Files with cases of their own. */
#include "operator_refusals_attention.h"
#include "operator_refusals_einsum.h"
#include "operator_refusals_index.h"
#include "operator_refusals_quantized.h"
#include "operator_refusals_recurrent.h"
#include "operator_refusals_resize.h"
#include "operator_refusals_shape.h"
#include "operator_refusals_transposed.h"
};
enum { CASES = sizeof cases / sizeof *cases };

/* Return why the failure is not as expected; NULL: it is. */
static const char *fault_of(crd_context *ctx, const crd__text *bytes, const char *op,
                            crd_mode mode) {
  const crd_compile_options options = { .size = sizeof options, .mode = mode };
  crd_model *model = NULL;
  crd_network *network = NULL;
  crd_status status = crd_model_open_memory(ctx, "case.onnx", bytes->bytes, bytes->length, &model);
  if (status == CRD_OK) status = crd_network_compile(ctx, model, &options, &network);
  crd_network_destroy(network);
  crd_model_destroy(model);
  if (status == CRD_OK) return "it is accepted";
  const char *const said = crd_context_message(ctx);
  const bool named = strstr(said, "case.onnx") && strstr(said, "y0") && strstr(said, op);
  return status == CRD_EINPUT && named ? NULL : said;
}

static void nodes_are_refused(void **state) {
  crd_context *const ctx = *state;
  size_t wrong = 0;
  if (!crd_operator_at(0)) {
    cannot_test_networks("refusals");
    return;
  }
  for (size_t number = 0; number < 4 * CASES; number++) {
    const size_t c = number / 4;
    const bool all = number % 2; /* inputs are initializers */
    const crd_mode mode = number % 4 < 2 ? CRD_MODE_INFERENCE : CRD_MODE_TRAINING;
    const net_words words = { cases[c].op, cases[c].opset, cases[c].inputs, cases[c].attributes,
                              cases[c].outputs };
    crd__text bytes;
    crd__text_init(&bytes, &ctx->alloc);
    net_model_of(&words, c, all, &bytes);
    const char *const fault = fault_of(ctx, &bytes, words.op, mode);
    if (fault)
      print_error("%s (opset %d; %s; %s), %s, mode %d: %s\n", words.op, words.opset, words.inputs,
                  words.attributes, all ? "all in the model" : "inputs given", (int)mode, fault);
    wrong += fault != NULL;
    crd__text_clear(&bytes);
  }
  assert_int_equal(wrong, 0);
}

/* Required outputs cannot be left out. */
static void first_outputs_are_wanted(void **state) {
  crd_context *const ctx = *state;
  static const struct {
    const char *op, *inputs, *attributes;
    size_t outputs;
  } nodes[] = { { "MaxPool", "f32 1x3x8x8", "kernel_shape=[2,2]", 2 },
                { "LayerNormalization", "f32 3x4; f32 4", "", 3 },
                { "Dropout", "f32 3", "", 2 },
                { "Split", "f32 4", "", 2 } };
  for (size_t i = 0; i < sizeof nodes / sizeof *nodes && crd_operator_at(0); i++) {
    const net_words words = { nodes[i].op, 17, nodes[i].inputs, nodes[i].attributes,
                              nodes[i].outputs };
    net_task t;
    crd__text bytes;
    crd_model *model;
    crd_network *network;
    net_task_open(&words, i, &t);
    t.node.unnamed = 1;
    crd__text_init(&bytes, &ctx->alloc);
    net_model(&t.node, (bool[NET_INPUTS_MAX]){ false }, 0, &bytes);
    assert_int_equal(crd_model_open_memory(ctx, "case.onnx", bytes.bytes, bytes.length, &model),
                     CRD_OK);
    const crd_compile_options options = { .size = sizeof options, .mode = CRD_MODE_TRAINING };
    assert_int_equal(crd_network_compile(ctx, model, &options, &network), CRD_EINPUT);
    assert_non_null(strstr(crd_context_message(ctx), "its output 0 is required, but left out"));
    crd_model_destroy(model);
    crd__text_clear(&bytes);
    net_task_close(&t);
  }
}

/* ---- Nodes that are unsupported in some modes, for example because they have no gradients. */

enum {
  RUN = 1 << CRD_MODE_INFERENCE,
  FROZEN = 1 << CRD_MODE_INPUT_GRADIENT,
  TRAINED = 1 << CRD_MODE_TRAINING
};

/* Inputs with a `$` are initializers. Cases are valid in modes not listed. */
static const struct {
  net_words words;
  size_t first; /* output of the network */
  int modes;
  const char *said;
} without[] = {
  { { "Cast", 13, "f64 3", "to=1", 0 },
    0,
    FROZEN | TRAINED,
    "'y0' (Cast): gradients are supported for f16, bf16 and f32, not for f64" },
  { { "Cast", 13, "f16 3", "to=1", 0 }, 0, 0, NULL },
  { { "Cast", 13, "f32 3", "to=10", 0 }, 0, 0, NULL },
  { { "Cast", 13, "f32 3", "to=11", 0 }, 0, FROZEN | TRAINED, "the output 'y0' is f64" },
  { { "Cast", 13, "f32 3", "to=7", 0 }, 0, FROZEN | TRAINED, "the output 'y0' is i64" },
  { { "Cast", 13, "$ f64 3", "to=1", 0 }, 0, TRAINED, "'y0' (Cast): its input 'x0' is f64" },
  { { "Cast", 13, "$ f16 3", "to=1", 0 }, 0, 0, NULL },
  { { "Cast", 13, "$ f64", "to=1", 0 }, 0, 0, NULL }, /* scalars are not trained */
  { { "Cast", 13, "i64 3", "to=1", 0 }, 0, 0, NULL }, /* integers, such as tokens of a text */
  { { "BatchNormalization", 15, "f32 2x3x4; $ f32 3; $ f32 3; $ f32 3; $ f32 3 positive",
      "training_mode=1", 3 },
    0,
    0,
    NULL },
  { { "BatchNormalization", 15, "f32 2x3x4; $ f32 3; $ f32 3; $ f32 3; $ f32 3 positive",
      "training_mode=1", 3 },
    1,
    FROZEN | TRAINED,
    "of its running statistics" },
  { { "Dropout", 13, "f32 3; $ f32 = 0.5; $ bool = 1", "", 0 },
    0,
    RUN | FROZEN,
    "exported for training" },
  { { "LayerNormalization", 17, "f32 3x4; $ f32 4", "", 3 }, 0, 0, NULL },
  { { "LayerNormalization", 17, "f32 3x4; $ f32 4", "", 3 }, 1, FROZEN | TRAINED, "of its mean" },
  { { "LayerNormalization", 17, "f32 3x4; $ f32 4", "", 3 }, 2, FROZEN | TRAINED, "of its mean" },
};

static void check_mode(crd_context *ctx, const crd_model *model, size_t c, crd_mode mode) {
  crd_network *network = NULL;
  const bool refused = without[c].modes >> mode & 1;
  const crd_compile_options options = { .size = sizeof options, .mode = mode };
  const crd_status status = crd_network_compile(ctx, model, &options, &network);
  if (status != (refused ? CRD_EINPUT : CRD_OK))
    fail_msg("%s (%s), mode %d: %s", without[c].words.op, without[c].words.inputs, (int)mode,
             refused ? "it is accepted" : crd_context_message(ctx));
  if (refused) assert_non_null(strstr(crd_context_message(ctx), "case.onnx: "));
  if (refused && !strstr(crd_context_message(ctx), without[c].said))
    fail_msg("not '%s': %s", without[c].said, crd_context_message(ctx));
  crd_network_destroy(network);
}

static void modes_are_refused(void **state) {
  crd_context *const ctx = *state;
  for (size_t c = 0; c < sizeof without / sizeof *without && crd_operator_at(0); c++) {
    net_task task;
    bool constant[NET_INPUTS_MAX];
    crd__text bytes;
    crd_model *model;
    net_task_open(&without[c].words, c, &task);
    for (size_t i = 0; i < task.node.input_count; i++) constant[i] = task.inputs[i].shaping;
    crd__text_init(&bytes, &ctx->alloc);
    net_model(&task.node, constant, without[c].first, &bytes);
    assert_int_equal(crd_model_open_memory(ctx, "case.onnx", bytes.bytes, bytes.length, &model),
                     CRD_OK);
    for (crd_mode mode = CRD_MODE_INFERENCE; mode <= CRD_MODE_TRAINING; mode++)
      check_mode(ctx, model, c, mode);
    crd_model_destroy(model);
    crd__text_clear(&bytes);
    net_task_close(&task);
  }
}

/* Invalid data of a run; the network still works afterwards. */
static void runs_are_refused(void **state) {
  crd_context *const ctx = *state;
  static const int64_t good[] = { 2, -3 }, high[] = { 0, 3 }, low[] = { -4, 0 };
  static const float x[] = { 1, 2, 3 };
  if (!crd_operator_at(0)) return;
  net_input inputs[NET_INPUTS_MAX];
  (void)net_inputs("f32 3; i64 2 = 0 0", 1, inputs);
  const ref_tensor *const tensors[] = { &inputs[0].tensor, &inputs[1].tensor };
  ref_node node = { .op = "Gather", .opset = 13, .inputs = tensors, .input_count = 2 };
  node.output_count = 1;
  node.outputs[0].dtype = CRD_F32;
  const bool constant[] = { false, false };
  crd__text bytes;
  crd__text_init(&bytes, &ctx->alloc);
  net_model(&node, constant, 0, &bytes);
  crd_model *model = NULL;
  crd_network *network = NULL;
  assert_int_equal(crd_model_open_memory(ctx, "case.onnx", bytes.bytes, bytes.length, &model),
                   CRD_OK);
  assert_int_equal(crd_network_compile(ctx, model, NULL, &network), CRD_OK);
  const crd_array given = { .data = x, .dtype = CRD_F32, .rank = 1, .dims = { 3 } };
  const crd_array fine = { .data = good, .dtype = CRD_I64, .rank = 1, .dims = { 2 } };
  crd_array wrong[6] = { fine, fine, fine, fine, fine, fine };
  wrong[0].data = high;
  wrong[1].data = low;
  wrong[2].dtype = CRD_I32;
  wrong[3].dims[0] = 1;
  wrong[4].rank = 2;
  wrong[4].dims[1] = 1;
  wrong[5].data = NULL;
  for (size_t i = 0; i < 6; i++) {
    const crd_status bad = crd_network_run(ctx, network, (crd_array[]){ given, wrong[i] }, 2);
    if (bad == CRD_OK) fail_msg("wrong input %zu is taken", i);
    const crd_status again = crd_network_run(ctx, network, (crd_array[]){ given, fine }, 2);
    assert_int_equal(again, CRD_OK);
    const float *const y = crd_network_output(network, 0)->data;
    assert_true(y[0] == 3 && y[1] == 1);
  }
  assert_int_not_equal(crd_network_run(ctx, network, &given, 1), CRD_OK);
  assert_int_not_equal(crd_network_run(ctx, network, (crd_array[]){ given, fine, fine }, 3),
                       CRD_OK);
  crd_network_destroy(network);
  crd_model_destroy(model);
  crd__text_clear(&bytes);
  net_clear_inputs(inputs, 2);
}

/* Products of dimensions that overflow size_t, before a node that would reduce them to one element;
 * a dimension of 0 hides them, until a node uses the others. */
static void giants_are_refused(void **state) {
  static const int64_t dims[][3] = { { INT64_C(1) << 40, INT64_C(1) << 40, 1 },
                                     { INT64_C(1) << 32, INT64_C(1) << 32, 2 },
                                     { 0, INT64_C(1) << 62, 4 },
                                     { 1, 1, INT64_MAX } };
  crd_context *const ctx = *state;
  for (size_t i = 0; i < sizeof dims / sizeof *dims && crd_operator_at(0); i++) {
    ref_tensor giant = { .dtype = CRD_F32, .rank = 3 };
    memcpy(giant.dims, dims[i], sizeof dims[i]);
    const ref_tensor *const inputs[] = { &giant };
    const ref_node node = {
      .op = "ReduceSum", .opset = 13, .input_count = 1, .inputs = inputs, .output_count = 1
    };
    const bool constant[] = { false };
    crd__text bytes;
    crd_model *model;
    crd_network *network;
    crd__text_init(&bytes, &ctx->alloc);
    net_model(&node, constant, 0, &bytes);
    assert_int_equal(crd_model_open_memory(ctx, "case.onnx", bytes.bytes, bytes.length, &model),
                     CRD_OK);
    assert_int_equal(crd_network_compile(ctx, model, NULL, &network), CRD_EINPUT);
    assert_non_null(strstr(crd_context_message(ctx), "case.onnx: the input 'x0' would need more"));
    crd_model_destroy(model);
    crd__text_clear(&bytes);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(nodes_are_refused),  cmocka_unit_test(first_outputs_are_wanted),
    cmocka_unit_test(modes_are_refused),  cmocka_unit_test(runs_are_refused),
    cmocka_unit_test(giants_are_refused),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
