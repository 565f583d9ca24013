/* dnn_forward.c -- oneDNN's primitives for the forward pass, and their post-ops. */
#include "base/memory.h"
#include "engine/dnn_private.h"

/* ---- Elementwise functions and other post-ops. */

const crd__engine_dnn_algorithms crd__engine_dnn_eltwises[] = {
  [CRD__UNARY_CLIP] = { dnnl_eltwise_clip_v2, dnnl_eltwise_clip_v2_use_dst_for_bwd },
  [CRD__UNARY_EXP] = { dnnl_eltwise_exp, dnnl_eltwise_exp_use_dst_for_bwd },
  [CRD__UNARY_GELU] = { dnnl_eltwise_gelu_erf, dnnl_alg_kind_undef },
  [CRD__UNARY_GELU_TANH] = { dnnl_eltwise_gelu_tanh, dnnl_alg_kind_undef },
  [CRD__UNARY_HARD_SWISH] = { dnnl_eltwise_hardswish, dnnl_alg_kind_undef },
  [CRD__UNARY_LEAKY_RELU] = { dnnl_eltwise_relu, dnnl_eltwise_relu_use_dst_for_bwd },
  [CRD__UNARY_NEG] = { dnnl_eltwise_linear, dnnl_alg_kind_undef },
  [CRD__UNARY_RELU] = { dnnl_eltwise_relu, dnnl_eltwise_relu_use_dst_for_bwd },
  [CRD__UNARY_SIGMOID] = { dnnl_eltwise_logistic, dnnl_eltwise_logistic_use_dst_for_bwd },
  [CRD__UNARY_SQRT] = { dnnl_eltwise_sqrt, dnnl_eltwise_sqrt_use_dst_for_bwd },
  [CRD__UNARY_TANH] = { dnnl_eltwise_tanh, dnnl_eltwise_tanh_use_dst_for_bwd },
  [CRD__POST_OP_LINEAR] = { dnnl_eltwise_linear, dnnl_alg_kind_undef },
};

bool crd__engine_dnn_has_eltwise(const crd__engine_post_op *function) {
  return crd__engine_dnn_eltwises[function->function].forward != dnnl_alg_kind_undef;
}

static dnnl_status_t append(dnnl_post_ops_t ops, const crd__engine_post_op *after) {
  if (after->sum) return dnnl_post_ops_append_sum(ops, 1, 0, dnnl_data_type_undef);
  return dnnl_post_ops_append_eltwise(ops, crd__engine_dnn_eltwises[after->function].forward,
                                      (float)after->alpha, (float)after->beta);
}

static dnnl_status_t set_afters(dnnl_primitive_attr_t attr, const crd__engine_post_ops *after) {
  dnnl_post_ops_t ops;
  if (!after || after->count == 0) return dnnl_success;
  dnnl_status_t status = dnnl_post_ops_create(&ops);
  if (status != dnnl_success) return status;
  for (size_t i = 0; i < after->count && status == dnnl_success; i++)
    status = append(ops, &after->items[i]);
  if (status == dnnl_success) status = dnnl_primitive_attr_set_post_ops(attr, ops);
  dnnl_post_ops_destroy(ops);
  return status;
}

crd_status crd__engine_dnn_attributes(crd_context *ctx, const crd__engine_post_ops *after,
                                      dnnl_primitive_attr_t *out) {
  dnnl_status_t status = dnnl_primitive_attr_create(out);
  if (status != dnnl_success) return crd__engine_dnn_failed(ctx, status, "attributes");
  status = dnnl_primitive_attr_set_scratchpad_mode(*out, dnnl_scratchpad_mode_user);
  if (status == dnnl_success) status = set_afters(*out, after);
  if (status != dnnl_success) {
    dnnl_primitive_attr_destroy(*out);
    return crd__engine_dnn_failed(ctx, status, "attributes");
  }
  return CRD_OK;
}

/* ---- Primitives. */

void crd__engine_dnn_dilations(const crd__engine_window *window, dnnl_dims_t out) {
  for (size_t i = 0; i < window->count; i++) out[i] = window->dilations[i] - 1;
}

/* Returns whether the last `last` dimensions of a tensor have at most `most` elements. */
static bool has_at_most(crd__engine_layout layout, size_t last, dnnl_dim_t most) {
  int rank = 0;
  const dnnl_dim_t *const dims = layout.md ? crd__engine_md_dims(layout.md, &rank) : NULL;
  dnnl_dim_t count = 1;
  for (int i = (size_t)rank > last ? rank - (int)last : 0; i < rank; i++) {
    if (dims[i] > 0 && count > most / dims[i]) return false;
    count *= dims[i];
  }
  return true;
}

bool crd__engine_dnn_convolves(const crd__engine_layout layouts[4],
                               const crd__engine_window *window) {
  enum { PADDING_MOST = 4096, KERNEL_MOST = 1 << 16 };
  for (size_t i = 0; i < window->count; i++)
    if (window->begin[i] > PADDING_MOST || window->end[i] > PADDING_MOST) return false;
  for (size_t i = 0; i < 4; i++)
    if (!has_at_most(layouts[i], DNNL_MAX_NDIMS, INT32_MAX)) return false;
  return has_at_most(layouts[1], window->count, KERNEL_MOST);
}

/* In the order in which they are tried. */
static const dnnl_alg_kind_t algorithms[] = { dnnl_convolution_winograd, dnnl_convolution_direct };

crd_status crd__engine_dnn_convolution(crd_context *ctx, crd__engine_dnn *dnn,
                                       const crd__engine_layout layouts[4],
                                       const crd__engine_window *window, bool winograd,
                                       const crd__engine_post_ops *after,
                                       crd__engine_primitive *out) {
  dnnl_primitive_attr_t attr;
  dnnl_primitive_desc_t description = NULL;
  dnnl_dims_t dilations;
  dnnl_status_t status = dnnl_unimplemented;
  if (!crd__engine_dnn_convolves(layouts, window))
    return crd__engine_dnn_failed(ctx, status, "a convolution");
  CRD_TRY(crd__engine_dnn_attributes(ctx, after, &attr));
  crd__engine_dnn_dilations(window, dilations);
  for (size_t i = winograd ? 0 : 1; i < 2 && status != dnnl_success; i++)
    status = dnnl_convolution_forward_primitive_desc_create(
        &description, dnn->engine, dnnl_forward_inference, algorithms[i], layouts[0].md,
        layouts[1].md, layouts[2].md, layouts[3].md, window->strides, dilations, window->begin,
        window->end, attr);
  return crd__engine_dnn_primitive(ctx, dnn, status, description, attr, "a convolution", out);
}

crd_status crd__engine_dnn_matmul(crd_context *ctx, crd__engine_dnn *dnn,
                                  const crd__engine_layout layouts[4],
                                  const crd__engine_post_ops *after, crd__engine_primitive *out) {
  dnnl_primitive_attr_t attr;
  dnnl_primitive_desc_t description = NULL;
  CRD_TRY(crd__engine_dnn_attributes(ctx, after, &attr));
  const dnnl_status_t status = dnnl_matmul_primitive_desc_create(
      &description, dnn->engine, layouts[0].md, layouts[1].md, layouts[2].md, layouts[3].md, attr);
  return crd__engine_dnn_primitive(ctx, dnn, status, description, attr, "a matrix product", out);
}

const dnnl_alg_kind_t crd__engine_dnn_pools[] = {
  [CRD__POOL_MAX] = dnnl_pooling_max,
  [CRD__POOL_MEAN] = dnnl_pooling_avg_exclude_padding,
  [CRD__POOL_MEAN_PADDED] = dnnl_pooling_avg_include_padding,
};

/* Returns false if a pooling must be left to our own kernel: oneDNN counts elements in an int. */
static bool pools(crd__engine_layout src, const crd__engine_window *window) {
  for (size_t i = 0; i < window->count; i++)
    if (window->kernel[i] > INT32_MAX || window->strides[i] > INT32_MAX) return false;
  return has_at_most(src, DNNL_MAX_NDIMS, INT32_MAX);
}

crd_status crd__engine_dnn_pool(crd_context *ctx, crd__engine_dnn *dnn, crd__engine_pool_kind kind,
                                bool training, crd__engine_layout src, crd__engine_layout dst,
                                const crd__engine_window *window, crd__engine_primitive *out) {
  dnnl_primitive_attr_t attr;
  dnnl_primitive_desc_t description = NULL;
  dnnl_dims_t dilations;
  if (!pools(src, window)) return CRD_EABSENT;
  CRD_TRY(crd__engine_dnn_attributes(ctx, NULL, &attr));
  crd__engine_dnn_dilations(window, dilations);
  const dnnl_status_t status = dnnl_pooling_forward_primitive_desc_create(
      &description, dnn->engine, training ? dnnl_forward_training : dnnl_forward_inference,
      crd__engine_dnn_pools[kind], src.md, dst.md, window->strides, window->kernel, dilations,
      window->begin, window->end, attr);
  return crd__engine_dnn_primitive(ctx, dnn, status, description, attr, "a pooling", out);
}

crd_status crd__engine_dnn_eltwise(crd_context *ctx, crd__engine_dnn *dnn,
                                   const crd__engine_post_op *function, crd__engine_layout layout,
                                   crd__engine_primitive *out) {
  dnnl_primitive_attr_t attr;
  dnnl_primitive_desc_t description = NULL;
  CRD_TRY(crd__engine_dnn_attributes(ctx, NULL, &attr));
  const dnnl_status_t status = dnnl_eltwise_forward_primitive_desc_create(
      &description, dnn->engine, dnnl_forward_inference,
      crd__engine_dnn_eltwises[function->function].forward, layout.md, layout.md,
      (float)function->alpha, (float)function->beta, attr);
  return crd__engine_dnn_primitive(ctx, dnn, status, description, attr, "an elementwise function",
                                   out);
}

crd_status crd__engine_dnn_softmax(crd_context *ctx, crd__engine_dnn *dnn, bool log, size_t axis,
                                   crd__engine_layout layout, crd__engine_primitive *out) {
  dnnl_primitive_attr_t attr;
  dnnl_primitive_desc_t description = NULL;
  CRD_TRY(crd__engine_dnn_attributes(ctx, NULL, &attr));
  const dnnl_status_t status = dnnl_softmax_forward_primitive_desc_create(
      &description, dnn->engine, dnnl_forward_inference,
      log ? dnnl_softmax_log : dnnl_softmax_accurate, layout.md, layout.md, (int)axis, attr);
  return crd__engine_dnn_primitive(ctx, dnn, status, description, attr, "a softmax", out);
}

crd_status crd__engine_dnn_batch_norm(crd_context *ctx, crd__engine_dnn *dnn, float epsilon,
                                      bool relu, crd__engine_layout layout,
                                      crd__engine_primitive *out) {
  const unsigned flags = (unsigned)dnnl_use_global_stats | (unsigned)dnnl_use_scale |
                         (unsigned)dnnl_use_shift | (relu ? (unsigned)dnnl_fuse_norm_relu : 0U);
  dnnl_primitive_attr_t attr;
  dnnl_primitive_desc_t description = NULL;
  CRD_TRY(crd__engine_dnn_attributes(ctx, NULL, &attr));
  const dnnl_status_t status = dnnl_batch_normalization_forward_primitive_desc_create(
      &description, dnn->engine, dnnl_forward_inference, layout.md, layout.md, epsilon, flags,
      attr);
  return crd__engine_dnn_primitive(ctx, dnn, status, description, attr, "a batch normalisation",
                                   out);
}

crd_status crd__engine_dnn_combine(crd_context *ctx, crd__engine_dnn *dnn,
                                   crd__engine_dnn_binary kind, crd__engine_layout a,
                                   crd__engine_layout b, crd__engine_layout dst,
                                   const crd__engine_post_ops *after, crd__engine_primitive *out) {
  static const dnnl_alg_kind_t kinds[] = {
    [CRD__BINARY_ADD] = dnnl_binary_add,
    [CRD__BINARY_SUB] = dnnl_binary_sub,
    [CRD__BINARY_MUL] = dnnl_binary_mul,
    [CRD__BINARY_DIV] = dnnl_binary_div,
  };
  dnnl_primitive_attr_t attr;
  dnnl_primitive_desc_t description = NULL;
  CRD_TRY(crd__engine_dnn_attributes(ctx, after, &attr));
  const dnnl_status_t status = dnnl_binary_primitive_desc_create(
      &description, dnn->engine, kinds[kind], a.md, b.md, dst.md, attr);
  return crd__engine_dnn_primitive(ctx, dnn, status, description, attr, "a binary operation", out);
}

#if DNNL_VERSION_MAJOR >= 3
typedef crd__engine_const_md source_md;
static source_md source_of(crd__engine_layout layout) { return layout.md; }
static dnnl_status_t describe_concat(dnnl_primitive_desc_t *out, dnnl_engine_t engine,
                                     crd__engine_const_md dst, int count, int axis,
                                     const source_md *sources, dnnl_primitive_attr_t attr) {
  return dnnl_concat_primitive_desc_create(out, engine, dst, count, axis, sources, attr);
}
#else
typedef dnnl_memory_desc_t source_md;
static source_md source_of(crd__engine_layout layout) {
  return *(const dnnl_memory_desc_t *)layout.md;
}
static dnnl_status_t describe_concat(dnnl_primitive_desc_t *out, dnnl_engine_t engine,
                                     crd__engine_const_md dst, int count, int axis,
                                     const source_md *sources, dnnl_primitive_attr_t attr) {
  return dnnl_concat_primitive_desc_create(out, dst, count, axis, sources, attr, engine);
}
#endif

crd_status crd__engine_dnn_concat(crd_context *ctx, crd__engine_dnn *dnn, size_t axis, size_t count,
                                  const crd__engine_layout *sources, crd__engine_layout dst,
                                  crd__engine_primitive *out) {
  dnnl_primitive_attr_t attr;
  dnnl_primitive_desc_t description = NULL;
  source_md *mds;
  CRD_TRY(crd__new(ctx, count, sizeof *mds, "memory descriptors", &mds));
  for (size_t i = 0; i < count; i++) mds[i] = source_of(sources[i]);
  crd_status status = crd__engine_dnn_attributes(ctx, NULL, &attr);
  if (status == CRD_OK) {
    const dnnl_status_t described =
        describe_concat(&description, dnn->engine, dst.md, (int)count, (int)axis, mds, attr);
    status =
        crd__engine_dnn_primitive(ctx, dnn, described, description, attr, "a concatenation", out);
  }
  crd__free(&ctx->alloc, mds);
  return status;
}

crd_status crd__engine_dnn_reorder(crd_context *ctx, crd__engine_dnn *dnn, crd__engine_layout from,
                                   crd__engine_layout to, crd__engine_primitive *out) {
  dnnl_primitive_attr_t attr;
  dnnl_primitive_desc_t description = NULL;
  CRD_TRY(crd__engine_dnn_attributes(ctx, NULL, &attr));
  const dnnl_status_t status = dnnl_reorder_primitive_desc_create(
      &description, from.md, dnn->engine, to.md, dnn->engine, attr);
  return crd__engine_dnn_primitive(ctx, dnn, status, description, attr, "a reorder", out);
}
