/*
 * classical.c -- linear models and operators on the features of rows, of ai.onnx.ml.
 */
#include "ref/op/classical.h"

#include <math.h>
#include <string.h>

size_t ref_rows(const ref_tensor *x) { return x->rank == 1 ? 1 : (size_t)x->dims[0]; }
size_t ref_columns(const ref_tensor *x) { return (size_t)x->dims[x->rank - 1]; }

double ref_listed(const ref_node *node, const char *name, size_t index, double otherwise) {
  const ref_attribute *const a = ref_find(node, name);
  if (!a) return otherwise;
  if (a->kind == REF_TENSOR) return a->tensor->values[index];
  return a->kind == REF_FLOATS ? (double)(float)a->numbers[index] : a->numbers[index];
}

size_t ref_length(const ref_node *node, const char *name) {
  const ref_attribute *const a = ref_find(node, name);
  size_t words = 1;
  if (!a) return 0;
  if (a->kind == REF_TENSOR) return ref_count(a->tensor);
  if (a->kind != REF_WORDS) return a->count;
  for (const char *c = a->word; *c; c++) words += *c == ',';
  return words;
}

bool ref_word_is(const ref_node *node, const char *name, size_t index, const char *word) {
  const char *at = ref_find(node, name)->word;
  for (; index; index--) at = strchr(at, ',') + 1;
  return strncmp(at, word, strlen(word)) == 0 && (at[strlen(word)] == ',' || !at[strlen(word)]);
}

double ref_label(const ref_node *node, const char *ints, size_t index) {
  return ref_find(node, ints) ? ref_listed(node, ints, index, 0) : (double)index;
}

static double inverse_erf(double x) {
  const double a = .147, l = log((1 - x) * (1 + x)), v = 2 / (3.14159 * a) + l / 2;
  const double size = sqrt(sqrt(v * v - l / a) - v);
  return x < 0 ? -size : size;
}

void ref_transform(const char *post, size_t n, double *s) {
  const bool zero = !strcmp(post, "SOFTMAX_ZERO");
  double top = -INFINITY, sum = 0;
  for (size_t i = 0; i < n; i++) top = fmax(top, s[i]);
  for (size_t i = 0; i < n; i++)
    if (!zero || fabs(s[i]) > 1e-7) sum += exp(s[i] - top);
  for (size_t i = 0; i < n; i++) {
    if (!strcmp(post, "SOFTMAX")) s[i] = exp(s[i] - top) / sum;
    if (zero) s[i] = fabs(s[i]) > 1e-7 ? exp(s[i] - top) / sum : 0;
    if (!strcmp(post, "LOGISTIC")) s[i] = 1 / (1 + exp(-s[i]));
    if (!strcmp(post, "PROBIT")) s[i] = sqrt(2) * inverse_erf(2 * s[i] - 1);
  }
}

void ref_two(const char *post, bool negative, double score, double *s) {
  s[0] = negative || !strcmp(post, "LOGISTIC") ? -score : 1 - score;
  s[1] = score;
  if (!strcmp(post, "LOGISTIC") || !strcmp(post, "PROBIT")) ref_transform(post, 2, s);
}

size_t ref_top(size_t n, const double *s) {
  size_t top = 0;
  for (size_t i = 0; i < n; i++)
    if (s[i] > s[top]) top = i;
  return top;
}

const char *ref_post(const ref_node *node) {
  const ref_attribute *const a = ref_find(node, "post_transform");
  return a ? a->word : "NONE";
}

/* ---- Linear models. */

static void linear(ref_node *node, size_t labels, size_t targets) {
  const ref_tensor *const x = node->inputs[0];
  const size_t rows = ref_rows(x), columns = ref_columns(x), width = labels ? labels : targets;
  ref_tensor *const y =
      labels ? ref_make(node, 0, CRD_I64, 1, (int64_t[]){ (int64_t)rows }, false) : NULL;
  ref_tensor *const z = ref_make(node, labels ? 1 : 0, CRD_F32, 2,
                                 (int64_t[]){ (int64_t)rows, (int64_t)width }, true);
  for (size_t r = 0; r < rows; r++) {
    double *const s = z->values + r * width, largest = 0;
    for (size_t t = 0; t < targets; t++) {
      s[t] = ref_listed(node, "intercepts", t, 0);
      for (size_t c = 0; c < columns; c++)
        s[t] += x->values[r * columns + c] * ref_listed(node, "coefficients", t * columns + c, 0);
      largest = fmax(largest, fabs(s[t]));
    }
    const size_t top = targets == 1 ? s[0] > 0 : ref_top(targets, s);
    if (y) y->values[r] = ref_label(node, "classlabels_ints", top);
    if (labels == 2 && targets == 1) ref_two(ref_post(node), false, s[0], s);
    else ref_transform(ref_post(node), width, s);
    for (size_t k = 0; k < width; k++)
      z->slack[r * width + k] = 16 * (1 + largest) * (1 + fabs(s[k]));
  }
}

void ref_LinearClassifier(ref_node *node) {
  const size_t labels =
      ref_length(node, "classlabels_ints") + ref_length(node, "classlabels_strings");
  linear(node, labels, ref_length(node, "coefficients") / ref_columns(node->inputs[0]));
}

void ref_LinearRegressor(ref_node *node) { linear(node, 0, (size_t)ref_int(node, "targets", 1)); }

/* ---- Features. */

void ref_Scaler(ref_node *node) {
  const ref_tensor *const x = node->inputs[0];
  const size_t columns = ref_columns(x);
  ref_tensor *const y = ref_make(node, 0, CRD_F32, x->rank, x->dims, true);
  for (size_t i = 0; i < ref_count(x); i++) {
    const size_t o = ref_length(node, "offset") > 1 ? i % columns : 0;
    const size_t s = ref_length(node, "scale") > 1 ? i % columns : 0;
    const double offset = ref_listed(node, "offset", o, 0), scale = ref_listed(node, "scale", s, 1);
    y->values[i] = (x->values[i] - offset) * scale;
    y->slack[i] = 4 * (fabs(x->values[i]) + fabs(offset)) * fabs(scale);
  }
}

void ref_Normalizer(ref_node *node) {
  const ref_tensor *const x = node->inputs[0];
  const size_t columns = ref_columns(x);
  ref_tensor *const y = ref_make(node, 0, CRD_F32, x->rank, x->dims, true);
  for (size_t r = 0; r < ref_rows(x); r++) {
    double most = -INFINITY, sum = 0, squares = 0;
    for (size_t c = 0; c < columns; c++) {
      const double v = x->values[r * columns + c];
      most = fmax(most, v);
      sum += fabs(v);
      squares += v * v;
    }
    const double norm = ref_is(node, "norm", "L1")   ? sum
                        : ref_is(node, "norm", "L2") ? sqrt(squares)
                                                     : most;
    for (size_t i = r * columns; i < (r + 1) * columns; i++) {
      y->values[i] = norm != 0 ? x->values[i] / norm : x->values[i];
      y->slack[i] = 8 * fabs(y->values[i]);
    }
  }
}

void ref_Binarizer(ref_node *node) {
  const ref_tensor *const x = node->inputs[0];
  ref_tensor *const y = ref_make(node, 0, x->dtype, x->rank, x->dims, false);
  for (size_t i = 0; i < ref_count(x); i++)
    y->values[i] = x->values[i] > ref_number(node, "threshold", 0);
}

void ref_Imputer(ref_node *node) {
  const ref_tensor *const x = node->inputs[0];
  const char *const name = "imputed_value_floats";
  const double gap = ref_number(node, "replaced_value_float", 0);
  ref_tensor *const y = ref_make(node, 0, x->dtype, x->rank, x->dims, false);
  for (size_t i = 0; i < ref_count(x); i++) {
    const size_t c = ref_length(node, name) > 1 ? i % ref_columns(x) : 0;
    const bool missing = x->values[i] == gap || (isnan(gap) && isnan(x->values[i]));
    y->values[i] = missing ? ref_listed(node, name, c, 0) : x->values[i];
  }
}

void ref_ArrayFeatureExtractor(ref_node *node) {
  const ref_tensor *const x = node->inputs[0], *const index = node->inputs[1];
  const size_t columns = ref_columns(x), count = ref_count(index);
  int64_t dims[CRD_RANK_MAX] = { 1, (int64_t)count };
  for (size_t k = 0; x->rank > 1 && k < x->rank; k++) dims[k] = x->dims[k];
  dims[x->rank > 1 ? x->rank - 1 : 1] = (int64_t)count;
  ref_tensor *const y = ref_make(node, 0, x->dtype, x->rank > 1 ? x->rank : 2, dims, false);
  for (size_t i = 0; i < ref_count(y); i++)
    y->values[i] = x->values[i / count * columns + (size_t)index->values[i % count]];
}

void ref_FeatureVectorizer(ref_node *node) {
  const size_t rows = ref_rows(node->inputs[0]);
  size_t width = 0, first = 0;
  for (size_t i = 0; i < node->input_count; i++) width += ref_columns(node->inputs[i]);
  ref_tensor *const y =
      ref_make(node, 0, CRD_F32, 2, (int64_t[]){ (int64_t)rows, (int64_t)width }, false);
  for (size_t i = 0; i < node->input_count; first += ref_columns(node->inputs[i++]))
    for (size_t n = 0; n < ref_count(node->inputs[i]); n++) {
      const size_t columns = ref_columns(node->inputs[i]);
      y->values[n / columns * width + first + n % columns] = node->inputs[i]->values[n];
    }
}

void ref_ZipMap(ref_node *node) {
  const ref_tensor *const x = node->inputs[0];
  ref_tensor *const y = ref_make(node, 0, x->dtype, x->rank, x->dims, false);
  for (size_t i = 0; i < ref_count(x); i++) y->values[i] = x->values[i];
}

/* ---- Encoders. */

void ref_OneHotEncoder(ref_node *node) {
  const ref_tensor *const x = node->inputs[0];
  const size_t count = ref_length(node, "cats_int64s");
  int64_t dims[CRD_RANK_MAX];
  for (size_t k = 0; k < x->rank; k++) dims[k] = x->dims[k];
  dims[x->rank] = (int64_t)count;
  ref_tensor *const y = ref_make(node, 0, CRD_F32, x->rank + 1, dims, false);
  for (size_t i = 0; i < ref_count(y); i++)
    y->values[i] = trunc(x->values[i / count]) == ref_listed(node, "cats_int64s", i % count, 0);
}

void ref_LabelEncoder(ref_node *node) {
  const ref_tensor *const x = node->inputs[0];
  const char *const keys = ref_find(node, "keys_floats")   ? "keys_floats"
                           : ref_find(node, "keys_tensor") ? "keys_tensor"
                                                           : "keys_int64s";
  const char *const values = ref_find(node, "values_floats")   ? "values_floats"
                             : ref_find(node, "values_tensor") ? "values_tensor"
                                                               : "values_int64s";
  const ref_attribute *const fallback = ref_find(node, "default_tensor");
  const bool reals = !strcmp(values, "values_floats"), names = ref_find(node, "values_strings");
  const crd_dtype dtype = fallback ? fallback->tensor->dtype : reals ? CRD_F32 : CRD_I64;
  ref_tensor *const y = ref_make(node, 0, dtype, x->rank, x->dims, false);
  for (size_t i = 0; i < ref_count(x); i++) {
    y->values[i] = fallback ? fallback->tensor->values[0]
                   : reals  ? ref_number(node, "default_float", 0)
                   : names  ? (double)ref_length(node, "values_strings")
                            : (double)ref_int(node, "default_int64", -1);
    for (size_t k = ref_length(node, keys); k-- > 0;) {
      const double key = ref_listed(node, keys, k, 0);
      if (key == x->values[i] || (isnan(key) && isnan(x->values[i])))
        y->values[i] = names ? (double)k : ref_listed(node, values, k, 0);
    }
  }
}
