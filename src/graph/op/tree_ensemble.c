/*
 * tree_ensemble.c -- TreeEnsembleClassifier, TreeEnsembleRegressor and TreeEnsemble of ai.onnx.ml:
 * random forests and boosted trees.
 *
 * The score of a class or target is the sum of the weights of the leaves that a row reaches, plus
 * its base value. If a classifier of two classes has weights for the first one only, they are those
 * of the second class, as boosted trees for two classes are written: the score s becomes 1 - s and
 * s (all weights positive) or -s and s, or the probabilities with LOGISTIC.
 */
#include "base/parallel.h"
#include "graph/op/plain.h"
#include "graph/op/tree.h"

typedef struct {
  crd__graph_trees trees;
  size_t rows, scores; /* scores written for a row */
  crd__graph_labels labels;
  crd__graph_post post;
  crd_dtype from, to;
  bool second, odd; /* one score for two classes; some weights are negative */
  const double *base;
  double *sums;
} ensemble;

/* ---- Attributes. */

/* Compare float64 in its own type; others as float32. */
static crd_status read_input(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                             ensemble *e) {
  crd__graph_matrix x = { 0, 0 };
  *e = (ensemble){ .to = CRD_F32, .trees.by = CRD__TREES_SUM };
  CRD_TRY(crd__graph_ml_matrix(ctx, net, node, 0, &x));
  e->from = crd__graph_node_input(net, node, 0)->dtype == CRD_F64 ? CRD_F64 : CRD_F32;
  e->rows = x.rows;
  e->trees.columns = x.columns;
  return CRD_OK;
}

/* One base value for each score, or none; a single one for all targets of a regressor. */
static crd_status read_base(crd_context *ctx, crd__graph *net, const crd__graph_node *node,
                            ensemble *e, size_t count) {
  crd__graph_numbers list;
  double *base;
  CRD_TRY(crd__graph_ml_numbers(ctx, node, "base_values", &list));
  if (!list.count || (list.count == 1 && count == 2)) return CRD_OK; /* as other runtimes */
  CRD_TRY(crd__graph_ml_count(ctx, node, "base_values", list.count, count));
  CRD_TRY(crd__engine_memory(ctx, &net->engine, count, sizeof *base, &base));
  for (size_t k = 0; k < count; k++) base[k] = crd__graph_ml_number(&list, k);
  e->base = base;
  return CRD_OK;
}

static void find_signs(ensemble *e) {
  bool second = e->labels.count == 2;
  for (size_t w = 0; w < e->trees.weight_count; w++) {
    second = second && e->trees.ids[w] == 0;
    e->odd = e->odd || e->trees.weights[w] < 0;
  }
  e->second = second && e->trees.weight_count;
}

static crd_status read_classifier(crd_context *ctx, crd__graph *net, const crd__graph_node *node,
                                  ensemble *e) {
  static const crd__graph_tree_names names = { "class_treeids", "class_nodeids", "class_ids",
                                               "class_weights" };
  CRD_TRY(read_input(ctx, net, node, e));
  CRD_TRY(crd__graph_ml_labels(ctx, node, "classlabels_int64s", &e->labels));
  CRD_TRY(crd__graph_ml_post(ctx, node, &e->post));
  e->trees.targets = e->scores = e->labels.count;
  CRD_TRY(crd__graph_trees_read(ctx, net, node, &names, &e->trees));
  find_signs(e);
  return read_base(ctx, net, node, e, e->second ? 1 : e->scores);
}

static crd_status read_targets(crd_context *ctx, const crd__graph_node *node, ensemble *e) {
  const int64_t targets = crd__graph_node_int(node, "n_targets", 1);
  if (targets < 1 || targets > INT32_MAX)
    return crd__graph_node_fail(ctx, node, "it has %lld targets", (long long)targets);
  e->trees.targets = e->scores = (size_t)targets;
  return CRD_OK;
}

static crd_status read_regressor(crd_context *ctx, crd__graph *net, const crd__graph_node *node,
                                 ensemble *e) {
  static const crd__graph_tree_names names = { "target_treeids", "target_nodeids", "target_ids",
                                               "target_weights" };
  static const char *const words[] = { "AVERAGE", "SUM", "MIN", "MAX" };
  size_t by = 0;
  CRD_TRY(read_input(ctx, net, node, e));
  CRD_TRY(crd__graph_ml_post(ctx, node, &e->post));
  CRD_TRY(read_targets(ctx, node, e));
  while (by < 4 && !crd__graph_node_word_is(node, "aggregate_function", words[by], "SUM")) by++;
  if (by == 4)
    return crd__graph_node_fail(ctx, node,
                                "its 'aggregate_function' is none of AVERAGE, SUM, MIN and MAX");
  e->trees.by = (crd__graph_trees_by)by;
  CRD_TRY(crd__graph_trees_read(ctx, net, node, &names, &e->trees));
  return read_base(ctx, net, node, e, e->scores);
}

static crd_status read_ensemble(crd_context *ctx, crd__graph *net, const crd__graph_node *node,
                                ensemble *e) {
  const int64_t by = crd__graph_node_int(node, "aggregate_function", CRD__TREES_SUM);
  const int64_t post = crd__graph_node_int(node, "post_transform", CRD__POST_NONE);
  CRD_TRY(read_input(ctx, net, node, e));
  CRD_TRY(read_targets(ctx, node, e));
  if (by < 0 || by > CRD__TREES_MAX || post < 0 || post >= CRD__POST_COUNT)
    return crd__graph_node_fail(ctx, node,
                                "aggregate_function %lld or post_transform %lld is "
                                "unknown",
                                (long long)by, (long long)post);
  e->trees.by = (crd__graph_trees_by)by;
  e->post = (crd__graph_post)post;
  e->to = e->from;
  return crd__graph_trees_read_flat(ctx, net, node, &e->trees);
}

/* ---- Shapes. Attributes are read again to plan; what is read here only checks them. */

static crd_status tree_ensemble_classifier_infer(crd_context *ctx, crd__graph *net,
                                                 crd__graph_node *node) {
  ensemble e;
  CRD_TRY(read_classifier(ctx, net, node, &e));
  return crd__graph_ml_set_classes(ctx, net, node, e.rows, e.scores);
}

static crd_status tree_ensemble_regressor_infer(crd_context *ctx, crd__graph *net,
                                                crd__graph_node *node) {
  ensemble e;
  CRD_TRY(read_regressor(ctx, net, node, &e));
  return crd__graph_ml_set(ctx, net, node, 0, CRD_F32, e.rows, e.scores);
}

static crd_status tree_ensemble_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  ensemble e;
  CRD_TRY(read_ensemble(ctx, net, node, &e));
  return crd__graph_ml_set(ctx, net, node, 0, e.to, e.rows, e.scores);
}

/* ---- Rows. */

typedef struct {
  const ensemble *e;
  const void *x;
  int64_t *labels;
  void *scores;
} work;

/* Turn the sums of a row into scores, which may be more; returns the index of the class, by sums
 * rounded to float32: those of a forest's shares may be equal, and the first class counts. */
static size_t finish_row(const ensemble *e, double *s) {
  for (size_t k = 0; k < (e->second ? 1 : e->scores); k++) {
    const double sum = s[k] + (e->base ? e->base[k] : 0);
    s[k] = e->to == CRD_F64 ? sum : (double)(float)sum;
  }
  const double first = s[0];
  if (e->second) {
    crd__graph_ml_second(e->post, e->odd, first, s);
    return first > (e->odd ? 0 : .5);
  }
  const size_t top = crd__graph_ml_top(e->scores, s);
  crd__graph_ml_transform(e->post, e->scores, s);
  return top;
}

static void run_rows(void *arg, size_t from, size_t to) {
  const work *const w = arg;
  const ensemble *const e = w->e;
  crd__graph_trees_run(&e->trees, e->from, w->x, from, to, e->sums);
  for (size_t i = from; i < to; i++) {
    double *const s = e->sums + i * e->scores;
    const size_t top = finish_row(e, s);
    if (w->labels) w->labels[i] = crd__graph_ml_label(&e->labels, top);
    for (size_t k = i * e->scores; k < (i + 1) * e->scores; k++) {
      if (e->to == CRD_F64) ((double *)w->scores)[k] = e->sums[k];
      else ((float *)w->scores)[k] = (float)e->sums[k];
    }
  }
}

static crd_status run(crd_context *ctx, const crd__engine_step *step) {
  const ensemble *const e = step->self;
  const bool classes = e->labels.count > 0;
  work w = { .e = e, .x = step->memory[0], .scores = step->memory[classes ? 2 : 1] };
  if (classes) w.labels = step->memory[1];
  (void)ctx;
  crd__parallel_spans(step->threads, e->rows, (1 << 10) / (e->trees.root_count + 1), run_rows, &w);
  return CRD_OK;
}

static crd_status plan_rows(crd_context *ctx, crd__engine_plan *plan, const crd__graph_node *node,
                            ensemble *e) {
  CRD_TRY(crd__graph_ml_scores(ctx, plan, e->rows, e->scores, &e->sums));
  if (e->from == CRD_F64) return crd__graph_plain_plan(ctx, plan, node, run, e, sizeof *e);
  return crd__graph_ml_plan(ctx, plan, node, run, e, sizeof *e);
}

static crd_status tree_ensemble_classifier_plan(crd_context *ctx, crd__engine_plan *plan,
                                                const crd__graph_node *node) {
  ensemble e;
  CRD_TRY(read_classifier(ctx, crd__graph_plan_net(plan), node, &e));
  return plan_rows(ctx, plan, node, &e);
}

static crd_status tree_ensemble_regressor_plan(crd_context *ctx, crd__engine_plan *plan,
                                               const crd__graph_node *node) {
  ensemble e;
  CRD_TRY(read_regressor(ctx, crd__graph_plan_net(plan), node, &e));
  return plan_rows(ctx, plan, node, &e);
}

static crd_status tree_ensemble_plan(crd_context *ctx, crd__engine_plan *plan,
                                     const crd__graph_node *node) {
  ensemble e;
  CRD_TRY(read_ensemble(ctx, crd__graph_plan_net(plan), node, &e));
  return plan_rows(ctx, plan, node, &e);
}

/* ---- The operators. */

#define NODES                                                                                      \
  { "nodes_falsenodeids", CRD__ATTRIBUTE_INTS }, { "nodes_featureids", CRD__ATTRIBUTE_INTS },      \
      { "nodes_missing_value_tracks_true", CRD__ATTRIBUTE_INTS }, {                                \
    "nodes_truenodeids", CRD__ATTRIBUTE_INTS                                                       \
  }
#define OLD_NODES                                                                                  \
  NODES, { "base_values", CRD__ATTRIBUTE_FLOATS },                                                 \
      { "base_values_as_tensor", CRD__ATTRIBUTE_TENSOR },                                          \
      { "nodes_hitrates", CRD__ATTRIBUTE_FLOATS },                                                 \
      { "nodes_hitrates_as_tensor", CRD__ATTRIBUTE_TENSOR },                                       \
      { "nodes_modes", CRD__ATTRIBUTE_STRINGS }, { "nodes_nodeids", CRD__ATTRIBUTE_INTS },         \
      { "nodes_treeids", CRD__ATTRIBUTE_INTS }, { "nodes_values", CRD__ATTRIBUTE_FLOATS },         \
      { "nodes_values_as_tensor", CRD__ATTRIBUTE_TENSOR }, {                                       \
    "post_transform", CRD__ATTRIBUTE_STRING                                                        \
  }

static const crd__graph_op_attribute classifier[] = {
  OLD_NODES,
  { "class_ids", CRD__ATTRIBUTE_INTS },
  { "class_nodeids", CRD__ATTRIBUTE_INTS },
  { "class_treeids", CRD__ATTRIBUTE_INTS },
  { "class_weights", CRD__ATTRIBUTE_FLOATS },
  { "class_weights_as_tensor", CRD__ATTRIBUTE_TENSOR },
  { "classlabels_int64s", CRD__ATTRIBUTE_INTS },
  { "classlabels_strings", CRD__ATTRIBUTE_STRINGS },
  { .name = NULL },
};
static const crd__graph_op_attribute regressor[] = {
  OLD_NODES,
  { "aggregate_function", CRD__ATTRIBUTE_STRING },
  { "n_targets", CRD__ATTRIBUTE_INT },
  { "target_ids", CRD__ATTRIBUTE_INTS },
  { "target_nodeids", CRD__ATTRIBUTE_INTS },
  { "target_treeids", CRD__ATTRIBUTE_INTS },
  { "target_weights", CRD__ATTRIBUTE_FLOATS },
  { "target_weights_as_tensor", CRD__ATTRIBUTE_TENSOR },
  { .name = NULL },
};
static const crd__graph_op_attribute flat[] = {
  NODES,
  { "aggregate_function", CRD__ATTRIBUTE_INT },
  { "leaf_targetids", CRD__ATTRIBUTE_INTS },
  { "leaf_weights", CRD__ATTRIBUTE_TENSOR },
  { "membership_values", CRD__ATTRIBUTE_TENSOR },
  { "n_targets", CRD__ATTRIBUTE_INT },
  { "nodes_falseleafs", CRD__ATTRIBUTE_INTS },
  { "nodes_hitrates", CRD__ATTRIBUTE_TENSOR },
  { "nodes_modes", CRD__ATTRIBUTE_TENSOR },
  { "nodes_splits", CRD__ATTRIBUTE_TENSOR },
  { "nodes_trueleafs", CRD__ATTRIBUTE_INTS },
  { "post_transform", CRD__ATTRIBUTE_INT },
  { "tree_roots", CRD__ATTRIBUTE_INTS },
  { .name = NULL },
};

#define ENSEMBLE(entry, name, types, since, results, names)                                        \
  const crd__graph_op crd__graph_op_##entry = {                                                    \
    .info = { CRD__ML name, types, since, CRD__OPSET_ML, 0, 0 },                                   \
    .inputs_least = 1,                                                                             \
    .inputs_most = 1,                                                                              \
    .outputs_least = results,                                                                      \
    .outputs_most = results,                                                                       \
    .attributes = names,                                                                           \
    .infer = entry##_infer,                                                                        \
    .plan = entry##_plan,                                                                          \
  }

ENSEMBLE(tree_ensemble_classifier, "TreeEnsembleClassifier",
         "any numeric type; names of classes are indices", 1, 2, classifier);
ENSEMBLE(tree_ensemble_regressor, "TreeEnsembleRegressor", "any numeric type", 1, 1, regressor);
ENSEMBLE(tree_ensemble, "TreeEnsemble", "any numeric type", 5, 1, flat);
