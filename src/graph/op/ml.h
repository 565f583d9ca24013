/*
 * ml.h -- for the operators of ai.onnx.ml, which treat each row of a matrix on its own: classical
 * models as scikit-learn, XGBoost and LightGBM export them.
 *
 * A matrix of one dimension is one row. Elements of other types than float32 are converted to it.
 */
#ifndef CRD_GRAPH_OP_ML_H
#define CRD_GRAPH_OP_ML_H

#include "graph/op.h"

typedef struct {
  size_t rows, columns;
} crd__graph_matrix;
/* Get rows and columns of an input; fails unless it has one or two dimensions, of numbers. */
crd_status crd__graph_ml_matrix(crd_context *ctx, const crd__graph *net,
                                const crd__graph_node *node, size_t index, crd__graph_matrix *out);
/* Set an output to a matrix, or (columns 0) to a vector. */
crd_status crd__graph_ml_set(crd_context *ctx, crd__graph *net, const crd__graph_node *node,
                             size_t index, crd_dtype dtype, size_t rows, size_t columns);
/* Plan one step. Its memory: the first input as float32, then the outputs. Copies `self`. */
crd_status crd__graph_ml_plan(crd_context *ctx, crd__engine_plan *plan, const crd__graph_node *node,
                              crd__engine_step_fn run, const void *self, size_t size);

/* Lists of numbers: attributes, or tensors in attributes (`name` with "_as_tensor"). */
typedef struct {
  size_t count;
  const float *floats;  /* of an attribute */
  const int64_t *ints;  /* */
  crd_dtype dtype;      /* of a tensor */
  const void *elements; /* */
} crd__graph_numbers;
/* Get a list; empty if there is none. Fails if both kinds are given, or the tensor is of strings.
 */
crd_status crd__graph_ml_numbers(crd_context *ctx, const crd__graph_node *node, const char *name,
                                 crd__graph_numbers *out);
double crd__graph_ml_number(const crd__graph_numbers *numbers, size_t index);
/* Fail unless a list has `wanted` elements. */
crd_status crd__graph_ml_count(crd_context *ctx, const crd__graph_node *node, const char *name,
                               size_t found, size_t wanted);

/* The labels of classes: integers, or names, which stand for their index. */
typedef struct {
  size_t count;
  const int64_t *ints; /* NULL: labels are indices */
} crd__graph_labels;
/* Get the labels; `ints` is the name of the attribute with integers. Fails if both kinds are given,
 * or none. */
crd_status crd__graph_ml_labels(crd_context *ctx, const crd__graph_node *node, const char *ints,
                                crd__graph_labels *out);
static inline int64_t crd__graph_ml_label(const crd__graph_labels *labels, size_t index) {
  return labels->ints ? labels->ints[index] : (int64_t)index;
}
/* Set the first output to a label for each row, and the second to scores. */
crd_status crd__graph_ml_set_classes(crd_context *ctx, crd__graph *net, const crd__graph_node *node,
                                     size_t rows, size_t columns);

/* What is done to the scores of a row. */
typedef enum {
  CRD__POST_NONE,
  CRD__POST_SOFTMAX,
  CRD__POST_LOGISTIC,
  CRD__POST_SOFTMAX_ZERO,
  CRD__POST_PROBIT,
  CRD__POST_COUNT
} crd__graph_post;
/* Read the attribute post_transform, a word. */
crd_status crd__graph_ml_post(crd_context *ctx, const crd__graph_node *node, crd__graph_post *out);
/* Transform the scores of a row in place. */
void crd__graph_ml_transform(crd__graph_post post, size_t count, double *scores);
/* Expand one score to those of two classes: with LOGISTIC to the probabilities, with PROBIT of 1 -
 * s and s; otherwise to 1 - s and s, or to -s and s (`odd`). */
void crd__graph_ml_second(crd__graph_post post, bool odd, double score, double scores[2]);
/* Return the index of the largest score, the first of equal ones. */
size_t crd__graph_ml_top(size_t count, const double *scores);
/* Allocate the scores of all rows, which live as long as the network. */
crd_status crd__graph_ml_scores(crd_context *ctx, crd__engine_plan *plan, size_t rows, size_t count,
                                double **out);

#endif
