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

#include "io/gzip.h"

#include <archive.h>
#include <archive_entry.h>
#include <string.h>

enum { DEFLATE_RATIO_MAX = 1032 };
/* libarchive computes the CRC of a block with a 32-bit length: blocks must stay below 4 GiB. */
enum { WINDOW = 1 << 30 };

bool crd__io_unzip_recognise(const unsigned char *bytes, size_t length) {
  return length >= 4 && (memcmp(bytes, "PK\3\4", 4) == 0 || memcmp(bytes, "PK\5\6", 4) == 0 ||
                         memcmp(bytes, "PK\6\6", 4) == 0);
}

static crd_status damaged(crd_context *ctx, struct archive *archive) {
  const char *reason = archive_error_string(archive);
  return crd__fail(ctx, CRD_EINPUT, "cannot read the zip archive: %s",
                   reason ? reason : "it is damaged");
}

crd_status crd__io_unzip_open(crd_context *ctx, const crd__io_bundle *bundle,
                              struct archive **out) {
  struct archive *archive = archive_read_new();
  if (!archive) return crd__fail(ctx, CRD_ENOMEM, "no memory to read the zip archive");
  if (archive_read_support_format_zip_seekable(archive) != ARCHIVE_OK ||
      archive_read_open_memory2(archive, bundle->bytes, bundle->length, WINDOW) != ARCHIVE_OK) {
    const crd_status status = damaged(ctx, archive);
    archive_read_free(archive);
    return status;
  }
  *out = archive;
  return CRD_OK;
}

/* Warnings are ignored, such as names that the locale cannot represent. */
crd_status crd__io_unzip_next(crd_context *ctx, struct archive *archive,
                              struct archive_entry **out) {
  const int result = archive_read_next_header(archive, out);
  if (result == ARCHIVE_EOF) *out = NULL;
  return result == ARCHIVE_EOF || result >= ARCHIVE_WARN ? CRD_OK : damaged(ctx, archive);
}

const char *crd__io_unzip_name(struct archive_entry *member) {
  const char *name = archive_entry_pathname_utf8(member);
  if (!name) name = archive_entry_pathname(member);
  return name ? name : "";
}

crd_status crd__io_unzip_size(crd_context *ctx, const crd__io_bundle *bundle,
                              struct archive_entry *member, uint64_t *size) {
  if (archive_entry_is_encrypted(member))
    return crd__fail(ctx, CRD_EINPUT, "is encrypted, which is not supported");
  *size = (uint64_t)archive_entry_size(member);
  const uint64_t ratio = *size / (bundle->length + 1);
  const unsigned allowed = *size > CRD__BOMB_BYTES ? CRD__BOMB_RATIO : DEFLATE_RATIO_MAX;
  if (*size > SIZE_MAX / 2 || ratio > allowed)
    return crd__fail(ctx, CRD_EINPUT,
                     "would expand to %llu bytes in an archive of %zu, allowed are %u times as "
                     "many",
                     (unsigned long long)*size, bundle->length, allowed);
  return CRD_OK;
}

static crd_status ends_early(crd_context *ctx, uint64_t size) {
  return crd__fail(ctx, CRD_EINPUT, "the data ends before the %llu bytes that the archive declares",
                   (unsigned long long)size);
}

crd_status crd__io_unzip_read(crd_context *ctx, struct archive *archive, unsigned char *out,
                              size_t count) {
  for (size_t done = 0; done < count;) {
    const la_ssize_t got = archive_read_data(archive, out + done, count - done);
    if (got < 0) return damaged(ctx, archive);
    if (got == 0) return ends_early(ctx, count);
    done += (size_t)got;
  }
  return CRD_OK;
}

/* Reading past the end makes libarchive check the CRC. */
crd_status crd__io_unzip_finish(crd_context *ctx, struct archive *archive) {
  unsigned char more;
  const la_ssize_t got = archive_read_data(archive, &more, 1);
  if (got < 0) return damaged(ctx, archive);
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

crd_status crd__io_unzip_in_place(crd_context *ctx, const crd__io_bundle *bundle,
                                  struct archive *archive, uint64_t size,
                                  const unsigned char **found) {
  const unsigned char *start = NULL;
  size_t length = 0, count;
  const void *block;
  la_int64_t offset;
  int result;
  while ((result = archive_read_data_block(archive, &block, &count, &offset)) == ARCHIVE_OK) {
    if (count == 0) continue;
    if (!belongs(bundle, start, length, block, count)) return CRD_OK;
    if (!start) start = block;
    length += count;
  }
  if (result != ARCHIVE_EOF) return damaged(ctx, archive);
  if (length != size) return ends_early(ctx, size);
  *found = start;
  return CRD_OK;
}
