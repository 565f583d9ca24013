/*
 * linear_model.c -- LinearClassifier and LinearRegressor of ai.onnx.ml: scores W x + b of each row,
 * summed in float64, then a transformation of the row's scores.
 *
 * One score for two labels is that of the second class: it becomes 1 - s and s, or the
 * probabilities with LOGISTIC.
 */
#include "base/parallel.h"
#include "graph/op/ml.h"

typedef struct {
  crd__graph_matrix x;
  size_t targets, scores;            /* computed for a row; written */
  const float *weights, *intercepts; /* intercepts may be NULL */
  crd__graph_post post;
  bool second; /* one score for two classes */
  crd__graph_labels labels;
  double *sums; /* the scores of all rows */
} linear;

/* ---- Attributes. */

static crd_status read_weights(crd_context *ctx, const crd__graph_node *node, linear *l) {
  crd__graph_numbers weights, intercepts;
  CRD_TRY(crd__graph_ml_numbers(ctx, node, "coefficients", &weights));
  CRD_TRY(crd__graph_ml_numbers(ctx, node, "intercepts", &intercepts));
  CRD_TRY(crd__graph_ml_count(ctx, node, "coefficients", weights.count, l->targets * l->x.columns));
  if (intercepts.count)
    CRD_TRY(crd__graph_ml_count(ctx, node, "intercepts", intercepts.count, l->targets));
  l->weights = weights.floats;
  l->intercepts = intercepts.count ? intercepts.floats : NULL;
  return crd__graph_ml_post(ctx, node, &l->post);
}

static crd_status read_classifier(crd_context *ctx, const crd__graph *net,
                                  const crd__graph_node *node, linear *l) {
  crd__graph_numbers weights;
  *l = (linear){ .targets = 0 };
  CRD_TRY(crd__graph_ml_matrix(ctx, net, node, 0, &l->x));
  CRD_TRY(crd__graph_ml_labels(ctx, node, "classlabels_ints", &l->labels));
  CRD_TRY(crd__graph_ml_numbers(ctx, node, "coefficients", &weights));
  l->second = l->labels.count == 2 && weights.count == l->x.columns;
  l->targets = l->second ? 1 : l->labels.count;
  l->scores = l->labels.count;
  return read_weights(ctx, node, l);
}

static crd_status read_regressor(crd_context *ctx, const crd__graph *net,
                                 const crd__graph_node *node, linear *l) {
  const int64_t targets = crd__graph_node_int(node, "targets", 1);
  *l = (linear){ .targets = 0 };
  CRD_TRY(crd__graph_ml_matrix(ctx, net, node, 0, &l->x));
  if (targets < 1 || targets > INT32_MAX)
    return crd__graph_node_fail(ctx, node, "it has %lld targets", (long long)targets);
  l->targets = l->scores = (size_t)targets;
  return read_weights(ctx, node, l);
}

static crd_status linear_classifier_infer(crd_context *ctx, crd__graph *net,
                                          crd__graph_node *node) {
  linear l;
  CRD_TRY(read_classifier(ctx, net, node, &l));
  return crd__graph_ml_set_classes(ctx, net, node, l.x.rows, l.scores);
}

static crd_status linear_regressor_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  linear l;
  CRD_TRY(read_regressor(ctx, net, node, &l));
  return crd__graph_ml_set(ctx, net, node, 0, CRD_F32, l.x.rows, l.scores);
}

/* ---- Rows. */

typedef struct {
  const linear *l;
  const float *x;
  int64_t *labels; /* NULL: a regressor */
  float *scores;
} work;

static double score_of(const linear *l, const float *row, size_t target) {
  const float *const w = l->weights + target * l->x.columns;
  double sum = l->intercepts ? (double)l->intercepts[target] : 0;
  for (size_t c = 0; c < l->x.columns; c++) sum += (double)w[c] * (double)row[c];
  return sum;
}

static void score_rows(void *arg, size_t from, size_t to) {
  const work *const w = arg;
  const linear *const l = w->l;
  for (size_t i = from; i < to; i++) {
    const float *const row = w->x + i * l->x.columns;
    double *const s = l->sums + i * l->scores;
    for (size_t t = 0; t < l->targets; t++) s[t] = score_of(l, row, t);
    const size_t top = l->second ? s[0] > 0 : crd__graph_ml_top(l->targets, s);
    if (w->labels) w->labels[i] = crd__graph_ml_label(&l->labels, top);
    if (l->second) crd__graph_ml_second(l->post, false, s[0], s);
    else crd__graph_ml_transform(l->post, l->scores, s);
    for (size_t k = 0; k < l->scores; k++) w->scores[i * l->scores + k] = (float)s[k];
  }
}

static crd_status run(crd_context *ctx, const crd__engine_step *step) {
  const linear *const l = step->self;
  const bool classes = l->labels.count > 0;
  work w = { .l = l, .x = step->memory[0], .scores = step->memory[classes ? 2 : 1] };
  if (classes) w.labels = step->memory[1];
  (void)ctx;
  crd__parallel_spans(step->threads, l->x.rows, (1 << 13) / (l->targets * l->x.columns + 1),
                      score_rows, &w);
  return CRD_OK;
}

static crd_status linear_classifier_plan(crd_context *ctx, crd__engine_plan *plan,
                                         const crd__graph_node *node) {
  linear l;
  CRD_TRY(read_classifier(ctx, crd__graph_plan_net(plan), node, &l));
  CRD_TRY(crd__graph_ml_scores(ctx, plan, l.x.rows, l.scores, &l.sums));
  return crd__graph_ml_plan(ctx, plan, node, run, &l, sizeof l);
}

static crd_status linear_regressor_plan(crd_context *ctx, crd__engine_plan *plan,
                                        const crd__graph_node *node) {
  linear l;
  CRD_TRY(read_regressor(ctx, crd__graph_plan_net(plan), node, &l));
  CRD_TRY(crd__graph_ml_scores(ctx, plan, l.x.rows, l.scores, &l.sums));
  return crd__graph_ml_plan(ctx, plan, node, run, &l, sizeof l);
}

static uint64_t linear_flops(const crd__graph *net, const crd__graph_node *node) {
  const crd__onnx_attribute *const w = crd__graph_node_attribute(node, "coefficients");
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  return 2 * (w ? w->count : 0) * (x->rank == 2 ? (uint64_t)x->dims[0] : 1);
}

static const crd__graph_op_attribute classifier[] = {
  { "classlabels_ints", CRD__ATTRIBUTE_INTS },
  { "classlabels_strings", CRD__ATTRIBUTE_STRINGS },
  { "coefficients", CRD__ATTRIBUTE_FLOATS },
  { "intercepts", CRD__ATTRIBUTE_FLOATS },
  { "multi_class", CRD__ATTRIBUTE_INT },
  { "post_transform", CRD__ATTRIBUTE_STRING },
  { .name = NULL },
};
static const crd__graph_op_attribute regressor[] = {
  { "coefficients", CRD__ATTRIBUTE_FLOATS },
  { "intercepts", CRD__ATTRIBUTE_FLOATS },
  { "post_transform", CRD__ATTRIBUTE_STRING },
  { "targets", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};

const crd__graph_op crd__graph_op_linear_classifier = {
  .info = { CRD__ML "LinearClassifier", "any numeric type; names of classes are indices", 1,
            CRD__OPSET_ML, 0, 0 },
  .inputs_least = 1,
  .inputs_most = 1,
  .outputs_least = 2,
  .outputs_most = 2,
  .attributes = classifier,
  .infer = linear_classifier_infer,
  .plan = linear_classifier_plan,
  .flops = linear_flops,
};

const crd__graph_op crd__graph_op_linear_regressor = {
  .info = { CRD__ML "LinearRegressor", "any numeric type", 1, CRD__OPSET_ML, 0, 0 },
  .inputs_least = 1,
  .inputs_most = 1,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = regressor,
  .infer = linear_regressor_infer,
  .plan = linear_regressor_plan,
  .flops = linear_flops,
};
