/*
 * cache.c -- decoded samples, kept as they are first read.
 *
 * Only what takes long to read is kept: images that are decoded (as bytes where they are 8-bit) and
 * corrupted ones; arrays of bytes or numbers are read from their file's mapping, which the system
 * keeps. Memory is taken block by block. A sample is written by the thread that first claims it;
 * others that want it meanwhile decode it for themselves, so nobody waits.
 */
#include "dataset/dataset.h"

#include "base/memory.h"

#include <string.h>

enum { SHARE = 4, BLOCK_BYTES = 1 << 20 };
enum { FREE, CLAIMED, FULL };

struct crd__dataset_cache {
  size_t bytes; /* of a sample */
  size_t block; /* samples of a block */
  size_t blocks;
  _Atomic(unsigned char *) *at; /* blocks; NULL: not yet allocated */
  atomic_uchar *states;
};

/* Returns the bytes of one sample as it would be kept; 0: reading is cheap. */
static size_t kept_bytes(const crd__dataset_store *store) {
  const size_t size = crd__dataset_store_size(store);
  const crd__dataset_kind *const kind = store->kind;
  if (store->type == CRD_SAMPLES_TEXTS) return 0;
  if (store->corruption) return size * sizeof(float);
  if (kind->bytes && store->count && kind->bytes(store, 0)) return 0;
  if (kind->decode) return size;
  return kind->slow ? size * sizeof(float) : 0;
}

static bool fits(size_t bytes, size_t count) {
  size_t total;
  return crd__size_mul(bytes, count, &total) && total <= crd__machine_memory() / SHARE;
}

crd_status crd__dataset_cache_create(crd_context *ctx, crd__dataset_store *store) {
  const size_t bytes = kept_bytes(store);
  crd__dataset_cache *cache;
  if (bytes == 0 || !fits(bytes, store->count)) return CRD_OK;
  CRD_TRY(crd__new(ctx, 1, sizeof *cache, "decoded samples", &cache));
  store->cache = cache;
  cache->bytes = bytes;
  cache->block = bytes < BLOCK_BYTES ? BLOCK_BYTES / bytes : 1;
  cache->blocks = store->count / cache->block + 1;
  CRD_TRY(crd__new(ctx, cache->blocks, sizeof *cache->at, "decoded samples", &cache->at));
  CRD_TRY(crd__new(ctx, store->count, sizeof *cache->states, "decoded samples", &cache->states));
  for (size_t i = 0; i < cache->blocks; i++) atomic_init(&cache->at[i], NULL);
  for (size_t i = 0; i < store->count; i++) atomic_init(&cache->states[i], FREE);
  return CRD_OK;
}

void crd__dataset_cache_destroy(const crd_allocator *alloc, crd__dataset_cache *cache) {
  if (!cache) return;
  for (size_t i = 0; cache->at && i < cache->blocks; i++)
    crd__free(alloc, atomic_load(&cache->at[i]));
  crd__free(alloc, cache->at);
  crd__free(alloc, cache->states);
  crd__free(alloc, cache);
}

const void *crd__dataset_cache_find(crd__dataset_cache *cache, size_t index) {
  if (atomic_load_explicit(&cache->states[index], memory_order_acquire) != FULL) return NULL;
  return atomic_load(&cache->at[index / cache->block]) + index % cache->block * cache->bytes;
}

/* Returns a block, allocated if it has to be; NULL: no memory. */
static unsigned char *block_of(const crd_allocator *alloc, crd__dataset_cache *cache,
                               size_t index) {
  unsigned char *block = atomic_load(&cache->at[index]);
  if (block) return block;
  unsigned char *const made = crd__resize(alloc, NULL, cache->block, cache->bytes);
  if (made && atomic_compare_exchange_strong(&cache->at[index], &block, made)) return made;
  crd__free(alloc, made);
  return block;
}

void crd__dataset_cache_keep(const crd_allocator *alloc, crd__dataset_cache *cache, size_t index,
                             const void *sample) {
  unsigned char expected = FREE;
  if (!atomic_compare_exchange_strong(&cache->states[index], &expected, CLAIMED)) return;
  unsigned char *const block = block_of(alloc, cache, index / cache->block);
  if (block) memcpy(block + index % cache->block * cache->bytes, sample, cache->bytes);
  atomic_store_explicit(&cache->states[index], block ? FULL : FREE, memory_order_release);
}
