/*
 * dnn.c -- oneDNN's engine, memory layouts and forward primitives; dnn_back.c has those for
 * gradients.
 *
 * Every handle is pushed into a pool with the function that destroys it; the pool is emptied in
 * reverse. So no error path has to destroy anything. Primitives use scratch memory of the caller,
 * which is planned like all other memory; oneDNN caches compiled kernels by shape itself.
 */
#include "engine/dnn.h"
#include "base/memory.h"
#include "engine/dnn_private.h"

#include <string.h>

struct crd__engine_dnn_call {
  dnnl_primitive_t primitive;
  int count;
  dnnl_exec_arg_t arguments[];
};

/* ---- The pool. */

static void destroy_description(const crd_allocator *alloc, void *handle) {
  (void)alloc;
  dnnl_primitive_desc_destroy(handle);
}
static void destroy_primitive(const crd_allocator *alloc, void *handle) {
  (void)alloc;
  dnnl_primitive_destroy(handle);
}
static void destroy_memory(const crd_allocator *alloc, void *handle) {
  (void)alloc;
  dnnl_memory_destroy(handle);
}

/* Give the handle to the pool; on failure it is destroyed. */
static crd_status keep(crd_context *ctx, crd__engine_dnn *dnn, void *handle,
                       void (*destroy)(const crd_allocator *, void *)) {
  if (dnn->count == dnn->capacity) {
    const size_t capacity = dnn->capacity ? 2 * dnn->capacity : 64;
    crd__engine_dnn_owned *const pool = crd__resize(&dnn->alloc, dnn->pool, capacity, sizeof *pool);
    if (!pool) {
      destroy(&dnn->alloc, handle);
      return crd__fail(ctx, CRD_ENOMEM, "no memory for %zu handles of oneDNN", capacity);
    }
    dnn->pool = pool;
    dnn->capacity = capacity;
  }
  dnn->pool[dnn->count++] = (crd__engine_dnn_owned){ handle, destroy };
  return CRD_OK;
}

crd_status crd__engine_dnn_failed(crd_context *ctx, dnnl_status_t status, const char *what) {
  if (status == dnnl_unimplemented) return CRD_EABSENT;
  if (status == dnnl_out_of_memory)
    return crd__fail(ctx, CRD_ENOMEM, "oneDNN has no memory for %s", what);
  return crd__fail(ctx, CRD_ENUMERIC, "oneDNN failed on %s (status %d)", what, (int)status);
}

crd_status crd__engine_dnn_create(crd_context *ctx, crd__engine_dnn **out) {
  crd__engine_dnn *dnn;
  *out = NULL;
  CRD_TRY(crd__new(ctx, 1, sizeof *dnn, "an engine", &dnn));
  dnn->alloc = ctx->alloc;
  dnnl_status_t status = dnnl_engine_create(&dnn->engine, dnnl_cpu, 0);
  if (status == dnnl_success)
    status = dnnl_stream_create(&dnn->stream, dnn->engine, dnnl_stream_default_flags);
  if (status != dnnl_success) {
    crd__engine_dnn_destroy(dnn);
    return crd__engine_dnn_failed(ctx, status, "an engine");
  }
  *out = dnn;
  return CRD_OK;
}

void crd__engine_dnn_destroy(crd__engine_dnn *dnn) {
  if (!dnn) return;
  const crd_allocator alloc = dnn->alloc;
  while (dnn->count) {
    const crd__engine_dnn_owned last = dnn->pool[--dnn->count];
    last.destroy(&alloc, last.handle);
  }
  if (dnn->stream) dnnl_stream_destroy(dnn->stream);
  if (dnn->engine) dnnl_engine_destroy(dnn->engine);
  crd__free(&alloc, dnn->pool);
  crd__free(&alloc, dnn);
}

/* ---- Layouts. */

#if DNNL_VERSION_MAJOR >= 3
static void destroy_md(const crd_allocator *alloc, void *handle) {
  (void)alloc;
  dnnl_memory_desc_destroy(handle);
}
static crd_status keep_md(crd_context *ctx, crd__engine_dnn *dnn, dnnl_memory_desc_t md,
                          crd__engine_layout *out) {
  *out = (crd__engine_layout){ md };
  return keep(ctx, dnn, md, destroy_md);
}
#else
static void destroy_md(const crd_allocator *alloc, void *handle) { crd__free(alloc, handle); }
static crd_status keep_md(crd_context *ctx, crd__engine_dnn *dnn, dnnl_memory_desc_t md,
                          crd__engine_layout *out) {
  dnnl_memory_desc_t *copy;
  CRD_TRY(crd__new(ctx, 1, sizeof *copy, "a memory descriptor", &copy));
  *copy = md;
  *out = (crd__engine_layout){ copy };
  return keep(ctx, dnn, copy, destroy_md);
}
#endif

static crd_status keep_layout(crd_context *ctx, crd__engine_dnn *dnn, dnnl_status_t status,
                              dnnl_memory_desc_t md, crd__engine_layout *out) {
  return status == dnnl_success ? keep_md(ctx, dnn, md, out)
                                : crd__engine_dnn_failed(ctx, status, "a memory descriptor");
}

static int dims_of(size_t rank, const int64_t *dims, dnnl_dims_t out) {
  out[0] = 1;
  for (size_t i = 0; i < rank; i++) out[i] = dims[i];
  return rank ? (int)rank : 1;
}

crd_status crd__engine_layout_strided(crd_context *ctx, crd__engine_dnn *dnn, size_t rank,
                                      const int64_t *dims, const int64_t *strides,
                                      crd__engine_layout *out) {
  dnnl_dims_t sizes, steps;
  dnnl_memory_desc_t md = { 0 };
  const int count = dims_of(rank, dims, sizes);
  dims_of(rank, strides, steps);
  const dnnl_status_t status =
      dnnl_memory_desc_create_with_strides(&md, count, sizes, dnnl_f32, steps);
  return keep_layout(ctx, dnn, status, md, out);
}

crd_status crd__engine_layout_part(crd_context *ctx, crd__engine_dnn *dnn, crd__engine_layout whole,
                                   size_t rank, const int64_t *dims, const int64_t *offsets,
                                   crd__engine_layout *out) {
  dnnl_dims_t sizes, starts;
  dnnl_memory_desc_t md = { 0 };
  dims_of(rank, dims, sizes);
  dims_of(rank, offsets, starts);
  const dnnl_status_t status = dnnl_memory_desc_create_submemory(&md, whole.md, sizes, starts);
  return keep_layout(ctx, dnn, status, md, out);
}

crd_status crd__engine_layout_plain(crd_context *ctx, crd__engine_dnn *dnn, size_t rank,
                                    const int64_t *dims, crd__engine_layout *out) {
  int64_t strides[DNNL_MAX_NDIMS], step = 1;
  for (size_t i = rank; i-- > 0;) {
    strides[i] = step;
    step *= dims[i] > 0 ? dims[i] : 1;
  }
  return crd__engine_layout_strided(ctx, dnn, rank, dims, strides, out);
}

crd_status crd__engine_layout_blocked(crd_context *ctx, crd__engine_dnn *dnn, size_t rank,
                                      const int64_t *dims, size_t lanes, crd__engine_layout *out) {
  static const dnnl_format_tag_t tags[][2] = { [3] = { dnnl_aBc8b, dnnl_aBc16b },
                                               [4] = { dnnl_aBcd8b, dnnl_aBcd16b },
                                               [5] = { dnnl_aBcde8b, dnnl_aBcde16b } };
  dnnl_dims_t sizes;
  dnnl_memory_desc_t md = { 0 };
  if (rank < 3 || rank >= sizeof tags / sizeof *tags) return CRD_EABSENT;
  const int count = dims_of(rank, dims, sizes);
  const dnnl_status_t status =
      dnnl_memory_desc_create_with_tag(&md, count, sizes, dnnl_f32, tags[rank][lanes == 16]);
  return keep_layout(ctx, dnn, status, md, out);
}

crd_status crd__engine_layout_any(crd_context *ctx, crd__engine_dnn *dnn, size_t rank,
                                  const int64_t *dims, crd__engine_layout *out) {
  dnnl_dims_t sizes;
  dnnl_memory_desc_t md = { 0 };
  const int count = dims_of(rank, dims, sizes);
  const dnnl_status_t status =
      dnnl_memory_desc_create_with_tag(&md, count, sizes, dnnl_f32, dnnl_format_tag_any);
  return keep_layout(ctx, dnn, status, md, out);
}

bool crd__engine_layout_same(crd__engine_layout a, crd__engine_layout b) {
  return a.md == b.md || (a.md && b.md && dnnl_memory_desc_equal(a.md, b.md));
}

size_t crd__engine_layout_bytes(crd__engine_layout layout) {
  return layout.md ? dnnl_memory_desc_get_size(layout.md) : 0;
}

/* ---- Attributes. */

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

static crd__engine_const_md query(const_dnnl_primitive_desc_t description, dnnl_query_t what,
                                  int index) {
  return dnnl_primitive_desc_query_md(description, what, index);
}

crd_status crd__engine_dnn_primitive(crd_context *ctx, crd__engine_dnn *dnn, dnnl_status_t status,
                                     dnnl_primitive_desc_t description, dnnl_primitive_attr_t attr,
                                     const char *what, crd__engine_primitive *out) {
  dnnl_primitive_t primitive;
  dnnl_primitive_attr_destroy(attr);
  if (status != dnnl_success) return crd__engine_dnn_failed(ctx, status, what);
  CRD_TRY(keep(ctx, dnn, description, destroy_description));
  status = dnnl_primitive_create(&primitive, description);
  if (status != dnnl_success) return crd__engine_dnn_failed(ctx, status, what);
  CRD_TRY(keep(ctx, dnn, primitive, destroy_primitive));
  const crd__engine_const_md scratch = query(description, dnnl_query_scratchpad_md, 0);
  *out = (crd__engine_primitive){ .primitive = primitive,
                                  .description = description,
                                  .scratch = scratch ? dnnl_memory_desc_get_size(scratch) : 0 };
  return CRD_OK;
}

void crd__engine_dnn_dilations(const crd__engine_window *window, dnnl_dims_t out) {
  for (size_t i = 0; i < window->count; i++) out[i] = window->dilations[i] - 1;
}

crd_status crd__engine_dnn_convolution(crd_context *ctx, crd__engine_dnn *dnn,
                                       const crd__engine_layout layouts[4],
                                       const crd__engine_window *window, bool winograd,
                                       const crd__engine_post_ops *after,
                                       crd__engine_primitive *out) {
  dnnl_primitive_attr_t attr;
  dnnl_primitive_desc_t description = NULL;
  dnnl_dims_t dilations;
  CRD_TRY(crd__engine_dnn_attributes(ctx, after, &attr));
  crd__engine_dnn_dilations(window, dilations);
  const dnnl_status_t status = dnnl_convolution_forward_primitive_desc_create(
      &description, dnn->engine, dnnl_forward_inference,
      winograd ? dnnl_convolution_winograd : dnnl_convolution_direct, layouts[0].md, layouts[1].md,
      layouts[2].md, layouts[3].md, window->strides, dilations, window->begin, window->end, attr);
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

crd_status crd__engine_dnn_pool(crd_context *ctx, crd__engine_dnn *dnn, crd__engine_pool_kind kind,
                                crd__engine_layout src, crd__engine_layout dst,
                                const crd__engine_window *window, crd__engine_primitive *out) {
  static const dnnl_alg_kind_t kinds[] = {
    [CRD__POOL_MAX] = dnnl_pooling_max,
    [CRD__POOL_MEAN] = dnnl_pooling_avg_exclude_padding,
    [CRD__POOL_MEAN_PADDED] = dnnl_pooling_avg_include_padding,
  };
  dnnl_primitive_attr_t attr;
  dnnl_primitive_desc_t description = NULL;
  dnnl_dims_t dilations;
  CRD_TRY(crd__engine_dnn_attributes(ctx, NULL, &attr));
  crd__engine_dnn_dilations(window, dilations);
  const dnnl_status_t status = dnnl_pooling_forward_primitive_desc_create(
      &description, dnn->engine, dnnl_forward_inference, kinds[kind], src.md, dst.md,
      window->strides, window->kernel, dilations, window->begin, window->end, attr);
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

crd__engine_layout crd__engine_primitive_layout(const crd__engine_primitive *primitive,
                                                crd__engine_argument argument) {
  static const struct {
    dnnl_query_t what;
    int index;
  } queries[] = {
    [CRD__ARG_SRC] = { dnnl_query_src_md, 0 },
    [CRD__ARG_SRC_1] = { dnnl_query_src_md, 1 },
    [CRD__ARG_WEIGHTS] = { dnnl_query_weights_md, 0 },
    [CRD__ARG_BIAS] = { dnnl_query_weights_md, 1 },
    [CRD__ARG_DST] = { dnnl_query_dst_md, 0 },
    [CRD__ARG_MEAN] = { dnnl_query_src_md, 1 },
    [CRD__ARG_VARIANCE] = { dnnl_query_src_md, 2 },
    [CRD__ARG_SCALE] = { dnnl_query_weights_md, 0 },
    [CRD__ARG_SHIFT] = { dnnl_query_weights_md, 1 },
    [CRD__ARG_SCRATCH] = { dnnl_query_scratchpad_md, 0 },
    [CRD__ARG_WORKSPACE] = { dnnl_query_workspace_md, 0 },
    [CRD__ARG_DIFF_SRC] = { dnnl_query_diff_src_md, 0 },
    [CRD__ARG_DIFF_WEIGHTS] = { dnnl_query_diff_weights_md, 0 },
    [CRD__ARG_DIFF_BIAS] = { dnnl_query_diff_weights_md, 1 },
    [CRD__ARG_DIFF_DST] = { dnnl_query_diff_dst_md, 0 },
    [CRD__ARG_DIFF_SCALE] = { dnnl_query_diff_weights_md, 0 },
    [CRD__ARG_DIFF_SHIFT] = { dnnl_query_diff_weights_md, 1 },
  };
  return (crd__engine_layout){ query(primitive->description, queries[argument].what,
                                     queries[argument].index) };
}

const char *crd__engine_primitive_implementation(const crd__engine_primitive *primitive) {
  const char *name = "";
  dnnl_primitive_desc_query(primitive->description, dnnl_query_impl_info_str, 0, &name);
  return name;
}

/* ---- Running. */

static int number_of(crd__engine_argument argument) {
  static const int numbers[] = {
    [CRD__ARG_SRC] = DNNL_ARG_SRC,
    [CRD__ARG_SRC_1] = DNNL_ARG_SRC_1,
    [CRD__ARG_WEIGHTS] = DNNL_ARG_WEIGHTS,
    [CRD__ARG_BIAS] = DNNL_ARG_BIAS,
    [CRD__ARG_DST] = DNNL_ARG_DST,
    [CRD__ARG_MEAN] = DNNL_ARG_MEAN,
    [CRD__ARG_VARIANCE] = DNNL_ARG_VARIANCE,
    [CRD__ARG_SCALE] = DNNL_ARG_SCALE,
    [CRD__ARG_SHIFT] = DNNL_ARG_SHIFT,
    [CRD__ARG_SCRATCH] = DNNL_ARG_SCRATCHPAD,
    [CRD__ARG_WORKSPACE] = DNNL_ARG_WORKSPACE,
    [CRD__ARG_DIFF_SRC] = DNNL_ARG_DIFF_SRC,
    [CRD__ARG_DIFF_WEIGHTS] = DNNL_ARG_DIFF_WEIGHTS,
    [CRD__ARG_DIFF_BIAS] = DNNL_ARG_DIFF_BIAS,
    [CRD__ARG_DIFF_DST] = DNNL_ARG_DIFF_DST,
    [CRD__ARG_DIFF_SCALE] = DNNL_ARG_DIFF_SCALE,
    [CRD__ARG_DIFF_SHIFT] = DNNL_ARG_DIFF_SHIFT,
  };
  return argument >= CRD__ARG_SOURCE ? DNNL_ARG_MULTIPLE_SRC + (int)(argument - CRD__ARG_SOURCE)
                                     : numbers[argument];
}

static void destroy_call(const crd_allocator *alloc, void *handle) { crd__free(alloc, handle); }

crd_status crd__engine_dnn_bind(crd_context *ctx, crd__engine_dnn *dnn,
                                const crd__engine_primitive *primitive, size_t count,
                                const crd__engine_dnn_place *places, crd__engine_dnn_call **out) {
  crd__engine_dnn_call *call;
  CRD_TRY(crd__new(ctx, 1, sizeof *call + count * sizeof call->arguments[0],
                   "a primitive's arguments", &call));
  call->primitive = primitive->primitive;
  call->count = (int)count;
  CRD_TRY(keep(ctx, dnn, call, destroy_call));
  for (size_t i = 0; i < count; i++) {
    dnnl_memory_t memory;
    const dnnl_status_t status =
        dnnl_memory_create(&memory, places[i].layout.md, dnn->engine, places[i].memory);
    if (status != dnnl_success) return crd__engine_dnn_failed(ctx, status, "an array");
    CRD_TRY(keep(ctx, dnn, memory, destroy_memory));
    call->arguments[i] = (dnnl_exec_arg_t){ number_of(places[i].argument), memory };
  }
  *out = call;
  return CRD_OK;
}

crd_status crd__engine_dnn_run(crd_context *ctx, crd__engine_dnn *dnn,
                               const crd__engine_dnn_call *call) {
  const dnnl_status_t status =
      dnnl_primitive_execute(call->primitive, dnn->stream, call->count, call->arguments);
  return status == dnnl_success ? CRD_OK
                                : crd__engine_dnn_failed(ctx, status, "running a primitive");
}
