/* scales.c -- see scales.h. */
#include "graph/op/scales.h"

#include "graph/op/plain.h"

bool crd__graph_is_quantized(crd_dtype dtype) {
  return dtype == CRD_I8 || dtype == CRD_U8 || dtype == CRD_I16 || dtype == CRD_U16;
}

/* Blocked: the scales have the tensor's shape, with one index along the axis for each block. */
static crd_status blocked(crd_context *ctx, const crd__graph_node *node,
                          const crd__engine_tensor *x, const crd__engine_tensor *scale, size_t axis,
                          int64_t block, crd__kernel_scales *s) {
  const int64_t blocks = x->dims[axis] / block + (x->dims[axis] % block > 0);
  bool same = scale->rank == x->rank;
  for (size_t i = 0; i < x->rank && same; i++)
    same = scale->dims[i] == (i == axis ? blocks : x->dims[i]);
  if (!same)
    return crd__graph_node_fail(
        ctx, node,
        "its scale must have the shape of the tensor, with %lld blocks of %lld along "
        "axis %zu",
        (long long)blocks, (long long)block, axis);
  s->block = (size_t)block;
  s->steps[0] = (size_t)blocks * s->inner;
  s->steps[1] = s->inner;
  s->steps[2] = 1;
  return CRD_OK;
}

/* Along the last axis, a row has one scale for each of its elements. */
static void per_axis(crd__kernel_scales *s) {
  if (s->inner == 1) {
    s->inner = s->length;
    s->length = 1;
    s->steps[2] = 1;
  } else s->steps[1] = 1;
}

crd_status crd__graph_scales_of(crd_context *ctx, const crd__graph *net,
                                const crd__graph_node *node, const crd__engine_tensor *x,
                                size_t index, int64_t axis, int64_t block,
                                crd__kernel_scales *out) {
  const crd__engine_tensor *const scale = crd__graph_node_input(net, node, index);
  size_t at = 0;
  *out = crd__kernel_scales_one(crd__engine_tensor_count(x));
  if (block < 0)
    return crd__graph_node_fail(ctx, node, "its block_size is %lld; 0 or more are allowed",
                                (long long)block);
  if (!scale || (!block && crd__engine_tensor_count(scale) == 1 && scale->rank <= 1)) return CRD_OK;
  CRD_TRY(crd__graph_node_axis(ctx, node, axis, x->rank, &at));
  const crd__kernel_along a = crd__graph_plain_along(x, at);
  *out = (crd__kernel_scales){ .outer = a.outer, .length = a.length, .inner = a.inner, .block = 1 };
  if (block) return blocked(ctx, node, x, scale, at, block, out);
  if (scale->rank != 1 || scale->dims[0] != x->dims[at])
    return crd__graph_node_fail(
        ctx, node,
        "its input %zu has %zu dimensions and %zu elements; 1 element, or %lld, the length of axis "
        "%zu, are allowed",
        index, scale->rank, crd__engine_tensor_count(scale), (long long)x->dims[at], at);
  per_axis(out);
  return CRD_OK;
}
