/*
 * cifar.c -- CIFAR's binary files: records of labels and 32 x 32 RGB pixels, plane by plane.
 *
 * The files are mapped and samples are read in place. Record counts are not checked against the
 * published ones, so that parts of the sets can be used.
 *   Krizhevsky: Learning multiple layers of features from tiny images. University of Toronto, 2009.
 */
#include "dataset/kind/cifar.h"

#include "base/folder.h"
#include "base/memory.h"
#include "dataset/chunks.h"

#include <string.h>

enum { SIDE = 32, PLANE = SIDE * SIDE, PIXELS = 3 * PLANE };

const char *const crd__dataset_cifar10_names[CRD__CIFAR10_CLASSES] = {
  "airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"
};

/* ---- Binary files. */

static crd_status add_records(crd_context *ctx, crd__dataset_store *store, const char *file,
                              const crd__io_content *content, size_t label_bytes) {
  const size_t record = label_bytes + PIXELS;
  if (content->length % record)
    return crd__fail(ctx, CRD_EINPUT,
                     "%.400s: found %zu bytes, expected a multiple of %zu: %zu for labels, %d for "
                     "3 x 32 x 32 pixels",
                     file, content->length, record, label_bytes, PIXELS);
  const int64_t rows = (int64_t)(content->length / record);
  const crd__dataset_chunk chunk = {
    .file = file,
    .samples = { .data = content->bytes + label_bytes,
                 .dtype = CRD_U8,
                 .rank = 4,
                 .dims = { rows, 3, SIDE, SIDE },
                 .strides = { (ptrdiff_t)record, PLANE, SIDE, 1 } },
    .label_file = file,
    .labels = { .data = content->bytes + label_bytes - 1,
                .dtype = CRD_U8,
                .rank = 2,
                .dims = { rows, 1 },
                .strides = { (ptrdiff_t)record, 1 } },
  };
  return crd__dataset_chunks_add(ctx, store, &chunk);
}

static crd_status add_file(crd_context *ctx, crd__dataset_store *store, const char *file,
                           size_t label_bytes) {
  crd__dataset_kept kept = { 0 };
  const crd_status status = crd__io_content_open(ctx, file, &kept.content);
  const crd__io_content content = kept.content;
  if (status != CRD_OK) {
    crd__io_content_close(&ctx->alloc, &kept.content);
    return status;
  }
  CRD_TRY(crd__dataset_chunks_keep(ctx, store, kept));
  return add_records(ctx, store, file, &content, label_bytes);
}

static crd_status add_split(crd_context *ctx, crd__dataset_store *store, const char *folder,
                            const char *const *files, size_t label_bytes) {
  crd_status status = CRD_OK;
  for (; *files && status == CRD_OK; files++) {
    char *path = NULL;
    status = crd__folder_join(ctx, folder, *files, &path);
    if (status == CRD_OK) status = add_file(ctx, store, path, label_bytes);
    crd__free(&ctx->alloc, path);
  }
  return status;
}

/* The folder itself, or the one that the published archive makes inside it. */
static crd_status find_folder(crd_context *ctx, const char *path, const crd__dataset_cifar *set,
                              char **out) {
  char *first = NULL;
  CRD_TRY(crd__folder_join(ctx, path, set->inner, out));
  if (crd__folder_exists(*out)) return CRD_OK;
  crd__free(&ctx->alloc, *out);
  *out = crd__strdup(&ctx->alloc, path);
  if (!*out) return crd__fail(ctx, CRD_ENOMEM, "no memory for a file name");
  CRD_TRY(crd__folder_join(ctx, path, set->train[0], &first));
  /* The Python version has the same names without ".bin". */
  char *const dot = strrchr(first, '.');
  const bool binary = crd__file_exists(first);
  if (dot) *dot = '\0';
  const bool python = !binary && crd__file_exists(first);
  crd__free(&ctx->alloc, first);
  if (!python) return CRD_OK;
  return crd__fail(ctx, CRD_EINPUT,
                   "%.400s: found the Python version, expected the binary version: %s", path,
                   set->train[0]);
}

static crd_status add_folder(crd_context *ctx, const crd__dataset_request *request,
                             const char *folder, const crd__dataset_cifar *set,
                             crd__dataset_store *store) {
  if (request->split_count == 0) {
    CRD_TRY(add_split(ctx, store, folder, set->train, set->label_bytes));
    return add_split(ctx, store, folder, set->test, set->label_bytes);
  }
  for (size_t i = 0; i < request->split_count; i++) {
    const bool train = strcmp(request->splits[i], "train") == 0;
    CRD_TRY(add_split(ctx, store, folder, train ? set->train : set->test, set->label_bytes));
  }
  return CRD_OK;
}

crd_status crd__dataset_cifar_open(crd_context *ctx, const crd__dataset_request *request,
                                   const char *path, const crd__dataset_cifar *set,
                                   crd__dataset_store *store) {
  char *folder = NULL;
  CRD_TRY(crd__dataset_chunks_create(ctx, request->options, store));
  if (!crd__folder_exists(path))
    return crd__fail(ctx, CRD_EINPUT, "%.400s: no such folder, expected one that holds %s", path,
                     set->train[0]);
  crd_status status = find_folder(ctx, path, set, &folder);
  if (status == CRD_OK) status = add_folder(ctx, request, folder, set, store);
  crd__free(&ctx->alloc, folder);
  if (status != CRD_OK) return status;
  return crd__dataset_chunks_label(ctx, store, set->names, set->name_count);
}

/* ---- Arrays of NumPy: CIFAR-10.1 and 10.2. */

static crd_status read_array(crd_context *ctx, crd__dataset_store *store, const char *file,
                             const char *key, crd_array *out) {
  crd__dataset_kept kept = { 0 };
  CRD_TRY(crd__io_bundle_open(ctx, file, NULL, &kept.bundle));
  crd__io_bundle *const bundle = kept.bundle;
  CRD_TRY(crd__dataset_chunks_keep(ctx, store, kept));
  size_t index = bundle->count == 1 ? 0 : bundle->count;
  if (key) index = crd__io_bundle_find(bundle, key);
  if (index == bundle->count)
    return crd__fail(ctx, CRD_EINPUT, "%.400s: found %zu arrays, expected %s%s", file,
                     bundle->count, key ? "one called " : "one", key ? key : "");
  return crd__dataset_chunks_array(ctx, store, bundle, index, out);
}

crd_status crd__dataset_cifar_add_arrays(crd_context *ctx, crd__dataset_store *store,
                                         const char *images, const char *image_key,
                                         const char *labels, const char *label_key) {
  crd__dataset_chunk chunk = { .file = images, .label_file = labels };
  CRD_TRY(read_array(ctx, store, images, image_key, &chunk.samples));
  CRD_TRY(read_array(ctx, store, labels, label_key, &chunk.labels));
  const int64_t *const dims = chunk.samples.dims;
  if (chunk.samples.dtype != CRD_U8 || chunk.samples.rank != 4 || dims[1] != SIDE ||
      dims[2] != SIDE || dims[3] != 3)
    return crd__fail(ctx, CRD_EINPUT, "%.400s: expected images of n x 32 x 32 x 3 bytes", images);
  return crd__dataset_chunks_add(ctx, store, &chunk);
}
