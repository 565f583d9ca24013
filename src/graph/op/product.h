/* product.h -- products of matrices by oneDNN, for Gemm and MatMul. */
#ifndef CRD_GRAPH_OP_PRODUCT_H
#define CRD_GRAPH_OP_PRODUCT_H

#include "graph/op.h"

/* The node's first input, seen as rows x inner, times its second, a constant of inner x columns,
 * plus a constant for each column. */
typedef struct {
  int64_t rows, inner, columns;
  bool transposed; /* the weights lie as columns x inner */
  int bias;        /* a tensor; NONE */
} crd__graph_layer;

crd_status crd__graph_layer_plan(crd_context *ctx, crd__engine_plan *plan,
                                 const crd__graph_node *node, const crd__graph_layer *layer);

/* alpha times the first input times the second, with everything seen in `rank` dimensions. */
typedef struct {
  size_t rank;
  int64_t a[CRD_RANK_MAX], b[CRD_RANK_MAX], y[CRD_RANK_MAX];
  bool transpose_a, transpose_b; /* the last two dimensions lie the other way round */
  float alpha;
} crd__graph_product;

crd_status crd__graph_product_plan(crd_context *ctx, crd__engine_plan *plan,
                                   const crd__graph_node *node, const crd__graph_product *product);

/* Of three tensors (the factors and the result) of f32 numbers, by oneDNN. */
crd_status crd__graph_product_dnn(crd_context *ctx, crd__engine_plan *plan,
                                  const crd__graph_node *node, const crd__graph_product *product,
                                  const int tensors[3]);

/* The way back: the gradient by a factor is the incoming one times the other factor, transposed,
 * and summed over what was broadcast. */
crd_status crd__graph_product_backward(crd_context *ctx, crd__graph_backward *back,
                                       const crd__graph_node *node,
                                       const crd__graph_product *product);

#endif
