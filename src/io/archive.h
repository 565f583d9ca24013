/* archive.h -- all files of an archive in memory: tar (plain, gz, bz2, xz, zst) and zip. */
#ifndef CRD_IO_ARCHIVE_H
#define CRD_IO_ARCHIVE_H

#include "base/context.h"

typedef struct {
  char *name; /* as in the archive, without leading "./" and '/' */
  size_t offset, length;
} crd__io_member;

typedef struct {
  crd__io_member *members; /* regular files, in the order of the archive */
  size_t count, capacity;
  char *bytes; /* of all members, one after the other */
  size_t length, reserved;
} crd__io_archive;

/* Reads an archive of `length` bytes. EINPUT if it is none or damaged, or if its content exceeds
 * CRD__BOMB_BYTES and CRD__BOMB_RATIO times `length` (gzip.h). Release with clear, also after
 * failure. */
crd_status crd__io_archive_read(crd_context *ctx, const void *bytes, size_t length,
                                crd__io_archive *out);
void crd__io_archive_clear(const crd_allocator *alloc, crd__io_archive *archive);

#endif
