/*
 * dnn.h -- a thin layer over oneDNN: memory layouts, primitives, and a pool that owns every handle.
 * Only its own files include oneDNN's header (dnn_private.h).
 */
#ifndef CRD_ENGINE_DNN_H
#define CRD_ENGINE_DNN_H

#include "base/context.h"
#include "engine/kernel/f32.h"

#include <stdbool.h>

/* An engine, and everything created with it; all of it is destroyed together. */
typedef struct crd__engine_dnn crd__engine_dnn;

/* The memory layout of a float32 array; borrowed from the pool. */
typedef struct {
  const void *md; /* oneDNN's memory descriptor; NULL: none */
} crd__engine_layout;

typedef struct {
  void *primitive, *description;
  size_t scratch; /* bytes of scratch memory needed while it runs */
} crd__engine_primitive;

/* A post-op: what a primitive does to its result before it stores it. */
typedef struct {
  bool sum;           /* add the previous content of the destination; otherwise: */
  int function;       /* a crd__kernel_unary_id, or CRD__POST_OP_LINEAR: alpha * x + beta */
  double alpha, beta; /* the function's parameters, as oneDNN takes them */
} crd__engine_post_op;
enum { CRD__POST_OP_LINEAR = CRD__UNARY_COUNT };

typedef struct {
  size_t count;
  crd__engine_post_op items[4];
} crd__engine_post_ops;

/* The window of a convolution or a pooling operator over the spatial dimensions. */
enum { CRD__SPATIAL_MAX = 12 }; /* the limit of oneDNN */
typedef struct {
  size_t count; /* number of spatial dimensions */
  int64_t kernel[CRD__SPATIAL_MAX], strides[CRD__SPATIAL_MAX];
  int64_t dilations[CRD__SPATIAL_MAX]; /* 1: dense */
  int64_t begin[CRD__SPATIAL_MAX], end[CRD__SPATIAL_MAX];
  int64_t over[CRD__SPATIAL_MAX]; /* the part of `end` by which the last window exceeds the padded
                                     input (ceil_mode) */
} crd__engine_window;

typedef enum { CRD__POOL_MAX, CRD__POOL_MEAN, CRD__POOL_MEAN_PADDED } crd__engine_pool_kind;
typedef enum {
  CRD__BINARY_ADD,
  CRD__BINARY_SUB,
  CRD__BINARY_MUL,
  CRD__BINARY_DIV
} crd__engine_dnn_binary;

/* Arguments of a primitive. SOURCE + i is the i-th of several sources. */
typedef enum {
  CRD__ARG_SRC,
  CRD__ARG_SRC_1,
  CRD__ARG_WEIGHTS,
  CRD__ARG_BIAS,
  CRD__ARG_DST,
  CRD__ARG_MEAN,
  CRD__ARG_VARIANCE,
  CRD__ARG_SCALE,
  CRD__ARG_SHIFT,
  CRD__ARG_SCRATCH,
  CRD__ARG_WORKSPACE,
  CRD__ARG_DIFF_SRC,
  CRD__ARG_DIFF_WEIGHTS,
  CRD__ARG_DIFF_BIAS,
  CRD__ARG_DIFF_DST,
  CRD__ARG_DIFF_SCALE,
  CRD__ARG_DIFF_SHIFT,
  CRD__ARG_SOURCE
} crd__engine_argument;

crd_status crd__engine_dnn_create(crd_context *ctx, crd__engine_dnn **out);
void crd__engine_dnn_destroy(crd__engine_dnn *dnn);

/* ---- Layouts. Rank 0 is taken as one dimension of 1. Fail with ENOMEM or, as noted, EABSENT. */

crd_status crd__engine_layout_plain(crd_context *ctx, crd__engine_dnn *dnn, size_t rank,
                                    const int64_t *dims, crd__engine_layout *out);
crd_status crd__engine_layout_strided(crd_context *ctx, crd__engine_dnn *dnn, size_t rank,
                                      const int64_t *dims, const int64_t *strides,
                                      crd__engine_layout *out);
/* Channels (the second dimension) in blocks of 8 or 16, innermost; EABSENT for unsupported
 * ranks. */
crd_status crd__engine_layout_blocked(crd_context *ctx, crd__engine_dnn *dnn, size_t rank,
                                      const int64_t *dims, size_t lanes, crd__engine_layout *out);
/* Leaves the choice of layout to the primitive. */
crd_status crd__engine_layout_any(crd_context *ctx, crd__engine_dnn *dnn, size_t rank,
                                  const int64_t *dims, crd__engine_layout *out);
/* A view of a part of an array; EABSENT if the part would split a block. */
crd_status crd__engine_layout_part(crd_context *ctx, crd__engine_dnn *dnn, crd__engine_layout whole,
                                   size_t rank, const int64_t *dims, const int64_t *offsets,
                                   crd__engine_layout *out);
bool crd__engine_layout_same(crd__engine_layout a, crd__engine_layout b);
size_t crd__engine_layout_bytes(crd__engine_layout layout);

/* ---- Primitives (dnn_forward.c). EABSENT, without an error message, if oneDNN has no
 * implementation for the layouts. */

crd_status
crd__engine_dnn_convolution(crd_context *ctx, crd__engine_dnn *dnn,
                            const crd__engine_layout layouts[4], const crd__engine_window *window,
                            bool winograd, const crd__engine_post_ops *after,
                            crd__engine_primitive *out); /* layouts: src weights bias dst */
crd_status crd__engine_dnn_matmul(crd_context *ctx, crd__engine_dnn *dnn,
                                  const crd__engine_layout layouts[4],
                                  const crd__engine_post_ops *after, crd__engine_primitive *out);
/* With `training` it fills a workspace (CRD__ARG_WORKSPACE) for the backward pass, if that has
 * one. */
crd_status crd__engine_dnn_pool(crd_context *ctx, crd__engine_dnn *dnn, crd__engine_pool_kind kind,
                                bool training, crd__engine_layout src, crd__engine_layout dst,
                                const crd__engine_window *window, crd__engine_primitive *out);
/* True if oneDNN has the function; the calls below need that. */
bool crd__engine_dnn_has_eltwise(const crd__engine_post_op *function);
crd_status crd__engine_dnn_eltwise(crd_context *ctx, crd__engine_dnn *dnn,
                                   const crd__engine_post_op *function, crd__engine_layout layout,
                                   crd__engine_primitive *out);
crd_status crd__engine_dnn_softmax(crd_context *ctx, crd__engine_dnn *dnn, bool log, size_t axis,
                                   crd__engine_layout layout, crd__engine_primitive *out);
/* Inference: scale, shift, mean and variance are arguments. */
crd_status crd__engine_dnn_batch_norm(crd_context *ctx, crd__engine_dnn *dnn, float epsilon,
                                      bool relu, crd__engine_layout layout,
                                      crd__engine_primitive *out);
crd_status crd__engine_dnn_combine(crd_context *ctx, crd__engine_dnn *dnn,
                                   crd__engine_dnn_binary kind, crd__engine_layout a,
                                   crd__engine_layout b, crd__engine_layout dst,
                                   const crd__engine_post_ops *after, crd__engine_primitive *out);
crd_status crd__engine_dnn_concat(crd_context *ctx, crd__engine_dnn *dnn, size_t axis, size_t count,
                                  const crd__engine_layout *sources, crd__engine_layout dst,
                                  crd__engine_primitive *out);
crd_status crd__engine_dnn_reorder(crd_context *ctx, crd__engine_dnn *dnn, crd__engine_layout from,
                                   crd__engine_layout to, crd__engine_primitive *out);
/* ---- Backward primitives (dnn_back.c). */

/* Gradient with respect to the source; layouts: diff_src weights diff_dst. */
crd_status crd__engine_dnn_convolution_back(crd_context *ctx, crd__engine_dnn *dnn,
                                            const crd__engine_layout layouts[3],
                                            const crd__engine_window *window, bool winograd,
                                            crd__engine_primitive *out);
/* Gradients with respect to weights and bias; layouts: src diff_weights diff_bias diff_dst. */
crd_status crd__engine_dnn_convolution_weights(crd_context *ctx, crd__engine_dnn *dnn,
                                               const crd__engine_layout layouts[4],
                                               const crd__engine_window *window, bool winograd,
                                               crd__engine_primitive *out);
/* True if the derivative is computed from the result (CRD__ARG_DST), false: from the source
 * (CRD__ARG_SRC). */
bool crd__engine_eltwise_from_result(const crd__engine_post_op *function);
crd_status crd__engine_dnn_eltwise_back(crd_context *ctx, crd__engine_dnn *dnn,
                                        const crd__engine_post_op *function,
                                        crd__engine_layout data, crd__engine_layout gradient,
                                        crd__engine_primitive *out);
crd_status crd__engine_dnn_pool_back(crd_context *ctx, crd__engine_dnn *dnn,
                                     crd__engine_pool_kind kind, crd__engine_layout diff_src,
                                     crd__engine_layout diff_dst, const crd__engine_window *window,
                                     const crd__engine_primitive *forward,
                                     crd__engine_primitive *out);
/* Return the layout that the primitive has chosen for an argument. */
crd__engine_layout crd__engine_primitive_layout(const crd__engine_primitive *primitive,
                                                crd__engine_argument argument);
/* Return the name of oneDNN's implementation, for diagnostics. */
const char *crd__engine_primitive_implementation(const crd__engine_primitive *primitive);

/* ---- Running. */

typedef struct {
  crd__engine_argument argument;
  crd__engine_layout layout;
  void *memory;
} crd__engine_dnn_place;

/* A primitive bound to its memory; runs any number of times and allocates nothing. */
typedef struct crd__engine_dnn_call crd__engine_dnn_call;
crd_status crd__engine_dnn_bind(crd_context *ctx, crd__engine_dnn *dnn,
                                const crd__engine_primitive *primitive, size_t count,
                                const crd__engine_dnn_place *places, crd__engine_dnn_call **out);
crd_status crd__engine_dnn_run(crd_context *ctx, crd__engine_dnn *dnn,
                               const crd__engine_dnn_call *call);

#endif
