/* testing.h -- a kind for tests: generated images as bytes, decoded bytes or numbers, and texts. */
#ifndef CRD_DATASET_TESTING_H
#define CRD_DATASET_TESTING_H

#include "base/memory.h"
#include "base/random.h"
#include "dataset/dataset.h"
#include "support.h"

#include <string.h>

typedef enum { TEST_BYTES, TEST_DECODED, TEST_FLOATS, TEST_SLOW, TEST_KINDS } test_way;

typedef struct {
  const char *const *texts; /* NULL: images */
  atomic_size_t reads;      /* calls of decode and read */
  size_t failing;           /* this sample cannot be read; SIZE_MAX: all can */
  unsigned char *bytes;
} test_self;

/* Element i of sample n, times 255. */
static inline unsigned char test_byte(size_t n, size_t i) {
  return (unsigned char)(crd__random_bits(9, n, i) >> 13);
}

static inline const unsigned char *test_bytes(const crd__dataset_store *store, size_t index) {
  const test_self *const self = store->self;
  return self->bytes + index * crd__dataset_store_size(store);
}

static inline crd_status test_decode(crd_context *ctx, const crd__dataset_store *store,
                                     size_t index, unsigned char *out) {
  test_self *const self = store->self;
  atomic_fetch_add(&self->reads, 1);
  if (index == self->failing) return crd__fail(ctx, CRD_EINPUT, "sample %zu is corrupt", index);
  memcpy(out, test_bytes(store, index), crd__dataset_store_size(store));
  return CRD_OK;
}

static inline crd_status test_read(crd_context *ctx, const crd__dataset_store *store, size_t index,
                                   float *out) {
  test_self *const self = store->self;
  const unsigned char *const bytes = test_bytes(store, index);
  atomic_fetch_add(&self->reads, 1);
  if (index == self->failing) return crd__fail(ctx, CRD_EINPUT, "sample %zu is corrupt", index);
  for (size_t i = 0; i < crd__dataset_store_size(store); i++) out[i] = (float)bytes[i] / 255.0F;
  return CRD_OK;
}

static inline crd__dataset_text test_text(const crd__dataset_store *store, size_t index) {
  const char *const text = ((const test_self *)store->self)->texts[index];
  return (crd__dataset_text){ text, strlen(text) };
}

static inline const char *test_source(const crd__dataset_store *store, size_t index) {
  (void)store;
  return index == 1 ? "folder/one.png" : NULL;
}

static inline void test_close(const crd_allocator *alloc, void *self) {
  crd__free(alloc, ((test_self *)self)->bytes);
  crd__free(alloc, self);
}

static const crd__dataset_kind test_kinds[TEST_KINDS] = {
  [TEST_BYTES] = { .bytes = test_bytes, .source = test_source, .close = test_close },
  [TEST_DECODED] = { .decode = test_decode, .source = test_source, .close = test_close },
  [TEST_FLOATS] = { .read = test_read, .source = test_source, .close = test_close },
  [TEST_SLOW] = { .read = test_read, .slow = true, .source = test_source, .close = test_close },
};
static const crd__dataset_kind test_text_kind = { .text = test_text,
                                                  .source = test_source,
                                                  .close = test_close };

typedef struct {
  size_t count, channels, height, width;
  const char *const *texts;  /* NULL: images */
  const char *const *labels; /* repeated as often as necessary; NULL: none */
  size_t label_count;
} test_plan;

/* Makes a store as a kind would; *out is NULL after failure. */
static inline crd_status test_store(crd_context *ctx, test_way way, const test_plan *plan,
                                    crd__dataset_store **out) {
  crd__dataset_store *store;
  test_self *self;
  *out = NULL;
  CRD_TRY(crd__dataset_store_create(ctx, plan->texts ? &test_text_kind : &test_kinds[way], &store));
  crd_status status = crd__new(ctx, 1, sizeof *self, "test", &self);
  store->self = self;
  store->count = plan->count;
  store->type = plan->texts ? CRD_SAMPLES_TEXTS : CRD_SAMPLES_IMAGES;
  store->rank = plan->texts ? 0 : 3;
  store->dims[0] = (int64_t)plan->channels;
  store->dims[1] = (int64_t)plan->height;
  store->dims[2] = (int64_t)plan->width;
  const size_t size = plan->texts ? 0 : plan->channels * plan->height * plan->width;
  if (status == CRD_OK) {
    self->texts = plan->texts;
    self->failing = SIZE_MAX;
    status = crd__new(ctx, plan->count * size, 1, "test", &self->bytes);
  }
  for (size_t i = 0; status == CRD_OK && i < plan->count * size; i++)
    self->bytes[i] = test_byte(i / size, i % size);
  for (size_t i = 0; status == CRD_OK && plan->labels && i < plan->count; i++)
    status = crd__dataset_names_set(ctx, &store->alloc, &store->labels, plan->count, i,
                                    plan->labels[i % plan->label_count]);
  if (status == CRD_OK)
    status = crd__dataset_names_sort(ctx, &store->alloc, &store->labels, plan->count);
  if (status == CRD_OK) status = crd__dataset_cache_create(ctx, store);
  if (status == CRD_OK) *out = store;
  else crd__dataset_store_release(store);
  return status;
}

/* Makes a dataset of it, or fails the test. */
static inline crd_dataset *test_dataset(crd_context *ctx, test_way way, const test_plan *plan) {
  crd__dataset_store *store;
  crd_dataset *dataset;
  if (test_store(ctx, way, plan, &store) != CRD_OK ||
      crd__dataset_of_store(ctx, store, "test", &dataset) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  return dataset;
}

#endif
