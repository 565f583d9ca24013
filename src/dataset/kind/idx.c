/*
 * idx.c -- IDX files, the format of MNIST and its successors.
 *
 *   byte 0, 1   zero
 *   byte 2      type: 8 uint8, 9 int8, 11 int16, 12 int32, 13 float32, 14 float64
 *   byte 3      rank, then one uint32 for each dimension, then the elements; all big-endian
 *
 * In a folder, the images of a split are the file whose name contains, for `train`, "train-images"
 * followed by '-' or '.' and "idx"; for `test` the same with "t10k-images" or "test-images". Names
 * that are no longer take precedence, so that emnist-letters-train-images-idx3-ubyte is found in a
 * folder of its own. Labels are beside the images, with "labels" instead of "images".
 *   LeCun, Bottou, Bengio, Haffner: Gradient-based learning applied to document recognition. Proc.
 *   IEEE 86, 1998.
 */
#include "dataset/kind/idx.h"

#include "base/folder.h"
#include "base/memory.h"
#include "dataset/chunks.h"
#include "io/layout.h"

#include <stdio.h>
#include <string.h>

/* ---- The format. */

static const struct {
  unsigned char code;
  crd_dtype dtype;
} types[] = { { 0x08, CRD_U8 },  { 0x09, CRD_I8 },  { 0x0b, CRD_I16 },
              { 0x0c, CRD_I32 }, { 0x0d, CRD_F32 }, { 0x0e, CRD_F64 } };
enum { TYPES = sizeof types / sizeof *types };

static uint32_t big32(const unsigned char *at) {
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | (uint32_t)at[3];
}

static crd_status check_length(crd_context *ctx, const crd__io_layout *layout, size_t header,
                               size_t length) {
  char text[CRD__LAYOUT_TEXT];
  size_t bytes;
  CRD_TRY(crd__io_layout_bytes(ctx, layout, &bytes));
  if (length - header == bytes) return CRD_OK;
  return crd__fail(ctx, CRD_EINPUT,
                   "%s: found %zu bytes behind the header, which states %s, that is %zu",
                   length - header < bytes ? "truncated" : "too long", length - header,
                   crd__io_layout_describe(layout, text), bytes);
}

crd_status crd__dataset_idx_parse(crd_context *ctx, const unsigned char *bytes, size_t length,
                                  crd_array *out) {
  size_t type = 0;
  if (length < 4 || bytes[0] || bytes[1])
    return crd__fail(ctx, CRD_EINPUT, "not an IDX file: it must begin with two zero bytes");
  while (type < TYPES && types[type].code != bytes[2]) type++;
  if (type == TYPES)
    return crd__fail(ctx, CRD_EINPUT, "found IDX type %d, allowed are 8, 9, 11, 12, 13 and 14",
                     bytes[2]);
  const size_t rank = bytes[3], header = 4 + 4 * rank;
  if (rank < 1 || rank > CRD_RANK_MAX)
    return crd__fail(ctx, CRD_EINPUT, "found %zu dimensions, allowed are 1 .. %d", rank,
                     CRD_RANK_MAX);
  if (length < header)
    return crd__fail(ctx, CRD_EINPUT, "truncated: found %zu bytes, its header alone has %zu",
                     length, header);
  crd__io_layout layout = { .dtype = types[type].dtype,
                            .rank = rank,
                            .swapped = crd__io_native_is_little() };
  for (size_t i = 0; i < rank; i++) layout.shape[i] = big32(bytes + 4 + 4 * i);
  CRD_TRY(check_length(ctx, &layout, header, length));
  *out = (crd_array){ .data = bytes + header,
                      .dtype = layout.dtype,
                      .rank = rank,
                      .swapped = layout.swapped && crd_dtype_size(layout.dtype) > 1 };
  for (size_t i = 0; i < rank; i++) out->dims[i] = (int64_t)layout.shape[i];
  return CRD_OK;
}

/* Opens a file that the store then keeps. */
static crd_status read_array(crd_context *ctx, crd__dataset_store *store, const char *path,
                             crd_array *out) {
  crd__dataset_kept kept = { 0 };
  crd_status status = crd__io_content_open(ctx, path, &kept.content);
  if (status != CRD_OK) {
    crd__io_content_close(&ctx->alloc, &kept.content);
    return status;
  }
  status = crd__dataset_idx_parse(ctx, kept.content.bytes, kept.content.length, out);
  const crd_status keeping = crd__dataset_chunks_keep(ctx, store, kept);
  return status != CRD_OK ? crd__fail_in(ctx, status, path) : keeping;
}

/* ---- Names of files. */

/* Returns what follows `word` if that is '-' or '.' and "idx"; else NULL. */
static const char *after_word(const char *name, const char *word) {
  const char *const found = strstr(name, word);
  if (!found) return NULL;
  const char *const after = found + strlen(word);
  return (*after == '-' || *after == '.') && strncmp(after + 1, "idx", 3) == 0 ? after : NULL;
}

static bool has_extension(const char *name, const char *extension) {
  const size_t length = strlen(name), tail = strlen(extension);
  return length > tail && strcmp(name + length - tail, extension) == 0;
}

/* The same name, but for ".gz"? */
static bool same_stem(const char *left, const char *right) {
  const size_t a = strlen(left) - (has_extension(left, ".gz") ? 3 : 0);
  const size_t b = strlen(right) - (has_extension(right, ".gz") ? 3 : 0);
  return a == b && memcmp(left, right, a) == 0;
}

/* Finds the file of a folder with one of the words in its name (`first`: at its beginning). A name
 * that begins with the word takes precedence, and of two that differ in ".gz" the plain one, which
 * is sorted first. *out NULL: none. */
static crd_status find_file(crd_context *ctx, const char *path, const crd__folder *folder,
                            const char *const *words, bool first, const char **out) {
  const char *best = NULL, *other = NULL;
  bool begins = false;
  for (size_t i = 0; i < folder->count; i++) {
    const char *const name = folder->entries[i].name;
    for (size_t w = 0; words[w] && !folder->entries[i].is_folder; w++) {
      if (!after_word(name, words[w])) continue;
      const bool starts = strncmp(name, words[w], strlen(words[w])) == 0;
      if (first && !starts) continue;
      if (best && starts == begins && !same_stem(best, name)) other = name;
      if (best && starts <= begins) continue;
      best = name;
      begins = starts;
      other = NULL;
    }
  }
  if (other)
    return crd__fail(ctx, CRD_EINPUT, "%.200s: found %.80s and %.80s, expected one; name the file",
                     path, best, other);
  *out = best;
  return CRD_OK;
}

/* ---- A file of images and its labels. */

/* Finds the labels: the name up to the last "images", then "labels", then any IDX. *out NULL: none.
 */
static crd_status find_labels(crd_context *ctx, const char *path, char **out) {
  crd__folder folder = { 0 };
  char word[256], parent[4096];
  const char *const slash = strrchr(path, '/'), *const name = slash ? slash + 1 : path;
  const char *images = NULL;
  for (const char *at = name; (at = strstr(at, "images")); at++) images = at;
  *out = NULL;
  if (!images || (size_t)(images - name) > sizeof word - 8) return CRD_OK;
  snprintf(word, sizeof word, "%.*slabels", (int)(images - name), name);
  const int length = slash ? (int)(slash - path) + 1 : 1;
  const int made = snprintf(parent, sizeof parent, "%.*s", length, slash ? path : ".");
  if (made < 0 || (size_t)made >= sizeof parent) return CRD_OK;
  const char *const words[] = { word, NULL }, *found = NULL;
  crd_status status = crd__folder_list(ctx, parent, &folder);
  if (status == CRD_OK) status = find_file(ctx, parent, &folder, words, true, &found);
  if (status == CRD_OK && found) status = crd__folder_join(ctx, parent, found, out);
  crd__folder_clear(&ctx->alloc, &folder);
  return status;
}

static crd_status add_labelled(crd_context *ctx, crd__dataset_store *store, const char *path,
                               const char *labels) {
  crd__dataset_chunk chunk = { .file = path, .label_file = labels };
  CRD_TRY(read_array(ctx, store, path, &chunk.samples));
  if (labels) CRD_TRY(read_array(ctx, store, labels, &chunk.labels));
  else
    CRD_TRY(crd__notes_add(ctx, &store->alloc, &store->notes,
                           "%.300s: no labels: there is no file beside it with 'labels' instead of "
                           "'images' in its name",
                           path));
  return crd__dataset_chunks_add(ctx, store, &chunk);
}

static crd_status add_file(crd_context *ctx, crd__dataset_store *store, const char *path) {
  char *labels = NULL;
  crd_status status = find_labels(ctx, path, &labels);
  if (status == CRD_OK) status = add_labelled(ctx, store, path, labels);
  crd__free(&ctx->alloc, labels);
  return status;
}

/* ---- A folder. */

static const struct {
  const char *name;
  const char *const words[3];
} splits[] = { { "train", { "train-images" } }, { "test", { "t10k-images", "test-images" } } };
enum { SPLITS = sizeof splits / sizeof *splits };

/* Adds a split; one that is not required may be missing. */
static crd_status add_split(crd_context *ctx, crd__dataset_store *store, const char *path,
                            const crd__folder *folder, size_t split, bool required) {
  const char *name = NULL;
  char *file = NULL;
  CRD_TRY(find_file(ctx, path, folder, splits[split].words, false, &name));
  if (!name && !required) return CRD_OK;
  if (!name)
    return crd__fail(ctx, CRD_EINPUT,
                     "%.300s: no images of the split %s: expected a file such as "
                     "%s-idx3-ubyte or %s-idx3-ubyte.gz",
                     path, splits[split].name, splits[split].words[0], splits[split].words[0]);
  crd_status status = crd__folder_join(ctx, path, name, &file);
  if (status == CRD_OK) status = add_file(ctx, store, file);
  crd__free(&ctx->alloc, file);
  return status;
}

static crd_status add_folder(crd_context *ctx, const crd__dataset_request *request,
                             const char *path, crd__dataset_store *store) {
  crd__folder folder = { 0 };
  crd_status status = crd__folder_list(ctx, path, &folder);
  for (size_t i = 0; status == CRD_OK && !request->split_count && i < SPLITS; i++)
    status = add_split(ctx, store, path, &folder, i, i + 1 == SPLITS && store->count == 0);
  for (size_t i = 0; status == CRD_OK && i < request->split_count; i++) {
    const size_t split = strcmp(request->splits[i], splits[0].name) == 0 ? 0 : 1;
    status = add_split(ctx, store, path, &folder, split, true);
  }
  crd__folder_clear(&ctx->alloc, &folder);
  return status;
}

crd_status crd__dataset_idx_open(crd_context *ctx, const crd__dataset_request *request,
                                 const char *path, const char *const *names, size_t name_count,
                                 crd__dataset_store *store) {
  CRD_TRY(crd__dataset_chunks_create(ctx, request->options, store));
  if (crd__folder_exists(path)) CRD_TRY(add_folder(ctx, request, path, store));
  else if (request->split_count && crd__file_exists(path))
    return crd__fail(ctx, CRD_EUSAGE, "%.400s: one file has no splits, found '#%.60s'",
                     request->data, request->splits[0]);
  else CRD_TRY(add_file(ctx, store, path));
  return crd__dataset_chunks_label(ctx, store, names, name_count);
}

static crd_status idx_open(crd_context *ctx, const crd__dataset_request *request,
                           crd__dataset_store *store) {
  if (!request->path)
    return crd__fail(ctx, CRD_EUSAGE, "%.400s: expected idx:PATH, a folder or a file of images",
                     request->data);
  return crd__dataset_idx_open(ctx, request, request->path, NULL, 0, store);
}

const crd__dataset_kind crd__dataset_kind_idx = {
  .info = { .name = "idx",
            .summary = "images or vectors in MNIST's format, also gzipped",
            .path = "a folder of train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-..., or "
                    "one file of images with its labels beside it",
            .splits = "train test",
            .reference = "LeCun, Bottou, Bengio, Haffner: Gradient-based learning applied to "
                         "document recognition. Proc. IEEE 86, 1998" },
  .open = idx_open,
  .bytes = crd__dataset_chunks_bytes,
  .read = crd__dataset_chunks_read,
  .source = crd__dataset_chunks_source,
  .close = crd__dataset_chunks_close,
};
