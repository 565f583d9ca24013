/* file.h -- mapped input files, atomically written output files. */
#ifndef CRD_BASE_FILE_H
#define CRD_BASE_FILE_H

#include "base/context.h"

#include <sys/types.h>

/* The system calls that can fail; replaced by failing ones in tests. */
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

/* A whole file in memory: mapped if possible; read if it is a pipe. */
typedef struct {
  const unsigned char *bytes; /* never NULL after open, even if length is 0 */
  size_t length;
  bool mapped;
} crd__blob;

/* Opens a file for reading; "-" is standard input. Fails with a message that begins with the path
 * for a folder and for a missing or unreadable file. */
crd_status crd__blob_open(crd_context *ctx, const char *path, crd__blob *out);
/* Opens the regular file `name`, relative to the folder of the file `path`. CRD_EINPUT if it is
 * outside that folder, also through links; the message does not mention `path`. */
crd_status crd__blob_open_beside(crd_context *ctx, const char *path, const char *name,
                                 crd__blob *out);
/* Drops the pages of a mapping from memory, since systems map many more around each page that is
 * read. They are loaded again when read. */
void crd__blob_drop_pages(const crd__blob *blob);
/* Does so from time to time, for a caller that walks through a large blob and calls this after each
 * part. Data before the end of `part` should not be needed soon. `blob` NULL: does nothing. */
void crd__blob_drop_behind(const crd__blob *blob, const unsigned char *part, size_t length);
void crd__blob_close(const crd_allocator *alloc, crd__blob *blob);

/* Returns the path that was opened; NULL: standard output. */
const char *crd__output_path(const crd_output *output);
/* Returns whether both files are, or would be, in the same folder. */
bool crd__same_folder(const char *path, const char *other);

/* Returns whether a file (of any type) of this name exists. */
bool crd__file_exists(const char *path);
/* Returns whether it is a regular file, whose end can be read: no folder, pipe or device. */
bool crd__file_is_regular(const char *path);
/* Returns whether a folder of this name exists. */
bool crd__folder_exists(const char *path);

#endif
