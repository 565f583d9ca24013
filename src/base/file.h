/* file.h -- files come in through a mapping, and go out whole or not at all. */
#ifndef CRD_BASE_FILE_H
#define CRD_BASE_FILE_H

#include "base/context.h"

#include <sys/types.h>

/* The system calls that can fail; tests put failing ones in their place. */
struct crd__file_ops {
  int (*open)(const char *path, int flags, mode_t mode);
  ssize_t (*read)(int fd, void *bytes, size_t count);
  ssize_t (*write)(int fd, const void *bytes, size_t count);
  void *(*map)(int fd, size_t length); /* NULL on failure, errno set */
  int (*sync)(int fd);
  int (*close)(int fd);
  int (*rename)(const char *from, const char *to);
};
extern const crd__file_ops crd__system_files;

/* A whole file in memory: mapped where possible, read where it is a pipe. */
typedef struct {
  const unsigned char *bytes; /* never NULL after open, even when length is 0 */
  size_t length;
  bool mapped;
} crd__blob;

/* Open for reading; "-" is standard input. A directory, an unreadable or missing file fail with a
 * sentence that begins with the path. */
crd_status crd__blob_open(crd_context *ctx, const char *path, crd__blob *out);
/* A regular file that the file `path` calls `name`: in the same folder or below it, and not through
 * links that lead elsewhere. EINPUT says nothing of `path`. */
crd_status crd__blob_open_beside(crd_context *ctx, const char *path, const char *name,
                                 crd__blob *out);
/* Pages that were looked at need not stay in memory: systems map far more around each than asked
 * for. They come back when they are read again. */
void crd__blob_drop_pages(const crd__blob *blob);
/* The same now and then, for who walks through a large one and calls it behind each part: what was
 * looked at up to there must not be needed soon. NULL: no blob, nothing to do. */
void crd__blob_drop_behind(const crd__blob *blob, const unsigned char *part, size_t length);
void crd__blob_close(const crd_allocator *alloc, crd__blob *blob);

/* Its name, as it was opened; NULL: standard output. */
const char *crd__output_path(const crd_output *output);
/* Do both files lie, or would they, in one folder? */
bool crd__same_folder(const char *path, const char *other);

/* Does a file (of any type) of this name exist? */
bool crd__file_exists(const char *path);

#endif
