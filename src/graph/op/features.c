/*
 * features.c -- the operators of ai.onnx.ml that select and join features: ArrayFeatureExtractor
 * (columns by index), FeatureVectorizer (matrices side by side, as float32) and ZipMap, whose
 * sequence of maps from class to probability is left a matrix of probabilities.
 */
#include "base/parallel.h"
#include "engine/kernel/element.h"
#include "engine/kernel/gather.h"
#include "graph/op/ml.h"
#include "graph/op/plain.h"

/* ---- ArrayFeatureExtractor. */

static crd_status refuse(crd_context *ctx, const crd__graph_node *node, double index,
                         size_t length) {
  return crd__graph_node_fail(ctx, node, "an index is %.0f; 0 to %lld are allowed", index,
                              (long long)length - 1);
}

static crd_status array_feature_extractor_infer(crd_context *ctx, crd__graph *net,
                                                crd__graph_node *node) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  const crd__engine_tensor *const y = crd__graph_node_input(net, node, 1);
  int64_t dims[CRD_RANK_MAX + 1] = { 1 };
  CRD_TRY(crd__graph_node_needs(ctx, net, node, 1, CRD_I64));
  if (!x->rank) return crd__graph_node_fail(ctx, node, "its input is a scalar");
  const size_t rank = x->rank == 1 ? 2 : x->rank, columns = (size_t)x->dims[x->rank - 1];
  for (size_t d = 0; x->rank > 1 && d < x->rank; d++) dims[d] = x->dims[d];
  dims[rank - 1] = (int64_t)crd__engine_tensor_count(y);
  for (size_t i = 0; y->constant && i < crd__engine_tensor_count(y); i++) {
    const double index = crd__engine_tensor_number(y, i);
    if (index < 0 || index >= (double)columns) return refuse(ctx, node, index, columns);
  }
  return crd__graph_node_set(ctx, net, node, 0, x->dtype, rank, dims);
}

static crd_status extract(crd_context *ctx, const crd__engine_step *step) {
  crd__kernel_gather g = *(const crd__kernel_gather *)step->self;
  int64_t bad;
  g.index = step->memory[1];
  if (crd__kernel_gather_run(step->threads, &g, step->memory[0], step->memory[2], &bad))
    return CRD_OK;
  return refuse(ctx, step->node, (double)bad, g.length);
}

static crd_status array_feature_extractor_plan(crd_context *ctx, crd__engine_plan *plan,
                                               const crd__graph_node *node) {
  const crd__graph *const net = crd__graph_plan_net(plan);
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  const size_t columns = (size_t)x->dims[x->rank - 1];
  const crd__kernel_gather g = {
    .size = crd_dtype_size(x->dtype),
    .outer = columns ? crd__engine_tensor_count(x) / columns : 0,
    .inner = 1,
    .length = columns,
    .index_type = CRD_I64,
    .count = crd__engine_tensor_count(crd__graph_node_input(net, node, 1)),
  };
  return crd__graph_plain_plan(ctx, plan, node, extract, &g, sizeof g);
}

/* ---- FeatureVectorizer. */

typedef struct {
  size_t rows, width;
  const crd__graph *net;
  const crd__graph_node *node;
} joining;

static crd_status feature_vectorizer_infer(crd_context *ctx, crd__graph *net,
                                           crd__graph_node *node) {
  const crd__onnx_attribute *const list = crd__graph_node_attribute(node, "inputdimensions");
  crd__graph_matrix first = { 0, 0 }, x;
  size_t width = 0;
  for (size_t i = 0; i < node->input_count; i++) {
    if (node->inputs[i] == CRD__NONE)
      return crd__graph_node_fail(ctx, node, "its input %zu is left out", i);
    CRD_TRY(crd__graph_ml_matrix(ctx, net, node, i, &x));
    if (i == 0) first = x;
    if (x.rows != first.rows)
      return crd__graph_node_fail(ctx, node, "its inputs have %zu and %zu rows", first.rows,
                                  x.rows);
    if (list && (i >= list->count || list->ints[i] != (int64_t)x.columns))
      return crd__graph_node_fail(ctx, node,
                                  "its input %zu has %zu columns, its "
                                  "'inputdimensions' another number",
                                  i, x.columns);
    width += x.columns;
  }
  return crd__graph_ml_set(ctx, net, node, 0, CRD_F32, first.rows, width);
}

static crd_status join(crd_context *ctx, const crd__engine_step *step) {
  const joining *const j = step->self;
  float *const y = step->memory[j->node->input_count];
  size_t first = 0;
  (void)ctx;
  for (size_t i = 0; i < j->node->input_count; i++) {
    const crd__engine_tensor *const x = crd__graph_node_input(j->net, j->node, i);
    const size_t columns = (size_t)x->dims[x->rank - 1], size = crd_dtype_size(x->dtype);
    for (size_t r = 0; r < j->rows; r++)
      crd__kernel_cast(1, x->dtype, CRD_F32, columns,
                       (const char *)step->memory[i] + r * columns * size,
                       y + r * j->width + first);
    first += columns;
  }
  return CRD_OK;
}

static crd_status feature_vectorizer_plan(crd_context *ctx, crd__engine_plan *plan,
                                          const crd__graph_node *node) {
  const crd__graph *const net = crd__graph_plan_net(plan);
  const crd__engine_tensor *const y = crd__graph_node_output(net, node, 0);
  const joining j = { .rows = (size_t)y->dims[0],
                      .width = y->rank > 1 ? (size_t)y->dims[1] : 0,
                      .net = net,
                      .node = node };
  return crd__graph_plain_plan(ctx, plan, node, join, &j, sizeof j);
}

/* ---- ZipMap. */

static crd_status zip_map_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  crd__graph_labels labels;
  CRD_TRY(crd__graph_node_needs(ctx, net, node, 0, CRD_F32));
  CRD_TRY(crd__graph_ml_labels(ctx, node, "classlabels_int64s", &labels));
  if (x->rank < 1 || x->rank > 2 || (size_t)x->dims[x->rank - 1] != labels.count)
    return crd__graph_node_fail(ctx, node,
                                "its input does not have one column for each of the %zu "
                                "class labels",
                                labels.count);
  return crd__graph_node_set_like(ctx, net, node, 0, 0);
}

static const crd__graph_op_attribute dimensions[] = {
  { "inputdimensions", CRD__ATTRIBUTE_INTS },
  { .name = NULL },
};
static const crd__graph_op_attribute labels[] = {
  { "classlabels_int64s", CRD__ATTRIBUTE_INTS },
  { "classlabels_strings", CRD__ATTRIBUTE_STRINGS },
  { .name = NULL },
};

const crd__graph_op crd__graph_op_array_feature_extractor = {
  .info = { CRD__ML "ArrayFeatureExtractor", "any type", 1, CRD__OPSET_ML, 0, 0 },
  .inputs_least = 2,
  .inputs_most = 2,
  .outputs_least = 1,
  .outputs_most = 1,
  .strings = true,
  .infer = array_feature_extractor_infer,
  .plan = array_feature_extractor_plan,
  .flops = crd__graph_plain_flops,
};

const crd__graph_op crd__graph_op_feature_vectorizer = {
  .info = { CRD__ML "FeatureVectorizer", "any numeric type", 1, CRD__OPSET_ML, 0, 0 },
  .inputs_least = 1,
  .inputs_most = 0,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = dimensions,
  .infer = feature_vectorizer_infer,
  .plan = feature_vectorizer_plan,
  .flops = crd__graph_plain_flops,
};

const crd__graph_op crd__graph_op_zip_map = {
  .info = { CRD__ML "ZipMap", "left a matrix", 1, CRD__OPSET_ML, 1, 0 },
  .inputs_least = 1,
  .inputs_most = 1,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = labels,
  .infer = zip_map_infer,
  .view = true,
};
