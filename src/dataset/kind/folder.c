/*
 * folder.c -- a folder of images: PATH/label/file, or PATH/split/label/file. All splits must have
 * the same labels. Files are in the order of their names, whatever the file system's.
 *
 * A tree has splits if the folders in PATH hold folders. Files beside these, and hidden ones, are
 * left out.
 */
#include "base/folder.h"
#include "base/memory.h"
#include "dataset/image/set.h"

#include <string.h>

#define SHAPE "expected PATH/label/file or PATH/split/label/file"

/* What the entries of a folder are. */
typedef enum { SPLITS, LABELS, FILES } level;

typedef struct {
  crd_context *ctx;
  crd__dataset_store *store;
  crd__image_set *set;
  const char *split, *label; /* of the folder that is visited */
  size_t beside;             /* files that are in no label folder */
} scan;

/* ---- The tree. */

static crd_status add_file(scan *s, const char *path) {
  crd__dataset_store *const store = s->store;
  crd__image_file *file;
  CRD_TRY(crd__image_set_add(s->ctx, s->set, path, &file));
  CRD_TRY(crd__dataset_names_add(s->ctx, &store->alloc, &store->labels, s->label, &file->label));
  if (!s->split) return CRD_OK;
  return crd__dataset_names_add(s->ctx, &store->alloc, &store->splits, s->split, &file->split);
}

static crd_status visit(scan *s, const char *path, level at);

static crd_status visit_entry(scan *s, const char *path, const crd__folder_entry *entry, level at) {
  if (at == SPLITS) s->split = entry->name;
  if (at == LABELS) s->label = entry->name;
  if (at != FILES && entry->is_folder) return visit(s, path, at + 1);
  if (at == FILES && !entry->is_folder) return add_file(s, path);
  s->beside++;
  return at != FILES ? CRD_OK : crd__fail(s->ctx, CRD_EINPUT, "%.400s: is a folder; " SHAPE, path);
}

/* Visits the entries of a folder in their order. */
static crd_status visit(scan *s, const char *path, level at) {
  crd__folder folder;
  crd_status status = crd__folder_list(s->ctx, path, &folder);
  for (size_t i = 0; i < folder.count && status == CRD_OK; i++) {
    char *whole = NULL;
    status = crd__folder_join(s->ctx, path, folder.entries[i].name, &whole);
    if (status == CRD_OK) status = visit_entry(s, whole, &folder.entries[i], at);
    crd__free(&s->ctx->alloc, whole);
  }
  crd__folder_clear(&s->ctx->alloc, &folder);
  return status;
}

/* Sets *holds to whether a folder holds folders, *empty to whether it holds nothing. */
static crd_status look_into(crd_context *ctx, const char *path, const char *name, bool *holds,
                            bool *empty) {
  crd__folder folder = { 0 };
  char *whole = NULL;
  crd_status status = crd__folder_join(ctx, path, name, &whole);
  if (status == CRD_OK) status = crd__folder_list(ctx, whole, &folder);
  *holds = false;
  *empty = folder.count == 0;
  for (size_t i = 0; i < folder.count; i++) *holds = *holds || folder.entries[i].is_folder;
  crd__folder_clear(&ctx->alloc, &folder);
  crd__free(&ctx->alloc, whole);
  return status;
}

/* Sets *out to what the folders of PATH are; fails if only some of them hold folders. */
static crd_status find_level(crd_context *ctx, const char *path, const crd__folder *top,
                             level *out) {
  const char *with = NULL, *without = NULL;
  for (size_t i = 0; i < top->count; i++) {
    const crd__folder_entry *const entry = &top->entries[i];
    bool holds, empty;
    if (!entry->is_folder) continue;
    CRD_TRY(look_into(ctx, path, entry->name, &holds, &empty));
    if (!empty) *(holds ? &with : &without) = entry->name;
  }
  *out = with ? SPLITS : LABELS;
  if (with && without)
    return crd__fail(ctx, CRD_EINPUT,
                     "%.400s: '%.100s' holds folders, but '%.100s' holds files; " SHAPE, path, with,
                     without);
  if (with || without) return CRD_OK;
  return crd__fail(ctx, CRD_EINPUT, "%.400s: found no folders with images; " SHAPE, path);
}

static crd_status visit_all(scan *s, const char *path) {
  crd__folder top;
  level at = LABELS;
  crd_status status = crd__folder_list(s->ctx, path, &top);
  if (status == CRD_OK) status = find_level(s->ctx, path, &top, &at);
  crd__folder_clear(&s->ctx->alloc, &top);
  CRD_TRY(status);
  CRD_TRY(visit(s, path, at));
  if (s->set->count == 0)
    return crd__fail(s->ctx, CRD_EINPUT, "%.400s: found no files in label folders; " SHAPE, path);
  if (s->beside == 0) return CRD_OK;
  return crd__notes_add(s->ctx, &s->store->alloc, &s->store->notes,
                        "%zu file%s beside the label folders left out", s->beside,
                        s->beside == 1 ? "" : "s");
}

/* ---- Labels of the splits. */

/* Appends "; only 'SPLIT' has 'a', 'b'": labels that the other split lacks. */
static void list_extra(const crd__dataset_store *store, const bool *has, int64_t split,
                       int64_t other, crd__text *out) {
  const size_t labels = store->labels.count;
  size_t count = 0;
  for (size_t k = 0; k < labels; k++) {
    if (!has[(size_t)split * labels + k] || has[(size_t)other * labels + k]) continue;
    if (count++ == 0) crd__text_addf(out, "; only '%.60s' has ", store->splits.names[split]);
    else crd__text_add(out, ", ");
    crd__text_addf(out, "'%.60s'", store->labels.names[k]);
  }
}

static crd_status compare(crd_context *ctx, const char *path, const crd__dataset_store *store,
                          const bool *has) {
  const char *const *const splits = (const char *const *)store->splits.names;
  for (int64_t i = 1; i < (int64_t)store->splits.count; i++) {
    crd__text text;
    crd__text_init(&text, &ctx->alloc);
    list_extra(store, has, 0, i, &text);
    list_extra(store, has, i, 0, &text);
    crd_status status = crd__text_status(ctx, &text);
    if (status == CRD_OK && text.length)
      status =
          crd__fail(ctx, CRD_EINPUT, "%.300s: the label folders of '%.60s' and '%.60s' differ%s",
                    path, splits[0], splits[i], text.bytes);
    crd__text_clear(&text);
    CRD_TRY(status);
  }
  return CRD_OK;
}

/* Fails unless all splits have the same labels. With a map of labels, folders may differ. */
static crd_status compare_splits(crd_context *ctx, const crd__dataset_request *request,
                                 const crd__dataset_store *store, const crd__image_set *set) {
  const size_t labels = store->labels.count;
  bool *has; /* (split, label) */
  if (request->options->label_map) return CRD_OK;
  CRD_TRY(crd__new(ctx, store->splits.count * labels, sizeof *has, "labels", &has));
  for (size_t i = 0; i < set->count && store->splits.count; i++)
    has[(size_t)set->files[i].split * labels + (size_t)set->files[i].label] = true;
  const crd_status status = compare(ctx, request->path, store, has);
  crd__free(&ctx->alloc, has);
  return status;
}

/* ---- The kind. */

static crd_status folder_open(crd_context *ctx, const crd__dataset_request *request,
                              crd__dataset_store *store) {
  scan s = { .ctx = ctx, .store = store };
  if (!request->path)
    return crd__fail(ctx, CRD_EUSAGE, "%.400s: expected folder:PATH", request->data);
  CRD_TRY(crd__image_set_create(ctx, store, &s.set));
  CRD_TRY(visit_all(&s, request->path));
  CRD_TRY(compare_splits(ctx, request, store, s.set));
  return crd__image_set_finish(ctx, request, store, s.set);
}

const crd__dataset_kind crd__dataset_kind_folder = {
  .info = { .name = "folder",
            .summary = "images (PNG, JPEG) as PATH/label/file or PATH/split/label/file",
            .path = "the folder",
            .splits = NULL,
            .reference = "" },
  .open = folder_open,
  .bytes = crd__image_set_bytes,
  .decode = crd__image_set_decode,
  .source = crd__image_set_source,
  .close = crd__image_set_close,
};
