/*
 * unzip.h -- reads zip archives member by member, for NumPy's .npz and PyTorch's .pt.
 *
 * unzip.c reads them through libarchive, unzip_stored.c in lean builds by itself; the latter fails
 * with EABSENT on members that are compressed.
 */
#ifndef CRD_IO_UNZIP_H
#define CRD_IO_UNZIP_H

#include "io/bundle.h"

#include <string.h>

/* An archive and its current member. */
typedef struct crd__io_unzip crd__io_unzip;

/* Returns whether the file begins like a zip archive, possibly an empty one. */
static inline bool crd__io_unzip_recognise(const unsigned char *bytes, size_t length) {
  return length >= 4 && (memcmp(bytes, "PK\3\4", 4) == 0 || memcmp(bytes, "PK\5\6", 4) == 0 ||
                         memcmp(bytes, "PK\6\6", 4) == 0);
}

/* Opens the archive of a bundle's bytes, which must outlive it. */
crd_status crd__io_unzip_open(crd_context *ctx, const crd__io_bundle *bundle, crd__io_unzip **out);
/* Releases it; NULL is allowed. */
void crd__io_unzip_close(crd__io_unzip *zip);
/* Advances to the next member and sets *name, which is valid until the next call; NULL after the
 * last one. */
crd_status crd__io_unzip_next(crd_context *ctx, crd__io_unzip *zip, const char **name);
/* Reads the member's size from the archive's directory; fails with EINPUT on encrypted members, and
 * on sizes that deflate cannot reach or beyond CRD__BOMB_RATIO. */
crd_status crd__io_unzip_size(crd_context *ctx, const crd__io_unzip *zip, uint64_t *size);

/* Sets *found to the content of the current member within the bundle's bytes. *found stays NULL if
 * it is compressed; the archive must then be opened again to read it. */
crd_status crd__io_unzip_in_place(crd_context *ctx, crd__io_unzip *zip, uint64_t size,
                                  const unsigned char **found);
crd_status crd__io_unzip_read(crd_context *ctx, crd__io_unzip *zip, unsigned char *out,
                              size_t count);
/* Fails with EINPUT if data is left or the CRC is wrong. */
crd_status crd__io_unzip_finish(crd_context *ctx, crd__io_unzip *zip);

#endif
