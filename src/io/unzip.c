/*
 * unzip.c -- reads zip archives (NumPy's .npz, PyTorch's .pt) through libarchive.
 *
 * The directory at the end of the file is authoritative, so the seeking reader is used. Stored
 * members are used in place in the mapped file; libarchive checks the CRC in either case.
 *
 * Against zip bombs: deflate cannot expand more than 1032-fold; members above 256 MiB that expand
 * more than 200-fold fail before anything is allocated.
 */
#include "io/unzip.h"

#include "base/memory.h"
#include "io/gzip.h"

#include <archive.h>
#include <archive_entry.h>
#include <string.h>

enum { DEFLATE_RATIO_MAX = 1032 };
/* libarchive computes the CRC of a block with a 32-bit length: blocks must stay below 4 GiB. */
enum { WINDOW = 1 << 30 };

struct crd__io_unzip {
  crd_allocator alloc;
  const crd__io_bundle *bundle;
  struct archive *archive;
  struct archive_entry *member;
};

static crd_status damaged(crd_context *ctx, const crd__io_unzip *zip) {
  const char *reason = archive_error_string(zip->archive);
  return crd__fail(ctx, CRD_EINPUT, "cannot read the zip archive: %s",
                   reason ? reason : "it is damaged");
}

static crd_status begin(crd_context *ctx, crd__io_unzip *zip) {
  zip->archive = archive_read_new();
  if (!zip->archive) return crd__fail(ctx, CRD_ENOMEM, "no memory to read the zip archive");
  if (archive_read_support_format_zip_seekable(zip->archive) != ARCHIVE_OK ||
      archive_read_open_memory2(zip->archive, zip->bundle->bytes, zip->bundle->length, WINDOW) !=
          ARCHIVE_OK)
    return damaged(ctx, zip);
  return CRD_OK;
}

crd_status crd__io_unzip_open(crd_context *ctx, const crd__io_bundle *bundle, crd__io_unzip **out) {
  crd__io_unzip *zip;
  CRD_TRY(crd__new(ctx, 1, sizeof *zip, "a zip archive", &zip));
  *zip = (crd__io_unzip){ .alloc = ctx->alloc, .bundle = bundle };
  const crd_status status = begin(ctx, zip);
  if (status == CRD_OK) *out = zip;
  else crd__io_unzip_close(zip);
  return status;
}

void crd__io_unzip_close(crd__io_unzip *zip) {
  if (!zip) return;
  if (zip->archive) archive_read_free(zip->archive);
  const crd_allocator alloc = zip->alloc;
  crd__free(&alloc, zip);
}

/* Warnings are ignored, such as names that the locale cannot represent. */
crd_status crd__io_unzip_next(crd_context *ctx, crd__io_unzip *zip, const char **name) {
  const int result = archive_read_next_header(zip->archive, &zip->member);
  *name = NULL;
  if (result == ARCHIVE_EOF) return CRD_OK;
  if (result < ARCHIVE_WARN) return damaged(ctx, zip);
  *name = archive_entry_pathname_utf8(zip->member);
  if (!*name) *name = archive_entry_pathname(zip->member);
  if (!*name) *name = "";
  return CRD_OK;
}

crd_status crd__io_unzip_size(crd_context *ctx, const crd__io_unzip *zip, uint64_t *size) {
  if (archive_entry_is_encrypted(zip->member))
    return crd__fail(ctx, CRD_EINPUT, "is encrypted, which is not supported");
  *size = (uint64_t)archive_entry_size(zip->member);
  const uint64_t ratio = *size / (zip->bundle->length + 1);
  const unsigned allowed = *size > CRD__BOMB_BYTES ? CRD__BOMB_RATIO : DEFLATE_RATIO_MAX;
  if (*size > SIZE_MAX / 2 || ratio > allowed)
    return crd__fail(ctx, CRD_EINPUT,
                     "would expand to %llu bytes in an archive of %zu, allowed are %u times as "
                     "many",
                     (unsigned long long)*size, zip->bundle->length, allowed);
  return CRD_OK;
}

static crd_status ends_early(crd_context *ctx, uint64_t size) {
  return crd__fail(ctx, CRD_EINPUT, "the data ends before the %llu bytes that the archive declares",
                   (unsigned long long)size);
}

crd_status crd__io_unzip_read(crd_context *ctx, crd__io_unzip *zip, unsigned char *out,
                              size_t count) {
  for (size_t done = 0; done < count;) {
    const la_ssize_t got = archive_read_data(zip->archive, out + done, count - done);
    if (got < 0) return damaged(ctx, zip);
    if (got == 0) return ends_early(ctx, count);
    done += (size_t)got;
  }
  return CRD_OK;
}

/* Reading past the end makes libarchive check the CRC. */
crd_status crd__io_unzip_finish(crd_context *ctx, crd__io_unzip *zip) {
  unsigned char more;
  const la_ssize_t got = archive_read_data(zip->archive, &more, 1);
  if (got < 0) return damaged(ctx, zip);
  return got == 0 ? CRD_OK : crd__fail(ctx, CRD_EINPUT, "more data than the archive declares");
}

/* A stored member is contiguous in the file; libarchive returns it in blocks. */
static bool lies_in(const crd__io_bundle *bundle, const void *block, size_t length) {
  const uintptr_t from = (uintptr_t)bundle->bytes, at = (uintptr_t)block;
  return at >= from && at - from <= bundle->length && length <= bundle->length - (at - from);
}

static bool belongs(const crd__io_bundle *bundle, const unsigned char *start, size_t length,
                    const void *block, size_t count) {
  return lies_in(bundle, block, count) && (!start || block == start + length);
}

crd_status crd__io_unzip_in_place(crd_context *ctx, crd__io_unzip *zip, uint64_t size,
                                  const unsigned char **found) {
  const unsigned char *start = NULL;
  size_t length = 0, count;
  const void *block;
  la_int64_t offset;
  int result;
  while ((result = archive_read_data_block(zip->archive, &block, &count, &offset)) == ARCHIVE_OK) {
    if (count == 0) continue;
    if (!belongs(zip->bundle, start, length, block, count)) return CRD_OK;
    if (!start) start = block;
    length += count;
  }
  if (result != ARCHIVE_EOF) return damaged(ctx, zip);
  if (length != size) return ends_early(ctx, size);
  *found = start;
  return CRD_OK;
}
