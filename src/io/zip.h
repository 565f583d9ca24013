/* zip.h -- writes a zip archive of stored (uncompressed) members. */
#ifndef CRD_IO_ZIP_H
#define CRD_IO_ZIP_H

#include "io/write.h"

#include <stdbool.h>

uint32_t crd__io_crc32(uint32_t crc, const void *bytes, size_t count);

typedef struct crd__io_zip crd__io_zip;

crd_status crd__io_zip_open(crd_context *ctx, const crd__io_sink *sink, crd__io_zip **out);
/* Writes a member: `head` (such as an npy header), then the elements of the array. Its content
 * begins at a multiple of 64 in the archive. */
crd_status crd__io_zip_add(crd_context *ctx, crd__io_zip *zip, const char *name, const void *head,
                           size_t head_bytes, const crd__io_array *array);
/* Writes the directory and releases the archive, also on failure. */
crd_status crd__io_zip_close(crd_context *ctx, crd__io_zip *zip);
void crd__io_zip_discard(crd__io_zip *zip);

#endif
