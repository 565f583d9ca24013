/* names.c -- converts strings of all formats to zero-terminated UTF-8. */
#include "io/names.h"

#include "base/memory.h"
#include "base/utf8.h"
#include "io/layout.h"

#include <string.h>

/* Reads element i byte by byte: strings may be unaligned. */
static uint32_t unit_at(const crd__io_characters *c, size_t i) {
  const unsigned char *const at = (const unsigned char *)c->data + i * c->size;
  const bool little = crd__io_native_is_little() != c->swapped;
  uint32_t value = 0;
  for (size_t k = 0; k < c->size; k++) value = value << 8 | at[little ? c->size - 1 - k : k];
  return value;
}

/* Reads a character; in UTF-16 perhaps two units, a surrogate pair. An unpaired surrogate is
 * returned unchanged, and is invalid. */
static uint32_t take_code(const crd__io_characters *c, size_t *i) {
  const uint32_t code = unit_at(c, (*i)++);
  if (c->size != 2 || code >> 10 != 0x36 || *i == c->length) return code;
  const uint32_t low = unit_at(c, *i);
  if (low >> 10 != 0x37) return code;
  ++*i;
  return 0x10000 + ((code & 0x3ff) << 10 | (low & 0x3ff));
}

static crd_status refuse_code(crd_context *ctx, size_t index, uint32_t code) {
  return crd__fail(ctx, CRD_EINPUT, "string %zu holds U+%04lX, which is not a Unicode character",
                   index, (unsigned long)code);
}

crd_status crd__io_names_add(crd_context *ctx, crd__text *names,
                             const crd__io_characters *characters, size_t index) {
  crd__io_characters c = *characters;
  while (c.length > 0 && unit_at(&c, c.length - 1) == 0) c.length--;
  for (size_t i = 0; i < c.length;) {
    char bytes[4];
    const uint32_t code = take_code(&c, &i);
    const size_t count = c.size == 1 ? 1 : crd__utf8_encode(code, bytes);
    if (c.size == 1) bytes[0] = (char)code;
    if (code == 0 || count == 0) return refuse_code(ctx, index, code);
    crd__text_add_bytes(names, bytes, count);
  }
  crd__text_add_bytes(names, "", 1);
  return names->failed ? crd__text_status(ctx, names) : CRD_OK;
}

crd_status crd__io_names_fill(crd_context *ctx, const crd__text *names, size_t count,
                              crd__io_entry *entry) {
  CRD_TRY(crd__text_strings(ctx, names, count, &entry->names));
  entry->rank = 1;
  entry->shape[0] = count;
  entry->loaded = true;
  return CRD_OK;
}

/* Counts the characters of a name, and writes them to `out` unless it is NULL. */
static size_t decode(const char *name, uint32_t *out) {
  size_t count = 0;
  while (*name) {
    uint32_t code;
    name += crd__utf8_decode(name, &code);
    if (out) out[count] = code;
    count++;
  }
  return count;
}

crd_status crd__io_names_matrix(crd_context *ctx, const char *const *names, size_t count,
                                crd_array *out) {
  size_t width = 1, cells;
  uint32_t *points;
  for (size_t i = 0; i < count; i++) {
    const size_t length = decode(names[i], NULL);
    if (length > width) width = length;
  }
  if (!crd__size_mul(count, width, &cells)) cells = SIZE_MAX;
  CRD_TRY(crd__new(ctx, cells, sizeof *points, "names", &points));
  for (size_t i = 0; i < count; i++) decode(names[i], points + i * width);
  *out = crd_array_matrix(points, CRD_U32, count, width);
  return CRD_OK;
}

static crd_status scan_list(crd_context *ctx, crd__io_scan *scan, crd__text *one, crd__text *names,
                            size_t *count) {
  if (!crd__io_scan_take(scan, '['))
    return crd__io_scan_unexpected(ctx, scan, "a list such as [\"cat\", \"dog\"]");
  bool more = !crd__io_scan_take(scan, ']');
  while (more) {
    CRD_TRY(crd__io_scan_json_string(ctx, scan, one));
    crd__text_add_bytes(names, one->bytes ? one->bytes : "", one->length + 1);
    ++*count;
    CRD_TRY(crd__io_scan_more(ctx, scan, ']', &more));
  }
  crd__io_scan_space(scan);
  return scan->at == scan->end ? CRD_OK : crd__io_scan_unexpected(ctx, scan, "nothing after ']'");
}

crd_status crd__io_names_scan(crd_context *ctx, crd__io_scan *scan, crd__text *names,
                              size_t *count) {
  crd__text one;
  *count = 0;
  crd__text_init(&one, &ctx->alloc);
  const crd_status status = scan_list(ctx, scan, &one, names, count);
  crd__text_clear(&one);
  return status;
}

/* ---- A file of lines. */

static void add_line(crd__text *names, const char *line, size_t length) {
  if (length > 0 && line[length - 1] == '\r') length--;
  crd__text_add_bytes(names, line, length);
  crd__text_add_bytes(names, "", 1);
}

static crd_status split_lines(crd_context *ctx, const crd__blob *blob, char ***out, size_t *count) {
  const char *at = (const char *)blob->bytes, *const end = at + blob->length;
  crd__text names;
  *count = 0;
  if (memchr(at, '\0', blob->length))
    return crd__fail(ctx, CRD_EINPUT, "holds a zero byte: this is not UTF-8 text");
  if (blob->length >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0) at += 3;
  crd__text_init(&names, &ctx->alloc);
  while (at < end) {
    const char *const stop = memchr(at, '\n', (size_t)(end - at));
    add_line(&names, at, (size_t)((stop ? stop : end) - at));
    at = stop ? stop + 1 : end;
    ++*count;
  }
  const crd_status status = crd__text_strings(ctx, &names, *count, out);
  crd__text_clear(&names);
  return status;
}

crd_status crd__io_names_open(crd_context *ctx, const char *path, char ***out, size_t *count) {
  crd__blob blob;
  CRD_TRY(crd__blob_open(ctx, path, &blob));
  const crd_status status = split_lines(ctx, &blob, out, count);
  crd__blob_close(&ctx->alloc, &blob);
  return status == CRD_OK ? CRD_OK : crd__fail_in(ctx, status, path);
}
