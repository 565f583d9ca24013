/*
 * dnn.h -- oneDNN behind a thin wall: forms in which arrays lie, primitives made once, and a pool
 * that owns every handle. Only dnn.c and dnn_back.c include oneDNN's header.
 */
#ifndef CRD_ENGINE_DNN_H
#define CRD_ENGINE_DNN_H

#include "base/context.h"

#include <stdbool.h>

/* An engine and all that was made with it, up to its destruction. */
typedef struct crd__dnn crd__dnn;

/* How the f32 numbers of an array lie; borrowed from the pool. */
typedef struct {
  const void *md; /* NULL: none */
} crd__form;

typedef struct {
  void *primitive, *description;
  size_t scratch; /* bytes of memory that it wants while it runs */
} crd__primitive;

/* Functions of one number; alpha and beta as oneDNN takes them. */
typedef enum {
  CRD__CURVE_RELU, /* alpha: slope below 0 */
  CRD__CURVE_TANH,
  CRD__CURVE_LOGISTIC,
  CRD__CURVE_EXP,
  CRD__CURVE_SQRT,
  CRD__CURVE_CLIP, /* alpha .. beta */
  CRD__CURVE_GELU_ERF,
  CRD__CURVE_GELU_TANH,
  CRD__CURVE_HARD_SWISH,
  CRD__CURVE_LINEAR, /* alpha * x + beta */
  CRD__CURVES
} crd__curve;

/* What a convolution or a product does with its result before it is stored. */
typedef struct {
  bool sum; /* add what lies there already; else: */
  crd__curve curve;
  float alpha, beta;
} crd__after;

typedef struct {
  size_t count;
  crd__after items[4];
} crd__afters;

/* The spatial part of a convolution or a pool. */
enum { CRD__SPATIAL_MAX = 12 }; /* the length of oneDNN's own lists */
typedef struct {
  size_t count; /* of spatial dimensions */
  int64_t kernel[CRD__SPATIAL_MAX], strides[CRD__SPATIAL_MAX];
  int64_t dilations[CRD__SPATIAL_MAX]; /* 1: none */
  int64_t begin[CRD__SPATIAL_MAX], end[CRD__SPATIAL_MAX];
  int64_t over[CRD__SPATIAL_MAX]; /* as much of `end` is no padding: the last window hangs over */
} crd__window;

typedef enum { CRD__POOL_MAX, CRD__POOL_MEAN, CRD__POOL_MEAN_PADDED } crd__pool_kind;
typedef enum { CRD__BINARY_ADD, CRD__BINARY_SUB, CRD__BINARY_MUL, CRD__BINARY_DIV } crd__dnn_binary;

/* What a primitive reads or writes. SOURCE + i is the i-th of several sources. */
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
} crd__argument;

crd_status crd__dnn_create(crd_context *ctx, crd__dnn **out);
void crd__dnn_destroy(crd__dnn *dnn);

/* ---- Forms. A rank of 0 is taken as one dimension of 1. */

crd_status crd__form_plain(crd_context *ctx, crd__dnn *dnn, size_t rank, const int64_t *dims,
                           crd__form *out);
crd_status crd__form_strided(crd_context *ctx, crd__dnn *dnn, size_t rank, const int64_t *dims,
                             const int64_t *strides, crd__form *out);
/* With channels, the second dimension, in blocks of 8 or 16 behind the others; EABSENT for ranks
 * that have no such form. */
crd_status crd__form_blocked(crd_context *ctx, crd__dnn *dnn, size_t rank, const int64_t *dims,
                             size_t lanes, crd__form *out);
/* A primitive may choose. */
crd_status crd__form_any(crd_context *ctx, crd__dnn *dnn, size_t rank, const int64_t *dims,
                         crd__form *out);
/* A part of an array, seen in the memory of the whole; EABSENT where it would cut a block. */
crd_status crd__form_part(crd_context *ctx, crd__dnn *dnn, crd__form whole, size_t rank,
                          const int64_t *dims, const int64_t *offsets, crd__form *out);
bool crd__form_same(crd__form a, crd__form b);
size_t crd__form_bytes(crd__form form);

/* ---- Primitives. EABSENT, without a sentence, where oneDNN has none for these forms. */

crd_status crd__dnn_convolution(crd_context *ctx, crd__dnn *dnn, const crd__form forms[4],
                                const crd__window *window, bool winograd, const crd__afters *after,
                                crd__primitive *out); /* forms: src weights bias dst */
crd_status crd__dnn_matmul(crd_context *ctx, crd__dnn *dnn, const crd__form forms[4],
                           const crd__afters *after, crd__primitive *out);
crd_status crd__dnn_pool(crd_context *ctx, crd__dnn *dnn, crd__pool_kind kind, crd__form src,
                         crd__form dst, const crd__window *window, crd__primitive *out);
crd_status crd__dnn_curve(crd_context *ctx, crd__dnn *dnn, const crd__after *curve, crd__form form,
                          crd__primitive *out);
crd_status crd__dnn_softmax(crd_context *ctx, crd__dnn *dnn, bool log, size_t axis, crd__form form,
                            crd__primitive *out);
/* With scale, shift, mean and variance given. */
crd_status crd__dnn_batch_norm(crd_context *ctx, crd__dnn *dnn, float epsilon, bool relu,
                               crd__form form, crd__primitive *out);
crd_status crd__dnn_combine(crd_context *ctx, crd__dnn *dnn, crd__dnn_binary kind, crd__form a,
                            crd__form b, crd__form dst, const crd__afters *after,
                            crd__primitive *out);
crd_status crd__dnn_concat(crd_context *ctx, crd__dnn *dnn, size_t axis, size_t count,
                           const crd__form *sources, crd__form dst, crd__primitive *out);
crd_status crd__dnn_reorder(crd_context *ctx, crd__dnn *dnn, crd__form from, crd__form to,
                            crd__primitive *out);
/* ---- Backward (dnn_back.c). */

/* The gradient by the source; forms: diff_src weights diff_dst. */
crd_status crd__dnn_convolution_back(crd_context *ctx, crd__dnn *dnn, const crd__form forms[3],
                                     const crd__window *window, bool winograd, crd__primitive *out);
/* Those by weights and bias; forms: src diff_weights diff_bias diff_dst. */
crd_status crd__dnn_convolution_weights(crd_context *ctx, crd__dnn *dnn, const crd__form forms[4],
                                        const crd__window *window, bool winograd,
                                        crd__primitive *out);
/* From the result (CRD__ARG_DST) where that is enough, else from the source (CRD__ARG_SRC): which
 * of them, crd__curve_from_result tells. */
bool crd__curve_from_result(const crd__after *curve);
crd_status crd__dnn_curve_back(crd_context *ctx, crd__dnn *dnn, const crd__after *curve,
                               crd__form data, crd__form gradient, crd__primitive *out);
/* With a workspace (CRD__ARG_WORKSPACE) for the way back where it has one. */
crd_status crd__dnn_pool_training(crd_context *ctx, crd__dnn *dnn, crd__pool_kind kind,
                                  crd__form src, crd__form dst, const crd__window *window,
                                  crd__primitive *out);
crd_status crd__dnn_pool_back(crd_context *ctx, crd__dnn *dnn, crd__pool_kind kind,
                              crd__form diff_src, crd__form diff_dst, const crd__window *window,
                              const crd__primitive *forward, crd__primitive *out);
/* The form that a primitive has chosen for an argument. */
crd__form crd__primitive_form(const crd__primitive *primitive, crd__argument argument);
/* Which of oneDNN's implementations it is, for people who ask. */
const char *crd__primitive_kernel(const crd__primitive *primitive);

/* ---- Running. */

typedef struct {
  crd__argument argument;
  crd__form form;
  void *memory;
} crd__dnn_place;

/* A primitive with all its places; runs as often as wanted, allocates nothing. */
typedef struct crd__dnn_call crd__dnn_call;
crd_status crd__dnn_bind(crd_context *ctx, crd__dnn *dnn, const crd__primitive *primitive,
                         size_t count, const crd__dnn_place *places, crd__dnn_call **out);
crd_status crd__dnn_run(crd_context *ctx, crd__dnn *dnn, const crd__dnn_call *call);

#endif
