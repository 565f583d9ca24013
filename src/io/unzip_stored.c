/*
 * unzip_stored.c -- reads zip archives of stored members (numpy.savez, torch.save) without a
 * library, for lean builds.
 *
 * PKWARE's APPNOTE.TXT 6.3: the directory at the end of the file is authoritative; its records have
 * name, method, CRC-32, sizes and the offset of the member's own header, after which the content
 * begins. Sizes and offsets of 4 GiB and more are in an extra field (zip64). Every offset is
 * checked against the file's length before it is used.
 */
#include "base/memory.h"
#include "io/unzip.h"
#include "io/zip.h"

enum {
  END = 22,       /* bytes of the end record, without its comment */
  END64 = 56,     /* of the same of zip64 */
  LOCATOR64 = 20, /* of the record that has its offset, before the end record */
  RECORD = 46,    /* of a member's record in the directory, without name, extra field and comment */
  LOCAL = 30,     /* of a member's own header, without name and extra field */
  COMMENT_MAX = 65535,
  NAME_MAX = 4096,
  ENCRYPTED = 1, /* a flag */
  ZIP64 = 1      /* an extra field */
};

struct crd__io_unzip {
  crd_allocator alloc;
  const unsigned char *bytes;
  size_t length;
  size_t record, end; /* offsets of the next record of the directory, and of its end */
  char name[NAME_MAX];
  /* The current member. */
  unsigned flags, method;
  uint32_t crc;
  uint64_t packed, size, offset;
  size_t at; /* number of bytes read */
};

static crd_status damaged(crd_context *ctx, const char *reason) {
  return crd__fail(ctx, CRD_EINPUT, "cannot read the zip archive: %s", reason);
}

/* ---- Little-endian integers. */

static unsigned two(const unsigned char *at) { return at[0] | (unsigned)at[1] << 8; }
static uint32_t four(const unsigned char *at) { return two(at) | (uint32_t)two(at + 2) << 16; }
static uint64_t eight(const unsigned char *at) { return four(at) | (uint64_t)four(at + 4) << 32; }

/* Returns whether `count` bytes from an offset are inside the file. */
static bool fits(const crd__io_unzip *zip, uint64_t offset, uint64_t count) {
  return offset <= zip->length && count <= zip->length - offset;
}

static bool begins(const crd__io_unzip *zip, uint64_t offset, size_t count, const char *magic) {
  return fits(zip, offset, count) && memcmp(zip->bytes + offset, magic, 4) == 0;
}

/* ---- The directory. */

/* Seeks the end record from behind, since a comment may follow it. Returns SIZE_MAX: none. */
static size_t find_end(const crd__io_unzip *zip) {
  for (size_t comment = 0; comment <= COMMENT_MAX && comment + END <= zip->length; comment++) {
    const size_t at = zip->length - END - comment;
    if (begins(zip, at, END, "PK\5\6") && two(zip->bytes + at + 20) == comment) return at;
  }
  return SIZE_MAX;
}

static crd_status find_directory(crd_context *ctx, crd__io_unzip *zip) {
  const size_t end = find_end(zip);
  if (end == SIZE_MAX) return damaged(ctx, "its directory is missing, the file may be truncated");
  uint64_t size = four(zip->bytes + end + 12), offset = four(zip->bytes + end + 16);
  if (end >= LOCATOR64 && begins(zip, end - LOCATOR64, LOCATOR64, "PK\6\7")) {
    const uint64_t at = eight(zip->bytes + end - LOCATOR64 + 8);
    if (!begins(zip, at, END64, "PK\6\6")) return damaged(ctx, "its zip64 directory is damaged");
    size = eight(zip->bytes + at + 40);
    offset = eight(zip->bytes + at + 48);
  }
  if (!fits(zip, offset, size)) return damaged(ctx, "its directory is beyond the end of the file");
  zip->record = (size_t)offset;
  zip->end = (size_t)(offset + size);
  return CRD_OK;
}

crd_status crd__io_unzip_open(crd_context *ctx, const crd__io_bundle *bundle, crd__io_unzip **out) {
  crd__io_unzip *zip;
  CRD_TRY(crd__new(ctx, 1, sizeof *zip, "a zip archive", &zip));
  zip->alloc = ctx->alloc;
  zip->bytes = bundle->bytes;
  zip->length = bundle->length;
  const crd_status status = find_directory(ctx, zip);
  if (status == CRD_OK) *out = zip;
  else crd__io_unzip_close(zip);
  return status;
}

void crd__io_unzip_close(crd__io_unzip *zip) {
  if (!zip) return;
  const crd_allocator alloc = zip->alloc;
  crd__free(&alloc, zip);
}

/* ---- Members. */

/* Takes the next of the 64-bit numbers in the extra field, in place of one of 32 bits. */
static bool widen(uint64_t *value, const unsigned char **at, size_t *left) {
  if (*value != UINT32_MAX) return true;
  if (*left < 8) return false;
  *value = eight(*at);
  *at += 8;
  *left -= 8;
  return true;
}

static bool read_extra(crd__io_unzip *zip, const unsigned char *at, size_t left) {
  while (left >= 4) {
    const unsigned id = two(at);
    size_t count = two(at + 2);
    if (count > left - 4) return false;
    left -= 4 + count;
    at += 4;
    if (id == ZIP64)
      return widen(&zip->size, &at, &count) && widen(&zip->packed, &at, &count) &&
             widen(&zip->offset, &at, &count);
    at += count;
  }
  return zip->size != UINT32_MAX && zip->packed != UINT32_MAX && zip->offset != UINT32_MAX;
}

crd_status crd__io_unzip_next(crd_context *ctx, crd__io_unzip *zip, const char **name) {
  *name = NULL;
  if (zip->record >= zip->end) return CRD_OK;
  const unsigned char *const record = zip->bytes + zip->record;
  if (zip->end - zip->record < RECORD || memcmp(record, "PK\1\2", 4) != 0)
    return damaged(ctx, "its directory is damaged");
  const size_t name_length = two(record + 28), extra = two(record + 30);
  const size_t whole = RECORD + name_length + extra + two(record + 32);
  if (whole > zip->end - zip->record || name_length >= NAME_MAX)
    return damaged(ctx, "its directory is damaged");
  zip->flags = two(record + 8);
  zip->method = two(record + 10);
  zip->crc = four(record + 16);
  zip->packed = four(record + 20);
  zip->size = four(record + 24);
  zip->offset = four(record + 42);
  zip->at = 0;
  if (!read_extra(zip, record + RECORD + name_length, extra))
    return damaged(ctx, "its directory is damaged");
  memcpy(zip->name, record + RECORD, name_length);
  zip->name[name_length] = '\0';
  zip->record += whole;
  *name = zip->name;
  return CRD_OK;
}

crd_status crd__io_unzip_size(crd_context *ctx, const crd__io_unzip *zip, uint64_t *size) {
  if (zip->flags & ENCRYPTED)
    return crd__fail(ctx, CRD_EINPUT, "is encrypted, which is not supported");
  if (zip->method != 0)
    return crd__fail(ctx, CRD_EABSENT,
                     "is compressed, and this is a lean build, without libarchive: write it with "
                     "numpy.savez instead of savez_compressed");
  if (zip->size != zip->packed) return damaged(ctx, "a stored member has two sizes");
  *size = zip->size;
  return CRD_OK;
}

/* Sets *out to the content of the current member. */
static crd_status locate(crd_context *ctx, const crd__io_unzip *zip, const unsigned char **out) {
  if (!begins(zip, zip->offset, LOCAL, "PK\3\4")) return damaged(ctx, "a member is missing");
  const unsigned char *const local = zip->bytes + zip->offset;
  const size_t head = LOCAL + two(local + 26) + two(local + 28);
  if (!fits(zip, zip->offset, head) || !fits(zip, zip->offset + head, zip->size))
    return crd__fail(ctx, CRD_EINPUT,
                     "the data ends before the %llu bytes that the archive declares",
                     (unsigned long long)zip->size);
  *out = local + head;
  return CRD_OK;
}

static crd_status verify(crd_context *ctx, const crd__io_unzip *zip, const unsigned char *content) {
  if (crd__io_crc32(0, content, (size_t)zip->size) == zip->crc) return CRD_OK;
  return damaged(ctx, "the checksum of a member does not match");
}

crd_status crd__io_unzip_in_place(crd_context *ctx, crd__io_unzip *zip, uint64_t size,
                                  const unsigned char **found) {
  const unsigned char *content = NULL;
  (void)size; /* the directory's, as crd__io_unzip_size returned it */
  CRD_TRY(locate(ctx, zip, &content));
  CRD_TRY(verify(ctx, zip, content));
  *found = content;
  return CRD_OK;
}

crd_status crd__io_unzip_read(crd_context *ctx, crd__io_unzip *zip, unsigned char *out,
                              size_t count) {
  const unsigned char *content = NULL;
  CRD_TRY(locate(ctx, zip, &content));
  if (count > zip->size - zip->at) return damaged(ctx, "a member is shorter than expected");
  memcpy(out, content + zip->at, count);
  zip->at += count;
  return CRD_OK;
}

crd_status crd__io_unzip_finish(crd_context *ctx, crd__io_unzip *zip) {
  const unsigned char *content = NULL;
  CRD_TRY(locate(ctx, zip, &content));
  if (zip->at != zip->size)
    return crd__fail(ctx, CRD_EINPUT, "more data than the archive declares");
  return verify(ctx, zip, content);
}
