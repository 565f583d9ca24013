/* product.h -- matrix products by oneDNN, for Gemm and MatMul. */
#ifndef CRD_GRAPH_OP_PRODUCT_H
#define CRD_GRAPH_OP_PRODUCT_H

#include "graph/op.h"

/* A fully connected layer: the node's first input, as rows x inner, times its second, a constant of
 * inner x columns, plus a bias for each column. */
typedef struct {
  int64_t rows, inner, columns;
  bool transposed; /* the weights are columns x inner */
  int bias;        /* a tensor; NONE */
} crd__graph_layer;

crd_status crd__graph_layer_plan(crd_context *ctx, crd__engine_plan *plan,
                                 const crd__graph_node *node, const crd__graph_layer *layer);

/* alpha times the first input times the second, with all shapes extended to `rank` dimensions. */
typedef struct {
  size_t rank;
  int64_t a[CRD_RANK_MAX], b[CRD_RANK_MAX], y[CRD_RANK_MAX];
  bool transpose_a, transpose_b; /* the last two dimensions are swapped in memory */
  float alpha;
} crd__graph_product;

crd_status crd__graph_product_plan(crd_context *ctx, crd__engine_plan *plan,
                                   const crd__graph_node *node, const crd__graph_product *product);

/* Plan a product of float32 tensors by oneDNN; the three tensors are the factors and the result. */
crd_status crd__graph_product_dnn(crd_context *ctx, crd__engine_plan *plan,
                                  const crd__graph_node *node, const crd__graph_product *product,
                                  const int tensors[3]);

/* Plan the backward pass: the gradient with respect to a factor is the incoming one times the other
 * factor, transposed, and summed over broadcast dimensions. */
crd_status crd__graph_product_backward(crd_context *ctx, crd__graph_backward *back,
                                       const crd__graph_node *node,
                                       const crd__graph_product *product);

#endif
