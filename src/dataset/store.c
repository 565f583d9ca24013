/* store.c -- the samples that datasets share, and reading one of them. */
#include "dataset/dataset.h"

#include "base/memory.h"
#include "dataset/transform/transform.h"

#include <string.h>

enum { STREAM = 0x636f7272 /* "corr" */ };

crd_status crd__dataset_store_create(crd_context *ctx, const crd__dataset_kind *kind,
                                     crd__dataset_store **out) {
  CRD_TRY(crd__new(ctx, 1, sizeof **out, "a dataset", out));
  (*out)->alloc = ctx->alloc;
  (*out)->kind = kind;
  atomic_init(&(*out)->users, 1);
  return CRD_OK;
}

void crd__dataset_store_release(crd__dataset_store *store) {
  if (!store || atomic_fetch_sub(&store->users, 1) > 1) return;
  const crd_allocator alloc = store->alloc;
  if (store->self && store->kind->close) store->kind->close(&alloc, store->self);
  crd__dataset_cache_destroy(&alloc, store->cache);
  crd__dataset_names_clear(&alloc, &store->labels);
  crd__dataset_names_clear(&alloc, &store->groups);
  crd__dataset_names_clear(&alloc, &store->splits);
  crd__notes_clear(&alloc, &store->notes);
  crd__free(&alloc, store->weights);
  crd__free(&alloc, store);
}

size_t crd__dataset_store_size(const crd__dataset_store *store) {
  size_t size = 1;
  for (size_t i = 0; i < store->rank; i++) size *= (size_t)store->dims[i];
  return size;
}

/* Reads bytes without regard to corruption. */
static crd_status read_bytes(crd_context *ctx, const crd__dataset_store *store, size_t index,
                             unsigned char *scratch, const unsigned char **out) {
  const crd__dataset_kind *const kind = store->kind;
  *out = kind->bytes ? kind->bytes(store, index) : NULL;
  if (*out || !kind->decode) return CRD_OK;
  const bool kept = store->cache && !store->corruption;
  if (kept && (*out = crd__dataset_cache_find(store->cache, index))) return CRD_OK;
  CRD_TRY(kind->decode(ctx, store, index, scratch));
  if (kept) crd__dataset_cache_keep(&store->alloc, store->cache, index, scratch);
  *out = scratch;
  return CRD_OK;
}

crd_status crd__dataset_store_bytes(crd_context *ctx, const crd__dataset_store *store, size_t index,
                                    unsigned char *scratch, const unsigned char **out) {
  *out = NULL;
  return store->corruption ? CRD_OK : read_bytes(ctx, store, index, scratch, out);
}

/* Reads float32 without regard to corruption. Bytes are decoded into the end of the output, which
 * is overwritten from its beginning. */
static crd_status read_floats(crd_context *ctx, const crd__dataset_store *store, size_t index,
                              float *out) {
  const size_t size = crd__dataset_store_size(store);
  const unsigned char *bytes;
  CRD_TRY(read_bytes(ctx, store, index, (unsigned char *)(out + size) - size, &bytes));
  if (!bytes) return store->kind->read(ctx, store, index, out);
  for (size_t i = 0; i < size; i++) out[i] = (float)bytes[i] / 255.0F;
  return CRD_OK;
}

/* Corrupts a sample, with random numbers that are a function of its index. */
static crd_status corrupt(crd_context *ctx, const crd__dataset_store *store, size_t index,
                          const float *in, float *out) {
  const crd__transform_call call = { .severity = store->severity,
                                     .key = crd__random_bits(0, STREAM, index),
                                     .channels = (size_t)store->dims[0],
                                     .height = (size_t)store->dims[1],
                                     .width = (size_t)store->dims[2] };
  return store->corruption->apply(ctx, &call, in, out);
}

crd_status crd__dataset_store_read(crd_context *ctx, const crd__dataset_store *store, size_t index,
                                   float *scratch, float *out) {
  const bool kept = store->cache && (store->corruption || !store->kind->decode);
  const float *const found = kept ? crd__dataset_cache_find(store->cache, index) : NULL;
  if (found) {
    memcpy(out, found, crd__dataset_store_size(store) * sizeof *out);
    return CRD_OK;
  }
  if (!store->corruption) CRD_TRY(read_floats(ctx, store, index, out));
  else {
    CRD_TRY(read_floats(ctx, store, index, scratch));
    CRD_TRY(corrupt(ctx, store, index, scratch, out));
  }
  if (kept) crd__dataset_cache_keep(&store->alloc, store->cache, index, out);
  return CRD_OK;
}
