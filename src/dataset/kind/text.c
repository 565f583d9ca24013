/*
 * text.c -- texts in a folder for each class, as 20 Newsgroups: PATH[/SPLIT]/CLASS/FILE.
 *
 * PATH is a folder, or an archive (tar, zip) that is read as if it were unpacked. The folders in
 * PATH are splits if most files are two folders deep, and classes otherwise; files at other depths
 * are left out, with a note. If all files are in one folder, and some are three folders deep, that
 * one is entered first, since many archives have it.
 * A split #NAME is the folder called NAME; else the one whose name ends in NAME behind a character
 * that is no letter or digit (20news-bydate-train); else the one whose name contains NAME.
 * Samples are sorted by the bytes of their paths. Texts are bytes: invalid UTF-8 is left to the
 * tokeniser. All of them stay in memory.
 */
#include "base/file.h"
#include "base/memory.h"
#include "dataset/kind.h"
#include "dataset/kind/text_files.h"

#include <string.h>

/* ---- Parts of a path. */

static size_t folders_of(const char *name) {
  size_t count = 0;
  for (; *name; name++) count += *name == '/';
  return count;
}

/* Returns the part of a path at an index, and its length. */
static const char *part_of(const char *name, size_t index, size_t *length) {
  for (; index > 0; index--) name = strchr(name, '/') + 1;
  *length = strcspn(name, "/");
  return name;
}

static bool same_part(const char *left, const char *right, size_t index) {
  size_t a, b;
  const char *const x = part_of(left, index, &a), *const y = part_of(right, index, &b);
  return a == b && memcmp(x, y, a) == 0;
}

/* ---- Splits and classes. */

typedef struct {
  crd_context *ctx;
  const crd__dataset_request *request;
  const char *path;
  crd__dataset_texts *texts;
  crd__dataset_store *store;
  size_t depth; /* folders above a sample: 2 with splits, else 1 */
} chooser;

/* Enters the folder that all files are in, if some are three folders deep. */
static void enter(crd__dataset_texts *t) {
  bool deep = false;
  for (size_t i = 0; i < t->count; i++) {
    const size_t folders = folders_of(t->files[i].name);
    if (folders == 0 || !same_part(t->files[i].name, t->files[0].name, 0)) return;
    deep = deep || folders > 2;
  }
  for (size_t i = 0; deep && i < t->count; i++) {
    const char *const rest = strchr(t->files[i].name, '/') + 1;
    memmove(t->files[i].name, rest, strlen(rest) + 1);
  }
}

static crd_status find_depth(chooser *c) {
  crd__dataset_texts *const t = c->texts;
  size_t one = 0, two = 0;
  for (size_t i = 0; i < t->count; i++) {
    const size_t folders = folders_of(t->files[i].name);
    one += folders == 1;
    two += folders == 2;
  }
  c->depth = two > one ? 2 : 1;
  if (one + two == 0)
    return crd__fail(c->ctx, CRD_EINPUT,
                     "%.400s: found %zu files, and none in a folder of its class: expected "
                     "CLASS/FILE or SPLIT/CLASS/FILE",
                     c->path, t->count);
  const size_t other = t->count - (c->depth == 2 ? two : one);
  if (other == 0) return CRD_OK;
  return crd__notes_add(c->ctx, &c->store->alloc, &c->store->notes,
                        "%zu files are not used: they are not in %s", other,
                        c->depth == 2 ? "SPLIT/CLASS" : "CLASS");
}

static bool is_letter_or_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* How well a folder's name fits a split: 3 equals, 2 ends in it, 1 contains it, 0 not at all. */
static int fit(const char *folder, size_t length, const char *split) {
  const size_t tail = strlen(split);
  if (length < tail) return 0;
  if (memcmp(folder + length - tail, split, tail) == 0) {
    if (length == tail) return 3;
    if (!is_letter_or_digit(folder[length - tail - 1])) return 2;
  }
  for (size_t i = 0; i + tail <= length; i++)
    if (memcmp(folder + i, split, tail) == 0) return 1;
  return 0;
}

static crd_status refuse_split(const chooser *c, const char *split) {
  crd__text text;
  crd__text_init(&text, &c->ctx->alloc);
  const crd__dataset_texts *const t = c->texts;
  const char *last = NULL;
  for (size_t i = 0, shown = 0; i < t->count && shown < 8; i++) {
    size_t length;
    const char *const name = t->files[i].name;
    if (folders_of(name) != c->depth || (last && same_part(last, name, 0))) continue;
    const char *const part = part_of(name, 0, &length);
    crd__text_addf(&text, "%s%.*s", shown++ ? ", " : "", (int)(length < 60 ? length : 60), part);
    last = name;
  }
  const crd_status status = crd__fail(
      c->ctx, CRD_EUSAGE, "%.300s: no split '%.60s': found %s %s", c->path, split,
      c->depth == 2 ? "the splits" : "no splits, but the classes", text.bytes ? text.bytes : "");
  crd__text_clear(&text);
  return status;
}

/* Finds the folder of a split: a file in it. */
static crd_status find_split(const chooser *c, const char *split, const char **out) {
  const crd__dataset_texts *const t = c->texts;
  int best = 0;
  const char *other = NULL;
  *out = NULL;
  for (size_t i = 0; c->depth == 2 && i < t->count; i++) {
    size_t length;
    const char *const name = t->files[i].name, *const part = part_of(name, 0, &length);
    const int how = folders_of(name) == 2 ? fit(part, length, split) : 0;
    if (how == 0 || how < best) continue;
    if (how > best) {
      *out = name;
      other = NULL;
    } else if (!same_part(name, *out, 0)) other = name;
    best = how;
  }
  if (!*out) return refuse_split(c, split);
  if (!other) return CRD_OK;
  size_t a, b;
  const char *const x = part_of(*out, 0, &a), *const y = part_of(other, 0, &b);
  return crd__fail(c->ctx, CRD_EUSAGE, "%.300s: split '%.60s' could be %.*s or %.*s", c->path,
                   split, (int)(a < 60 ? a : 60), x, (int)(b < 60 ? b : 60), y);
}

/* ---- Samples. */

/* Marks the files of a split, or all of the right depth. */
static crd_status mark(const chooser *c, const char *split, size_t position) {
  for (size_t i = 0; i < c->texts->count; i++) {
    crd__dataset_text_file *const file = &c->texts->files[i];
    if (folders_of(file->name) != c->depth) continue;
    if (split && !same_part(file->name, split, 0)) continue;
    if (file->split != SIZE_MAX)
      return crd__fail(c->ctx, CRD_EUSAGE, "%.400s: splits '%.60s' and '%.60s' are one folder",
                       c->request->data, c->request->splits[file->split],
                       c->request->splits[position]);
    file->split = position;
  }
  return CRD_OK;
}

static crd_status choose(chooser *c) {
  const crd__dataset_request *const request = c->request;
  enter(c->texts);
  CRD_TRY(find_depth(c));
  for (size_t i = 0; i < c->texts->count; i++) c->texts->files[i].split = SIZE_MAX;
  if (request->split_count == 0) CRD_TRY(mark(c, NULL, 0));
  for (size_t k = 0; k < request->split_count; k++) {
    const char *split;
    CRD_TRY(find_split(c, request->splits[k], &split));
    CRD_TRY(mark(c, split, k));
  }
  crd__dataset_texts_sort(&c->store->alloc, c->texts);
  return CRD_OK;
}

static crd_status label(const chooser *c) {
  crd__dataset_store *const store = c->store;
  crd__text name;
  crd_status status = CRD_OK;
  crd__text_init(&name, &c->ctx->alloc);
  store->count = c->texts->count;
  for (size_t i = 0; i < store->count && status == CRD_OK; i++) {
    size_t length;
    const char *const class = part_of(c->texts->files[i].name, c->depth - 1, &length);
    name.length = 0;
    crd__text_add_bytes(&name, class, length);
    status = crd__text_status(c->ctx, &name);
    if (status == CRD_OK)
      status = crd__dataset_names_set(c->ctx, &store->alloc, &store->labels, store->count, i,
                                      name.bytes);
  }
  crd__text_clear(&name);
  if (status != CRD_OK) return status;
  return crd__dataset_names_sort(c->ctx, &store->alloc, &store->labels, store->count);
}

static crd_status text_open(crd_context *ctx, const crd__dataset_request *request,
                            crd__dataset_store *store) {
  crd__dataset_texts *texts;
  if (!request->path)
    return crd__fail(ctx, CRD_EUSAGE, "%.400s: expected text:PATH, a folder or an archive",
                     request->data);
  CRD_TRY(crd__new(ctx, 1, sizeof *texts, "a dataset", &texts));
  store->self = texts;
  store->type = CRD_SAMPLES_TEXTS;
  chooser c = { .ctx = ctx, .request = request, .path = request->path, .texts = texts };
  c.store = store;
  CRD_TRY(crd__dataset_texts_list(ctx, request->path, texts));
  CRD_TRY(choose(&c));
  CRD_TRY(label(&c));
  if (!crd__folder_exists(request->path)) return CRD_OK;
  return crd__dataset_texts_read(ctx, request->path, texts);
}

static crd__dataset_text text_text(const crd__dataset_store *store, size_t index) {
  const crd__dataset_texts *const texts = store->self;
  const crd__dataset_text_file *const file = &texts->files[index];
  const char *const bytes = file->length ? texts->bytes.bytes + file->offset : "";
  return (crd__dataset_text){ .bytes = bytes, .length = file->length };
}

static const char *text_source(const crd__dataset_store *store, size_t index) {
  return ((const crd__dataset_texts *)store->self)->files[index].name;
}

static void text_close(const crd_allocator *alloc, void *self) {
  crd__dataset_texts_clear(alloc, self);
  crd__free(alloc, self);
}

const crd__dataset_kind crd__dataset_kind_text = {
  .info = { .name = "text",
            .summary = "texts in a folder for each class, as 20 Newsgroups",
            .path = "folder or archive (tar, tar.gz, tar.xz, zip) of CLASS/FILE or "
                    "SPLIT/CLASS/FILE",
            .splits = NULL,
            .reference = "Lang: NewsWeeder: learning to filter netnews. ICML 1995" },
  .open = text_open,
  .text = text_text,
  .source = text_source,
  .close = text_close,
};
