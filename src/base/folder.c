/* folder.c -- lists folders, sorted: readdir's order differs between file systems and copies. */
#include "base/folder.h"

#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *crd__folder_of_variable(const char *variable) {
  const char *const folder = getenv(variable);
  return folder && *folder ? folder : NULL;
}

crd_status crd__folder_join(crd_context *ctx, const char *folder, const char *name, char **out) {
  const size_t length = strlen(folder), room = length + strlen(name) + 2;
  CRD_TRY(crd__new(ctx, room, 1, "a file name", out));
  const bool ended = length > 0 && folder[length - 1] == '/';
  snprintf(*out, room, "%s%s%s", folder, ended ? "" : "/", name);
  return CRD_OK;
}

/* ---- Listing. */

static int compare(const void *left, const void *right) {
  const crd__folder_entry *const a = left, *const b = right;
  return strcmp(a->name, b->name);
}

static crd_status add(crd_context *ctx, crd__folder *folder, const char *name, bool is_folder) {
  if (folder->count == folder->capacity) {
    const size_t capacity = folder->capacity ? folder->capacity * 2 : 32;
    crd__folder_entry *const entries =
        crd__resize(&ctx->alloc, folder->entries, capacity, sizeof *entries);
    if (!entries) return crd__fail(ctx, CRD_ENOMEM, "no memory for %zu file names", capacity);
    folder->entries = entries;
    folder->capacity = capacity;
  }
  char *const copy = crd__strdup(&ctx->alloc, name);
  if (!copy) return crd__fail(ctx, CRD_ENOMEM, "no memory for a file name");
  folder->entries[folder->count++] = (crd__folder_entry){ .name = copy, .is_folder = is_folder };
  return CRD_OK;
}

/* Examines the file itself: not every file system tells its type when listed. */
static crd_status examine(crd_context *ctx, const char *path, const char *name,
                          crd__folder *folder) {
  struct stat info;
  char *whole = NULL;
  CRD_TRY(crd__folder_join(ctx, path, name, &whole));
  const bool found = stat(whole, &info) == 0;
  crd__free(&ctx->alloc, whole);
  if (!found || (!S_ISDIR(info.st_mode) && !S_ISREG(info.st_mode))) return CRD_OK;
  return add(ctx, folder, name, S_ISDIR(info.st_mode));
}

static crd_status read_entries(crd_context *ctx, const char *path, DIR *directory,
                               crd__folder *out) {
  for (;;) {
    errno = 0;
    const struct dirent *const entry = readdir(directory);
    if (!entry) return errno ? crd__fail_errno(ctx, path, "cannot list") : CRD_OK;
    if (entry->d_name[0] != '.') CRD_TRY(examine(ctx, path, entry->d_name, out));
    CRD_TRY(crd__check_interrupt(ctx));
  }
}

crd_status crd__folder_list(crd_context *ctx, const char *path, crd__folder *out) {
  *out = (crd__folder){ 0 };
  DIR *const directory = opendir(path);
  if (!directory) return crd__fail_errno(ctx, path, "cannot list");
  const crd_status status = read_entries(ctx, path, directory, out);
  closedir(directory);
  if (status == CRD_OK && out->count)
    qsort(out->entries, out->count, sizeof *out->entries, compare);
  return status;
}

void crd__folder_clear(const crd_allocator *alloc, crd__folder *folder) {
  for (size_t i = 0; i < folder->count; i++) crd__free(alloc, folder->entries[i].name);
  crd__free(alloc, folder->entries);
  *folder = (crd__folder){ 0 };
}
