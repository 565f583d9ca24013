/* product.h -- products of matrices by oneDNN, for Gemm and MatMul. */
#ifndef CRD_NET_OP_PRODUCT_H
#define CRD_NET_OP_PRODUCT_H

#include "net/op.h"

/* The node's first input, seen as rows x inner, times its second, a constant of inner x columns,
 * plus a constant for each column. */
typedef struct {
  int64_t rows, inner, columns;
  bool transposed; /* the weights lie as columns x inner */
  int bias;        /* a tensor; NONE */
} crd__layer;

crd_status crd__layer_plan(crd_context *ctx, crd__plan *plan, const crd__node *node,
                           const crd__layer *layer);

/* alpha times the first input times the second, with everything seen in `rank` dimensions. */
typedef struct {
  size_t rank;
  int64_t a[CRD_RANK_MAX], b[CRD_RANK_MAX], y[CRD_RANK_MAX];
  bool transpose_a, transpose_b; /* the last two dimensions lie the other way round */
  float alpha;
} crd__product;

crd_status crd__product_plan(crd_context *ctx, crd__plan *plan, const crd__node *node,
                             const crd__product *product);

#endif
