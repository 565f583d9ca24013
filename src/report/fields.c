/* fields.c -- types of struct members: how each is written as JSON, and read from it. */
#include "report/fields.h"
#include "base/json_text.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const json_int_t exact = (json_int_t)1 << 53; /* integers up to here are exact as float64 */

/* ---- Integers. */

static bool read_integer(const json_t *json, json_int_t most, json_int_t *out) {
  *out = json_integer_value(json);
  return json_is_integer(json) && *out >= 0 && *out <= most;
}

static void write_count(crd__text *out, const void *value) {
  crd__text_addf(out, "%zu", *(const size_t *)value);
}

static bool read_count(const json_t *json, void *value) {
  json_int_t number;
  if (!read_integer(json, exact, &number)) return false;
  *(size_t *)value = (size_t)number;
  return true;
}

static void write_some(crd__text *out, const void *value) {
  if (*(const size_t *)value) write_count(out, value);
  else crd__text_add(out, "null");
}

static bool read_some(const json_t *json, void *value) {
  *(size_t *)value = 0;
  return json_is_null(json) || read_count(json, value);
}

static void write_small(crd__text *out, const void *value) {
  crd__text_addf(out, "%u", *(const unsigned *)value);
}

static bool read_small(const json_t *json, void *value) {
  json_int_t number;
  if (!read_integer(json, UINT_MAX, &number)) return false;
  *(unsigned *)value = (unsigned)number;
  return true;
}

static void write_wide(crd__text *out, const void *value) {
  const uint64_t number = *(const uint64_t *)value;
  const char *const quote = number > (uint64_t)exact ? "\"" : "";
  crd__text_addf(out, "%s%" PRIu64 "%s", quote, number, quote);
}

static bool read_wide(const json_t *json, void *value) {
  json_int_t number;
  const char *const text = json_string_value(json);
  if (read_integer(json, exact, &number)) *(uint64_t *)value = (uint64_t)number;
  if (!text) return json_is_integer(json) && number >= 0 && number <= exact;
  errno = 0;
  *(uint64_t *)value = strtoull(text, NULL, 10);
  return *text && text[strspn(text, "0123456789")] == '\0' && errno == 0;
}

static void write_flag(crd__text *out, const void *value) {
  crd__text_add(out, *(const int *)value ? "true" : "false");
}

static bool read_flag(const json_t *json, void *value) {
  *(int *)value = json_is_true(json);
  return json_is_boolean(json);
}

static bool is_no_count(const void *value) { return *(const size_t *)value == 0; }
static bool is_no_mark(const void *value) { return *(const int *)value == 0; }

static bool read_tally(const json_t *json, void *value) {
  *(size_t *)value = 0;
  return !json || read_count(json, value);
}

static bool read_mark(const json_t *json, void *value) {
  *(int *)value = 0;
  return !json || read_flag(json, value);
}

/* ---- Numbers. */

static void write_number(crd__text *out, const void *value) {
  crd__json_add_number(out, *(const double *)value);
}

static bool read_number(const json_t *json, void *value) {
  *(double *)value = json_is_null(json) ? (double)NAN : json_number_value(json);
  return json_is_null(json) || json_is_number(json);
}

static bool read_share(const json_t *json, void *value) {
  return read_number(json, value) && !(*(double *)value < 0 || *(double *)value > 1);
}

static bool read_part(const json_t *json, void *value) {
  return json_is_number(json) && read_share(json, value);
}

static bool is_nan(const void *value) { return isnan(*(const double *)value); }

static bool read_extra(const json_t *json, void *value) {
  if (!json) *(double *)value = (double)NAN;
  else if (json_is_null(json)) *(double *)value = (double)INFINITY;
  else return read_number(json, value);
  return true;
}

/* ---- Text. */

static void write_string(crd__text *out, const void *value) {
  crd__json_add_string(out, *(const char *const *)value);
}

static bool read_text(const json_t *json, void *value) {
  *(const char **)value = json_string_value(json);
  return json_is_string(json);
}

static bool read_string(const json_t *json, void *value) {
  return read_text(json, value) || json_is_null(json);
}

static bool is_missing(const void *value) { return !*(const char *const *)value; }

static bool read_remark(const json_t *json, void *value) { return read_text(json, value) || !json; }

enum { SHA256_LENGTH = 64 };

static void write_sha256(crd__text *out, const void *value) { crd__json_add_string(out, value); }

static bool read_sha256(const json_t *json, void *value) {
  const char *const text = json_string_value(json);
  if (!text || strlen(text) != SHA256_LENGTH || strspn(text, "0123456789abcdef") != SHA256_LENGTH)
    return false;
  memcpy(value, text, SHA256_LENGTH + 1);
  return true;
}

const crd__report_kind crd__report_kind_count = { "an integer from 0", NULL, write_count,
                                                  read_count };
const crd__report_kind crd__report_kind_some = { "an integer from 0, or null", NULL, write_some,
                                                 read_some };
const crd__report_kind crd__report_kind_small = { "an integer from 0, below 2^32", NULL,
                                                  write_small, read_small };
const crd__report_kind crd__report_kind_wide = {
  "an integer from 0, below 2^64 (above 2^53: as text)", NULL, write_wide, read_wide
};
const crd__report_kind crd__report_kind_tally = { "an integer from 0", is_no_count, write_count,
                                                  read_tally };
const crd__report_kind crd__report_kind_mark = { "true or false", is_no_mark, write_flag,
                                                 read_mark };
const crd__report_kind crd__report_kind_flag = { "true or false", NULL, write_flag, read_flag };
const crd__report_kind crd__report_kind_number = { "a number, or null", NULL, write_number,
                                                   read_number };
const crd__report_kind crd__report_kind_share = { "a number from 0 to 1, or null", NULL,
                                                  write_number, read_share };
const crd__report_kind crd__report_kind_part = { "a number from 0 to 1", NULL, write_number,
                                                 read_part };
const crd__report_kind crd__report_kind_extra = { "a number", is_nan, write_number, read_extra };
const crd__report_kind crd__report_kind_string = { "text, or null", NULL, write_string,
                                                   read_string };
const crd__report_kind crd__report_kind_text = { "text", NULL, write_string, read_text };
const crd__report_kind crd__report_kind_remark = { "text", is_missing, write_string, read_remark };
const crd__report_kind crd__report_kind_sha256 = { "64 digits 0-9, a-f", NULL, write_sha256,
                                                   read_sha256 };

/* ---- Structs. */

static const void *member(const void *object, const crd__report_field *field) {
  return (const char *)object + field->offset;
}

void crd__report_members_write(crd__text *out, const crd__report_record *record,
                               const void *object) {
  bool any = false;
  for (size_t i = 0; i < record->count; i++) {
    const crd__report_field *const f = &record->fields[i];
    const void *const value = member(object, f);
    if (f->kind->is_absent && f->kind->is_absent(value)) continue;
    crd__text_addf(out, "%s\"%s\": ", any ? ", " : "", f->key);
    f->kind->write(out, value);
    any = true;
  }
}

void crd__report_columns_write(crd__text *out, const crd__report_record *record, const void *items,
                               size_t count) {
  for (size_t i = 0; i < record->count; i++) {
    const crd__report_field *const f = &record->fields[i];
    crd__text_addf(out, "%s\"%s\": [", i ? ", " : "", f->key);
    for (size_t k = 0; k < count; k++) {
      if (k) crd__text_add(out, ",");
      f->kind->write(out, member((const char *)items + k * record->size, f));
    }
    crd__text_add(out, "]");
  }
}

static bool has_word(const char *words, const char *word) {
  const size_t length = strcspn(word, " ");
  if (word[length]) return false;
  for (const char *at = words; length && (at = strstr(at, word)); at += length)
    if ((at == words || at[-1] == ' ') && (at[length] == ' ' || !at[length])) return true;
  return false;
}

static bool has_field(const crd__report_record *record, const char *key) {
  for (size_t i = 0; record && i < record->count; i++)
    if (strcmp(record->fields[i].key, key) == 0) return true;
  return false;
}

crd_status crd__report_object_check(crd__report_reader *reader, const json_t *json,
                                    const crd__report_record *record, const char *others) {
  if (!json_is_object(json)) return crd__report_reader_invalid(reader, json, "an object");
  for (void *at = json_object_iter((json_t *)(uintptr_t)json); at;
       at = json_object_iter_next((json_t *)(uintptr_t)json, at)) {
    const char *const key = json_object_iter_key(at);
    if (has_field(record, key) || has_word(others, key)) continue;
    crd__report_enter(reader, key);
    return crd__report_reader_fail(reader, "version %s has no such key", crd_version());
  }
  return CRD_OK;
}

crd_status crd__report_member_read(crd__report_reader *reader, const json_t *object,
                                   const char *key, const crd__report_kind *kind, void *out) {
  const json_t *const json = json_object_get(object, key);
  if ((json || kind->is_absent) && kind->read(json, out)) return CRD_OK;
  crd__report_enter(reader, key);
  return crd__report_reader_invalid(reader, json, kind->allowed);
}

crd_status crd__report_members_read(crd__report_reader *reader, const json_t *object,
                                    const crd__report_record *record, void *out) {
  for (size_t i = 0; i < record->count; i++) {
    const crd__report_field *const f = &record->fields[i];
    CRD_TRY(crd__report_member_read(reader, object, f->key, f->kind, (char *)out + f->offset));
  }
  return CRD_OK;
}

static crd_status read_column(crd__report_reader *reader, const json_t *list,
                              const crd__report_record *record, const crd__report_field *field,
                              char *items) {
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *const json = json_array_get(list, i);
    if (field->kind->read(json, items + i * record->size + field->offset)) continue;
    crd__report_enter(reader, field->key);
    crd__report_enter_item(reader, i);
    return crd__report_reader_invalid(reader, json, field->kind->allowed);
  }
  return CRD_OK;
}

crd_status crd__report_columns_read(crd__report_reader *reader, const json_t *object,
                                    const crd__report_record *record, void *items, size_t *count) {
  char *memory = NULL;
  *count = json_array_size(json_object_get(object, record->fields[0].key));
  CRD_TRY(crd__report_reader_alloc(reader, *count, record->size, &memory));
  for (size_t i = 0; i < record->count; i++) {
    const json_t *list;
    CRD_TRY(crd__report_array_get(reader, object, record->fields[i].key, &list));
    if (json_array_size(list) != *count) {
      crd__report_enter(reader, record->fields[i].key);
      return crd__report_reader_fail(reader, "found %zu items, allowed are as many as in '%s', %zu",
                                     json_array_size(list), record->fields[0].key, *count);
    }
    CRD_TRY(read_column(reader, list, record, &record->fields[i], memory));
  }
  memcpy(items, &memory, sizeof memory);
  return CRD_OK;
}
