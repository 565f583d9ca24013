/*
 * torch.c -- files of torch.save (.pt, .pth): a pickle that describes tensors, and their elements.
 *
 * Since PyTorch 1.6 they are zip archives of stored members:
 *
 *   NAME/data.pkl       the object; tensors refer to storages by their keys
 *   NAME/data/KEY       the elements of a storage, which are mapped, not copied
 *   NAME/byteorder      "little" or "big", since 2.1
 *
 * Before, they were a sequence of pickles: a magic number, a version, the machine, the object, the
 * list of keys; then for each key the number of elements (8 bytes) and the elements.
 *
 * The pickle is read as inert data (pickle.h): nothing in it is executed. Loading an entry parses
 * the pickle again, which is small compared with the elements, so that nothing need be kept.
 */
#include "io/format/torch.h"

#include "base/memory.h"
#include "base/words.h"
#include "io/convert.h"
#include "io/format.h"
#include "io/unzip.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const unsigned char magic[] = { 0x80, 0x02, 0x8a, 0x0a, 0x6c, 0xfc, 0x9c, 0x46,
                                       0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19, '.' };
enum { COUNT_BYTES = 8 }; /* before the elements of a storage, legacy */
static const char pickle_name[] = "data.pkl";

bool crd__io_torch_is_legacy(const unsigned char *bytes, size_t length) {
  return length >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

/* Returns whether this is the name of the pickle, in any folder. */
static bool names_pickle(const char *name, size_t length) {
  const size_t tail = sizeof pickle_name - 1;
  return length >= tail && memcmp(name + length - tail, pickle_name, tail) == 0 &&
         (length == tail || name[length - tail - 1] == '/');
}

/* The pickle is the first member; the extension decides for archives that were repacked. */
static bool torch_recognise(const unsigned char *bytes, size_t length, const char *stem) {
  enum { LOCAL_HEADER = 30, NAME_LENGTH = 26 };
  if (crd__io_torch_is_legacy(bytes, length)) return true;
  if (!crd__io_unzip_recognise(bytes, length)) return false;
  if (crd__io_has_extension(stem, "pt") || crd__io_has_extension(stem, "pth")) return true;
  if (length < LOCAL_HEADER) return false;
  const size_t name = (size_t)bytes[NAME_LENGTH] | (size_t)bytes[NAME_LENGTH + 1] << 8;
  return name <= length - LOCAL_HEADER && names_pickle((const char *)bytes + LOCAL_HEADER, name);
}

/* ---- An open file: its pickle, and where to find storages. */

typedef struct {
  crd_context *ctx;
  crd__io_bundle *bundle;
  crd__io_pickle pickle;
  void *inflated; /* the pickle, if it was compressed */
  bool swapped;
  crd__text folder; /* of the archive: the part before data.pkl */
  size_t storages;  /* legacy: offset of the list of keys */
} file;

typedef struct {
  const unsigned char *bytes;
  uint64_t length;
  void *owned; /* its memory, if it was compressed; else NULL */
  bool missing;
} member;

static void clear(file *f) {
  crd__io_pickle_clear(&f->ctx->alloc, &f->pickle);
  crd__free(&f->ctx->alloc, f->inflated);
  crd__text_clear(&f->folder);
}

/* ---- Archives. */

/* Returns whether the path is the wanted member. NULL: the pickle, which determines the folder;
 * else a member of that folder.
 */
static bool matches(const file *f, const char *path, const char *wanted) {
  const char *const folder = f->folder.bytes ? f->folder.bytes : "";
  if (!wanted) return names_pickle(path, strlen(path));
  return strncmp(path, folder, f->folder.length) == 0 &&
         strcmp(path + f->folder.length, wanted) == 0;
}

/* Seeks a member; *path is NULL if there is none. */
static crd_status seek(const file *f, crd__io_unzip *zip, const char *wanted, const char **path) {
  do CRD_TRY(crd__io_unzip_next(f->ctx, zip, path));
  while (*path && !matches(f, *path, wanted));
  return CRD_OK;
}

static crd_status inflate(const file *f, crd__io_unzip *zip, member *out) {
  const size_t size = (size_t)out->length;
  out->owned = crd__resize(&f->ctx->alloc, NULL, size ? size : 1, 1);
  if (!out->owned) return crd__fail(f->ctx, CRD_ENOMEM, "no memory for %zu bytes", size);
  CRD_TRY(crd__io_unzip_read(f->ctx, zip, out->owned, size));
  CRD_TRY(crd__io_unzip_finish(f->ctx, zip));
  out->bytes = out->owned;
  return CRD_OK;
}

/* Gets a member in place if it is stored, which is known only when its data is read; else inflated.
 */
static crd_status read_member(file *f, crd__io_unzip *zip, const char *wanted, bool in_place,
                              member *out) {
  const char *path = NULL;
  CRD_TRY(seek(f, zip, wanted, &path));
  out->missing = !path;
  if (!path) return CRD_OK;
  CRD_TRY(crd__io_unzip_size(f->ctx, zip, &out->length));
  if (!wanted && in_place)
    crd__text_add_bytes(&f->folder, path, strlen(path) - (sizeof pickle_name - 1));
  CRD_TRY(crd__text_status(f->ctx, &f->folder));
  return in_place ? crd__io_unzip_in_place(f->ctx, zip, out->length, &out->bytes)
                  : inflate(f, zip, out);
}

static crd_status fetch(file *f, const char *wanted, member *out) {
  *out = (member){ .bytes = NULL };
  for (int pass = 0; pass < 2 && !out->bytes && !out->missing; pass++) {
    crd__io_unzip *zip = NULL;
    CRD_TRY(crd__io_unzip_open(f->ctx, f->bundle, &zip));
    const crd_status status = read_member(f, zip, wanted, pass == 0, out);
    crd__io_unzip_close(zip);
    if (status == CRD_OK) continue;
    crd__free(&f->ctx->alloc, out->owned);
    out->owned = NULL;
    return status;
  }
  return CRD_OK;
}

static crd_status read_order(file *f) {
  member order;
  CRD_TRY(fetch(f, "byteorder", &order));
  const bool big = order.length == 3 && memcmp(order.bytes, "big", 3) == 0;
  crd__free(&f->ctx->alloc, order.owned);
  f->swapped = big == crd__io_native_is_little();
  return CRD_OK;
}

static crd_status open_archive(file *f) {
  member pickle;
  CRD_TRY(fetch(f, NULL, &pickle));
  f->inflated = pickle.owned;
  if (pickle.missing)
    return crd__fail(f->ctx, CRD_EINPUT,
                     "the archive has no data.pkl, which torch.save writes; a file of .npy arrays "
                     "must be called .npz");
  CRD_TRY(crd__io_pickle_read(f->ctx, pickle.bytes, (size_t)pickle.length, &f->pickle));
  return read_order(f);
}

static crd_status find_in_archive(file *f, const crd__io_torch_storage *wanted, member *out) {
  char name[128];
  snprintf(name, sizeof name, "data/%.*s", wanted->key_length < 100 ? (int)wanted->key_length : 100,
           wanted->key);
  CRD_TRY(fetch(f, name, out));
  if (out->missing) return crd__fail(f->ctx, CRD_EINPUT, "the archive holds no '%s'", name);
  if (out->length == wanted->bytes) return CRD_OK;
  crd__free(&f->ctx->alloc, out->owned);
  out->owned = NULL;
  return crd__fail(f->ctx, CRD_EINPUT, "'%s' has %" PRIu64 " bytes, expected %zu", name,
                   out->length, wanted->bytes);
}

/* ---- Files from before 1.6. */

/* Reads the pickle at `at`, and advances it. */
static crd_status next_pickle(file *f, size_t *at, crd__io_pickle *out) {
  crd__io_pickle_clear(&f->ctx->alloc, out);
  CRD_TRY(crd__io_pickle_read(f->ctx, f->bundle->bytes + *at, f->bundle->length - *at, out));
  *at += out->used;
  return CRD_OK;
}

/* Elements are little-endian, whatever machine wrote the file. */
static crd_status open_legacy(file *f) {
  size_t at = sizeof magic;
  CRD_TRY(next_pickle(f, &at, &f->pickle)); /* the version */
  CRD_TRY(next_pickle(f, &at, &f->pickle)); /* the machine */
  CRD_TRY(next_pickle(f, &at, &f->pickle));
  f->swapped = !crd__io_native_is_little();
  f->storages = at;
  return CRD_OK;
}

/* Element sizes of the storages that the object refers to, by key. */
typedef struct {
  crd__words keys;
  size_t *elements;
} element_sizes;

static crd_status list_elements(const file *f, element_sizes *out) {
  crd__io_torch_storage storage;
  size_t count = 0, number;
  for (uint32_t i = 0; i < f->pickle.node_count; i++)
    count += f->pickle.nodes[i].kind == CRD__PY_PERSISTENT;
  CRD_TRY(crd__new(f->ctx, count, sizeof *out->elements, "storages", &out->elements));
  for (uint32_t i = 0; i < f->pickle.node_count; i++) {
    if (!crd__io_torch_is_storage(&f->pickle, &f->pickle.nodes[i], &storage)) continue;
    CRD_TRY(crd__words_add(f->ctx, &out->keys, storage.key, storage.key_length, &number));
    out->elements[number] = storage.element;
  }
  return CRD_OK;
}

/* Reads the number of elements, always little-endian; false: the file is too short for them. */
static bool storage_length(const file *f, size_t at, size_t element, size_t *length) {
  const size_t rest = f->bundle->length - at;
  uint64_t count = 0;
  if (rest < COUNT_BYTES || element == 0) return false;
  for (size_t i = COUNT_BYTES; i-- > 0;) count = count << 8 | f->bundle->bytes[at + i];
  return count <= rest && crd__size_mul((size_t)count, element, length) &&
         *length <= rest - COUNT_BYTES;
}

/* Skips storages, in the order of their keys, up to the wanted one. */
static crd_status scan_storages(file *f, const crd__io_pickle *keys, size_t at,
                                const element_sizes *known, const crd__io_torch_storage *wanted,
                                member *out) {
  const crd__io_py_node *const root = &keys->nodes[keys->root];
  for (uint32_t cell = root->first; cell != CRD__PY_END; cell = keys->cells[cell].next) {
    const crd__io_py_node *const key = &keys->nodes[keys->cells[cell].node];
    size_t number, length;
    if (key->kind != CRD__PY_TEXT ||
        !crd__words_find(&known->keys, key->as.text, key->count, &number) ||
        !storage_length(f, at, known->elements[number], &length))
      break;
    at += COUNT_BYTES;
    *out = (member){ .bytes = f->bundle->bytes + at, .length = length };
    if (key->count == wanted->key_length && memcmp(key->as.text, wanted->key, key->count) == 0 &&
        length == wanted->bytes)
      return CRD_OK;
    at += length;
  }
  return crd__fail(f->ctx, CRD_EINPUT, "the file does not hold the %zu bytes of storage '%.*s'",
                   wanted->bytes, wanted->key_length < 40 ? (int)wanted->key_length : 40,
                   wanted->key);
}

static crd_status find_in_legacy(file *f, const crd__io_torch_storage *wanted, member *out) {
  crd__io_pickle keys = { .nodes = NULL };
  element_sizes known = { .elements = NULL };
  size_t at = f->storages;
  *out = (member){ .bytes = NULL };
  crd_status status = next_pickle(f, &at, &keys);
  if (status == CRD_OK) status = list_elements(f, &known);
  if (status == CRD_OK) status = scan_storages(f, &keys, at, &known, wanted, out);
  crd__io_pickle_clear(&f->ctx->alloc, &keys);
  crd__words_clear(&f->ctx->alloc, &known.keys);
  crd__free(&f->ctx->alloc, known.elements);
  return status;
}

/* ---- The format. */

static crd_status open_file(file *f) {
  return crd__io_torch_is_legacy(f->bundle->bytes, f->bundle->length) ? open_legacy(f)
                                                                      : open_archive(f);
}

static crd_status torch_read_object(crd_context *ctx, crd__io_bundle *bundle,
                                    const crd_open_options *options) {
  file f = { .ctx = ctx, .bundle = bundle };
  (void)options;
  crd__text_init(&f.folder, &ctx->alloc);
  crd_status status = open_file(&f);
  if (status == CRD_OK) status = crd__io_torch_list(ctx, bundle, &f.pickle);
  clear(&f);
  return status;
}

static crd_status load_tensor(file *f, const crd__io_py_node *node, crd__io_entry *entry) {
  crd__io_torch_tensor tensor;
  member storage;
  CRD_TRY(crd__io_torch_describe(f->ctx, &f->pickle, node, &tensor));
  tensor.layout.swapped = f->swapped && tensor.element > 1;
  CRD_TRY(f->storages > 0 ? find_in_legacy(f, &tensor.storage, &storage)
                          : find_in_archive(f, &tensor.storage, &storage));
  const unsigned char *const bytes = storage.bytes ? storage.bytes : f->bundle->bytes;
  const crd_status status = crd__io_torch_fill(f->ctx, f->bundle, &tensor, bytes, entry);
  if (status == CRD_OK && !entry->owned) entry->owned = storage.owned;
  else crd__free(&f->ctx->alloc, storage.owned);
  return status;
}

static crd_status torch_load_entry(crd_context *ctx, crd__io_bundle *bundle, crd__io_entry *entry) {
  file f = { .ctx = ctx, .bundle = bundle };
  crd__text_init(&f.folder, &ctx->alloc);
  crd_status status = open_file(&f);
  if (status == CRD_OK) {
    const crd__io_py_node *const node = &f.pickle.nodes[entry->place];
    char text[CRD__PY_DESCRIPTION], message[CRD__PY_DESCRIPTION + 40];
    snprintf(message, sizeof message, "is %s, expected a tensor",
             crd__io_py_describe(&f.pickle, node, text));
    if (crd__io_torch_is_tensor(&f.pickle, node)) status = load_tensor(&f, node, entry);
    else if (node->kind == CRD__PY_LIST || node->kind == CRD__PY_TUPLE)
      status = crd__io_torch_fill_plain(ctx, bundle, &f.pickle, node, entry);
    else status = crd__io_convert_torch(ctx, bundle, &f.pickle, message);
  }
  clear(&f);
  return status;
}

const crd__io_format crd__io_format_torch = {
  .info = { .name = "torch",
            .summary = "PyTorch's torch.save: a tensor, or tensors by name; nothing is executed",
            .extensions = "pt pth" },
  .recognise = torch_recognise,
  .read = torch_read_object,
  .load = torch_load_entry,
};
