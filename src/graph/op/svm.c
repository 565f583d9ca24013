/*
 * svm.c -- SVMClassifier and SVMRegressor of ai.onnx.ml: support vector machines as libsvm trains
 * them.
 *
 * Kernel of a row x and a support vector v: LINEAR x.v, POLY (gamma x.v + coef0)^degree, SIGMOID
 * tanh(gamma x.v + coef0), RBF exp(-gamma |x - v|^2). A pair of classes has the score
 * s_ij = sum of coefficients times kernels + rho_ij, a vote for i if positive, else for j. With
 * prob_a and prob_b each score becomes the probability of i against j by Platt scaling, and those
 * of all pairs are coupled (Wu, Lin and Weng, "Probability estimates for multi-class classification
 * by pairwise coupling", JMLR 2004, section 4.2), by the iteration and the stopping rule of libsvm.
 * Without support vectors the coefficients are weights of the features.
 */
#include "base/parallel.h"
#include "graph/op/ml.h"

#include <math.h>

typedef enum { LINEAR, POLY, RBF, SIGMOID, KERNELS } kernel;

typedef struct {
  crd__graph_matrix x;
  size_t vectors, classes, pairs;                    /* classes 0: a regressor */
  size_t scores;                                     /* written for a row */
  const int64_t *counts;                             /* vectors of each class */
  const float *support, *coefficients, *rho, *a, *b; /* a: NULL, no probabilities */
  kernel kernel;
  double gamma, coef0, degree;
  crd__graph_post post;
  crd__graph_labels labels;
  bool one_class;
  double *scratch; /* for each row: kernels, scores of pairs, probabilities */
  size_t each;     /* elements of scratch for a row */
} machine;

/* ---- Attributes. */

static crd_status read_floats(crd_context *ctx, const crd__graph_node *node, const char *name,
                              size_t wanted, const float **out) {
  crd__graph_numbers list;
  CRD_TRY(crd__graph_ml_numbers(ctx, node, name, &list));
  *out = list.floats;
  return crd__graph_ml_count(ctx, node, name, list.count, wanted);
}

static crd_status read_kernel(crd_context *ctx, const crd__graph_node *node, machine *m) {
  static const char *const words[KERNELS] = { "LINEAR", "POLY", "RBF", "SIGMOID" };
  crd__graph_numbers params;
  int k = 0;
  while (k < KERNELS && !crd__graph_node_word_is(node, "kernel_type", words[k], "LINEAR")) k++;
  if (k == KERNELS)
    return crd__graph_node_fail(ctx, node,
                                "its 'kernel_type' is none of LINEAR, POLY, RBF and SIGMOID");
  CRD_TRY(crd__graph_ml_numbers(ctx, node, "kernel_params", &params));
  if (params.count) CRD_TRY(crd__graph_ml_count(ctx, node, "kernel_params", params.count, 3));
  m->kernel = m->vectors ? (kernel)k : LINEAR;
  m->gamma = params.count ? (double)params.floats[0] : 0;
  m->coef0 = params.count ? (double)params.floats[1] : 0;
  m->degree = params.count ? (double)params.floats[2] : 0;
  return crd__graph_ml_post(ctx, node, &m->post);
}

/* The vectors of each class, and their sum. */
static crd_status count_vectors(crd_context *ctx, const crd__graph_node *node, machine *m) {
  const crd__onnx_attribute *const list = crd__graph_node_attribute(node, "vectors_per_class");
  int64_t sum = 0;
  if (!list || !list->count) return CRD_OK;
  CRD_TRY(crd__graph_ml_count(ctx, node, "vectors_per_class", list->count, m->classes));
  for (size_t k = 0; k < list->count; k++) {
    if (list->ints[k] < 0 || list->ints[k] > INT32_MAX || sum > INT32_MAX)
      return crd__graph_node_fail(ctx, node, "class %zu has %lld vectors", k,
                                  (long long)list->ints[k]);
    sum += list->ints[k];
  }
  m->vectors = (size_t)sum;
  m->counts = list->ints;
  return CRD_OK;
}

static crd_status read_pairs(crd_context *ctx, const crd__graph_node *node, machine *m) {
  const crd__onnx_attribute *const a = crd__graph_node_attribute(node, "prob_a");
  m->pairs = m->classes * (m->classes - 1) / 2;
  CRD_TRY(read_floats(ctx, node, "support_vectors", m->vectors * m->x.columns, &m->support));
  CRD_TRY(read_floats(ctx, node, "coefficients", m->vectors * (m->classes - 1), &m->coefficients));
  CRD_TRY(read_floats(ctx, node, "rho", m->pairs, &m->rho));
  m->scores = m->pairs > 1 ? m->pairs : 2;
  if (!a || !a->count) return CRD_OK;
  m->scores = m->classes;
  CRD_TRY(read_floats(ctx, node, "prob_a", m->pairs, &m->a));
  return read_floats(ctx, node, "prob_b", m->pairs, &m->b);
}

static crd_status read_classifier(crd_context *ctx, const crd__graph *net,
                                  const crd__graph_node *node, machine *m) {
  *m = (machine){ .classes = 0 };
  CRD_TRY(crd__graph_ml_matrix(ctx, net, node, 0, &m->x));
  CRD_TRY(crd__graph_ml_labels(ctx, node, "classlabels_ints", &m->labels));
  m->classes = m->labels.count;
  if (m->classes < 2 || m->classes > INT16_MAX)
    return crd__graph_node_fail(ctx, node, "it has %zu classes; 2 to %d are supported", m->classes,
                                INT16_MAX);
  CRD_TRY(count_vectors(ctx, node, m));
  CRD_TRY(read_kernel(ctx, node, m));
  if (m->vectors) return read_pairs(ctx, node, m);
  m->scores = m->classes;
  CRD_TRY(read_floats(ctx, node, "coefficients", m->classes * m->x.columns, &m->coefficients));
  return read_floats(ctx, node, "rho", 1, &m->rho);
}

static crd_status read_regressor(crd_context *ctx, const crd__graph *net,
                                 const crd__graph_node *node, machine *m) {
  const int64_t vectors = crd__graph_node_int(node, "n_supports", 0);
  *m = (machine){ .scores = 1, .one_class = crd__graph_node_int(node, "one_class", 0) != 0 };
  CRD_TRY(crd__graph_ml_matrix(ctx, net, node, 0, &m->x));
  if (vectors < 0 || vectors > INT32_MAX)
    return crd__graph_node_fail(ctx, node, "it has %lld vectors", (long long)vectors);
  m->vectors = (size_t)vectors;
  CRD_TRY(read_kernel(ctx, node, m));
  if (m->vectors)
    CRD_TRY(read_floats(ctx, node, "support_vectors", m->vectors * m->x.columns, &m->support));
  CRD_TRY(read_floats(ctx, node, "coefficients", m->vectors ? m->vectors : m->x.columns,
                      &m->coefficients));
  return read_floats(ctx, node, "rho", 1, &m->rho);
}

static crd_status svm_classifier_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  machine m;
  CRD_TRY(read_classifier(ctx, net, node, &m));
  return crd__graph_ml_set_classes(ctx, net, node, m.x.rows, m.scores);
}

static crd_status svm_regressor_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  machine m;
  CRD_TRY(read_regressor(ctx, net, node, &m));
  return crd__graph_ml_set(ctx, net, node, 0, CRD_F32, m.x.rows, 1);
}

/* ---- Scores. */

static double dot(size_t n, const float *x, const float *v) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += (double)x[i] * (double)v[i];
  return sum;
}

static double distance(size_t n, const float *x, const float *v) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) {
    const double d = (double)x[i] - (double)v[i];
    sum += d * d;
  }
  return sum;
}

static double kernel_of(const machine *m, const float *x, const float *v) {
  const size_t n = m->x.columns;
  if (m->kernel == RBF) return exp(-m->gamma * distance(n, x, v));
  const double product = dot(n, x, v);
  if (m->kernel == LINEAR) return product;
  const double inner = m->gamma * product + m->coef0;
  return m->kernel == POLY ? pow(inner, m->degree) : tanh(inner);
}

/* Compute the scores of all pairs of classes from the kernels; returns the class with most votes.
 */
static size_t score_pairs(const machine *m, const double *kernels, double *votes, double *scores) {
  size_t pair = 0, first_i = 0;
  for (size_t k = 0; k < m->classes; k++) votes[k] = 0;
  for (size_t i = 0; i < m->classes; first_i += (size_t)m->counts[i++]) {
    size_t first_j = first_i + (size_t)m->counts[i];
    for (size_t j = i + 1; j < m->classes; first_j += (size_t)m->counts[j++], pair++) {
      const float *const of_i = m->coefficients + (j - 1) * m->vectors;
      const float *const of_j = m->coefficients + i * m->vectors;
      double sum = (double)m->rho[pair];
      for (size_t v = first_i; v < first_i + (size_t)m->counts[i]; v++)
        sum += (double)of_i[v] * kernels[v];
      for (size_t v = first_j; v < first_j + (size_t)m->counts[j]; v++)
        sum += (double)of_j[v] * kernels[v];
      scores[pair] = sum;
      votes[sum > 0 ? i : j]++;
    }
  }
  return crd__graph_ml_top(m->classes, votes);
}

/* ---- Probabilities. */

static void find_pairwise(const machine *m, const double *scores, double *r) {
  const size_t k = m->classes;
  size_t pair = 0;
  for (size_t i = 0; i < k; i++)
    for (size_t j = i + 1; j < k; j++, pair++) {
      const double f = scores[pair] * (double)m->a[pair] + (double)m->b[pair];
      const double p = f >= 0 ? exp(-f) / (1 + exp(-f)) : 1 / (1 + exp(f));
      r[i * k + j] = fmin(fmax(p, 1e-7), 1 - 1e-7);
      r[j * k + i] = 1 - r[i * k + j];
    }
}

/* q_ii = sum of r_ji^2, q_ij = -r_ji r_ij; p minimises p' q p over the simplex. */
static void fill_matrix(size_t k, const double *r, double *q) {
  for (size_t i = 0; i < k; i++) {
    q[i * k + i] = 0;
    for (size_t j = 0; j < k; j++) {
      if (j == i) continue;
      q[i * k + i] += r[j * k + i] * r[j * k + i];
      q[i * k + j] = -r[j * k + i] * r[i * k + j];
    }
  }
}

/* One sweep over the classes, with qp = q p and pqp = p' q p kept up to date. */
static void sweep(size_t k, const double *q, double *p, double *qp, double pqp) {
  for (size_t i = 0; i < k; i++) {
    const double step = (pqp - qp[i]) / q[i * k + i];
    p[i] += step;
    pqp = (pqp + step * (step * q[i * k + i] + 2 * qp[i])) / (1 + step) / (1 + step);
    for (size_t j = 0; j < k; j++) {
      qp[j] = (qp[j] + step * q[i * k + j]) / (1 + step);
      p[j] /= 1 + step;
    }
  }
}

static void couple(size_t k, const double *q, double *p, double *qp) {
  enum { SWEEPS = 100 };
  for (size_t i = 0; i < k; i++) p[i] = 1 / (double)k;
  for (size_t n = 0; n < SWEEPS; n++) {
    double pqp = 0, worst = 0;
    for (size_t i = 0; i < k; i++) {
      qp[i] = 0;
      for (size_t j = 0; j < k; j++) qp[i] += q[i * k + j] * p[j];
      pqp += p[i] * qp[i];
    }
    for (size_t i = 0; i < k; i++) worst = fmax(worst, fabs(qp[i] - pqp));
    if (worst < .005 / (double)k) return;
    sweep(k, q, p, qp, pqp);
  }
}

/* ---- Rows. */

typedef struct {
  const machine *m;
  const float *x;
  int64_t *labels;
  float *scores;
} work;

/* Scratch of a row: kernels, scores, then for probabilities r, q, p and q p; votes at the end. */
static size_t scratch_of(const machine *m) {
  const size_t k = m->classes;
  return m->vectors + (m->pairs > m->scores ? m->pairs : m->scores) + 2 * k * k + 3 * k;
}

static size_t classify_pairs(const machine *m, double *scratch, double *out) {
  const size_t k = m->classes;
  double *const scores = scratch + m->vectors;
  double *const r = scores + (m->pairs > m->scores ? m->pairs : m->scores);
  double *const q = r + k * k, *const p = q + k * k, *const qp = p + k, *const votes = qp + k;
  const size_t top = score_pairs(m, scratch, votes, scores);
  if (m->a) {
    find_pairwise(m, scores, r);
    fill_matrix(k, r, q);
    couple(k, q, p, qp);
    for (size_t i = 0; i < k; i++) scores[i] = p[i];
  }
  if (m->pairs == 1 && !m->a)
    crd__graph_ml_second(m->post, m->post == CRD__POST_NONE, scores[0], scores);
  else crd__graph_ml_transform(m->post, m->scores, scores);
  for (size_t i = 0; i < m->scores; i++) out[i] = scores[i];
  return top;
}

static void classify_rows(void *arg, size_t from, size_t to) {
  const work *const w = arg;
  const machine *const m = w->m;
  for (size_t i = from; i < to; i++) {
    const float *const row = w->x + i * m->x.columns;
    double *const s = m->scratch + i * m->each, *const out = s + m->vectors;
    size_t top;
    for (size_t v = 0; v < m->vectors; v++) s[v] = kernel_of(m, row, m->support + v * m->x.columns);
    if (m->vectors) top = classify_pairs(m, s, out);
    else {
      for (size_t k = 0; k < m->classes; k++)
        out[k] = dot(m->x.columns, row, m->coefficients + k * m->x.columns) + (double)m->rho[0];
      top = crd__graph_ml_top(m->classes, out);
      crd__graph_ml_transform(m->post, m->classes, out);
    }
    w->labels[i] = crd__graph_ml_label(&m->labels, top);
    for (size_t k = 0; k < m->scores; k++) w->scores[i * m->scores + k] = (float)out[k];
  }
}

static void regress_rows(void *arg, size_t from, size_t to) {
  const work *const w = arg;
  const machine *const m = w->m;
  for (size_t i = from; i < to; i++) {
    const float *const row = w->x + i * m->x.columns;
    double sum = (double)m->rho[0];
    if (!m->vectors) sum += dot(m->x.columns, row, m->coefficients);
    for (size_t v = 0; v < m->vectors; v++)
      sum += (double)m->coefficients[v] * kernel_of(m, row, m->support + v * m->x.columns);
    w->scores[i] = m->one_class ? (sum > 0 ? 1.F : -1.F) : (float)sum;
  }
}

static crd_status run(crd_context *ctx, const crd__engine_step *step) {
  const machine *const m = step->self;
  const size_t each = (m->vectors + m->classes + 1) * (m->x.columns + 1);
  work w = { .m = m, .x = step->memory[0], .scores = step->memory[m->classes ? 2 : 1] };
  if (m->classes) w.labels = step->memory[1];
  (void)ctx;
  crd__parallel_spans(step->threads, m->x.rows, (1 << 13) / each,
                      m->classes ? classify_rows : regress_rows, &w);
  return CRD_OK;
}

static crd_status svm_classifier_plan(crd_context *ctx, crd__engine_plan *plan,
                                      const crd__graph_node *node) {
  machine m;
  CRD_TRY(read_classifier(ctx, crd__graph_plan_net(plan), node, &m));
  m.each = scratch_of(&m);
  CRD_TRY(crd__graph_ml_scores(ctx, plan, m.x.rows, m.each, &m.scratch));
  return crd__graph_ml_plan(ctx, plan, node, run, &m, sizeof m);
}

static crd_status svm_regressor_plan(crd_context *ctx, crd__engine_plan *plan,
                                     const crd__graph_node *node) {
  machine m;
  CRD_TRY(read_regressor(ctx, crd__graph_plan_net(plan), node, &m));
  return crd__graph_ml_plan(ctx, plan, node, run, &m, sizeof m);
}

static const crd__graph_op_attribute classifier[] = {
  { "classlabels_ints", CRD__ATTRIBUTE_INTS },
  { "classlabels_strings", CRD__ATTRIBUTE_STRINGS },
  { "coefficients", CRD__ATTRIBUTE_FLOATS },
  { "kernel_params", CRD__ATTRIBUTE_FLOATS },
  { "kernel_type", CRD__ATTRIBUTE_STRING },
  { "post_transform", CRD__ATTRIBUTE_STRING },
  { "prob_a", CRD__ATTRIBUTE_FLOATS },
  { "prob_b", CRD__ATTRIBUTE_FLOATS },
  { "rho", CRD__ATTRIBUTE_FLOATS },
  { "support_vectors", CRD__ATTRIBUTE_FLOATS },
  { "vectors_per_class", CRD__ATTRIBUTE_INTS },
  { .name = NULL },
};
static const crd__graph_op_attribute regressor[] = {
  { "coefficients", CRD__ATTRIBUTE_FLOATS },
  { "kernel_params", CRD__ATTRIBUTE_FLOATS },
  { "kernel_type", CRD__ATTRIBUTE_STRING },
  { "n_supports", CRD__ATTRIBUTE_INT },
  { "one_class", CRD__ATTRIBUTE_INT },
  { "post_transform", CRD__ATTRIBUTE_STRING },
  { "rho", CRD__ATTRIBUTE_FLOATS },
  { "support_vectors", CRD__ATTRIBUTE_FLOATS },
  { .name = NULL },
};

const crd__graph_op crd__graph_op_svm_classifier = {
  .info = { CRD__ML "SVMClassifier", "any numeric type; names of classes are indices", 1,
            CRD__OPSET_ML, 0, 0 },
  .inputs_least = 1,
  .inputs_most = 1,
  .outputs_least = 2,
  .outputs_most = 2,
  .attributes = classifier,
  .infer = svm_classifier_infer,
  .plan = svm_classifier_plan,
};

const crd__graph_op crd__graph_op_svm_regressor = {
  .info = { CRD__ML "SVMRegressor", "any numeric type; one target", 1, CRD__OPSET_ML, 0, 0 },
  .inputs_least = 1,
  .inputs_most = 1,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = regressor,
  .infer = svm_regressor_infer,
  .plan = svm_regressor_plan,
};
