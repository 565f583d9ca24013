/*
 * files.c -- lists the files of a.npz,b.npz or 'shard-*.npz', sorted by the bytes of their names:
 * the order of the rows must not depend on the locale, nor on the order in which a folder lists its
 * files.
 */
#include "io/files.h"

#include "base/file.h"
#include "base/memory.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

static bool is_pattern(const char *name) { return strpbrk(name, "*?[") != NULL; }

static crd_status add(crd_context *ctx, crd__io_files *files, const char *name) {
  char **const items = crd__resize(&ctx->alloc, files->items, files->count + 1, sizeof *items);
  if (items) files->items = items;
  char *const copy = items ? crd__strdup(&ctx->alloc, name) : NULL;
  if (!copy) return crd__fail(ctx, CRD_ENOMEM, "no memory for the names of files");
  files->items[files->count++] = copy;
  return CRD_OK;
}

static crd_status add_matches(crd_context *ctx, crd__io_files *files, const char *pattern) {
  glob_t found = { .gl_pathc = 0 };
  const int code = glob(pattern, GLOB_NOSORT, NULL, &found);
  crd_status status = CRD_OK;
  if (code == GLOB_NOSPACE) status = crd__fail(ctx, CRD_ENOMEM, "no memory for matching files");
  else if (code) status = crd__fail(ctx, CRD_EINPUT, "%s: no file matches this pattern", pattern);
  for (size_t i = 0; status == CRD_OK && i < found.gl_pathc; i++)
    status = add(ctx, files, found.gl_pathv[i]);
  globfree(&found);
  return status;
}

static crd_status add_item(crd_context *ctx, crd__io_files *files, const char *name,
                           const char *whole) {
  if (!*name)
    return crd__fail(ctx, CRD_EUSAGE, "'%s': found an empty name, expected FILE,FILE", whole);
  if (crd__file_exists(name)) return add(ctx, files, name);
  if (is_pattern(name)) return add_matches(ctx, files, name);
  return crd__fail(ctx, CRD_EINPUT, "%s: no such file; '%s' is read as several files", name, whole);
}

static crd_status add_all(crd_context *ctx, crd__io_files *files, char *names, const char *whole) {
  for (char *at = names, *comma; at; at = comma ? comma + 1 : NULL) {
    comma = strchr(at, ',');
    if (comma) *comma = '\0';
    CRD_TRY(add_item(ctx, files, at, whole));
  }
  return CRD_OK;
}

static int by_bytes(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

crd_status crd__io_files_list(crd_context *ctx, const char *name, crd__io_files *out) {
  *out = (crd__io_files){ 0 };
  if ((!strchr(name, ',') && !is_pattern(name)) || crd__file_exists(name)) return CRD_OK;
  char *const names = crd__strdup(&ctx->alloc, name);
  if (!names) return crd__fail(ctx, CRD_ENOMEM, "no memory for the names of files");
  const crd_status status = add_all(ctx, out, names, name);
  crd__free(&ctx->alloc, names);
  if (status != CRD_OK || !out->items) return status;
  qsort(out->items, out->count, sizeof *out->items, by_bytes);
  for (size_t i = 1; i < out->count; i++)
    if (strcmp(out->items[i - 1], out->items[i]) == 0)
      return crd__fail(ctx, CRD_EUSAGE, "'%s' has the file %s twice, expected different files",
                       name, out->items[i]);
  return CRD_OK;
}

crd_status crd__io_files_list_all(crd_context *ctx, const char *name, crd__io_files *out) {
  CRD_TRY(crd__io_files_list(ctx, name, out));
  return out->count ? CRD_OK : add(ctx, out, name);
}

void crd__io_files_clear(const crd_allocator *alloc, crd__io_files *files) {
  for (size_t i = 0; i < files->count; i++) crd__free(alloc, files->items[i]);
  crd__free(alloc, files->items);
  *files = (crd__io_files){ 0 };
}

crd_status crd__io_files_exist(crd_context *ctx, const char *name, bool *out) {
  crd__io_files files;
  *out = crd__file_exists(name);
  if (*out) return CRD_OK;
  const crd_status status = crd__io_files_list(ctx, name, &files);
  *out = status == CRD_OK && files.count > 0;
  crd__io_files_clear(&ctx->alloc, &files);
  return status == CRD_ENOMEM ? status : CRD_OK;
}
