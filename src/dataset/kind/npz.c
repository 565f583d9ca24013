/*
 * npz.c -- arrays of images or vectors and their labels in one file, of any format that io reads.
 *
 * Samples are images, image, x, data, inputs or features; labels are labels, label, y, targets or
 * target, in any case. The rest of the name is the split: train_images (MedMNIST), x_train (Keras),
 * test/x. Strings called class_names or label_names name the classes of indices. Yang, Shi, Wei,
 * Liu, Zhao, Ke, Pfister, Ni: MedMNIST v2. Scientific Data 10, 2023.
 */
#include "base/memory.h"
#include "dataset/chunks.h"

#include <string.h>
#include <strings.h>

/* In order of preference. */
static const char *const sample_words[] = { "images", "image",    "x", "data",
                                            "inputs", "features", NULL };
static const char *const label_words[] = { "labels", "label", "y", "targets", "target", NULL };

enum { SPLITS_MAX = 16 };

/* ---- Names of arrays. */

typedef struct {
  const char *text; /* not NUL-terminated */
  size_t length;
} name_part;

static bool is_separator(char c) { return c == '_' || c == '/' || c == '.'; }

static bool is_same(name_part left, name_part right) {
  return left.length == right.length && strncasecmp(left.text, right.text, left.length) == 0;
}

/* Is `name` the word, with the name of a split before or behind it? */
static bool is_named(const char *name, const char *word, name_part *split) {
  const size_t length = strlen(name), tail = strlen(word);
  *split = (name_part){ "", 0 };
  if (strcasecmp(name, word) == 0) return true;
  if (length < tail + 2) return false;
  const size_t rest = length - tail - 1;
  if (is_separator(name[rest]) && strcasecmp(name + rest + 1, word) == 0) {
    *split = (name_part){ name, rest };
    return true;
  }
  *split = (name_part){ name + tail + 1, rest };
  return is_separator(name[tail]) && strncasecmp(name, word, tail) == 0;
}

/* Returns the index of the array of this split with the first of the words; `count`: none. */
static size_t find_array(const crd__io_bundle *bundle, const char *const *words, name_part split) {
  for (; *words; words++)
    for (size_t i = 0; i < bundle->count; i++) {
      name_part here;
      if (is_named(bundle->entries[i].name, *words, &here) && is_same(here, split)) return i;
    }
  return bundle->count;
}

typedef struct {
  name_part items[SPLITS_MAX];
  size_t count;
} split_list;

/* Lists the splits that have samples, in the order of the file. */
static void list_splits(const crd__io_bundle *bundle, split_list *out) {
  out->count = 0;
  for (size_t i = 0; i < bundle->count; i++)
    for (const char *const *word = sample_words; *word; word++) {
      name_part here;
      size_t k = 0;
      if (!is_named(bundle->entries[i].name, *word, &here)) continue;
      while (k < out->count && !is_same(out->items[k], here)) k++;
      if (k == out->count && k < SPLITS_MAX) out->items[out->count++] = here;
    }
}

/* ---- Samples and labels. */

/* Names an array as users do: FILE#KEY. */
static void add_name(crd__text *text, const crd__io_bundle *bundle, size_t index) {
  crd__text_addf(text, "%.300s#%.60s", bundle->name, bundle->entries[index].name);
}

static crd_status take_labels(crd_context *ctx, crd__dataset_store *store, crd__io_bundle *bundle,
                              size_t index, crd__dataset_chunk *chunk) {
  CRD_TRY(crd__io_bundle_load(ctx, bundle, index));
  const crd__io_entry *const entry = &bundle->entries[index];
  if (!entry->names) return crd__dataset_chunks_array(ctx, store, bundle, index, &chunk->labels);
  chunk->words = (const char *const *)entry->names;
  chunk->word_count = entry->shape[0];
  return CRD_OK;
}

static crd_status add_split(crd_context *ctx, crd__dataset_store *store, crd__io_bundle *bundle,
                            name_part split) {
  const size_t samples = find_array(bundle, sample_words, split);
  const size_t labels = find_array(bundle, label_words, split);
  crd__dataset_chunk chunk = { 0 };
  crd__text file, label_file;
  crd__text_init(&file, &ctx->alloc);
  crd__text_init(&label_file, &ctx->alloc);
  add_name(&file, bundle, samples);
  if (labels < bundle->count) add_name(&label_file, bundle, labels);
  crd_status status = crd__text_status(ctx, &file);
  if (status == CRD_OK) status = crd__text_status(ctx, &label_file);
  if (status == CRD_OK)
    status = crd__dataset_chunks_array(ctx, store, bundle, samples, &chunk.samples);
  if (status == CRD_OK && labels < bundle->count)
    status = take_labels(ctx, store, bundle, labels, &chunk);
  chunk.file = file.bytes;
  chunk.label_file = label_file.bytes;
  if (status == CRD_OK) status = crd__dataset_chunks_add(ctx, store, &chunk);
  crd__text_clear(&file);
  crd__text_clear(&label_file);
  return status;
}

/* ---- Splits. */

/* Is it another name of the same split? */
static bool is_alias(name_part left, name_part right) {
  static const char *const names[] = { "val", "valid", "validation", "dev" };
  bool first = false, second = false;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const name_part name = { names[i], strlen(names[i]) };
    first = first || is_same(left, name);
    second = second || is_same(right, name);
  }
  return first && second;
}

static crd_status refuse_split(crd_context *ctx, const crd__io_bundle *bundle,
                               const split_list *splits, const char *wanted) {
  crd__text text;
  crd__text_init(&text, &ctx->alloc);
  for (size_t i = 0; i < splits->count; i++)
    if (splits->items[i].length)
      crd__text_addf(&text, "%s%.*s", text.length ? ", " : "",
                     (int)(splits->items[i].length < 40 ? splits->items[i].length : 40),
                     splits->items[i].text);
  const crd_status status =
      crd__fail(ctx, CRD_EUSAGE, "%.300s: no split '%.60s', found %s", bundle->name, wanted,
                text.bytes ? text.bytes : "samples without splits");
  crd__text_clear(&text);
  return status;
}

static crd_status add_wanted(crd_context *ctx, crd__dataset_store *store, crd__io_bundle *bundle,
                             const split_list *splits, const char *wanted) {
  const name_part name = { wanted, strlen(wanted) };
  size_t k = 0;
  while (k < splits->count && !is_same(splits->items[k], name)) k++;
  if (k == splits->count)
    for (k = 0; k < splits->count && !is_alias(splits->items[k], name);) k++;
  if (k == splits->count) return refuse_split(ctx, bundle, splits, wanted);
  return add_split(ctx, store, bundle, splits->items[k]);
}

/* Adds all splits; if some have labels, only those: x_mean beside x_train is no split. */
static crd_status add_all(crd_context *ctx, crd__dataset_store *store, crd__io_bundle *bundle,
                          const split_list *splits) {
  bool labelled = false;
  for (size_t i = 0; i < splits->count; i++)
    labelled = labelled || find_array(bundle, label_words, splits->items[i]) < bundle->count;
  for (size_t i = 0; i < splits->count; i++)
    if (!labelled || find_array(bundle, label_words, splits->items[i]) < bundle->count)
      CRD_TRY(add_split(ctx, store, bundle, splits->items[i]));
  return CRD_OK;
}

static crd_status refuse_all(crd_context *ctx, crd__io_bundle *bundle) {
  crd__text text;
  crd__text_init(&text, &ctx->alloc);
  crd__io_bundle_describe(ctx, bundle, &text);
  const crd_status status =
      crd__fail(ctx, CRD_EINPUT,
                "%.300s: no array of samples: found %s; expected names such as images and labels, "
                "x and y, train_images and train_labels, x_train and y_train",
                bundle->name, text.bytes ? text.bytes : "none");
  crd__text_clear(&text);
  return status;
}

/* ---- Opening. */

/* Finds names of the classes; `count`: there are none. */
static crd_status find_names(crd_context *ctx, crd__io_bundle *bundle, size_t *out) {
  size_t index = crd__io_bundle_find(bundle, "class_names");
  if (index == bundle->count) index = crd__io_bundle_find(bundle, "label_names");
  *out = index;
  if (index == bundle->count) return CRD_OK;
  return crd__io_bundle_strings(ctx, bundle, index);
}

static crd_status npz_open(crd_context *ctx, const crd__dataset_request *request,
                           crd__dataset_store *store) {
  crd__io_bundle *bundle = NULL;
  split_list splits;
  size_t names;
  if (!request->path)
    return crd__fail(ctx, CRD_EUSAGE, "%.400s: expected npz:PATH, a file of arrays", request->data);
  CRD_TRY(crd__dataset_chunks_create(ctx, request->options, store));
  CRD_TRY(crd__io_bundle_open(ctx, request->path, NULL, &bundle));
  CRD_TRY(crd__dataset_chunks_keep(ctx, store, (crd__dataset_kept){ .bundle = bundle }));
  list_splits(bundle, &splits);
  if (splits.count == 0) return refuse_all(ctx, bundle);
  for (size_t i = 0; i < request->split_count; i++)
    CRD_TRY(add_wanted(ctx, store, bundle, &splits, request->splits[i]));
  if (request->split_count == 0) CRD_TRY(add_all(ctx, store, bundle, &splits));
  CRD_TRY(find_names(ctx, bundle, &names));
  if (names == bundle->count) return crd__dataset_chunks_label(ctx, store, NULL, 0);
  return crd__dataset_chunks_label(ctx, store, (const char *const *)bundle->entries[names].names,
                                   bundle->entries[names].shape[0]);
}

const crd__dataset_kind crd__dataset_kind_npz = {
  .info = { .name = "npz",
            .summary = "images or vectors as arrays of one file: MedMNIST, Keras and the like",
            .path = "file of arrays: npz, safetensors, HDF5 and the other formats",
            .splits = NULL,
            .reference = "" },
  .open = npz_open,
  .bytes = crd__dataset_chunks_bytes,
  .read = crd__dataset_chunks_read,
  .source = crd__dataset_chunks_source,
  .close = crd__dataset_chunks_close,
};
