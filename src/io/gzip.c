/*
 * gzip.c -- reads and writes gzip, by libarchive's raw format.
 *
 * libarchive does not verify the checksum at the end of a gzip file; this does, unless the file is
 * a concatenation, where the last checksum covers the last part only. Output contains no time and
 * no name: the same input gives the same bytes.
 */
#include "io/gzip.h"

#include "base/memory.h"
#include "io/zip.h"

#include <archive.h>
#include <archive_entry.h>
#include <string.h>

enum { MAGIC = 3 }; /* bytes of the magic number */

/* ---- Reading. */

static crd_status damaged(crd_context *ctx, struct archive *archive) {
  const char *reason = archive_error_string(archive);
  return crd__fail(ctx, CRD_EINPUT, "cannot decompress: %s", reason ? reason : "damaged");
}

typedef struct {
  unsigned char *bytes;
  size_t length, capacity;
} buffer;

/* The buffer grows to at most one byte beyond the limit: filling it means too much data. */
static crd_status grow(crd_context *ctx, buffer *out, size_t packed) {
  const size_t ratio =
      packed > SIZE_MAX / 2 / CRD__BOMB_RATIO ? SIZE_MAX / 2 / packed : CRD__BOMB_RATIO;
  const size_t most = packed * ratio > CRD__BOMB_BYTES ? packed * ratio : CRD__BOMB_BYTES;
  if (out->length > most)
    return crd__fail(ctx, CRD_EINPUT,
                     "%zu gzipped bytes expand to more than %zu, allowed are %d times as many",
                     packed, most, CRD__BOMB_RATIO);
  const size_t wanted = out->capacity ? out->capacity * 2 : packed * 4 + 4096;
  const size_t capacity = wanted < most + 1 ? wanted : most + 1;
  unsigned char *bytes = crd__resize(&ctx->alloc, out->bytes, capacity, 1);
  if (!bytes) return crd__fail(ctx, CRD_ENOMEM, "no memory to decompress %zu bytes", capacity);
  out->bytes = bytes;
  out->capacity = capacity;
  return CRD_OK;
}

static crd_status read_all(crd_context *ctx, struct archive *archive, size_t packed, buffer *out) {
  for (;;) {
    if (out->length == out->capacity) CRD_TRY(grow(ctx, out, packed));
    const la_ssize_t got =
        archive_read_data(archive, out->bytes + out->length, out->capacity - out->length);
    if (got < 0) return damaged(ctx, archive);
    if (got == 0) return CRD_OK;
    out->length += (size_t)got;
  }
}

static uint32_t little32(const unsigned char *at) {
  return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static bool has_second_member(const unsigned char *bytes, size_t length) {
  for (size_t i = MAGIC; i + MAGIC <= length; i++)
    if (crd__io_gzip_recognise(bytes + i, length - i)) return true;
  return false;
}

/* The last eight bytes of a gzip file are checksum and length of the content. */
static crd_status verify(crd_context *ctx, const unsigned char *bytes, size_t length,
                         const buffer *out) {
  const bool long_enough = length >= 18;
  const bool fits = long_enough && little32(bytes + length - 4) == (uint32_t)out->length;
  if (fits && little32(bytes + length - 8) == crd__io_crc32(0, out->bytes, out->length))
    return CRD_OK;
  if (long_enough && has_second_member(bytes, length)) return CRD_OK;
  return crd__fail(ctx, CRD_EINPUT, "cannot decompress: the gzip checksum does not match");
}

static crd_status inflate_with(crd_context *ctx, struct archive *archive,
                               const unsigned char *bytes, size_t length, buffer *out) {
  struct archive_entry *entry;
  if (archive_read_support_filter_gzip(archive) != ARCHIVE_OK ||
      archive_read_support_format_raw(archive) != ARCHIVE_OK)
    return crd__fail(ctx, CRD_EABSENT, "libarchive was built without gzip");
  if (archive_read_open_memory(archive, bytes, length) != ARCHIVE_OK) return damaged(ctx, archive);
  const int header = archive_read_next_header(archive, &entry);
  /* Empty content: end of file is reported before the first entry. */
  if (header != ARCHIVE_EOF && header < ARCHIVE_WARN) return damaged(ctx, archive);
  if (header != ARCHIVE_EOF) CRD_TRY(read_all(ctx, archive, length, out));
  return verify(ctx, bytes, length, out);
}

crd_status crd__io_gzip_inflate(crd_context *ctx, const unsigned char *bytes, size_t length,
                                void **out, size_t *out_length) {
  buffer content = { 0 };
  struct archive *archive = archive_read_new();
  if (!archive) return crd__fail(ctx, CRD_ENOMEM, "no memory to decompress");
  const crd_status status = inflate_with(ctx, archive, bytes, length, &content);
  archive_read_free(archive);
  if (status != CRD_OK) {
    crd__free(&ctx->alloc, content.bytes);
    return status;
  }
  *out = content.bytes;
  *out_length = content.length;
  return CRD_OK;
}

/* ---- Writing. */

struct crd__io_gzip {
  crd_context *ctx;
  crd_allocator alloc;
  struct archive *archive;
  crd__io_sink below;
  crd_status status; /* of the sink it writes to */
};

/* After a failure the rest is dropped without an error to libarchive, which would leak zlib's
 * memory. */
static la_ssize_t pass_on(struct archive *archive, void *self, const void *bytes, size_t count) {
  crd__io_gzip *gzip = self;
  (void)archive;
  if (gzip->status == CRD_OK)
    gzip->status = gzip->below.write(gzip->ctx, gzip->below.self, bytes, count);
  return (la_ssize_t)count;
}

/* Fails with libarchive's error, or with that of the sink, whose message is in the context. */
static crd_status outcome(crd_context *ctx, const crd__io_gzip *gzip, bool ok) {
  const char *reason = ok ? NULL : archive_error_string(gzip->archive);
  if (ok || gzip->status != CRD_OK) return gzip->status;
  return crd__fail(ctx, CRD_ESYSTEM, "cannot compress: %s", reason ? reason : "no reason given");
}

static bool begin(crd__io_gzip *gzip) {
  struct archive *a = gzip->archive;
  struct archive_entry *entry = archive_entry_new();
  if (!entry) return false;
  archive_entry_set_filetype(entry, AE_IFREG);
  const bool ok = archive_write_add_filter_gzip(a) == ARCHIVE_OK &&
                  archive_write_set_filter_option(a, "gzip", "timestamp", NULL) == ARCHIVE_OK &&
                  archive_write_set_format_raw(a) == ARCHIVE_OK &&
                  archive_write_set_bytes_in_last_block(a, 1) == ARCHIVE_OK &&
                  archive_write_open(a, gzip, NULL, pass_on, NULL) == ARCHIVE_OK &&
                  archive_write_header(a, entry) == ARCHIVE_OK;
  archive_entry_free(entry);
  return ok;
}

crd_status crd__io_gzip_open(crd_context *ctx, const crd__io_sink *below, crd__io_gzip **out) {
  crd__io_gzip *gzip;
  CRD_TRY(crd__new(ctx, 1, sizeof *gzip, "a gzip stream", &gzip));
  gzip->ctx = ctx;
  gzip->alloc = ctx->alloc;
  gzip->below = *below;
  gzip->archive = archive_write_new();
  if (gzip->archive && begin(gzip)) {
    *out = gzip;
    return CRD_OK;
  }
  const crd_status status = gzip->archive ? outcome(ctx, gzip, false)
                                          : crd__fail(ctx, CRD_ENOMEM, "no memory to compress");
  archive_write_free(gzip->archive);
  crd__free(&ctx->alloc, gzip);
  return status;
}

crd_status crd__io_gzip_write(crd_context *ctx, void *self, const void *bytes, size_t count) {
  crd__io_gzip *gzip = self;
  const unsigned char *at = bytes;
  while (count > 0) {
    const la_ssize_t done = archive_write_data(gzip->archive, at, count);
    CRD_TRY(outcome(ctx, gzip, done > 0));
    at += done;
    count -= (size_t)done;
  }
  return CRD_OK;
}

crd_status crd__io_gzip_close(crd_context *ctx, crd__io_gzip *gzip, bool ok) {
  if (!ok) gzip->status = CRD_EINTERRUPTED;
  const bool closed = archive_write_close(gzip->archive) == ARCHIVE_OK;
  const crd_status status = outcome(ctx, gzip, closed);
  archive_write_free(gzip->archive);
  crd__free(&gzip->alloc, gzip);
  return status;
}
