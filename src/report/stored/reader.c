/* reader.c -- where in the file, what stands there, what is allowed: the words of every refusal. */
#include "report/stored/reader.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct crd__kept {
  crd__kept *next;
  max_align_t bytes[];
};

crd_status crd__keep(crd__reader *reader, size_t count, size_t size, void *out) {
  crd__kept *piece = NULL;
  size_t bytes = 0;
  memset(out, 0, sizeof(void *));
  if (crd__size_mul(count, size, &bytes) && crd__size_add(bytes, sizeof *piece, &bytes))
    piece = crd__calloc(&reader->ctx->alloc, bytes, 1);
  if (!piece) return crd__fail(reader->ctx, CRD_ENOMEM, "no memory for a stored result");
  piece->next = reader->kept;
  reader->kept = piece;
  void *const memory = piece->bytes;
  memcpy(out, &memory, sizeof memory);
  return CRD_OK;
}

void crd__kept_free(const crd_allocator *alloc, crd__kept *kept) {
  while (kept) {
    crd__kept *const next = kept->next;
    crd__free(alloc, kept);
    kept = next;
  }
}

/* ---- The place. */

static size_t extend(crd__reader *reader, const char *text) {
  const size_t back = reader->length;
  for (; *text && reader->length + 5 < sizeof reader->place;) {
    size_t length = crd__utf8_length(text);
    if (length == 0) length = 1;
    const bool control = (unsigned char)*text < 0x20 || *text == 0x7f;
    memcpy(reader->place + reader->length, control ? "?" : text, length);
    reader->length += length;
    text += length;
  }
  reader->place[reader->length] = '\0';
  return back;
}

size_t crd__enter(crd__reader *reader, const char *key) {
  const size_t back = reader->length;
  if (back) extend(reader, ".");
  extend(reader, key);
  return back;
}

size_t crd__enter_item(crd__reader *reader, size_t index) {
  char text[32];
  snprintf(text, sizeof text, "[%zu]", index);
  return extend(reader, text);
}

void crd__leave(crd__reader *reader, size_t back) {
  reader->length = back;
  reader->place[back] = '\0';
}

/* ---- Refusals. */

/* A string as it is, up to some characters; no control characters. */
static void show_string(const char *string, char out[static 64]) {
  size_t at = 0;
  out[at++] = '\'';
  for (; *string && at < 44;) {
    const size_t length = crd__utf8_length(string);
    const bool control = (unsigned char)*string < 0x20 || *string == 0x7f || length == 0;
    memcpy(out + at, control ? "?" : string, control ? 1 : length);
    at += control ? 1 : length;
    string += control ? 1 : length;
  }
  snprintf(out + at, 64 - at, "%s'", *string ? "..." : "");
}

static void show(const json_t *found, char out[static 64]) {
  char number[CRD__NUMBER_SIZE];
  if (!found) strcpy(out, "nothing");
  else if (json_is_string(found)) show_string(json_string_value(found), out);
  else if (json_is_real(found)) strcpy(out, crd__number_format(number, json_real_value(found)));
  else if (json_is_integer(found))
    snprintf(out, 64, "%" JSON_INTEGER_FORMAT, json_integer_value(found));
  else if (json_is_array(found)) snprintf(out, 64, "an array of %zu", json_array_size(found));
  else if (json_is_object(found)) strcpy(out, "an object");
  else strcpy(out, json_is_null(found) ? "null" : json_is_true(found) ? "true" : "false");
}

crd_status crd__refuse(crd__reader *reader, const json_t *found, const char *allowed) {
  char shown[64];
  show(found, shown);
  return crd__complain(reader, "found %s, allowed is %s", shown, allowed);
}

crd_status crd__complain(crd__reader *reader, const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return crd__fail(reader->ctx, CRD_EINPUT, "%s%s%s", reader->place, reader->length ? ": " : "",
                   text);
}

crd_status crd__array_get(crd__reader *reader, const json_t *object, const char *key,
                          const json_t **out) {
  *out = json_object_get(object, key);
  if (json_is_array(*out)) return CRD_OK;
  crd__enter(reader, key);
  return crd__refuse(reader, *out, "an array");
}
