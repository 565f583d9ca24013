/* text.c -- growing strings, and lists of notes. */
#include "base/text.h"
#include "base/memory.h"
#include "base/number.h"

#include <stdio.h>
#include <string.h>

void crd__text_init(crd__text *text, const crd_allocator *alloc) {
  *text = (crd__text){ .alloc = alloc };
}

void crd__text_clear(crd__text *text) {
  crd__free(text->alloc, text->bytes);
  crd__text_init(text, text->alloc);
}

/* Allocates memory for `count` more bytes and the NUL: exactly, or with space to grow. */
static bool reserve(crd__text *text, size_t count, bool exact) {
  size_t need;
  if (text->failed) return false;
  if (!crd__size_add(text->length, count, &need) || !crd__size_add(need, 1, &need)) {
    text->failed = true;
    return false;
  }
  if (need <= text->capacity) return true;
  const size_t capacity = exact ? need : need < 256 ? 256 : need + need / 2;
  char *const bytes = crd__resize(text->alloc, text->bytes, capacity, 1);
  if (!bytes) {
    text->failed = true;
    return false;
  }
  text->bytes = bytes;
  text->capacity = capacity;
  return true;
}

void crd__text_reserve(crd__text *text, size_t count) {
  if (reserve(text, count, true)) text->bytes[text->length] = '\0';
}

void crd__text_add_bytes(crd__text *text, const char *bytes, size_t count) {
  if (!reserve(text, count, false)) return;
  memcpy(text->bytes + text->length, bytes, count);
  text->length += count;
  text->bytes[text->length] = '\0';
}

void crd__text_add(crd__text *text, const char *string) {
  crd__text_add_bytes(text, string, strlen(string));
}

void crd__text_add_number(crd__text *text, double value) {
  char number[CRD__NUMBER_SIZE];
  crd__text_add(text, crd__number_format(number, value));
}

void crd__text_add_field(crd__text *text, const char *field) {
  const size_t length = strlen(field);
  const bool blank_ends = length && (field[0] == ' ' || field[length - 1] == ' ');
  if (!blank_ends && !strpbrk(field, "\",\t\r\n")) {
    crd__text_add_bytes(text, field, length);
    return;
  }
  crd__text_add(text, "\"");
  for (const char *quote; (quote = strchr(field, '"')); field = quote + 1) {
    crd__text_add_bytes(text, field, (size_t)(quote - field));
    crd__text_add(text, "\"\"");
  }
  crd__text_add(text, field);
  crd__text_add(text, "\"");
}

/* Appends printf-style; the arguments are walked twice: to measure, and to write. */
static void add_list(crd__text *text, const char *format, va_list args) {
  va_list again;
  va_copy(again, args);
  const int length = vsnprintf(NULL, 0, format, args);
  if (length < 0) text->failed = true;
  else if (reserve(text, (size_t)length, false)) {
    vsnprintf(text->bytes + text->length, (size_t)length + 1, format, again);
    text->length += (size_t)length;
  }
  va_end(again);
}

void crd__text_addf(crd__text *text, const char *format, ...) {
  va_list args;
  va_start(args, format);
  add_list(text, format, args);
  va_end(args);
}

crd_status crd__text_status(crd_context *ctx, const crd__text *text) {
  if (!text->failed) return CRD_OK;
  return crd__fail(ctx, CRD_ENOMEM, "no memory for a text of more than %zu bytes", text->length);
}

crd_status crd__text_strings(crd_context *ctx, const crd__text *text, size_t count, char ***out) {
  *out = NULL;
  CRD_TRY(crd__text_status(ctx, text));
  /* Every string has a byte in the text, so this cannot overflow. */
  CRD_TRY(crd__new(ctx, count * sizeof **out + text->length + 1, 1, "names", out));
  char *at = (char *)(*out + count);
  if (text->length > 0) memcpy(at, text->bytes, text->length);
  for (size_t i = 0; i < count; i++) {
    (*out)[i] = at;
    at += strlen(at) + 1;
  }
  return CRD_OK;
}

crd_status crd__notes_add(crd_context *ctx, const crd_allocator *alloc, crd__notes *notes,
                          const char *format, ...) {
  crd__text text;
  crd__text_init(&text, alloc);
  va_list args;
  va_start(args, format);
  add_list(&text, format, args);
  va_end(args);
  char **const items = crd__resize(alloc, notes->items, notes->count + 1, sizeof *items);
  if (items) notes->items = items;
  if (!items || text.failed) {
    crd__text_clear(&text);
    return crd__fail(ctx, CRD_ENOMEM, "no memory for a note");
  }
  notes->items[notes->count++] = text.bytes;
  return CRD_OK;
}

void crd__notes_clear(const crd_allocator *alloc, crd__notes *notes) {
  for (size_t i = 0; i < notes->count; i++) crd__free(alloc, notes->items[i]);
  crd__free(alloc, notes->items);
  *notes = (crd__notes){ 0 };
}
