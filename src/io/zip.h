/* zip.h -- write an archive of stored members. */
#ifndef CRD_IO_ZIP_H
#define CRD_IO_ZIP_H

#include "io/write.h"

#include <stdbool.h>

uint32_t crd__crc32(uint32_t crc, const void *bytes, size_t count);

typedef struct crd__zip crd__zip;

crd_status crd__zip_open(crd_context *ctx, const crd__sink *sink, crd__zip **out);
/* A member: its head (a file header, say) and then the elements of the array. Content begins at a
 * multiple of 64 in the archive. */
crd_status crd__zip_add(crd_context *ctx, crd__zip *zip, const char *name, const void *head,
                        size_t head_bytes, const crd__array *array);
/* Write the directory; the archive is released either way. */
crd_status crd__zip_close(crd_context *ctx, crd__zip *zip);
void crd__zip_discard(crd__zip *zip);

#endif
