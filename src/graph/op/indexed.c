/* indexed.c -- see indexed.h. */
#include "graph/op/indexed.h"

#include "engine/kernel/walk.h"

crd_status crd__graph_indexed_check(crd_context *ctx, const crd__graph_node *node,
                                    const crd__kernel_index *g) {
  int64_t bad;
  size_t length;
  if (crd__kernel_index_check(g, &bad, &length)) return CRD_OK;
  return crd__graph_node_fail(ctx, node, "an index is %lld; %lld to %lld are allowed",
                              (long long)bad, -(long long)length, (long long)length - 1);
}

/* Check constant indices while compiling. */
static crd_status finish(crd_context *ctx, const crd__graph_node *node,
                         const crd__engine_tensor *indices, crd__kernel_index *out) {
  out->index = indices->constant;
  if (out->index) CRD_TRY(crd__graph_indexed_check(ctx, node, out));
  out->index = NULL;
  return CRD_OK;
}

static crd_status begin(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                        crd__kernel_index *out) {
  const crd__engine_tensor *const indices = crd__graph_node_input(net, node, 1);
  *out = (crd__kernel_index){ .dtype = crd__graph_node_input(net, node, 0)->dtype,
                              .index_type = indices->dtype,
                              .inner = 1 };
  if (indices->dtype == CRD_I32 || indices->dtype == CRD_I64) return CRD_OK;
  return crd__graph_node_fail(ctx, node, "its indices are %s; i32 and i64 are allowed",
                              crd_dtype_name(indices->dtype));
}

crd_status crd__graph_indexed_elements(crd_context *ctx, const crd__graph *net,
                                       const crd__graph_node *node, crd__kernel_index *out) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  const crd__engine_tensor *const indices = crd__graph_node_input(net, node, 1);
  int64_t tuples[CRD_RANK_MAX], strides[CRD_RANK_MAX];
  size_t axis = 0;
  CRD_TRY(begin(ctx, net, node, out));
  CRD_TRY(crd__graph_node_axis(ctx, node, crd__graph_node_int(node, "axis", 0), x->rank, &axis));
  if (indices->rank != x->rank)
    return crd__graph_node_fail(ctx, node,
                                "its indices have %zu dimensions and its array %zu; they must have "
                                "the same number",
                                indices->rank, x->rank);
  crd__kernel_strides_make(x->rank, indices->dims, tuples);
  crd__kernel_strides_make(x->rank, x->dims, strides);
  for (size_t d = 0; d < x->rank; d++) {
    if (d == axis) continue;
    if (indices->dims[d] > x->dims[d])
      return crd__graph_node_fail(ctx, node,
                                  "its indices have %lld in dimension %zu, and its array %lld",
                                  (long long)indices->dims[d], d, (long long)x->dims[d]);
    out->dims[out->rank] = (size_t)indices->dims[d];
    out->tuples[out->rank] = (size_t)tuples[d];
    out->bases[out->rank++] = (size_t)strides[d];
  }
  out->count = (size_t)indices->dims[axis];
  out->step = (size_t)tuples[axis];
  out->depth = 1;
  out->lengths[0] = (size_t)x->dims[axis];
  out->strides[0] = (size_t)strides[axis];
  return finish(ctx, node, indices, out);
}

/* Check the ranks, and that the batch dimensions are equal. */
static crd_status check_slices(crd_context *ctx, const crd__graph_node *node,
                               const crd__engine_tensor *x, const crd__engine_tensor *indices,
                               int64_t batch) {
  if (indices->rank < 1 || batch < 0 || (size_t)batch >= indices->rank || (size_t)batch >= x->rank)
    return crd__graph_node_fail(
        ctx, node, "it has %lld batch dimensions, an array of %zu dimensions and indices of %zu",
        (long long)batch, x->rank, indices->rank);
  const int64_t depth = indices->dims[indices->rank - 1];
  if (depth < 1 || depth > (int64_t)x->rank - batch)
    return crd__graph_node_fail(ctx, node,
                                "the last dimension of its indices is %lld; 1 to %lld are allowed",
                                (long long)depth, (long long)x->rank - (long long)batch);
  for (size_t d = 0; d < (size_t)batch; d++)
    if (indices->dims[d] != x->dims[d])
      return crd__graph_node_fail(
          ctx, node, "its indices have %lld in batch dimension %zu, and its array %lld",
          (long long)indices->dims[d], d, (long long)x->dims[d]);
  return CRD_OK;
}

crd_status crd__graph_indexed_slices(crd_context *ctx, const crd__graph *net,
                                     const crd__graph_node *node, int64_t batch,
                                     crd__kernel_index *out, size_t *rank,
                                     int64_t dims[2 * CRD_RANK_MAX]) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  const crd__engine_tensor *const indices = crd__graph_node_input(net, node, 1);
  int64_t strides[CRD_RANK_MAX];
  CRD_TRY(begin(ctx, net, node, out));
  CRD_TRY(check_slices(ctx, node, x, indices, batch));
  const size_t first = (size_t)batch, last = indices->rank - 1;
  crd__kernel_strides_make(x->rank, x->dims, strides);
  *rank = 0;
  out->rank = out->dims[0] = out->count = out->step = 1;
  for (size_t d = 0; d < last; d++) {
    *(d < first ? &out->dims[0] : &out->count) *= (size_t)indices->dims[d];
    dims[(*rank)++] = indices->dims[d];
  }
  out->tuples[0] = out->count;
  out->bases[0] = 1;
  for (size_t d = first; d < x->rank; d++) out->bases[0] *= (size_t)x->dims[d];
  out->depth = (size_t)indices->dims[last];
  for (size_t d = 0; d < out->depth; d++) {
    out->lengths[d] = (size_t)x->dims[first + d];
    out->strides[d] = (size_t)strides[first + d];
  }
  for (size_t d = first + out->depth; d < x->rank; d++) {
    out->inner *= (size_t)x->dims[d];
    dims[(*rank)++] = x->dims[d];
  }
  return finish(ctx, node, indices, out);
}
