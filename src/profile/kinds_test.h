/* kinds_test.h -- predictions of many kinds, for the tests of all parts of a profile, and plain
 * definitions that several of them need. */
#ifndef CRD_PROFILE_KINDS_TEST_H
#define CRD_PROFILE_KINDS_TEST_H

#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static inline const crd_profile *profile_of(crd_context *ctx, const crd_predictions *p,
                                            crd_profile_options options) {
  const crd_profile *profile = NULL;
  if (crd_profile_make(ctx, p, &options, &profile) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  return profile;
}

static inline const crd_result *result_of(crd_context *ctx, const crd_predictions *p,
                                          const char *metrics, unsigned bins) {
  const crd_evaluate_options options = { .size = sizeof options, .metrics = metrics, .bins = bins };
  const crd_result *result = NULL;
  if (crd_evaluate(ctx, p, &options, &result) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  return result;
}

enum { KINDS = 14, ROWS_MAX = 900 };

typedef struct {
  test_data data;
  double confidence[ROWS_MAX];
  unsigned char correct[ROWS_MAX];
  int64_t groups[ROWS_MAX];
  crd_predictions *predictions;
} kind;

typedef struct {
  const char *name;
  test_recipe recipe;
  crd_input input;
  crd_binary binary;
  size_t absent; /* a class that no row has; 0: none */
} kind_row;

static const kind_row kinds[KINDS] = {
  { "logits", { 900, 4, 1, 2, .6, 0, false, false }, CRD_INPUT_LOGITS, CRD_BINARY_TOP, 0 },
  { "weighted", { 800, 4, 2, 2, .6, 0, true, false }, CRD_INPUT_LOGITS, CRD_BINARY_TOP, 0 },
  { "ties", { 700, 3, 3, 1.5, .5, 9, false, false }, CRD_INPUT_LOGITS, CRD_BINARY_TOP, 0 },
  { "weighted ties", { 700, 3, 4, 1.5, .5, 13, true, false }, CRD_INPUT_LOGITS, CRD_BINARY_TOP, 0 },
  { "probabilities",
    { 600, 5, 5, 2, .7, 0, false, false },
    CRD_INPUT_PROBABILITIES,
    CRD_BINARY_TOP,
    0 },
  { "two classes", { 500, 2, 6, 2, .7, 0, false, false }, CRD_INPUT_LOGITS, CRD_BINARY_TOP, 0 },
  { "binary pos", { 500, 2, 7, 2, .7, 0, true, false }, CRD_INPUT_LOGITS, CRD_BINARY_POS, 0 },
  { "twelve classes", { 400, 12, 8, 2, .5, 0, false, false }, CRD_INPUT_LOGITS, CRD_BINARY_TOP, 7 },
  { "sixty classes", { 300, 60, 9, 3, .4, 0, true, false }, CRD_INPUT_LOGITS, CRD_BINARY_TOP, 0 },
  { "pairs", { 600, 2, 10, 1, .7, 40, true, false }, CRD_INPUT_PAIRS, CRD_BINARY_TOP, 0 },
  { "few rows", { 40, 3, 14, 2, .6, 0, true, false }, CRD_INPUT_LOGITS, CRD_BINARY_TOP, 0 },
  { "one row", { 1, 3, 13, 2, .6, 0, false, false }, CRD_INPUT_LOGITS, CRD_BINARY_TOP, 0 },
  { "all right", { 90, 3, 11, 2, 1, 0, false, false }, CRD_INPUT_LOGITS, CRD_BINARY_TOP, 0 },
  { "all wrong", { 90, 3, 12, 2, 0, 0, true, false }, CRD_INPUT_LOGITS, CRD_BINARY_TOP, 0 },
};

/* softmax(z / T), in place. */
static inline void soften(double *row, size_t classes, double temperature) {
  double top = row[0], mass = 0;
  for (size_t k = 1; k < classes; k++) top = fmax(top, row[k]);
  for (size_t k = 0; k < classes; k++) mass += row[k] = exp((row[k] - top) / temperature);
  for (size_t k = 0; k < classes; k++) row[k] /= mass;
}

static inline void open_kind(crd_context *ctx, size_t index, kind *out) {
  const kind_row *const r = &kinds[index];
  test_data *const d = &out->data;
  *d = make_data(r->recipe);
  for (size_t i = 0; i < d->rows; i++) {
    double *const row = d->scores + i * d->classes;
    if (r->absent && d->labels[i] == (int64_t)r->absent) d->labels[i] = 0;
    if (r->input != CRD_INPUT_LOGITS) soften(row, d->classes, 1);
    out->confidence[i] = fmax(row[0], row[1]);
    out->correct[i] = d->labels[i] == (row[1] > row[0]);
    out->groups[i] = (int64_t)(i * i % 7);
  }
  const bool pairs = r->input == CRD_INPUT_PAIRS;
  crd_predictions_parts parts = {
    .size = sizeof parts,
    .scores = pairs ? crd_array_matrix(out->confidence, CRD_F64, d->rows, 1)
                    : crd_array_matrix(d->scores, CRD_F64, d->rows, d->classes),
    .groups = crd_array_matrix(out->groups, CRD_I64, d->rows, 1),
    .input = r->input,
    .binary = r->binary,
    .name = r->name,
  };
  if (pairs) parts.correct = crd_array_matrix(out->correct, CRD_U8, d->rows, 1);
  else parts.labels = crd_array_matrix(d->labels, CRD_I64, d->rows, 1);
  if (d->weights) parts.weights = crd_array_matrix(d->weights, CRD_F64, d->rows, 1);
  if (crd_predictions_create(ctx, &parts, &out->predictions) != CRD_OK)
    fail_msg("%s: %s", r->name, crd_context_message(ctx));
}

static inline void close_kind(kind *k) {
  crd_predictions_destroy(k->predictions);
  free_data(&k->data);
}

static inline double weight_of(const kind *k, size_t row) {
  return k->data.weights ? k->data.weights[row] : 1;
}

static inline double total_weight(const kind *k) {
  double total = 0;
  for (size_t i = 0; i < k->data.rows; i++) total += weight_of(k, i);
  return total;
}

/* A row with its logits divided by T. */
typedef struct {
  double confidence, weight;
  bool correct;
} prediction;

static inline prediction row_of(const kind *k, size_t index, size_t i, double temperature) {
  const size_t classes = k->data.classes, label = (size_t)k->data.labels[i];
  const kind_row *const r = &kinds[index];
  double row[60];
  size_t top = 0;
  if (r->input == CRD_INPUT_PAIRS)
    return (prediction){ k->confidence[i], weight_of(k, i), k->correct[i] != 0 };
  memcpy(row, k->data.scores + i * classes, classes * sizeof *row);
  if (r->input == CRD_INPUT_LOGITS) soften(row, classes, temperature);
  for (size_t c = 1; c < classes; c++) top = row[c] > row[top] ? c : top;
  if (r->binary == CRD_BINARY_POS) return (prediction){ row[1], weight_of(k, i), label == 1 };
  return (prediction){ row[top], weight_of(k, i), label == top };
}

/* All rows, the least confident first. */
static inline int by_confidence(const void *a, const void *b) {
  const prediction *const x = a, *const y = b;
  return (x->confidence > y->confidence) - (x->confidence < y->confidence);
}

static inline size_t sorted_rows(const kind *k, size_t index, prediction *out) {
  size_t count = 0;
  for (size_t i = 0; i < k->data.rows; i++) {
    out[count] = row_of(k, index, i, 1);
    count += out[count].weight > 0;
  }
  qsort(out, count, sizeof *out, by_confidence);
  return count;
}

static inline crd_fine_bin coarse_bin(const crd_fine_bins *fine, unsigned bins, unsigned index) {
  crd_fine_bin sum = { .index = index };
  for (size_t i = 0; i < fine->count; i++) {
    const crd_fine_bin *const bin = &fine->items[i];
    if (bin->index / (fine->bins / bins) != index) continue;
    sum.rows += bin->rows;
    sum.weight += bin->weight;
    sum.confidence += bin->confidence;
    sum.correct += bin->correct;
  }
  return sum;
}

static inline double trapezoids(const crd_curve *c) {
  double area = 0;
  for (size_t i = 1; i < c->count; i++)
    area += (c->points[i].x - c->points[i - 1].x) * (c->points[i].y + c->points[i - 1].y) / 2;
  return area;
}

static inline double bell(double z) { return exp(-z * z / 2); }

static inline double kernel(double t, double c, double width) {
  double sum = 0;
  for (int image = -3; image <= 3; image++)
    sum += bell((t - c - 2 * image) / width) + bell((t + c - 2 * image) / width);
  return sum / (width * sqrt(2 * acos(-1)));
}

#endif
