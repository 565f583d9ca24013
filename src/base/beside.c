/*
 * beside.c -- open a file that another file refers to.
 *
 * Such a name is untrusted: it may lead down from the folder of the file that has it, never up or
 * elsewhere, not even through symbolic links. The resolved name, which has no links, is opened.
 */
#define _XOPEN_SOURCE 700 /* for realpath */
#include "base/file.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Returns whether one of the parts between slashes is "..". */
static bool goes_up(const char *name) {
  for (const char *at = name; at; at = strchr(at, '/')) {
    at += *at == '/';
    if (at[0] == '.' && at[1] == '.' && (at[2] == '/' || at[2] == '\0')) return true;
  }
  return false;
}

static bool is_below(const char *file, const char *folder) {
  const size_t length = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
  return strncmp(file, folder, length) == 0 && file[length] == '/';
}

/* Returns `name` in the folder of `path`, to be freed; NULL: no memory. */
static char *join(const crd_allocator *alloc, const char *path, const char *name) {
  const char *const slash = strrchr(path, '/');
  const size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
  const size_t room = folder + strlen(name) + 3;
  char *const joined = crd__resize(alloc, NULL, room, 1);
  if (joined) snprintf(joined, room, "%s%.*s%s", slash ? "" : "./", (int)folder, path, name);
  return joined;
}

static crd_status judge(crd_context *ctx, const char *joined, const char *name, const char *folder,
                        const char *file) {
  struct stat info;
  if (!folder || !file || stat(file, &info) != 0) {
    (void)crd__fail_errno(ctx, joined, "cannot open");
    return CRD_EINPUT; /* whatever the system's reason: the name comes from the input */
  }
  if (!is_below(file, folder))
    return crd__fail(ctx, CRD_EINPUT,
                     "'%.200s' is outside the folder of the file that refers to it", name);
  if (!S_ISREG(info.st_mode))
    return crd__fail(ctx, CRD_EINPUT, "'%.200s' is not a regular file", name);
  return CRD_OK;
}

crd_status crd__blob_open_beside(crd_context *ctx, const char *path, const char *name,
                                 crd__blob *out) {
  *out = (crd__blob){ 0 };
  if (*name == '\0' || *name == '/' || goes_up(name))
    return crd__fail(ctx, CRD_EINPUT,
                     "'%.200s' does not name a file in the same folder or below it: it must not be "
                     "empty, begin with '/' or have a part '..'",
                     name);
  char *const joined = join(&ctx->alloc, path, name), *const here = join(&ctx->alloc, path, ".");
  if (!joined || !here) {
    crd__free(&ctx->alloc, joined);
    crd__free(&ctx->alloc, here);
    return crd__fail(ctx, CRD_ENOMEM, "no memory for a file name");
  }
  char *const folder = realpath(here, NULL), *const file = realpath(joined, NULL);
  crd_status status = judge(ctx, joined, name, folder, file);
  if (status == CRD_OK) status = crd__blob_open(ctx, file, out);
  free(folder);
  free(file);
  crd__free(&ctx->alloc, joined);
  crd__free(&ctx->alloc, here);
  return status;
}
