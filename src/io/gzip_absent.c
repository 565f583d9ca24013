/* gzip_absent.c -- gzip in lean builds, without libarchive: recognised, fails with EABSENT. */
#include "io/gzip.h"

static crd_status absent(crd_context *ctx) {
  return crd__fail(ctx, CRD_EABSENT,
                   "gzip needs the library libarchive, which a lean build leaves out");
}

crd_status crd__io_gzip_inflate(crd_context *ctx, const unsigned char *bytes, size_t length,
                                void **out, size_t *out_length) {
  (void)bytes;
  (void)length;
  (void)out;
  (void)out_length;
  return absent(ctx);
}

crd_status crd__io_gzip_open(crd_context *ctx, const crd__io_sink *below, crd__io_gzip **out) {
  (void)below;
  (void)out;
  return absent(ctx);
}

crd_status crd__io_gzip_write(crd_context *ctx, void *self, const void *bytes, size_t count) {
  (void)self;
  (void)bytes;
  (void)count;
  return absent(ctx);
}

crd_status crd__io_gzip_close(crd_context *ctx, crd__io_gzip *gzip, bool ok) {
  (void)gzip;
  (void)ok;
  return absent(ctx);
}
