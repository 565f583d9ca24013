/* archive_absent.c -- archives in lean builds, without libarchive: fail with EABSENT. */
#include "io/archive.h"

crd_status crd__io_archive_read(crd_context *ctx, const void *bytes, size_t length,
                                crd__io_archive *out) {
  (void)bytes;
  (void)length;
  *out = (crd__io_archive){ 0 };
  return crd__fail(ctx, CRD_EABSENT,
                   "archives need the library libarchive, which a lean build leaves out");
}

void crd__io_archive_clear(const crd_allocator *alloc, crd__io_archive *archive) {
  (void)alloc;
  (void)archive;
}
