/*
 * csv.c -- tables as text, with or without a header.
 *
 * The roles of the columns are decided from the first lines (csv_plan.c); then the text is parsed
 * once, and numbers are stored directly in one matrix. The number of lines bounds its rows and the
 * length of the text bounds both, so that it is allocated once and small files need little memory.
 */
#include "io/format/csv.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "data/array.h"
#include "io/format.h"
#include "io/format/csv_names.h"
#include "io/names.h"

#include <string.h>
#include <strings.h>

static bool csv_recognise(const unsigned char *bytes, size_t length, const char *stem) {
  const crd__io_format *named = crd__io_format_of(stem);
  if (named) return strcmp(named->info.name, "csv") == 0;
  const size_t looked = length < 4096 ? length : 4096;
  for (size_t i = 0; i < looked; i++)
    if (bytes[i] < ' ' && !strchr("\t\r\n", bytes[i])) return false;
  return memchr(bytes, '\0', looked) == NULL;
}

/* ---- The first line. */

static crd_status read_first(crd__io_csv_reader *r, const crd_allocator *alloc, crd__word **out,
                             size_t *columns) {
  size_t capacity = 16;
  *columns = 0;
  CRD_TRY(crd__new(r->ctx, capacity, sizeof **out, "the first line", out));
  do {
    if (*columns == capacity) {
      crd__word *spans = crd__resize(alloc, *out, capacity *= 2, sizeof *spans);
      if (!spans) return crd__fail(r->ctx, CRD_ENOMEM, "no memory for %zu columns", capacity);
      *out = spans;
    }
    r->column = *columns;
    CRD_TRY(crd__io_csv_field(r, &(*out)[(*columns)++]));
  } while (r->more);
  return CRD_OK;
}

static bool is_header(const crd__io_csv_reader *r, const crd__word *fields, size_t columns) {
  double ignored;
  for (size_t i = 0; i < columns; i++)
    if (!crd__io_csv_number(r, &fields[i], &ignored)) return true;
  return false;
}

/* ---- The rows. */

typedef struct {
  crd__io_csv_reader r;
  crd__io_csv_plan plan;
  crd__io_csv_sample sample;
  double *matrix;
  size_t rows;
  crd__words *words;  /* of each column of groups */
  crd__words classes; /* class names, if they are distinct */
  bool spelled;       /* labels are text without class names: the strings are kept */
  crd__text labels, predicted;
} table;

static bool is_label(const table *t, size_t to) {
  return to == t->plan.at[CRD__LABELS] || to == t->plan.at[CRD__PREDICTED];
}

/* True and False, as pandas writes them. */
static bool is_truth(const crd__word *field, double *out) {
  *out = field->length == 4;
  return (field->length == 4 && strncasecmp(field->text, "true", 4) == 0) ||
         (field->length == 5 && strncasecmp(field->text, "false", 5) == 0);
}

static bool is_class(const table *t, crd__word field, double *out) {
  char name[256];
  size_t number;
  if (field.length == 0 || field.length > sizeof name) return false;
  if (!crd__words_find(&t->classes, name, crd__word_copy(&field, name), &number)) return false;
  *out = (double)number;
  return true;
}

static crd_status keep_word(table *t, const crd__word *field, size_t to) {
  crd__text *const text = to == t->plan.at[CRD__LABELS] ? &t->labels : &t->predicted;
  char *copy;
  CRD_TRY(crd__new(t->r.ctx, field->length + 1, 1, "a label", &copy));
  crd__text_add_bytes(text, copy, crd__word_copy(field, copy));
  crd__text_add_bytes(text, "", 1);
  crd__free(&t->r.ctx->alloc, copy);
  return crd__text_status(t->r.ctx, text);
}

static crd_status read_value(table *t, size_t line, crd__word field, size_t to, double *out) {
  if (to >= t->plan.groups && field.length > 0) {
    crd__words *const words = &t->words[to - t->plan.groups];
    size_t number;
    CRD_TRY(crd__words_add(t->r.ctx, words, field.text, field.length, &number));
    *out = (double)number;
    return CRD_OK;
  }
  const bool label = is_label(t, to);
  if (label && t->spelled && field.length > 0) return keep_word(t, &field, to);
  if (crd__io_csv_number(&t->r, &field, out)) return CRD_OK;
  if (label && t->classes.count > 0 && is_class(t, field, out)) return CRD_OK;
  if ((label || to == t->plan.at[CRD__CORRECT]) && is_truth(&field, out)) return CRD_OK;
  return crd__io_csv_fail(&t->r, line, &field,
                          label && t->classes.count > 0 ? "a number or the name of a class"
                                                        : "a number");
}

static crd_status ragged(const table *t, size_t line, size_t fields) {
  return crd__fail(t->r.ctx, CRD_EINPUT, "line %zu has %s%zu fields, the first line has %zu", line,
                   fields > t->plan.columns ? "at least " : "", fields, t->plan.columns);
}

static crd_status read_row(table *t) {
  const size_t line = t->r.line;
  double *row = t->matrix + t->rows * t->plan.width;
  for (size_t i = 0; i == 0 || t->r.more; i++) {
    crd__word field;
    if (i == t->plan.columns) return ragged(t, line, i + 1);
    const size_t at = t->r.line;
    t->r.column = i;
    CRD_TRY(crd__io_csv_field(&t->r, &field));
    if (!t->r.more && i + 1 < t->plan.columns) return ragged(t, line, i + 1);
    const size_t to = t->plan.to[i];
    if (to != CRD__NOWHERE) CRD_TRY(read_value(t, at, field, to, &row[to]));
  }
  t->rows++;
  return CRD_OK;
}

/* Integers beyond 2^53 are treated as text, because they are not exact in float64. */
static bool is_group_number(const crd__word *word, int64_t *out) {
  const int64_t most = INT64_C(1) << 53;
  return crd__integer_parse(word->text, word->length, out) && *out >= -most && *out <= most;
}

/* Groups that are all integers keep their values; else words are numbered in order of appearance.
 */
static crd_status name_groups(table *t, size_t index, crd__io_entry *entry) {
  const crd__words *const words = &t->words[index];
  int64_t value;
  for (size_t i = 0; i < words->count; i++) {
    if (is_group_number(&words->items[i], &value)) continue;
    entry->word_count = words->count;
    return crd__words_copy(t->r.ctx, words, &entry->words);
  }
  for (size_t i = 0; i < t->rows; i++) {
    double *group = &t->matrix[i * t->plan.width + t->plan.groups + index];
    if (is_group_number(&words->items[(size_t)*group], &value)) *group = (double)value;
  }
  return CRD_OK;
}

/* An upper bound: each row ends a line, and each field takes at least one byte. */
static size_t most_rows(const table *t) {
  const size_t lines = crd__io_csv_count(t->r.at, t->r.end, '\n') + 1;
  const size_t fit = (size_t)(t->r.end - t->r.at + 1) / t->plan.columns + 1;
  return lines < fit ? lines : fit;
}

static crd_status read_rows(table *t) {
  if (crd__io_csv_is_finished(&t->r)) return crd__fail(t->r.ctx, CRD_EINPUT, "there are no rows");
  if (t->plan.width == 0)
    return crd__fail(t->r.ctx, CRD_EINPUT,
                     "no column is recognised as a score, a label or the like");
  CRD_TRY(crd__new(t->r.ctx, t->plan.group_count, sizeof *t->words, "groups", &t->words));
  CRD_TRY(
      crd__new(t->r.ctx, most_rows(t) * t->plan.width, sizeof *t->matrix, "the table", &t->matrix));
  while (!crd__io_csv_is_finished(&t->r)) {
    if (t->rows % 4096 == 0) CRD_TRY(crd__check_interrupt(t->r.ctx));
    CRD_TRY(read_row(t));
  }
  return CRD_OK;
}

static crd_status add_columns(crd_context *ctx, crd__io_bundle *bundle, const table *t,
                              const char *name, crd_array columns) {
  crd__io_entry *entry;
  CRD_TRY(crd__io_bundle_add(ctx, bundle, name, &entry));
  entry->rank = 2;
  entry->shape[0] = t->rows;
  entry->shape[1] = crd__data_cols(&columns);
  entry->view = columns;
  entry->loaded = true;
  return CRD_OK;
}

static crd_array columns_at(const table *t, size_t first, size_t cols) {
  crd_array view = crd_array_matrix(t->matrix + first, CRD_F64, t->rows, cols);
  view.strides[0] = (ptrdiff_t)(t->plan.width * sizeof *t->matrix);
  return view;
}

static crd_status add_groups(crd_context *ctx, crd__io_bundle *bundle, table *t, size_t index) {
  const crd__word name = t->plan.group_names[index];
  char *text;
  CRD_TRY(crd__new(ctx, name.length + 1, 1, "a name", &text));
  memcpy(text, name.text, name.length);
  crd_status status = add_columns(ctx, bundle, t, text, columns_at(t, t->plan.groups + index, 1));
  if (status == CRD_OK) status = name_groups(t, index, &bundle->entries[bundle->count - 1]);
  crd__free(&ctx->alloc, text);
  return status;
}

static crd_status add_strings(crd_context *ctx, crd__io_bundle *bundle, const table *t,
                              crd__io_role role) {
  crd__io_entry *entry;
  CRD_TRY(crd__io_bundle_add(ctx, bundle, t->plan.key[role], &entry));
  return crd__io_names_fill(ctx, role == CRD__LABELS ? &t->labels : &t->predicted, t->rows, entry);
}

static crd_status add_role(crd_context *ctx, crd__io_bundle *bundle, const table *t,
                           crd__io_role role) {
  const bool scores = role == CRD__SCORES;
  const size_t first = scores ? 0 : t->plan.at[role], cols = scores ? t->plan.scores : 1;
  if (cols == 0 || first == CRD__NOWHERE) return CRD_OK;
  if (t->spelled && (role == CRD__LABELS || role == CRD__PREDICTED))
    return add_strings(ctx, bundle, t, role);
  return add_columns(ctx, bundle, t, t->plan.key[role], columns_at(t, first, cols));
}

static crd_status add_entries(crd_context *ctx, crd__io_bundle *bundle, table *t) {
  crd_status status = CRD_OK;
  for (int role = 0; status == CRD_OK && role < CRD__ROLE_COUNT; role++)
    status = add_role(ctx, bundle, t, (crd__io_role)role);
  for (size_t i = 0; status == CRD_OK && i < t->plan.group_count; i++)
    status = add_groups(ctx, bundle, t, i);
  if (bundle->count > 0) bundle->entries[0].owned = t->matrix; /* any entry may own it */
  return status;
}

/* ---- Class names. */

/* The column of the file that holds the labels, or NOWHERE. */
static size_t label_column(const table *t) {
  for (size_t i = 0; t->plan.at[CRD__LABELS] != CRD__NOWHERE && i < t->plan.columns; i++)
    if (t->plan.to[i] == t->plan.at[CRD__LABELS]) return i;
  return CRD__NOWHERE;
}

/* Returns whether the labels of the first rows contain words, all of them class names. */
static bool labels_match(const table *t, const crd__word *names, size_t count) {
  const size_t column = label_column(t);
  size_t words = 0;
  for (size_t row = 0; column != CRD__NOWHERE && row < t->sample.rows; row++) {
    const crd__word *const label = &t->sample.fields[row * t->sample.columns + column];
    double number;
    size_t k = 0;
    if (crd__io_csv_number(&t->r, label, &number)) continue;
    while (k < count && (names[k].length != label->length ||
                         memcmp(names[k].text, label->text, label->length) != 0))
      k++;
    if (k == count) return false;
    words++;
  }
  return words > 0;
}

static bool all_are_whole(const crd__word *names, size_t count) {
  int64_t number;
  for (size_t k = 0; k < count; k++)
    if (!crd__integer_parse(names[k].text, names[k].length, &number)) return false;
  return true;
}

/* Takes class names from the score columns: prob_cat and prob_dog become cat and dog. Numbered
 * columns give no names, unless the labels use them. */
static crd_status settle_names(table *t, crd__io_bundle *bundle, const crd__word *names,
                               crd__word *stripped) {
  const size_t count = t->plan.scores;
  bool known;
  crd__io_names_strip(names, count, stripped, &known);
  const bool match = labels_match(t, names, count);
  const bool match_stripped = !match && labels_match(t, stripped, count);
  if (!match && !match_stripped &&
      (crd__io_names_are_numbers(names, count) || crd__io_names_are_numbers(stripped, count)))
    return CRD_OK;
  const bool shorter = match_stripped || (!match && known && !all_are_whole(stripped, count));
  const crd__words words = { .items = (crd__word *)(uintptr_t)(shorter ? stripped : names),
                             .count = count };
  bundle->class_name_count = count;
  return crd__words_copy(t->r.ctx, &words, &bundle->class_names);
}

/* Names of score columns are class names; a single column has two classes. */
static crd_status name_classes(table *t, crd__io_bundle *bundle) {
  const size_t count = t->plan.scores;
  crd__word *names;
  if (bundle->class_names || !t->plan.names || count < 2) return CRD_OK;
  CRD_TRY(crd__new(t->r.ctx, 2 * count, sizeof *names, "names", &names));
  for (size_t i = 0; i < t->plan.columns; i++)
    if (t->plan.to[i] < count) names[t->plan.to[i]] = t->plan.names[i];
  const crd_status status = settle_names(t, bundle, names, names + count);
  crd__free(&t->r.ctx->alloc, names);
  return status;
}

/* Labels are text without class names: open.c converts them to class indices. */
static void find_spelled(table *t) {
  const size_t column = label_column(t);
  size_t truths = 0;
  double truth;
  if (column == CRD__NOWHERE || t->classes.count > 0 || !crd__io_csv_is_text(&t->sample, column))
    return;
  for (size_t row = 0; row < t->sample.rows; row++)
    truths += is_truth(&t->sample.fields[row * t->sample.columns + column], &truth);
  t->spelled = t->sample.column[column].filled > 0 && truths < t->sample.rows;
}

/* Labels may be words only if class names are distinct. */
static crd_status number_classes(table *t, const crd__io_bundle *bundle) {
  const size_t count = bundle->class_names ? bundle->class_name_count : 0;
  size_t number;
  for (size_t k = 0; k < count; k++) {
    const char *const name = bundle->class_names[k];
    CRD_TRY(crd__words_add(t->r.ctx, &t->classes, name, strlen(name), &number));
  }
  if (t->classes.count < count) crd__words_clear(&bundle->alloc, &t->classes);
  return CRD_OK;
}

static crd_status note_separator(const table *t, crd__io_bundle *bundle) {
  if (t->r.separator != ';' && t->r.decimal != ',') return CRD_OK;
  return crd__notes_add(t->r.ctx, &bundle->alloc, &bundle->notes,
                        "columns are separated by %s, and the decimal sign is '%c'",
                        t->r.separator == ';' ? "';'" : "tabs", t->r.decimal);
}

static crd_status read_with(crd_context *ctx, crd__io_bundle *bundle,
                            const crd_open_options *options, table *t, crd__word **first) {
  const crd__io_csv_reader before = t->r;
  CRD_TRY(note_separator(t, bundle));
  CRD_TRY(read_first(&t->r, &bundle->alloc, first, &t->plan.columns));
  if (is_header(&t->r, *first, t->plan.columns)) t->plan.names = t->r.names = *first;
  else t->r = before;
  CRD_TRY(crd__io_csv_sample_take(&t->r, t->plan.columns, &t->sample));
  t->plan.sample = &t->sample;
  CRD_TRY(crd__io_csv_plan_make(ctx, options, &t->plan, &bundle->notes));
  CRD_TRY(name_classes(t, bundle));
  CRD_TRY(number_classes(t, bundle));
  find_spelled(t);
  CRD_TRY(read_rows(t));
  return add_entries(ctx, bundle, t);
}

static crd_status csv_read_table(crd_context *ctx, crd__io_bundle *bundle,
                                 const crd_open_options *options) {
  table t = { .matrix = NULL };
  crd_open_options how = *options;
  crd__word *first = NULL;
  /* Options that choose arrays choose columns here. */
  if (!how.columns) how.columns = how.scores;
  if (!how.label_column && !how.labels) how.label_column = how.label_key;
  crd__text_init(&t.labels, &bundle->alloc);
  crd__text_init(&t.predicted, &bundle->alloc);
  CRD_TRY(crd__io_csv_start(ctx, bundle, &t.r));
  const crd_status status = read_with(ctx, bundle, &how, &t, &first);
  for (size_t i = 0; t.words && i < t.plan.group_count; i++)
    crd__words_clear(&bundle->alloc, &t.words[i]);
  crd__free(&bundle->alloc, t.words);
  crd__io_csv_plan_clear(&bundle->alloc, &t.plan);
  crd__io_csv_sample_clear(&bundle->alloc, &t.sample);
  crd__words_clear(&bundle->alloc, &t.classes);
  crd__text_clear(&t.labels);
  crd__text_clear(&t.predicted);
  crd__free(&bundle->alloc, first);
  if (bundle->count == 0) crd__free(&bundle->alloc, t.matrix);
  return status;
}

const crd__io_format crd__io_format_csv = {
  .info = { .name = "csv",
            .summary = "text, separated by commas, tabs or semicolons",
            .extensions = "csv tsv txt" },
  .copies = true,
  .recognise = csv_recognise,
  .read = csv_read_table,
  .write = crd__io_csv_write,
};
