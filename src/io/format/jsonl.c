/*
 * jsonl.c -- JSON Lines (.jsonl, .ndjson): one object per line, whose keys are names of arrays.
 *
 *   {"logits": [1.5, -0.25, 0.5], "label": 0, "patient": "p17"}
 *   {"probs": {"cat": 0.9, "dog": 0.1}, "label": "cat"}
 *   {"confidence": 0.9, "correct": true}
 *
 * The first line decides the keys, their kinds and lengths; all other lines must agree with it.
 * Unknown keys are skipped. Each key becomes an array, which grows with the rows, so that memory is
 * linear in the file.
 */
#include "io/format/jsonl.h"

#include "base/memory.h"
#include "io/format.h"
#include "io/grouping.h"
#include "io/names.h"

#include <stdio.h>
#include <string.h>

/* Further names of arrays, besides keys.c. */
static const struct {
  const char *key, *name;
} synonyms[] = {
  { "pred", "pred_label" },    { "prediction", "pred_label" }, { "predicted", "pred_label" },
  { "is_correct", "correct" }, { "probability", "probs" },     { "prob", "probs" },
  { "score", "scores" },
};

static bool jsonl_recognise(const unsigned char *bytes, size_t length, const char *stem) {
  if (crd__io_has_extension(stem, "jsonl") || crd__io_has_extension(stem, "ndjson")) return true;
  if (crd__io_format_of(stem)) return false;
  size_t at = length >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  while (at < length && memchr(" \t\r\n", bytes[at], 4)) at++;
  return at < length && bytes[at] == '{';
}

/* ---- Rows. */

static bool has_column(const crd__io_jsonl *r, const char *name) {
  for (size_t i = 0; i < r->column_count; i++)
    if (strcmp(r->columns[i].name, name) == 0) return true;
  return false;
}

/* Returns whether the value after the key holds scores of several classes. */
static bool is_compound(const crd__io_jsonl *r) {
  const char *at = r->scan.at;
  while (at < r->scan.end && (*at == ' ' || *at == '\t')) at++;
  return at < r->scan.end && (*at == '[' || *at == '{');
}

/* Returns the name of the key's array; NULL: unknown, or a duplicate of another key. `pred` is a
 * class, unless it is a list of scores. */
static const crd__io_key *find_key(const crd__io_jsonl *r, const char *text, size_t length) {
  const crd__io_key *const key = crd__io_key_find(text, length);
  if (key && is_compound(r)) return key;
  for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
    if (strcmp(synonyms[i].key, text) == 0)
      return has_column(r, synonyms[i].name)
                 ? NULL
                 : crd__io_key_find(synonyms[i].name, strlen(synonyms[i].name));
  return key;
}

static bool is_listed(const char *list, const char *text) {
  const size_t wanted = strlen(text);
  while (list) {
    const size_t length = strcspn(list, ",");
    if (length == wanted && memcmp(list, text, length) == 0) return true;
    list = list[length] ? list + length + 1 : NULL;
  }
  return false;
}

/* Returns whether the key is a column of patients, or a group column named by options. */
static bool is_group(const crd__io_jsonl *r, const char *text, size_t length) {
  return crd__io_grouping_is_patient(text, length) || is_listed(r->options->group_by, text) ||
         is_listed(crd__io_grouping_named(r->options->cluster), text);
}

/* Finds the column of the current key; NULL: unknown. Only the first line adds columns. */
static crd_status find_column(crd__io_jsonl *r, crd__io_jsonl_column **out) {
  const char *const text = r->key.bytes ? r->key.bytes : "";
  *out = NULL;
  for (size_t i = 0; i < r->column_count && !*out; i++)
    if (strcmp(r->columns[i].key, text) == 0) *out = &r->columns[i];
  if (*out) return CRD_OK;
  const crd__io_key *const key = find_key(r, text, r->key.length);
  const bool group = !key && is_group(r, text, r->key.length);
  if (!key && !group) return CRD_OK;
  if (r->rows > 0)
    return crd__fail(
        r->ctx, CRD_EINPUT,
        "%s: has '%.60s', which the first line does not have; all lines must have the same keys",
        r->place, text);
  if (r->column_count == CRD__JSONL_COLUMNS_MAX)
    return crd__fail(r->ctx, CRD_EINPUT, "%s: more than %d keys", r->place, CRD__JSONL_COLUMNS_MAX);
  crd__io_jsonl_column *const column = &r->columns[r->column_count];
  *column = (crd__io_jsonl_column){ .role = group ? CRD__GROUPS : key->role };
  column->key = crd__strdup(&r->ctx->alloc, text);
  if (!column->key) return crd__fail(r->ctx, CRD_ENOMEM, "no memory for a name");
  column->name = group ? column->key : key->name;
  r->column_count++;
  *out = column;
  return CRD_OK;
}

static crd_status read_member(crd__io_jsonl *r) {
  crd__io_jsonl_column *column;
  CRD_TRY(crd__io_scan_json_string(r->ctx, &r->scan, &r->key));
  if (!crd__io_scan_take(&r->scan, ':')) return crd__io_scan_unexpected(r->ctx, &r->scan, "':'");
  CRD_TRY(find_column(r, &column));
  if (!column) return crd__io_jsonl_skip(r);
  if (column->seen)
    return crd__fail(r->ctx, CRD_EINPUT, "%s: '%.60s' occurs twice", r->place, column->key);
  column->seen = true;
  return crd__io_jsonl_value(r, column);
}

static bool is_label(const crd__io_jsonl_column *column) {
  return column->kind == CRD__JSONL_TEXT && column->role != CRD__GROUPS;
}

/* A label may precede the scores that name the classes, in the first line. */
static crd_status number_first(crd__io_jsonl *r) {
  for (size_t i = 0; i < r->column_count && r->classes.count > 0; i++) {
    crd__io_jsonl_column *const column = &r->columns[i];
    if (!is_label(column) || column->numbered) continue;
    const crd__word *const word = &r->labels.items[(size_t)column->values[0]];
    CRD_TRY(crd__io_jsonl_class(r, column, word->text, word->length, &column->values[0]));
    column->numbered = true;
  }
  return CRD_OK;
}

static crd_status check_row(crd__io_jsonl *r) {
  for (size_t i = 0; i < r->column_count; i++) {
    if (!r->columns[i].seen)
      return crd__fail(r->ctx, CRD_EINPUT, "%s: '%.60s' is missing, which the first line has",
                       r->place, r->columns[i].key);
    r->columns[i].seen = false;
  }
  return r->rows++ == 0 ? number_first(r) : CRD_OK;
}

static crd_status read_line(crd__io_jsonl *r) {
  crd__io_scan *const scan = &r->scan;
  crd__io_scan_space(scan);
  if (scan->at == scan->end) return CRD_OK;
  if (!crd__io_scan_take(scan, '{'))
    return crd__io_scan_unexpected(r->ctx, scan,
                                   "an object such as {\"logits\": [...], \"label\": 3}");
  bool more = !crd__io_scan_take(scan, '}');
  while (more) {
    CRD_TRY(read_member(r));
    crd__io_scan_space(scan);
    if (scan->at == scan->end)
      return crd__fail(r->ctx, CRD_EINPUT,
                       "%s: the object is not closed; expected one object on each line", r->place);
    CRD_TRY(crd__io_scan_more(r->ctx, scan, '}', &more));
  }
  crd__io_scan_space(scan);
  if (scan->at != scan->end) return crd__io_scan_unexpected(r->ctx, scan, "nothing after '}'");
  return check_row(r);
}

static crd_status read_lines(crd__io_jsonl *r, const crd__io_bundle *bundle) {
  const char *at = (const char *)bundle->bytes, *const end = at + bundle->length;
  if (bundle->length >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0) at += 3;
  for (r->line = 1; at < end; r->line++) {
    const char *const stop = memchr(at, '\n', (size_t)(end - at));
    if (r->line % 4096 == 0) CRD_TRY(crd__check_interrupt(r->ctx));
    snprintf(r->place, sizeof r->place, "line %zu", r->line);
    r->scan = (crd__io_scan){ r->place, false, at, stop ? stop : end };
    CRD_TRY(read_line(r));
    at = stop ? stop + 1 : end;
  }
  if (r->rows == 0) return crd__fail(r->ctx, CRD_EINPUT, "the file holds blank lines only");
  if (r->column_count > 0) return CRD_OK;
  return crd__fail(r->ctx, CRD_EINPUT,
                   "line 1 has none of the keys that are read, such as logits, probs, label, "
                   "confidence and correct");
}

/* ---- Words. */

/* Class names of the options, if they are distinct. */
static crd_status take_classes(crd__io_jsonl *r, const crd__io_bundle *bundle) {
  size_t number;
  for (size_t k = 0; k < bundle->class_name_count; k++) {
    const char *const name = bundle->class_names[k];
    CRD_TRY(crd__io_jsonl_word(r, &r->classes, name, strlen(name), &number));
  }
  if (r->classes.count < bundle->class_name_count) crd__words_clear(&r->ctx->alloc, &r->classes);
  r->classes_settled = r->classes.count > 0;
  return CRD_OK;
}

static void add_word(crd__text *text, const crd__word *word) {
  crd__text_add_bytes(text, word->text, word->length);
  crd__text_add_bytes(text, "", 1);
}

static crd_status copy_words(crd__io_jsonl *r, const crd__words *words, char ***out,
                             size_t *count) {
  crd__text text;
  crd__text_init(&text, &r->ctx->alloc);
  for (size_t i = 0; i < words->count; i++) add_word(&text, &words->items[i]);
  const crd_status status = crd__text_strings(r->ctx, &text, words->count, out);
  crd__text_clear(&text);
  if (status == CRD_OK) *count = words->count;
  return status;
}

/* Groups, and labels without class names: the strings are the array. */
static crd_status add_strings(crd__io_jsonl *r, const crd__io_jsonl_column *column,
                              crd__io_entry *entry) {
  const crd__words *const words = column->role == CRD__GROUPS ? &r->groups : &r->labels;
  crd__text names;
  crd__text_init(&names, &r->ctx->alloc);
  for (size_t i = 0; i < column->count; i++)
    add_word(&names, &words->items[(size_t)column->values[i]]);
  const crd_status status = crd__io_names_fill(r->ctx, &names, r->rows, entry);
  crd__text_clear(&names);
  return status;
}

/* ---- Entries. */

static void add_numbers(const crd__io_jsonl *r, crd__io_jsonl_column *column,
                        crd__io_entry *entry) {
  const bool vector = column->kind == CRD__JSONL_NUMBER || column->kind == CRD__JSONL_TEXT;
  entry->rank = vector ? 1 : 2;
  entry->shape[0] = r->rows;
  entry->shape[1] = column->width;
  entry->view = crd_array_matrix(column->values, CRD_F64, r->rows, column->width);
  entry->loaded = true;
  entry->owned = column->values;
  column->values = NULL;
}

static bool is_single(const char *name) {
  return crd__io_key_is_pairs(crd__io_key_find(name, strlen(name)));
}

/* Returns whether there are scores of all classes. Pairs of confidence and correctness have none,
 * and their labels need only be distinguished. */
static bool has_classes(const crd__io_jsonl *r) {
  for (size_t i = 0; i < r->column_count; i++)
    if (r->columns[i].role == CRD__SCORES && !is_single(r->columns[i].name)) return true;
  return false;
}

static crd_status add_columns(crd__io_jsonl *r, crd__io_bundle *bundle) {
  const bool spelled = has_classes(r);
  for (size_t i = 0; i < r->column_count; i++) {
    crd__io_jsonl_column *const column = &r->columns[i];
    crd__io_entry *entry;
    CRD_TRY(crd__io_bundle_add(r->ctx, bundle, column->name, &entry));
    const bool group = column->role == CRD__GROUPS && column->kind == CRD__JSONL_TEXT;
    if (group || (is_label(column) && !column->numbered && spelled))
      CRD_TRY(add_strings(r, column, entry));
    else add_numbers(r, column, entry);
  }
  if (r->classes.count == 0 || bundle->class_names) return CRD_OK;
  return copy_words(r, &r->classes, &bundle->class_names, &bundle->class_name_count);
}

static void clear(crd__io_jsonl *r) {
  const crd_allocator *const alloc = &r->ctx->alloc;
  for (size_t i = 0; i < r->column_count; i++) {
    crd__free(alloc, r->columns[i].key);
    crd__free(alloc, r->columns[i].values);
  }
  for (size_t i = 0; i < r->copy_count; i++) crd__free(alloc, r->copies[i]);
  crd__free(alloc, r->copies);
  crd__free(alloc, r->class_seen);
  crd__words_clear(alloc, &r->classes);
  crd__words_clear(alloc, &r->labels);
  crd__words_clear(alloc, &r->groups);
  crd__text_clear(&r->key);
  crd__text_clear(&r->text);
}

static crd_status jsonl_read_objects(crd_context *ctx, crd__io_bundle *bundle,
                                     const crd_open_options *options) {
  crd__io_jsonl r = { .ctx = ctx, .options = options };
  crd__text_init(&r.key, &ctx->alloc);
  crd__text_init(&r.text, &ctx->alloc);
  crd_status status = take_classes(&r, bundle);
  if (status == CRD_OK) status = read_lines(&r, bundle);
  if (status == CRD_OK) status = add_columns(&r, bundle);
  clear(&r);
  return status;
}

const crd__io_format crd__io_format_jsonl = {
  .info = { .name = "jsonl",
            .summary = "JSON Lines: one object per line, {\"logits\": [...], \"label\": ...}",
            .extensions = "jsonl ndjson" },
  .copies = true,
  .recognise = jsonl_recognise,
  .read = jsonl_read_objects,
};
