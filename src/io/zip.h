/* zip.h -- write an archive of stored members. */
#ifndef CRD_IO_ZIP_H
#define CRD_IO_ZIP_H

#include "io/write.h"

#include <stdbool.h>

uint32_t crd__io_crc32(uint32_t crc, const void *bytes, size_t count);

typedef struct crd__io_zip crd__io_zip;

crd_status crd__io_zip_open(crd_context *ctx, const crd__io_sink *sink, crd__io_zip **out);
/* A member: its head (a file header, say) and then the elements of the array. Content begins at a
 * multiple of 64 in the archive. */
crd_status crd__io_zip_add(crd_context *ctx, crd__io_zip *zip, const char *name, const void *head,
                           size_t head_bytes, const crd__io_array *array);
/* Write the directory; the archive is released either way. */
crd_status crd__io_zip_close(crd_context *ctx, crd__io_zip *zip);
void crd__io_zip_discard(crd__io_zip *zip);

#endif
