/* content.h -- the bytes of a file, decompressed if they are gzipped, for readers that are no array
 * format. */
#ifndef CRD_IO_CONTENT_H
#define CRD_IO_CONTENT_H

#include "base/file.h"

/* All zero is closed. */
typedef struct {
  crd__blob blob;
  void *inflated;             /* NULL: the file is not gzipped */
  const unsigned char *bytes; /* of the mapped file, or inflated; NULL: closed */
  size_t length;
} crd__io_content;

/* Opens a file; messages begin with its path. EINPUT if it is missing, empty or damaged. Release
 * with close, also after failure. */
crd_status crd__io_content_open(crd_context *ctx, const char *path, crd__io_content *out);
void crd__io_content_close(const crd_allocator *alloc, crd__io_content *content);

#endif
