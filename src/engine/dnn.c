/*
 * dnn.c -- oneDNN's engine, memory layouts, and running primitives; dnn_forward.c and dnn_back.c
 * create them.
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
