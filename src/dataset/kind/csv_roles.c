/*
 * csv_roles.c -- which column of a table holds the labels, and which are features.
 *
 * The first line is a header if it has text in a column of mostly numbers, or the name of a label
 * column. The label is, in this order: the column named by options.label_column (a name, or an
 * index from 0); with a header, the column with one of io's names for labels (label, target, y
 * ...), or `class`; the only column of text; without a header, the first column. With a header,
 * `split` holds splits, group or patient_id groups, and an unnamed column or one called id or index
 * that counts the rows is left out. All others are features.
 */
#include "dataset/kind/csv_roles.h"

#include "base/memory.h"
#include "io/format/csv.h"
#include "io/grouping.h"

#include <string.h>
#include <strings.h>

typedef struct {
  crd_context *ctx;
  const crd__io_csv_reader *reader;
  crd__dataset_csv_roles *out;
  const char *label_column;
  crd__notes *notes;
} finder;

static bool is_word(const crd__word *name, const char *word) {
  return name->length == strlen(word) && strncasecmp(name->text, word, name->length) == 0;
}

/* ---- The first line. */

static crd_status read_first(crd__io_csv_reader *r, crd__dataset_csv_roles *out) {
  size_t capacity = 0;
  do {
    if (out->columns == capacity) {
      capacity = capacity ? capacity * 2 : 64;
      crd__word *const fields =
          crd__resize(&r->ctx->alloc, out->first, capacity, sizeof *out->first);
      if (!fields) return crd__fail(r->ctx, CRD_ENOMEM, "no memory for %zu columns", capacity);
      out->first = fields;
    }
    r->column = out->columns;
    CRD_TRY(crd__io_csv_field(r, &out->first[out->columns++]));
  } while (r->more);
  return CRD_OK;
}

static bool is_label_name(const crd__word *name, bool any_case) {
  const crd__io_key *const key = any_case ? crd__io_key_find_in_any_case(name->text, name->length)
                                          : crd__io_key_find(name->text, name->length);
  return key && key->role == CRD__LABELS;
}

static bool has_names(const crd__io_csv_reader *r, const crd__dataset_csv_roles *out) {
  for (size_t i = 0; i < out->columns; i++) {
    double number;
    const crd__io_csv_column *const below = &out->sample.column[i];
    if (crd__io_csv_number(r, &out->first[i], &number)) continue;
    if (below->numbers > 0 && 2 * below->numbers >= below->filled) return true;
    if (is_label_name(&out->first[i], true) || is_word(&out->first[i], "class")) return true;
  }
  return out->sample.rows == 0; /* a single line that is not all numbers */
}

static bool all_numbers(const crd__io_csv_reader *r, const crd__dataset_csv_roles *out) {
  for (size_t i = 0; i < out->columns; i++) {
    double number;
    if (!crd__io_csv_number(r, &out->first[i], &number)) return false;
  }
  return true;
}

/* ---- The label. */

static bool is_text(const finder *f, size_t column) {
  const crd__io_csv_column *const sampled = &f->out->sample.column[column];
  double number;
  if (sampled->numbers > 0) return false;
  if (f->out->header) return sampled->filled > 0;
  return !crd__io_csv_number(f->reader, &f->out->first[column], &number);
}

/* Returns the column with a name for labels, the exact names first; `columns`: none. */
static size_t find_named(const finder *f) {
  const crd__dataset_csv_roles *const out = f->out;
  for (int any_case = 0; out->header && any_case < 2; any_case++)
    for (size_t i = 0; i < out->columns; i++)
      if (is_label_name(&out->first[i], any_case)) return i;
  for (size_t i = 0; out->header && i < out->columns; i++)
    if (is_word(&out->first[i], "class")) return i;
  return out->columns;
}

/* Returns the only column of text that is free; `columns`: there is none, or several. */
static size_t find_text(const finder *f) {
  size_t found = f->out->columns;
  for (size_t i = 0; i < f->out->columns; i++) {
    if (f->out->roles[i] != CRD__CSV_FEATURE || !is_text(f, i)) continue;
    if (found < f->out->columns) return f->out->columns;
    found = i;
  }
  return found;
}

static crd_status refuse(const finder *f) {
  crd__text text;
  crd__text_init(&text, &f->ctx->alloc);
  enum { SHOWN = 8 };
  for (size_t i = 0; i < f->out->columns && i < SHOWN; i++)
    crd__text_addf(&text, "%s%.*s", i ? ", " : "",
                   (int)(f->out->first[i].length < 40 ? f->out->first[i].length : 40),
                   f->out->first[i].text);
  if (f->out->columns > SHOWN) crd__text_addf(&text, " and %zu more", f->out->columns - SHOWN);
  const crd_status status =
      crd__fail(f->ctx, CRD_EINPUT,
                "no column of labels: found %s; expected label, target, class or the like, or "
                "choose one with %s",
                text.bytes ? text.bytes : "none", crd__spell(f->ctx, "label_column"));
  crd__text_clear(&text);
  return status;
}

static crd_status find_label(const finder *f) {
  crd__dataset_csv_roles *const out = f->out;
  crd__io_csv_plan plan = { .columns = out->columns, .names = out->header ? out->first : NULL };
  const crd__io_csv_planner planner = { .ctx = f->ctx, .plan = &plan };
  size_t column = out->columns;
  if (f->label_column)
    CRD_TRY(crd__io_csv_find(&planner, f->label_column, strlen(f->label_column), &column));
  else column = find_named(f);
  if (column == out->columns) {
    column = find_text(f);
    if (column < out->columns && (out->header || column > 0))
      CRD_TRY(crd__notes_add(f->ctx, &f->ctx->alloc, f->notes,
                             "labels are column %zu, the only one of text; %s chooses another",
                             column, crd__spell(f->ctx, "label_column")));
    if (column == out->columns && !out->header) column = 0;
  }
  if (column == out->columns) return refuse(f);
  out->roles[column] = CRD__CSV_LABEL;
  out->has_label = true;
  return CRD_OK;
}

/* ---- Other columns. */

static bool is_index(const finder *f, size_t column) {
  static const char *const names[] = { "", "index", "idx", "id", "row", "row_id", "sample_id" };
  const crd__word *const name = &f->out->first[column];
  if (!f->out->sample.column[column].counts) return false;
  if (name->length > 9 && memcmp(name->text, "Unnamed: ", 9) == 0) return true;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (is_word(name, names[i])) return true;
  return false;
}

static crd_status place(const finder *f, size_t column) {
  crd__dataset_csv_roles *const out = f->out;
  const crd__word *const name = &out->first[column];
  const crd__io_csv_column *const sampled = &out->sample.column[column];
  const bool group = is_word(name, "group") || is_word(name, "groups") ||
                     crd__io_grouping_is_patient(name->text, name->length);
  if (!out->has_split && is_word(name, "split") && is_text(f, column)) {
    out->roles[column] = CRD__CSV_SPLIT;
    out->has_split = true;
  } else if (!out->has_group && group && (sampled->whole || is_text(f, column))) {
    out->roles[column] = CRD__CSV_GROUP;
    out->has_group = true;
  } else if (is_index(f, column)) {
    out->roles[column] = CRD__CSV_INDEX;
    return crd__notes_add(f->ctx, &f->ctx->alloc, f->notes,
                          "column %zu ('%.*s') counts the rows and is not used", column,
                          (int)(name->length < 40 ? name->length : 40), name->text);
  }
  return CRD_OK;
}

crd_status crd__dataset_csv_roles_find(crd_context *ctx, crd__io_csv_reader *reader,
                                       const char *label_column, crd__notes *notes,
                                       crd__dataset_csv_roles *out) {
  const crd__io_csv_reader before = *reader;
  const finder f = { ctx, reader, out, label_column, notes };
  *out = (crd__dataset_csv_roles){ 0 };
  CRD_TRY(read_first(reader, out));
  CRD_TRY(crd__io_csv_sample_take(reader, out->columns, &out->sample));
  CRD_TRY(crd__new(ctx, out->columns, sizeof *out->roles, "columns", &out->roles));
  out->header = !all_numbers(reader, out) && has_names(reader, out);
  if (out->header) reader->names = out->first;
  else *reader = before;
  for (size_t i = 0; out->header && i < out->columns; i++) CRD_TRY(place(&f, i));
  CRD_TRY(find_label(&f));
  for (size_t i = 0; i < out->columns; i++) out->features += out->roles[i] == CRD__CSV_FEATURE;
  if (out->features == 0)
    return crd__fail(ctx, CRD_EINPUT, "no column of features: found %zu columns", out->columns);
  return CRD_OK;
}

void crd__dataset_csv_roles_clear(const crd_allocator *alloc, crd__dataset_csv_roles *roles) {
  crd__io_csv_sample_clear(alloc, &roles->sample);
  crd__free(alloc, roles->first);
  crd__free(alloc, roles->roles);
  *roles = (crd__dataset_csv_roles){ 0 };
}
