/*
 * array.c -- arrays of any rank: FILE[#key][@from:to] to a tensor, and a tensor to a file.
 *
 * A tensor is in C order, in native byte order and aligned. Other layouts are copied once, in the
 * order of the result; then the file is closed.
 */
#include "io/array.h"

#include "base/memory.h"
#include "data/array.h"
#include "io/pred.h"
#include "io/write.h"

#include <string.h>

void crd_array_file_destroy(crd_array_file *array) {
  if (!array) return;
  const crd_allocator alloc = array->alloc;
  crd__io_bundle_destroy(array->bundle);
  crd__free(&alloc, array->owned);
  crd__free(&alloc, array);
}

const crd_array *crd_array_file_array(const crd_array_file *array) { return &array->tensor; }

/* ---- Conversion to C order. */

static size_t row_elements(const crd_array *tensor) {
  size_t count = 1;
  for (size_t i = 1; i < tensor->rank; i++) count *= (size_t)tensor->dims[i];
  return count;
}

static void copy_element(const unsigned char *from, size_t size, bool swapped, unsigned char *to) {
  for (size_t i = 0; i < size; i++) to[i] = from[swapped ? size - 1 - i : i];
}

/* Strides of the file's elements, in bytes. */
static void find_strides(const crd__io_entry *entry, ptrdiff_t strides[CRD_RANK_MAX]) {
  ptrdiff_t stride = (ptrdiff_t)crd_dtype_size(entry->view.dtype);
  for (size_t k = 0; k < entry->rank; k++) {
    const size_t i = entry->fortran ? k : entry->rank - 1 - k;
    strides[i] = stride;
    stride *= (ptrdiff_t)entry->shape[i];
  }
  if (entry->rank == 2) strides[1] = entry->view.strides[1];
  if (entry->rank == 1 || entry->rank == 2) strides[0] = entry->view.strides[0];
}

/* Step through the indices of the result, the last one fastest. */
static void gather(const crd__io_entry *entry, const unsigned char *from, const crd_array *tensor,
                   unsigned char *to) {
  const size_t size = crd_dtype_size(tensor->dtype), count = crd_array_count(tensor);
  ptrdiff_t strides[CRD_RANK_MAX] = { 0 };
  int64_t index[CRD_RANK_MAX] = { 0 };
  find_strides(entry, strides);
  for (size_t n = 0; n < count; n++, to += size) {
    copy_element(from, size, entry->view.swapped, to);
    for (size_t i = tensor->rank; i-- > 0;) {
      from += strides[i];
      if (++index[i] < tensor->dims[i]) break;
      from -= strides[i] * (ptrdiff_t)tensor->dims[i];
      index[i] = 0;
    }
  }
}

/* Returns whether the elements are contiguous and aligned. Rows of tables are wider, members of
 * archives unaligned.
 */
static bool is_plain(const crd__io_entry *entry, const unsigned char *from) {
  const size_t size = crd_dtype_size(entry->view.dtype);
  const bool wide = entry->rank > 0 && entry->rank < 3 &&
                    entry->view.strides[0] != (ptrdiff_t)(size * crd__data_cols(&entry->view));
  return !entry->view.swapped && !(entry->fortran && entry->rank > 1) && !wide &&
         (uintptr_t)from % size == 0;
}

static crd_status take_data(crd_context *ctx, const crd__io_bundle *bundle,
                            const crd__io_entry *entry, size_t row, crd_array *tensor,
                            void **owned) {
  const size_t size = crd_dtype_size(tensor->dtype), count = crd_array_count(tensor);
  const unsigned char *const from =
      (const unsigned char *)entry->view.data + (ptrdiff_t)row * entry->view.strides[0];
  tensor->data = from;
  if (is_plain(entry, from)) return CRD_OK;
  CRD_TRY(crd__new(ctx, count ? count : 1, size, bundle->name, owned));
  gather(entry, from, tensor, *owned);
  tensor->data = *owned;
  return CRD_OK;
}

/* ---- Opening. */

static crd_status refuse(crd_context *ctx, const crd__io_bundle *bundle, const char *key) {
  crd__text text;
  crd__text_init(&text, &ctx->alloc);
  if (key) crd__text_addf(&text, "%.200s: no array '%.60s': found ", bundle->name, key);
  else
    crd__text_addf(&text, "%.200s: %zu arrays, and none was chosen: ", bundle->name, bundle->count);
  crd__io_bundle_list(bundle, &text);
  if (!key)
    crd__text_addf(&text, "; try %.200s#%.40s", bundle->name,
                   bundle->count ? bundle->entries[0].name : "KEY");
  crd_status status = crd__text_status(ctx, &text);
  if (status == CRD_OK) status = crd__fail(ctx, CRD_EINPUT, "%s", text.bytes);
  crd__text_clear(&text);
  return status;
}

crd_status crd__io_array_read(crd_context *ctx, crd__io_bundle *bundle,
                              const crd__io_specifier *pred, const char *path, size_t index,
                              crd_array *tensor, void **owned) {
  size_t from = 0, to = 0;
  *owned = NULL;
  CRD_TRY(crd__io_bundle_load(ctx, bundle, index));
  const crd__io_entry *const entry = &bundle->entries[index];
  if (entry->names)
    return crd__fail(ctx, CRD_EINPUT, "%s: %s holds strings, expected numbers", bundle->name,
                     entry->name);
  if (entry->rank > CRD_RANK_MAX)
    return crd__fail(ctx, CRD_EINPUT, "%s: %s has %zu dimensions, allowed are up to %d",
                     bundle->name, entry->name, entry->rank, CRD_RANK_MAX);
  if (entry->rank == 0 && (pred->has_from || pred->has_to))
    return crd__fail(ctx, CRD_EINPUT, "%s: %s is a single number and has no rows", path,
                     entry->name);
  CRD_TRY(crd__io_specifier_rows(ctx, path, pred, entry->rank ? entry->shape[0] : 1, &from, &to));
  tensor->dtype = entry->view.dtype;
  tensor->rank = entry->rank;
  for (size_t i = 0; i < entry->rank; i++) tensor->dims[i] = (int64_t)entry->shape[i];
  if (entry->rank) tensor->dims[0] = (int64_t)(to - from);
  return take_data(ctx, bundle, entry, from, tensor, owned);
}

static crd_status open_entry(crd_context *ctx, crd_array_file *array, const crd__io_specifier *pred,
                             const char *path) {
  CRD_TRY(crd__io_bundle_open(ctx, pred->file, NULL, &array->bundle));
  crd__io_bundle *const bundle = array->bundle;
  size_t index = bundle->count == 1 ? 0 : bundle->count;
  if (pred->group) index = crd__io_bundle_find(bundle, pred->group);
  if (index == bundle->count) return refuse(ctx, bundle, pred->group);
  CRD_TRY(crd__io_array_read(ctx, bundle, pred, path, index, &array->tensor, &array->owned));
  if (!array->owned) return CRD_OK;
  crd__io_bundle_destroy(bundle);
  array->bundle = NULL;
  return CRD_OK;
}

static crd_status open_parsed(crd_context *ctx, const crd__io_specifier *pred, const char *path,
                              crd_array_file **out) {
  crd_array_file *array = NULL;
  CRD_TRY(crd__new(ctx, 1, sizeof *array, path, &array));
  array->alloc = ctx->alloc;
  const crd_status status = open_entry(ctx, array, pred, path);
  if (status == CRD_OK) *out = array;
  else crd_array_file_destroy(array);
  return status;
}

crd_status crd_array_file_open(crd_context *ctx, const char *path, crd_array_file **out) {
  crd__io_specifier pred;
  *out = NULL;
  crd_status status = crd__io_specifier_parse(ctx, path, &pred);
  if (status == CRD_OK) status = open_parsed(ctx, &pred, path, out);
  crd__io_specifier_clear(&ctx->alloc, &pred);
  return status;
}

/* ---- Saving. */

void crd__io_array_of(const crd_array *tensor, const char *name, crd__io_array *out) {
  const size_t rows = tensor->rank ? (size_t)tensor->dims[0] : 1;
  *out = (crd__io_array){
    .name = name,
    .view = crd_array_matrix(tensor->data, tensor->dtype, rows, row_elements(tensor)),
    .shape = tensor,
  };
}

crd_status crd_array_save(crd_context *ctx, const crd_array *tensor, const char *name,
                          const char *path) {
  crd__io_array array;
  if (tensor->rank > 2 && !crd__data_array_is_contiguous(tensor))
    return crd__fail(ctx, CRD_EUSAGE,
                     "%s: an array of %zu dimensions must be C-contiguous and in native byte order",
                     path, tensor->rank);
  crd__io_array_of(tensor, name ? name : "array", &array);
  if (tensor->rank == 1 || tensor->rank == 2) {
    array.view = *tensor;
    CRD_TRY(crd__data_matrix(ctx, path, array.name, &array.view));
  }
  return crd__io_bundle_write(ctx, path, &array, 1);
}
