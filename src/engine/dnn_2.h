/*
 * dnn_2.h -- oneDNN 3's interface for describing primitives, on top of oneDNN 2. dnn.c is written
 * for 3; drop this file when 2 is no longer supported.
 *
 * In 3 a memory descriptor is a handle and a primitive is described by one call. In 2 a descriptor
 * is a struct (here on the heap, to be used as a handle), and an operation descriptor comes first.
 */
#ifndef CRD_ENGINE_DNN_2_H
#define CRD_ENGINE_DNN_2_H

#include <oneapi/dnnl/dnnl.h>

#if DNNL_VERSION_MAJOR >= 3

typedef const_dnnl_memory_desc_t crd__engine_const_md;

static inline const dnnl_dim_t *crd__engine_md_dims(crd__engine_const_md md, int *rank) {
  dnnl_dims_t *dims = NULL;
  *rank = 0;
  if (dnnl_memory_desc_query(md, dnnl_query_ndims_s32, rank) != dnnl_success ||
      dnnl_memory_desc_query(md, dnnl_query_dims, &dims) != dnnl_success)
    *rank = 0;
  return dims ? *dims : NULL;
}

#else

typedef const dnnl_memory_desc_t *crd__engine_const_md;

static inline const dnnl_dim_t *crd__engine_md_dims(crd__engine_const_md md, int *rank) {
  *rank = md->ndims;
  return md->dims;
}

static inline dnnl_status_t dnnl_memory_desc_create_with_strides(dnnl_memory_desc_t *out, int rank,
                                                                 const dnnl_dims_t dims,
                                                                 dnnl_data_type_t type,
                                                                 const dnnl_dims_t strides) {
  return dnnl_memory_desc_init_by_strides(out, rank, dims, type, strides);
}

static inline dnnl_status_t dnnl_memory_desc_create_submemory(dnnl_memory_desc_t *out,
                                                              crd__engine_const_md whole,
                                                              const dnnl_dims_t dims,
                                                              const dnnl_dims_t offsets) {
  return dnnl_memory_desc_init_submemory(out, whole, dims, offsets);
}

static inline dnnl_status_t dnnl_memory_desc_create_with_tag(dnnl_memory_desc_t *out, int rank,
                                                             const dnnl_dims_t dims,
                                                             dnnl_data_type_t type,
                                                             dnnl_format_tag_t tag) {
  return dnnl_memory_desc_init_by_tag(out, rank, dims, type, tag);
}

static inline dnnl_status_t dnnl_convolution_forward_primitive_desc_create(
    dnnl_primitive_desc_t *out, dnnl_engine_t engine, dnnl_prop_kind_t prop, dnnl_alg_kind_t kind,
    crd__engine_const_md src, crd__engine_const_md weights, crd__engine_const_md bias,
    crd__engine_const_md dst, const dnnl_dims_t strides, const dnnl_dims_t dilations,
    const dnnl_dims_t begin, const dnnl_dims_t end, const_dnnl_primitive_attr_t attr) {
  dnnl_convolution_desc_t d;
  const dnnl_status_t status = dnnl_dilated_convolution_forward_desc_init(
      &d, prop, kind, src, weights, bias, dst, strides, dilations, begin, end);
  return status ? status : dnnl_primitive_desc_create(out, &d, attr, engine, NULL);
}

static inline dnnl_status_t dnnl_pooling_forward_primitive_desc_create(
    dnnl_primitive_desc_t *out, dnnl_engine_t engine, dnnl_prop_kind_t prop, dnnl_alg_kind_t kind,
    crd__engine_const_md src, crd__engine_const_md dst, const dnnl_dims_t strides,
    const dnnl_dims_t kernel, const dnnl_dims_t dilations, const dnnl_dims_t begin,
    const dnnl_dims_t end, const_dnnl_primitive_attr_t attr) {
  dnnl_pooling_v2_desc_t d;
  const dnnl_status_t status = dnnl_pooling_v2_forward_desc_init(&d, prop, kind, src, dst, strides,
                                                                 kernel, dilations, begin, end);
  return status ? status : dnnl_primitive_desc_create(out, &d, attr, engine, NULL);
}

static inline dnnl_status_t dnnl_eltwise_forward_primitive_desc_create(
    dnnl_primitive_desc_t *out, dnnl_engine_t engine, dnnl_prop_kind_t prop, dnnl_alg_kind_t kind,
    crd__engine_const_md src, crd__engine_const_md dst, float alpha, float beta,
    const_dnnl_primitive_attr_t attr) {
  dnnl_eltwise_desc_t d;
  (void)dst; /* the same as src in 2 */
  const dnnl_status_t status = dnnl_eltwise_forward_desc_init(&d, prop, kind, src, alpha, beta);
  return status ? status : dnnl_primitive_desc_create(out, &d, attr, engine, NULL);
}

static inline dnnl_status_t
dnnl_softmax_forward_primitive_desc_create(dnnl_primitive_desc_t *out, dnnl_engine_t engine,
                                           dnnl_prop_kind_t prop, dnnl_alg_kind_t kind,
                                           crd__engine_const_md src, crd__engine_const_md dst,
                                           int axis, const_dnnl_primitive_attr_t attr) {
  dnnl_softmax_v2_desc_t d;
  const dnnl_status_t status = dnnl_softmax_v2_forward_desc_init(&d, prop, kind, src, dst, axis);
  return status ? status : dnnl_primitive_desc_create(out, &d, attr, engine, NULL);
}

static inline dnnl_status_t dnnl_batch_normalization_forward_primitive_desc_create(
    dnnl_primitive_desc_t *out, dnnl_engine_t engine, dnnl_prop_kind_t prop,
    crd__engine_const_md src, crd__engine_const_md dst, float epsilon, unsigned flags,
    const_dnnl_primitive_attr_t attr) {
  dnnl_batch_normalization_desc_t d;
  (void)dst;
  const dnnl_status_t status =
      dnnl_batch_normalization_forward_desc_init(&d, prop, src, epsilon, flags);
  return status ? status : dnnl_primitive_desc_create(out, &d, attr, engine, NULL);
}

static inline dnnl_status_t
dnnl_matmul_primitive_desc_create(dnnl_primitive_desc_t *out, dnnl_engine_t engine,
                                  crd__engine_const_md src, crd__engine_const_md weights,
                                  crd__engine_const_md bias, crd__engine_const_md dst,
                                  const_dnnl_primitive_attr_t attr) {
  dnnl_matmul_desc_t d;
  const dnnl_status_t status = dnnl_matmul_desc_init(&d, src, weights, bias, dst);
  return status ? status : dnnl_primitive_desc_create(out, &d, attr, engine, NULL);
}

static inline dnnl_status_t dnnl_binary_primitive_desc_create(
    dnnl_primitive_desc_t *out, dnnl_engine_t engine, dnnl_alg_kind_t kind, crd__engine_const_md a,
    crd__engine_const_md b, crd__engine_const_md dst, const_dnnl_primitive_attr_t attr) {
  dnnl_binary_desc_t d;
  const dnnl_status_t status = dnnl_binary_desc_init(&d, kind, a, b, dst);
  return status ? status : dnnl_primitive_desc_create(out, &d, attr, engine, NULL);
}

static inline dnnl_status_t dnnl_convolution_backward_data_primitive_desc_create(
    dnnl_primitive_desc_t *out, dnnl_engine_t engine, dnnl_alg_kind_t kind,
    crd__engine_const_md diff_src, crd__engine_const_md weights, crd__engine_const_md diff_dst,
    const dnnl_dims_t strides, const dnnl_dims_t dilations, const dnnl_dims_t begin,
    const dnnl_dims_t end, const_dnnl_primitive_desc_t forward, const_dnnl_primitive_attr_t attr) {
  dnnl_convolution_desc_t d;
  const dnnl_status_t status = dnnl_dilated_convolution_backward_data_desc_init(
      &d, kind, diff_src, weights, diff_dst, strides, dilations, begin, end);
  return status ? status : dnnl_primitive_desc_create(out, &d, attr, engine, forward);
}

static inline dnnl_status_t dnnl_convolution_backward_weights_primitive_desc_create(
    dnnl_primitive_desc_t *out, dnnl_engine_t engine, dnnl_alg_kind_t kind,
    crd__engine_const_md src, crd__engine_const_md diff_weights, crd__engine_const_md diff_bias,
    crd__engine_const_md diff_dst, const dnnl_dims_t strides, const dnnl_dims_t dilations,
    const dnnl_dims_t begin, const dnnl_dims_t end, const_dnnl_primitive_desc_t forward,
    const_dnnl_primitive_attr_t attr) {
  dnnl_convolution_desc_t d;
  const dnnl_status_t status = dnnl_dilated_convolution_backward_weights_desc_init(
      &d, kind, src, diff_weights, diff_bias, diff_dst, strides, dilations, begin, end);
  return status ? status : dnnl_primitive_desc_create(out, &d, attr, engine, forward);
}

static inline dnnl_status_t dnnl_pooling_backward_primitive_desc_create(
    dnnl_primitive_desc_t *out, dnnl_engine_t engine, dnnl_alg_kind_t kind,
    crd__engine_const_md diff_src, crd__engine_const_md diff_dst, const dnnl_dims_t strides,
    const dnnl_dims_t kernel, const dnnl_dims_t dilations, const dnnl_dims_t begin,
    const dnnl_dims_t end, const_dnnl_primitive_desc_t forward, const_dnnl_primitive_attr_t attr) {
  dnnl_pooling_v2_desc_t d;
  const dnnl_status_t status = dnnl_pooling_v2_backward_desc_init(
      &d, kind, diff_src, diff_dst, strides, kernel, dilations, begin, end);
  return status ? status : dnnl_primitive_desc_create(out, &d, attr, engine, forward);
}

static inline dnnl_status_t dnnl_eltwise_backward_primitive_desc_create(
    dnnl_primitive_desc_t *out, dnnl_engine_t engine, dnnl_alg_kind_t kind,
    crd__engine_const_md diff_src, crd__engine_const_md diff_dst, crd__engine_const_md data,
    float alpha, float beta, const_dnnl_primitive_desc_t forward,
    const_dnnl_primitive_attr_t attr) {
  dnnl_eltwise_desc_t d;
  (void)diff_src; /* the same as diff_dst in 2 */
  const dnnl_status_t status =
      dnnl_eltwise_backward_desc_init(&d, kind, diff_dst, data, alpha, beta);
  return status ? status : dnnl_primitive_desc_create(out, &d, attr, engine, forward);
}

static inline dnnl_status_t crd__engine_append_eltwise(dnnl_post_ops_t ops, dnnl_alg_kind_t kind,
                                                       float alpha, float beta) {
  return dnnl_post_ops_append_eltwise(ops, 1, kind, alpha, beta);
}
#define dnnl_post_ops_append_eltwise crd__engine_append_eltwise

static inline dnnl_status_t crd__engine_append_sum(dnnl_post_ops_t ops, float scale, int32_t zero,
                                                   dnnl_data_type_t type) {
  (void)zero;
  return dnnl_post_ops_append_sum_v2(ops, scale, type);
}
#define dnnl_post_ops_append_sum crd__engine_append_sum

#endif
#endif
