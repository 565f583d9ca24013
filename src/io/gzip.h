/* gzip.h -- decompresses files before a format reads them, and compresses what a format writes. */
#ifndef CRD_IO_GZIP_H
#define CRD_IO_GZIP_H

#include "io/write.h"

#include <stdbool.h>

/* Files that expand beyond CRD__BOMB_BYTES and more than CRD__BOMB_RATIO-fold fail with EINPUT. */
enum { CRD__BOMB_BYTES = 256 << 20, CRD__BOMB_RATIO = 200 };

static inline bool crd__io_gzip_recognise(const unsigned char *bytes, size_t length) {
  return length >= 3 && bytes[0] == 0x1f && bytes[1] == 0x8b && bytes[2] == 8;
}
/* Sets *out to the content, to be freed by the caller; fails with EINPUT if it is damaged. */
crd_status crd__io_gzip_inflate(crd_context *ctx, const unsigned char *bytes, size_t length,
                                void **out, size_t *out_length);

typedef struct crd__io_gzip crd__io_gzip;
/* A sink that compresses into another one. `close` writes the end and releases it; with ok false it
 * only releases. */
crd_status crd__io_gzip_open(crd_context *ctx, const crd__io_sink *below, crd__io_gzip **out);
crd_status crd__io_gzip_write(crd_context *ctx, void *self, const void *bytes, size_t count);
crd_status crd__io_gzip_close(crd_context *ctx, crd__io_gzip *gzip, bool ok);

#endif
