/* svm.c -- the support vector machines of ai.onnx.ml. */
#include "ref/op/classical.h"

#include <math.h>
#include <string.h>

enum { CLASSES = 4 };

static double kernel(const ref_node *node, const double *x, size_t v, size_t columns) {
  const double gamma = ref_listed(node, "kernel_params", 0, 0);
  const double coef0 = ref_listed(node, "kernel_params", 1, 0);
  const double degree = ref_listed(node, "kernel_params", 2, 0);
  double product = 0, distance = 0;
  for (size_t c = 0; c < columns; c++) {
    const double s = ref_listed(node, "support_vectors", v * columns + c, 0);
    product += x[c] * s;
    distance += (x[c] - s) * (x[c] - s);
  }
  if (ref_is(node, "kernel_type", "RBF")) return exp(-gamma * distance);
  if (ref_is(node, "kernel_type", "POLY")) return pow(gamma * product + coef0, degree);
  return ref_is(node, "kernel_type", "SIGMOID") ? tanh(gamma * product + coef0) : product;
}

/* Wu, Lin and Weng (2004), the second method, as libsvm iterates it. */
static void couple(size_t k, double r[CLASSES][CLASSES], double *p) {
  double q[CLASSES][CLASSES] = { 0 }, qp[CLASSES];
  for (size_t i = 0; i < k; i++)
    for (size_t j = 0; j < k; j++) {
      if (i == j) continue;
      q[i][i] += r[j][i] * r[j][i];
      q[i][j] = -r[j][i] * r[i][j];
    }
  for (size_t i = 0; i < k; i++) p[i] = 1. / (double)k;
  for (int n = 0; n < 100; n++) {
    double whole = 0, error = 0;
    for (size_t i = 0; i < k; i++) {
      qp[i] = 0;
      for (size_t j = 0; j < k; j++) qp[i] += q[i][j] * p[j];
      whole += p[i] * qp[i];
    }
    for (size_t i = 0; i < k; i++) error = fmax(error, fabs(qp[i] - whole));
    if (error < .005 / (double)k) break;
    for (size_t i = 0; i < k; i++) {
      const double d = (whole - qp[i]) / q[i][i];
      p[i] += d;
      whole = (whole + d * (d * q[i][i] + 2 * qp[i])) / (1 + d) / (1 + d);
      for (size_t j = 0; j < k; j++) {
        qp[j] = (qp[j] + d * q[i][j]) / (1 + d);
        p[j] /= 1 + d;
      }
    }
  }
}

/* Score the pairs of classes of a row; returns the class with most votes. */
static size_t score_pairs(const ref_node *node, size_t classes, const double *x, size_t columns,
                          double *scores) {
  double votes[CLASSES] = { 0 };
  size_t vectors = 0, pair = 0, start[CLASSES + 1] = { 0 };
  for (size_t k = 0; k < classes; k++) {
    vectors += (size_t)ref_listed(node, "vectors_per_class", k, 0);
    start[k + 1] = vectors;
  }
  for (size_t i = 0; i < classes; i++)
    for (size_t j = i + 1; j < classes; j++, pair++) {
      scores[pair] = ref_listed(node, "rho", pair, 0);
      for (size_t v = 0; v < vectors; v++) {
        const bool of_i = v >= start[i] && v < start[i + 1],
                   of_j = v >= start[j] && v < start[j + 1];
        if (of_i || of_j)
          scores[pair] += kernel(node, x, v, columns) *
                          ref_listed(node, "coefficients", (of_i ? j - 1 : i) * vectors + v, 0);
      }
      votes[scores[pair] > 0 ? i : j]++;
    }
  return ref_top(classes, votes);
}

static void probabilities(const ref_node *node, size_t classes, double *s) {
  double r[CLASSES][CLASSES] = { 0 };
  size_t pair = 0;
  for (size_t i = 0; i < classes; i++)
    for (size_t j = i + 1; j < classes; j++, pair++) {
      const double f =
          s[pair] * ref_listed(node, "prob_a", pair, 0) + ref_listed(node, "prob_b", pair, 0);
      r[i][j] = fmin(fmax(1 / (1 + exp(f)), 1e-7), 1 - 1e-7);
      r[j][i] = 1 - r[i][j];
    }
  couple(classes, r, s);
}

void ref_SVMClassifier(ref_node *node) {
  const ref_tensor *const x = node->inputs[0];
  const size_t rows = ref_rows(x), columns = ref_columns(x);
  const size_t classes =
      ref_length(node, "classlabels_ints") + ref_length(node, "classlabels_strings");
  const size_t pairs = classes * (classes - 1) / 2;
  const bool proba = ref_length(node, "prob_a"), vectors = ref_length(node, "vectors_per_class");
  const size_t width = !vectors || proba ? classes : pairs > 1 ? pairs : 2;
  ref_tensor *const y = ref_make(node, 0, CRD_I64, 1, (int64_t[]){ (int64_t)rows }, false);
  ref_tensor *const z =
      ref_make(node, 1, CRD_F32, 2, (int64_t[]){ (int64_t)rows, (int64_t)width }, true);
  for (size_t r = 0; r < rows; r++) {
    const double *const row = x->values + r * columns;
    double s[CLASSES * CLASSES] = { 0 };
    size_t top = 0;
    if (vectors) top = score_pairs(node, classes, row, columns, s);
    for (size_t k = 0; !vectors && k < classes; k++) {
      s[k] = ref_listed(node, "rho", 0, 0);
      for (size_t c = 0; c < columns; c++)
        s[k] += row[c] * ref_listed(node, "coefficients", k * columns + c, 0);
    }
    if (!vectors) top = ref_top(classes, s);
    if (proba) probabilities(node, classes, s);
    if (vectors && !proba && pairs == 1)
      ref_two(ref_post(node), !strcmp(ref_post(node), "NONE"), s[0], s);
    else ref_transform(ref_post(node), width, s);
    y->values[r] = ref_label(node, "classlabels_ints", top);
    for (size_t k = 0; k < width; k++) {
      z->values[r * width + k] = s[k];
      z->slack[r * width + k] = 64 * (1 + fabs(s[k]));
    }
  }
}

void ref_SVMRegressor(ref_node *node) {
  const ref_tensor *const x = node->inputs[0];
  const size_t rows = ref_rows(x), columns = ref_columns(x);
  const size_t vectors = (size_t)ref_int(node, "n_supports", 0);
  ref_tensor *const y = ref_make(node, 0, CRD_F32, 2, (int64_t[]){ (int64_t)rows, 1 }, true);
  for (size_t r = 0; r < rows; r++) {
    double sum = ref_listed(node, "rho", 0, 0);
    for (size_t c = 0; !vectors && c < columns; c++)
      sum += x->values[r * columns + c] * ref_listed(node, "coefficients", c, 0);
    for (size_t v = 0; v < vectors; v++)
      sum += kernel(node, x->values + r * columns, v, columns) *
             ref_listed(node, "coefficients", v, 0);
    y->values[r] = ref_int(node, "one_class", 0) ? (sum > 0 ? 1 : -1) : sum;
    y->slack[r] = 64 * (1 + fabs(sum));
  }
}
