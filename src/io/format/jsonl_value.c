/*
 * jsonl_value.c -- the values of JSON Lines: numbers, text, lists of numbers, scores by class.
 *
 * Numbers are parsed directly, without a tree of JSON values. NaN and Infinity, which Python's json
 * module writes, are accepted here and checked later. Values of unknown keys are skipped without
 * recursion.
 */
#include "io/format/jsonl.h"

#include "base/memory.h"
#include "base/number.h"

#include <string.h>

/* ---- Words. */

crd_status crd__io_jsonl_word(crd__io_jsonl *r, crd__words *words, const char *text, size_t length,
                              size_t *number) {
  if (crd__words_find(words, text, length, number)) return CRD_OK;
  if (r->copy_count == r->copy_capacity) {
    const size_t capacity = r->copy_capacity ? 2 * r->copy_capacity : 16;
    char **const copies = crd__resize(&r->ctx->alloc, r->copies, capacity, sizeof *copies);
    if (!copies) return crd__fail(r->ctx, CRD_ENOMEM, "no memory for %zu words", capacity);
    r->copies = copies;
    r->copy_capacity = capacity;
  }
  char *copy;
  CRD_TRY(crd__new(r->ctx, length + 1, 1, "a word", &copy));
  memcpy(copy, text, length);
  r->copies[r->copy_count++] = copy;
  return crd__words_add(r->ctx, words, copy, length, number);
}

/* ---- Numbers. */

static crd_status append(crd__io_jsonl *r, crd__io_jsonl_column *column, double value) {
  if (column->count == column->capacity) {
    const size_t capacity = column->capacity ? 2 * column->capacity : 64;
    double *const values = crd__resize(&r->ctx->alloc, column->values, capacity, sizeof *values);
    if (!values) return crd__fail(r->ctx, CRD_ENOMEM, "no memory for %zu numbers", capacity);
    column->values = values;
    column->capacity = capacity;
  }
  column->values[column->count++] = value;
  return CRD_OK;
}

static crd_status scan_number(crd__io_jsonl *r, const char *expected, double *out) {
  crd__io_scan *const scan = &r->scan;
  crd__io_scan_space(scan);
  const char *const from = scan->at;
  const char *at = from;
  while (at < scan->end && *at != ',' && *at != ']' && *at != '}' && (unsigned char)*at > ' ') at++;
  if (!crd__number_parse(from, (size_t)(at - from), out))
    return crd__io_scan_unexpected(r->ctx, scan, expected);
  scan->at = at;
  return CRD_OK;
}

static crd_status scan_scalar(crd__io_jsonl *r, const char *expected, double *out) {
  *out = crd__io_scan_word(&r->scan, "true");
  if (*out != 0 || crd__io_scan_word(&r->scan, "false")) return CRD_OK;
  return scan_number(r, expected, out);
}

static crd_status read_number(crd__io_jsonl *r, crd__io_jsonl_column *column) {
  double value = 0;
  CRD_TRY(scan_scalar(r, "a number, as in the lines before", &value));
  return append(r, column, value);
}

static crd_status wrong_length(crd__io_jsonl *r, const crd__io_jsonl_column *column, size_t found) {
  return crd__fail(r->ctx, CRD_EINPUT, "%s: '%.60s' has %zu numbers, expected %zu", r->place,
                   column->key, found, column->width);
}

static crd_status read_list(crd__io_jsonl *r, crd__io_jsonl_column *column) {
  const size_t before = column->count;
  if (!crd__io_scan_take(&r->scan, '['))
    return crd__io_scan_unexpected(r->ctx, &r->scan, "a list of numbers, as in the lines before");
  bool more = !crd__io_scan_take(&r->scan, ']');
  while (more) {
    double value = 0;
    CRD_TRY(scan_number(r, "a number, one list a line", &value));
    CRD_TRY(append(r, column, value));
    CRD_TRY(crd__io_scan_more(r->ctx, &r->scan, ']', &more));
  }
  const size_t found = column->count - before;
  if (found == 0)
    return crd__fail(r->ctx, CRD_EINPUT, "%s: '%.60s' is an empty list, expected numbers", r->place,
                     column->key);
  if (column->width == 0) column->width = found;
  return found == column->width ? CRD_OK : wrong_length(r, column, found);
}

/* ---- Scores by class. */

/* Finds the class of a key; fails with EINPUT if it occurs twice in an object. */
static crd_status find_class(crd__io_jsonl *r, size_t *number) {
  const char *const name = r->text.bytes ? r->text.bytes : "";
  if (!crd__words_find(&r->classes, name, r->text.length, number)) {
    if (r->classes_settled)
      return crd__fail(r->ctx, CRD_EINPUT,
                       "%s: found class '%.60s', expected the classes of the lines before or of "
                       "%s",
                       r->place, name, crd__spell(r->ctx, "class_names"));
    CRD_TRY(crd__io_jsonl_word(r, &r->classes, name, r->text.length, number));
  }
  if (r->class_capacity < r->classes.count) {
    const size_t capacity = 2 * r->classes.count;
    uint64_t *const seen = crd__resize(&r->ctx->alloc, r->class_seen, capacity, sizeof *seen);
    if (!seen) return crd__fail(r->ctx, CRD_ENOMEM, "no memory for %zu classes", capacity);
    memset(seen + r->class_capacity, 0, (capacity - r->class_capacity) * sizeof *seen);
    r->class_seen = seen;
    r->class_capacity = capacity;
  }
  if (r->class_seen[*number] == r->objects)
    return crd__fail(r->ctx, CRD_EINPUT, "%s: class '%.60s' occurs twice", r->place, name);
  r->class_seen[*number] = r->objects;
  return CRD_OK;
}

/* Extends the row to all classes seen so far, and stores each value at the index of its class. */
static crd_status read_object(crd__io_jsonl *r, crd__io_jsonl_column *column) {
  const size_t before = column->count;
  size_t found = 0;
  if (!crd__io_scan_take(&r->scan, '{'))
    return crd__io_scan_unexpected(r->ctx, &r->scan, "scores by class, as in the lines before");
  r->objects++;
  bool more = !crd__io_scan_take(&r->scan, '}');
  for (; more; found++) {
    double value = 0;
    size_t number = 0;
    CRD_TRY(crd__io_scan_json_string(r->ctx, &r->scan, &r->text));
    CRD_TRY(find_class(r, &number));
    if (!crd__io_scan_take(&r->scan, ':')) return crd__io_scan_unexpected(r->ctx, &r->scan, "':'");
    CRD_TRY(scan_number(r, "a number", &value));
    while (column->count < before + r->classes.count) CRD_TRY(append(r, column, 0));
    column->values[before + number] = value;
    CRD_TRY(crd__io_scan_more(r->ctx, &r->scan, '}', &more));
  }
  r->classes_settled = true;
  column->width = r->classes.count;
  return found > 0 && found == column->width ? CRD_OK : wrong_length(r, column, found);
}

/* ---- Text. */

crd_status crd__io_jsonl_class(crd__io_jsonl *r, const crd__io_jsonl_column *column,
                               const char *text, size_t length, double *out) {
  size_t number;
  if (!crd__words_find(&r->classes, text, length, &number))
    return crd__fail(r->ctx, CRD_EINPUT, "%s: '%.60s' is '%.*s', expected the name of a class",
                     r->place, column->key, length < 60 ? (int)length : 60, text);
  *out = (double)number;
  return CRD_OK;
}

static crd_status read_text(crd__io_jsonl *r, crd__io_jsonl_column *column) {
  const bool group = column->role == CRD__GROUPS;
  double value = 0;
  size_t number = 0;
  crd__io_scan_space(&r->scan);
  if (r->scan.at == r->scan.end || *r->scan.at != '"')
    return crd__io_scan_unexpected(r->ctx, &r->scan, "text in \"\", as in the lines before");
  CRD_TRY(crd__io_scan_json_string(r->ctx, &r->scan, &r->text));
  const char *const text = r->text.bytes ? r->text.bytes : "";
  if (column->width == 0) column->numbered = !group && r->classes_settled;
  if (column->numbered) CRD_TRY(crd__io_jsonl_class(r, column, text, r->text.length, &value));
  else {
    CRD_TRY(crd__io_jsonl_word(r, group ? &r->groups : &r->labels, text, r->text.length, &number));
    value = (double)number;
  }
  return append(r, column, value);
}

/* ---- Any value. */

static const struct {
  crd_status (*read)(crd__io_jsonl *r, crd__io_jsonl_column *column);
  char opens; /* its first character; 0: any other */
} kinds[] = {
  [CRD__JSONL_NUMBER] = { read_number, 0 },
  [CRD__JSONL_TEXT] = { read_text, '"' },
  [CRD__JSONL_LIST] = { read_list, '[' },
  [CRD__JSONL_OBJECT] = { read_object, '{' },
};

#define KIND(name) (1u << CRD__JSONL_##name)
/* The kinds that each role accepts, and their description. */
static const struct {
  unsigned kinds;
  const char *expected;
} takes[CRD__ROLE_COUNT] = {
  [CRD__SCORES] = { KIND(NUMBER) | KIND(LIST) | KIND(OBJECT), "a number, a list of numbers, or "
                                                              "numbers by class" },
  [CRD__LABELS] = { KIND(NUMBER) | KIND(TEXT) | KIND(LIST), "a class index or name" },
  [CRD__PREDICTED] = { KIND(NUMBER) | KIND(TEXT), "a class index or name" },
  [CRD__CORRECT] = { KIND(NUMBER), "true, false, 1 or 0" },
  [CRD__WEIGHTS] = { KIND(NUMBER), "a number" },
  [CRD__GROUPS] = { KIND(NUMBER) | KIND(TEXT), "an integer or a name" },
  [CRD__FEATURES] = { KIND(NUMBER) | KIND(LIST), "a list of numbers" },
};

static crd_status settle(crd__io_jsonl *r, crd__io_jsonl_column *column) {
  crd__io_scan_space(&r->scan);
  const char first = (char)(r->scan.at < r->scan.end ? *r->scan.at : '\0');
  column->kind = CRD__JSONL_NUMBER;
  for (crd__io_jsonl_kind k = CRD__JSONL_TEXT; k <= CRD__JSONL_OBJECT; k++)
    if (first == kinds[k].opens) column->kind = k;
  if (takes[column->role].kinds >> column->kind & 1) return CRD_OK;
  return crd__io_scan_unexpected(r->ctx, &r->scan, takes[column->role].expected);
}

crd_status crd__io_jsonl_value(crd__io_jsonl *r, crd__io_jsonl_column *column) {
  if (column->width == 0) CRD_TRY(settle(r, column));
  CRD_TRY(kinds[column->kind].read(r, column));
  if (column->width == 0) column->width = 1;
  return CRD_OK;
}

/* ---- Skipping values. */

static const char *skip_string(const char *at, const char *end) {
  for (at++; at < end && *at != '"'; at++) at += *at == '\\';
  return at < end ? at + 1 : end;
}

crd_status crd__io_jsonl_skip(crd__io_jsonl *r) {
  crd__io_scan_space(&r->scan);
  const char *at = r->scan.at, *const end = r->scan.end;
  size_t depth = 0;
  while (at < end) {
    if (*at == '"') {
      at = skip_string(at, end);
      continue;
    }
    if (depth == 0 && (*at == ',' || *at == '}')) break;
    if (*at == '[' || *at == '{') depth++;
    else if (*at == ']' || *at == '}') depth -= depth > 0;
    at++;
  }
  if (at == r->scan.at) return crd__io_scan_unexpected(r->ctx, &r->scan, "a value");
  r->scan.at = at;
  return CRD_OK;
}
