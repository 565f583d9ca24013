/*
 * compare.c -- groups and identical samples that are in both of two datasets.
 *
 * Samples of the left side are hashed and sorted; those of the right are looked up, and compared
 * byte by byte where hashes agree. Images and vectors are compared as they are read, texts as they
 * are stored.
 */
#include "dataset/dataset.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "math/sort.h"

#include <string.h>

enum { ROWS_AT_ONCE = 64, WORDS = 2 };

/* ---- Groups. */

static crd_status find_groups(crd_context *ctx, const crd_dataset *left, const crd_dataset *right,
                              crd_overlap *out) {
  const crd__dataset_names *const a = &left->store->groups, *const b = &right->store->groups;
  unsigned char *seen; /* groups of `right`: 1: in `left` too, 2: counted */
  if (!a->of || !b->of) return CRD_OK;
  CRD_TRY(crd__new(ctx, b->count, 1, "groups", &seen));
  for (size_t row = 0; row < left->shape.rows; row++) {
    const int64_t group = a->of[left->rows[row]];
    const int64_t other = group < 0 ? -1 : crd__dataset_names_find(b, a->names[group]);
    if (other >= 0) seen[other] = 1;
  }
  for (size_t row = 0; row < right->shape.rows; row++) {
    const int64_t group = b->of[right->rows[row]];
    if (group < 0 || seen[group] != 1) continue;
    seen[group] = 2;
    if (out->group_count++ == 0) out->group = b->names[group];
  }
  crd__free(&ctx->alloc, seen);
  return CRD_OK;
}

/* ---- Samples. */

typedef struct {
  const crd_dataset *dataset;
  size_t bytes;     /* of a sample; 0: texts */
  uint64_t *hashes; /* records of hash and row */
} side;

/* Mixes whole words: one multiplication for eight bytes. */
static uint64_t hash_bytes(const void *data, size_t length) {
  const unsigned char *bytes = data;
  uint64_t hash = 0x9E3779B97F4A7C15u ^ length;
  for (; length > 0; bytes += 8) {
    uint64_t word = 0;
    const size_t count = length < 8 ? length : 8;
    memcpy(&word, bytes, count);
    hash = (hash ^ word) * 0xD6E8FEB86659FD93u;
    hash ^= hash >> 32;
    length -= count;
  }
  return hash;
}

/* Sets *out to a sample: its text, or `buffer` of two samples, which it is read into. */
static crd_status read_sample(crd_context *ctx, const side *s, size_t row, float *buffer,
                              crd__dataset_text *out) {
  const crd__dataset_store *const store = s->dataset->store;
  const size_t index = s->dataset->rows[row];
  if (!s->bytes) {
    *out = store->kind->text(store, index);
    return CRD_OK;
  }
  *out = (crd__dataset_text){ (const char *)buffer, s->bytes };
  return crd__dataset_store_read(ctx, store, index, buffer + s->bytes / sizeof *buffer, buffer);
}

static crd_status hash_rows(crd_context *local, void *arg, unsigned worker, size_t from,
                            size_t to) {
  const side *const s = arg;
  crd_status status = CRD_OK;
  crd__dataset_text sample;
  float *buffer;
  (void)worker;
  CRD_TRY(crd__new(local, s->bytes, 2, "a sample", &buffer));
  for (size_t row = from; status == CRD_OK && row < to; row++) {
    status = read_sample(local, s, row, buffer, &sample);
    if (status != CRD_OK) break;
    s->hashes[WORDS * row] = hash_bytes(sample.bytes, sample.length);
    s->hashes[WORDS * row + 1] = row;
  }
  crd__free(&local->alloc, buffer);
  return status;
}

static crd_status make_side(crd_context *ctx, const crd_dataset *dataset, side *out) {
  const bool texts = dataset->store->type == CRD_SAMPLES_TEXTS;
  size_t words;
  out->dataset = dataset;
  out->bytes = texts ? 0 : crd__dataset_store_size(dataset->store) * sizeof(float);
  if (!crd__size_mul(dataset->shape.rows, WORDS, &words)) words = SIZE_MAX;
  CRD_TRY(crd__new(ctx, words, sizeof *out->hashes, "samples to compare", &out->hashes));
  return crd__parallel_for(ctx, "comparing", dataset->shape.rows, ROWS_AT_ONCE, hash_rows, out);
}

/* Returns the first record of the left side with at least this hash. */
static size_t first_with(const side *left, uint64_t hash) {
  size_t low = 0, high = left->dataset->shape.rows;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (left->hashes[WORDS * middle] < hash) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* Finds the lowest row of the left side that is identical to a row of the right; SIZE_MAX: none. */
static crd_status find_twin(crd_context *ctx, const side *left, const side *right, size_t row,
                            float *buffer, size_t *out) {
  const uint64_t hash = right->hashes[WORDS * row];
  const size_t rows = left->dataset->shape.rows;
  crd__dataset_text a, b;
  *out = SIZE_MAX;
  size_t at = first_with(left, hash);
  if (at == rows || left->hashes[WORDS * at] != hash) return CRD_OK;
  CRD_TRY(read_sample(ctx, right, row, buffer, &b));
  for (; at < rows && left->hashes[WORDS * at] == hash; at++) {
    const size_t twin = (size_t)left->hashes[WORDS * at + 1];
    CRD_TRY(read_sample(ctx, left, twin, buffer + 2 * (left->bytes / sizeof *buffer), &a));
    if (a.length != b.length || memcmp(a.bytes, b.bytes, a.length) != 0) continue;
    *out = twin;
    return CRD_OK;
  }
  return CRD_OK;
}

static crd_status find_twins(crd_context *ctx, side *left, const side *right, crd_overlap *out) {
  crd_status status = CRD_OK;
  float *buffer;
  CRD_TRY(crd__new(ctx, left->bytes, 4, "samples", &buffer));
  crd__math_sort_records(left->hashes, left->dataset->shape.rows, WORDS);
  for (size_t row = 0; status == CRD_OK && row < right->dataset->shape.rows; row++) {
    size_t twin;
    status = find_twin(ctx, left, right, row, buffer, &twin);
    if (status != CRD_OK || twin == SIZE_MAX) continue;
    if (out->sample_count++ > 0) continue;
    out->left = twin;
    out->right = row;
  }
  crd__free(&ctx->alloc, buffer);
  return status;
}

/* Samples of other shapes are not identical. */
static bool can_be_identical(const crd_dataset *left, const crd_dataset *right) {
  const crd__dataset_store *const a = left->store, *const b = right->store;
  if (a->type != b->type || a->rank != b->rank) return false;
  return a->type == CRD_SAMPLES_TEXTS || memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0;
}

crd_status crd_dataset_compare(crd_context *ctx, const crd_dataset *left, const crd_dataset *right,
                               crd_overlap *out) {
  side a = { 0 }, b = { 0 };
  *out = (crd_overlap){ 0 };
  CRD_TRY(find_groups(ctx, left, right, out));
  if (!can_be_identical(left, right)) return CRD_OK;
  crd_status status = make_side(ctx, left, &a);
  if (status == CRD_OK) status = make_side(ctx, right, &b);
  if (status == CRD_OK) status = find_twins(ctx, &a, &b, out);
  crd__free(&ctx->alloc, a.hashes);
  crd__free(&ctx->alloc, b.hashes);
  if (status != CRD_OK) *out = (crd_overlap){ 0 };
  return status;
}
