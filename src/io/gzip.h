/* gzip.h -- gzip as a filter, before a format reads and after it has written. */
#ifndef CRD_IO_GZIP_H
#define CRD_IO_GZIP_H

#include "io/write.h"

#include <stdbool.h>

/* A file that expands beyond this and more than CRD__BOMB_RATIO-fold is refused. */
enum { CRD__BOMB_BYTES = 256 << 20, CRD__BOMB_RATIO = 200 };

bool crd__io_gzip_recognise(const unsigned char *bytes, size_t length);
/* *out = the content, to be freed by the caller. */
crd_status crd__io_gzip_inflate(crd_context *ctx, const unsigned char *bytes, size_t length,
                                void **out, size_t *out_length);

typedef struct crd__io_gzip crd__io_gzip;
/* A sink that deflates into another one. `close` writes the end and releases it; with ok false it
 * only releases. */
crd_status crd__io_gzip_open(crd_context *ctx, const crd__io_sink *below, crd__io_gzip **out);
crd_status crd__io_gzip_write(crd_context *ctx, void *self, const void *bytes, size_t count);
crd_status crd__io_gzip_close(crd_context *ctx, crd__io_gzip *gzip, bool ok);

#endif
