/* text_files.c -- lists the files of a folder or an archive, in the same order. */
#include "dataset/kind/text_files.h"

#include "base/file.h"
#include "base/folder.h"
#include "base/memory.h"
#include "io/archive.h"

#include <stdlib.h>
#include <string.h>

enum { FOLDERS_MAX = 3 };

void crd__dataset_texts_clear(const crd_allocator *alloc, crd__dataset_texts *texts) {
  for (size_t i = 0; i < texts->count; i++) crd__free(alloc, texts->files[i].name);
  crd__free(alloc, texts->files);
  crd__text_clear(&texts->bytes);
}

static crd_status add_file(crd_context *ctx, crd__dataset_texts *t, const char *name, size_t offset,
                           size_t length) {
  if (t->count == t->capacity) {
    const size_t capacity = t->capacity ? t->capacity * 2 : 256;
    crd__dataset_text_file *const files =
        crd__resize(&ctx->alloc, t->files, capacity, sizeof *files);
    if (!files) return crd__fail(ctx, CRD_ENOMEM, "no memory for %zu file names", capacity);
    t->files = files;
    t->capacity = capacity;
  }
  char *const copy = crd__strdup(&ctx->alloc, name);
  if (!copy) return crd__fail(ctx, CRD_ENOMEM, "no memory for a file name");
  t->files[t->count++] =
      (crd__dataset_text_file){ .name = copy, .offset = offset, .length = length };
  return CRD_OK;
}

static crd_status walk(crd_context *ctx, crd__dataset_texts *t, const char *path, const char *below,
                       size_t depth);

static crd_status walk_entry(crd_context *ctx, crd__dataset_texts *t, const char *path,
                             const char *below, size_t depth, const crd__folder_entry *entry) {
  char *name = NULL, *inner = NULL;
  crd_status status = CRD_OK;
  if (*below) status = crd__folder_join(ctx, below, entry->name, &name);
  const char *const whole = *below ? name : entry->name;
  if (status == CRD_OK && !entry->is_folder) status = add_file(ctx, t, whole, 0, 0);
  else if (status == CRD_OK && depth < FOLDERS_MAX) {
    status = crd__folder_join(ctx, path, entry->name, &inner);
    if (status == CRD_OK) status = walk(ctx, t, inner, whole, depth + 1);
  }
  crd__free(&ctx->alloc, inner);
  crd__free(&ctx->alloc, name);
  return status;
}

/* NOLINTNEXTLINE(misc-no-recursion): at most FOLDERS_MAX deep */
static crd_status walk(crd_context *ctx, crd__dataset_texts *t, const char *path, const char *below,
                       size_t depth) {
  crd__folder folder;
  crd_status status = crd__folder_list(ctx, path, &folder);
  for (size_t i = 0; status == CRD_OK && i < folder.count; i++)
    status = walk_entry(ctx, t, path, below, depth, &folder.entries[i]);
  crd__folder_clear(&ctx->alloc, &folder);
  return status;
}

static bool is_hidden(const char *name) {
  for (const char *at = name; at; at = strchr(at, '/')) {
    at += *at == '/';
    if (*at == '.' || *at == '\0' || *at == '/') return true;
  }
  return false;
}

static crd_status list_archive(crd_context *ctx, crd__dataset_texts *t, const void *bytes,
                               size_t length) {
  crd__io_archive archive;
  crd_status status = crd__io_archive_read(ctx, bytes, length, &archive);
  for (size_t i = 0; status == CRD_OK && i < archive.count; i++) {
    const crd__io_member *const member = &archive.members[i];
    if (!is_hidden(member->name))
      status = add_file(ctx, t, member->name, member->offset, member->length);
  }
  if (status == CRD_OK) {
    t->bytes.bytes = archive.bytes;
    t->bytes.length = archive.length;
    t->bytes.capacity = archive.reserved;
    archive.bytes = NULL;
  }
  crd__io_archive_clear(&ctx->alloc, &archive);
  return status;
}

static int compare(const void *left, const void *right) {
  const crd__dataset_text_file *const a = left, *const b = right;
  if (a->split != b->split) return a->split < b->split ? -1 : 1;
  return strcmp(a->name, b->name);
}

void crd__dataset_texts_sort(const crd_allocator *alloc, crd__dataset_texts *texts) {
  size_t kept = 0;
  for (size_t i = 0; i < texts->count; i++) {
    if (texts->files[i].split == SIZE_MAX) crd__free(alloc, texts->files[i].name);
    else texts->files[kept++] = texts->files[i];
  }
  texts->count = kept;
  if (kept) qsort(texts->files, kept, sizeof *texts->files, compare);
}

/* ---- Reading. */

static crd_status list_file(crd_context *ctx, crd__dataset_texts *t, const char *path) {
  crd__blob blob;
  CRD_TRY(crd__blob_open(ctx, path, &blob));
  const crd_status status = list_archive(ctx, t, blob.bytes, blob.length);
  crd__blob_close(&ctx->alloc, &blob);
  return status == CRD_EINPUT ? crd__fail_in(ctx, status, path) : status;
}

crd_status crd__dataset_texts_list(crd_context *ctx, const char *path, crd__dataset_texts *texts) {
  crd__text_init(&texts->bytes, &ctx->alloc);
  if (crd__folder_exists(path)) CRD_TRY(walk(ctx, texts, path, "", 0));
  else CRD_TRY(list_file(ctx, texts, path));
  crd__dataset_texts_sort(&ctx->alloc, texts);
  return CRD_OK;
}

static crd_status read_file(crd_context *ctx, const char *path, crd__dataset_texts *texts,
                            crd__dataset_text_file *file) {
  crd__blob blob;
  CRD_TRY(crd__blob_open(ctx, path, &blob));
  file->offset = texts->bytes.length;
  file->length = blob.length;
  crd__text_add_bytes(&texts->bytes, (const char *)blob.bytes, blob.length);
  crd__blob_close(&ctx->alloc, &blob);
  CRD_TRY(crd__text_status(ctx, &texts->bytes));
  return crd__check_interrupt(ctx);
}

crd_status crd__dataset_texts_read(crd_context *ctx, const char *path, crd__dataset_texts *texts) {
  crd_status status = CRD_OK;
  for (size_t i = 0; i < texts->count && status == CRD_OK; i++) {
    char *whole = NULL;
    status = crd__folder_join(ctx, path, texts->files[i].name, &whole);
    if (status == CRD_OK) status = read_file(ctx, whole, texts, &texts->files[i]);
    crd__free(&ctx->alloc, whole);
  }
  return status;
}
