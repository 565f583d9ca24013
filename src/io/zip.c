/*
 * zip.c -- writes a zip archive of stored members, as NumPy's savez does, reproducible byte for
 * byte.
 *
 * libarchive's writer lacks two things: here every member's content begins at a multiple of 64 in
 * the file, so that a mapped array is aligned; and the bytes depend on the content only (the date
 * is 1980-01-01). All sizes are written in ZIP64 form, so that there is one code path. The checksum
 * of rows made on demand follows them (a data descriptor), so that they are made once; that of an
 * array in memory precedes it, where every reader finds it. Format: PKWARE APPNOTE 6.3.10.
 */
#include "io/zip.h"

#include "base/memory.h"
#include "base/text.h"
#include "data/array.h"

#include <string.h>

enum { LOCAL_BYTES = 30, ZIP64_LOCAL = 20, PAD_HEAD = 4, ALIGN = 64, DATE_1980 = 0x21 };

struct crd__io_zip {
  crd_allocator alloc;
  crd__io_sink sink;
  uint64_t written;
  crd__text directory;
  uint64_t members;
};

/* CRC-32 with the reflected polynomial 0xedb88320, eight bits at a time. */
uint32_t crd__io_crc32(uint32_t crc, const void *bytes, size_t count) {
  const unsigned char *at = bytes;
  uint32_t table[256];
  for (uint32_t i = 0; i < 256; i++) {
    table[i] = i;
    for (int bit = 0; bit < 8; bit++)
      table[i] = table[i] >> 1 ^ (table[i] & 1 ? UINT32_C(0xedb88320) : 0);
  }
  crc = ~crc;
  for (size_t i = 0; i < count; i++) crc = table[(crc ^ at[i]) & 0xff] ^ crc >> 8;
  return ~crc;
}

/* A record under construction: a sequence of little-endian integers. */
typedef struct {
  unsigned char bytes[128];
  size_t length;
} record;

static void put(record *r, int width, uint64_t value) {
  for (int i = 0; i < width; i++) r->bytes[r->length++] = (unsigned char)(value >> 8 * i & 0xff);
}

static crd_status emit(crd_context *ctx, crd__io_zip *zip, const void *bytes, size_t count) {
  zip->written += count;
  return zip->sink.write(ctx, zip->sink.self, bytes, count);
}

/* A sink that computes the checksum of the bytes it passes on. */
typedef struct {
  uint32_t crc;
  const crd__io_sink *next; /* NULL: nowhere */
} counter;

static crd_status add_to_crc(crd_context *ctx, void *self, const void *bytes, size_t count) {
  counter *c = self;
  c->crc = crd__io_crc32(c->crc, bytes, count);
  return c->next ? c->next->write(ctx, c->next->self, bytes, count) : CRD_OK;
}

crd_status crd__io_zip_open(crd_context *ctx, const crd__io_sink *sink, crd__io_zip **out) {
  crd__io_zip *zip;
  CRD_TRY(crd__new(ctx, 1, sizeof *zip, "a zip archive", &zip));
  zip->alloc = ctx->alloc;
  zip->sink = *sink;
  crd__text_init(&zip->directory, &zip->alloc);
  *out = zip;
  return CRD_OK;
}

void crd__io_zip_discard(crd__io_zip *zip) {
  if (!zip) return;
  const crd_allocator alloc = zip->alloc;
  crd__text_clear(&zip->directory);
  crd__free(&alloc, zip);
}

/* A member, as local header and directory describe it. */
typedef struct {
  const char *name;
  uint64_t size, offset;
  uint32_t crc;
  bool late; /* the checksum follows the content */
} member;

/* The fields that local header and directory share: version to name length. */
static void put_common(record *r, const member *m, uint32_t crc) {
  put(r, 2, 45);                                 /* ZIP64 */
  put(r, 2, 1u << 11 | (m->late ? 1u << 3 : 0)); /* names are UTF-8 */
  put(r, 2, 0);                                  /* stored */
  put(r, 2, 0);
  put(r, 2, DATE_1980);
  put(r, 4, crc);
  put(r, 4, UINT32_MAX);
  put(r, 4, UINT32_MAX);
  put(r, 2, strlen(m->name));
}

/* The padding is an extra field with the unused id 0x4443. */
static crd_status put_local(crd_context *ctx, crd__io_zip *zip, const member *m) {
  static const unsigned char zeros[ALIGN];
  const size_t length = strlen(m->name);
  const uint64_t plain = zip->written + LOCAL_BYTES + length + ZIP64_LOCAL + PAD_HEAD;
  const size_t padding = (size_t)((ALIGN - plain % ALIGN) % ALIGN);
  record head = { .length = 0 }, extra = { .length = 0 };
  put(&head, 4, 0x04034b50);
  put_common(&head, m, m->late ? 0 : m->crc);
  put(&head, 2, ZIP64_LOCAL + PAD_HEAD + padding);
  put(&extra, 2, 1);
  put(&extra, 2, 16);
  put(&extra, 8, m->size);
  put(&extra, 8, m->size);
  put(&extra, 2, 0x4443);
  put(&extra, 2, padding);
  CRD_TRY(emit(ctx, zip, head.bytes, head.length));
  CRD_TRY(emit(ctx, zip, m->name, length));
  CRD_TRY(emit(ctx, zip, extra.bytes, extra.length));
  return emit(ctx, zip, zeros, padding);
}

static crd_status put_descriptor(crd_context *ctx, crd__io_zip *zip, const member *m) {
  record r = { .length = 0 };
  put(&r, 4, 0x08074b50);
  put(&r, 4, m->crc);
  put(&r, 8, m->size);
  put(&r, 8, m->size);
  return emit(ctx, zip, r.bytes, r.length);
}

static void put_directory(crd__io_zip *zip, const member *m) {
  record head = { .length = 0 }, extra = { .length = 0 };
  put(&head, 4, 0x02014b50);
  put(&head, 2, 45);
  put_common(&head, m, m->crc);
  put(&head, 2, 28);
  put(&head, 2, 0);
  put(&head, 2, 0);
  put(&head, 2, 0);
  put(&head, 4, 0);
  put(&head, 4, UINT32_MAX);
  put(&extra, 2, 1);
  put(&extra, 2, 24);
  put(&extra, 8, m->size);
  put(&extra, 8, m->size);
  put(&extra, 8, m->offset);
  crd__text_add_bytes(&zip->directory, (const char *)head.bytes, head.length);
  crd__text_add(&zip->directory, m->name);
  crd__text_add_bytes(&zip->directory, (const char *)extra.bytes, extra.length);
  zip->members++;
}

crd_status crd__io_zip_add(crd_context *ctx, crd__io_zip *zip, const char *name, const void *head,
                           size_t head_bytes, const crd__io_array *array) {
  const uint64_t cells = (uint64_t)crd__data_rows_of(&array->view) * crd__data_cols(&array->view);
  member m = { .name = name,
               .size = head_bytes + cells * crd_dtype_size(array->view.dtype),
               .offset = zip->written,
               .late = array->source.make != NULL };
  counter before = { crd__io_crc32(0, head, head_bytes), NULL }, after = { before.crc, &zip->sink };
  const crd__io_sink checksum = { add_to_crc, &before }, content = { add_to_crc, &after };
  if (!m.late) CRD_TRY(crd__io_array_emit(ctx, array, false, &checksum));
  m.crc = before.crc;
  CRD_TRY(put_local(ctx, zip, &m));
  CRD_TRY(emit(ctx, zip, head, head_bytes));
  CRD_TRY(crd__io_array_emit(ctx, array, false, m.late ? &content : &zip->sink));
  zip->written += m.size - head_bytes;
  m.crc = m.late ? after.crc : m.crc;
  if (m.late) CRD_TRY(put_descriptor(ctx, zip, &m));
  put_directory(zip, &m);
  return crd__text_status(ctx, &zip->directory);
}

static crd_status put_end(crd_context *ctx, crd__io_zip *zip) {
  const uint64_t start = zip->written, bytes = zip->directory.length;
  record end = { .length = 0 };
  if (bytes) CRD_TRY(emit(ctx, zip, zip->directory.bytes, bytes));
  put(&end, 4, 0x06064b50); /* ZIP64 end of directory */
  put(&end, 8, 44);
  put(&end, 2, 45);
  put(&end, 2, 45);
  put(&end, 8, 0);
  put(&end, 8, zip->members);
  put(&end, 8, zip->members);
  put(&end, 8, bytes);
  put(&end, 8, start);
  put(&end, 4, 0x07064b50); /* ZIP64 locator */
  put(&end, 4, 0);
  put(&end, 8, start + bytes);
  put(&end, 4, 1);
  put(&end, 4, 0x06054b50); /* end of directory, which refers to the ZIP64 one */
  put(&end, 4, 0);
  put(&end, 2, UINT16_MAX);
  put(&end, 2, UINT16_MAX);
  put(&end, 4, UINT32_MAX);
  put(&end, 4, UINT32_MAX);
  put(&end, 2, 0);
  return emit(ctx, zip, end.bytes, end.length);
}

crd_status crd__io_zip_close(crd_context *ctx, crd__io_zip *zip) {
  const crd_status status = put_end(ctx, zip);
  crd__io_zip_discard(zip);
  return status;
}
