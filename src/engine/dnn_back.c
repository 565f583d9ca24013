/*
 * dnn_back.c -- oneDNN's primitives for gradients.
 *
 * Each needs the description of its forward primitive as a hint. If that primitive is of another
 * kind (for inference, with post-ops), a description is made for this purpose alone.
 */
#include "engine/dnn_private.h"

static crd_status hint_failed(crd_context *ctx, dnnl_primitive_attr_t attr, dnnl_status_t status,
                              const char *what) {
  dnnl_primitive_attr_destroy(attr);
  return crd__engine_dnn_failed(ctx, status, what);
}

static dnnl_status_t describe_forward(const crd__engine_dnn *dnn, dnnl_alg_kind_t kind,
                                      crd__engine_layout src, crd__engine_layout weights,
                                      crd__engine_layout bias, crd__engine_layout dst,
                                      const crd__engine_window *window, dnnl_primitive_attr_t attr,
                                      dnnl_primitive_desc_t *out) {
  dnnl_dims_t dilations;
  if (!crd__engine_dnn_convolves((crd__engine_layout[4]){ src, weights, bias, dst }, window))
    return dnnl_unimplemented;
  crd__engine_dnn_dilations(window, dilations);
  return dnnl_convolution_forward_primitive_desc_create(
      out, dnn->engine, dnnl_forward_training, kind, src.md, weights.md, bias.md, dst.md,
      window->strides, dilations, window->begin, window->end, attr);
}

crd_status crd__engine_dnn_convolution_back(crd_context *ctx, crd__engine_dnn *dnn,
                                            const crd__engine_layout layouts[3],
                                            const crd__engine_window *window, bool winograd,
                                            crd__engine_primitive *out) {
  const dnnl_alg_kind_t kind = winograd ? dnnl_convolution_winograd : dnnl_convolution_direct;
  dnnl_primitive_attr_t attr;
  dnnl_primitive_desc_t forward = NULL, description = NULL;
  dnnl_dims_t dilations;
  CRD_TRY(crd__engine_dnn_attributes(ctx, NULL, &attr));
  crd__engine_dnn_dilations(window, dilations);
  dnnl_status_t status =
      describe_forward(dnn, kind, layouts[0], layouts[1], (crd__engine_layout){ NULL }, layouts[2],
                       window, attr, &forward);
  if (status != dnnl_success) return hint_failed(ctx, attr, status, "a convolution");
  status = dnnl_convolution_backward_data_primitive_desc_create(
      &description, dnn->engine, kind, layouts[0].md, layouts[1].md, layouts[2].md, window->strides,
      dilations, window->begin, window->end, forward, attr);
  dnnl_primitive_desc_destroy(forward);
  return crd__engine_dnn_primitive(ctx, dnn, status, description, attr, "a convolution's gradient",
                                   out);
}

crd_status crd__engine_dnn_convolution_weights(crd_context *ctx, crd__engine_dnn *dnn,
                                               const crd__engine_layout layouts[4],
                                               const crd__engine_window *window, bool winograd,
                                               crd__engine_primitive *out) {
  const dnnl_alg_kind_t kind = winograd ? dnnl_convolution_winograd : dnnl_convolution_direct;
  dnnl_primitive_attr_t attr;
  dnnl_primitive_desc_t forward = NULL, description = NULL;
  dnnl_dims_t dilations;
  CRD_TRY(crd__engine_dnn_attributes(ctx, NULL, &attr));
  crd__engine_dnn_dilations(window, dilations);
  dnnl_status_t status = describe_forward(dnn, kind, layouts[0], layouts[1], layouts[2], layouts[3],
                                          window, attr, &forward);
  if (status != dnnl_success) return hint_failed(ctx, attr, status, "a convolution");
  status = dnnl_convolution_backward_weights_primitive_desc_create(
      &description, dnn->engine, kind, layouts[0].md, layouts[1].md, layouts[2].md, layouts[3].md,
      window->strides, dilations, window->begin, window->end, forward, attr);
  dnnl_primitive_desc_destroy(forward);
  return crd__engine_dnn_primitive(ctx, dnn, status, description, attr, "a convolution's gradient",
                                   out);
}

/* ---- Elementwise functions. */

/* With a negative alpha the result of leaky_relu does not have the sign of the source. */
bool crd__engine_eltwise_from_result(const crd__engine_post_op *function) {
  return crd__engine_dnn_eltwises[function->function].from_result != dnnl_alg_kind_undef &&
         !(function->function == CRD__UNARY_LEAKY_RELU && function->alpha < 0);
}

crd_status crd__engine_dnn_eltwise_back(crd_context *ctx, crd__engine_dnn *dnn,
                                        const crd__engine_post_op *function,
                                        crd__engine_layout data, crd__engine_layout gradient,
                                        crd__engine_primitive *out) {
  const crd__engine_dnn_algorithms *const kinds = &crd__engine_dnn_eltwises[function->function];
  const dnnl_alg_kind_t kind =
      crd__engine_eltwise_from_result(function) ? kinds->from_result : kinds->forward;
  const float alpha = (float)function->alpha, beta = (float)function->beta;
  dnnl_primitive_attr_t attr;
  dnnl_primitive_desc_t forward = NULL, description = NULL;
  CRD_TRY(crd__engine_dnn_attributes(ctx, NULL, &attr));
  dnnl_status_t status = dnnl_eltwise_forward_primitive_desc_create(
      &forward, dnn->engine, dnnl_forward_training, kind, data.md, data.md, alpha, beta, attr);
  if (status != dnnl_success) return hint_failed(ctx, attr, status, "an elementwise function");
  status =
      dnnl_eltwise_backward_primitive_desc_create(&description, dnn->engine, kind, gradient.md,
                                                  gradient.md, data.md, alpha, beta, forward, attr);
  dnnl_primitive_desc_destroy(forward);
  return crd__engine_dnn_primitive(ctx, dnn, status, description, attr,
                                   "an elementwise function's gradient", out);
}

/* ---- Pools. */

crd_status crd__engine_dnn_pool_back(crd_context *ctx, crd__engine_dnn *dnn,
                                     crd__engine_pool_kind kind, crd__engine_layout diff_src,
                                     crd__engine_layout diff_dst, const crd__engine_window *window,
                                     const crd__engine_primitive *forward,
                                     crd__engine_primitive *out) {
  dnnl_primitive_attr_t attr;
  dnnl_primitive_desc_t description = NULL;
  dnnl_dims_t dilations;
  CRD_TRY(crd__engine_dnn_attributes(ctx, NULL, &attr));
  crd__engine_dnn_dilations(window, dilations);
  const dnnl_status_t status = dnnl_pooling_backward_primitive_desc_create(
      &description, dnn->engine, crd__engine_dnn_pools[kind], diff_src.md, diff_dst.md,
      window->strides, window->kernel, dilations, window->begin, window->end, forward->description,
      attr);
  return crd__engine_dnn_primitive(ctx, dnn, status, description, attr, "a pooling's gradient",
                                   out);
}
