/* reader.c -- parses a file; error messages of the reader: the place in the file, what was found,
 * what is allowed. */
#include "report/stored/reader.h"
#include "base/arena.h"
#include "base/number.h"
#include "base/utf8.h"
#include "report/json_parts.h"

#include <stdio.h>
#include <string.h>

crd_status crd__report_reader_alloc(crd__report_reader *reader, size_t count, size_t size,
                                    void *out) {
  return crd__arena_add(reader->ctx, reader->owner, count, size, "a stored result", out);
}

/* ---- The place. */

static size_t extend(crd__report_reader *reader, const char *text) {
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

size_t crd__report_enter(crd__report_reader *reader, const char *key) {
  const size_t back = reader->length;
  if (back) extend(reader, ".");
  extend(reader, key);
  return back;
}

size_t crd__report_enter_item(crd__report_reader *reader, size_t index) {
  char text[32];
  snprintf(text, sizeof text, "[%zu]", index);
  return extend(reader, text);
}

void crd__report_leave(crd__report_reader *reader, size_t back) {
  reader->length = back;
  reader->place[back] = '\0';
}

/* ---- Error messages. */

/* Quotes a string, truncated, with '?' for control characters. */
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

static const char *word(const json_t *found) {
  return !found                  ? "nothing"
         : json_is_object(found) ? "an object"
         : json_is_null(found)   ? "null"
         : json_is_true(found)   ? "true"
                                 : "false";
}

static void show(const json_t *found, char out[static 64]) {
  char number[CRD__NUMBER_SIZE];
  if (json_is_string(found)) show_string(json_string_value(found), out);
  else if (json_is_real(found))
    snprintf(out, 64, "%s", crd__number_format(number, json_real_value(found)));
  else if (json_is_integer(found))
    snprintf(out, 64, "%" JSON_INTEGER_FORMAT, json_integer_value(found));
  else if (json_is_array(found)) snprintf(out, 64, "an array of %zu", json_array_size(found));
  else snprintf(out, 64, "%s", word(found));
}

crd_status crd__report_reader_invalid(crd__report_reader *reader, const json_t *found,
                                      const char *allowed) {
  char shown[64];
  show(found, shown);
  return crd__report_reader_fail(reader, "found %s, allowed is %s", shown, allowed);
}

crd_status crd__report_reader_fail(crd__report_reader *reader, const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return crd__fail(reader->ctx, CRD_EINPUT, "%s%s%s", reader->place, reader->length ? ": " : "",
                   text);
}

crd_status crd__report_array_get(crd__report_reader *reader, const json_t *object, const char *key,
                                 const json_t **out) {
  *out = json_object_get(object, key);
  if (json_is_array(*out)) return CRD_OK;
  crd__report_enter(reader, key);
  return crd__report_reader_invalid(reader, *out, "an array");
}

/* ---- Files. */

/* Whether it begins like an object; checked before memory is allocated for parsing. */
static bool is_object(const char *bytes, size_t length) {
  size_t at = 0;
  while (at < length && bytes[at] && strchr(" \t\r\n", bytes[at])) at++;
  return at < length && bytes[at] == '{';
}

static void release_json(const void *root) { json_decref((json_t *)(uintptr_t)root); }

crd_status crd__report_json_parse(crd__report_reader *reader, const char *bytes, size_t length,
                                  json_t **out) {
  crd_context *const ctx = reader->ctx;
  json_error_t error;
  *out = NULL;
  if (!is_object(bytes, length)) return CRD_OK;
  *out = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, &error);
  if (*out) return crd__arena_keep(ctx, reader->owner, *out, release_json);
  if (json_error_code(&error) == json_error_out_of_memory)
    return crd__fail(ctx, CRD_ENOMEM, "no memory for a stored result");
  return crd__fail(ctx, CRD_EINPUT, "line %d is not JSON (%s); is the file truncated?", error.line,
                   error.text);
}

crd_status crd__report_version_check(crd__report_reader *reader, const json_t *root) {
  const json_t *const version = json_object_get(root, "version");
  if (!json_object_get(root, "credence") && !version) return CRD_OK;
  if (json_is_integer(version) && json_integer_value(version) == CRD__JSON_VERSION) return CRD_OK;
  crd__report_enter(reader, "version");
  return crd__report_reader_invalid(reader, version, "1: a newer program wrote this file, perhaps");
}
