/* csv_write.c -- writes arrays as columns of text; numbers in the shortest form that reads back the
 * same. */
#include "io/format/csv.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "base/utf8.h"
#include "data/array.h"
#include "io/format.h"
#include "io/format/csv_names.h"

#include <inttypes.h>
#include <string.h>

enum { FLUSH_BYTES = 65536 };

/* The current rows of one array. */
typedef struct {
  void *buffer;
  crd_array view;
  bool named; /* its columns have class names */
  bool whole; /* written as integers: groups like 7e15 would be read as text */
} block;

typedef struct {
  const crd__io_array *arrays;
  block *blocks; /* one for each array */
  size_t count;
  const char *separator;
  crd__text text;
} writer;

/* Returns whether the name is safe as the first field of a CSV file. Control characters and invalid
 * UTF-8 may look like another format, a tab means tsv, and a byte order mark is skipped. */
static bool is_plain(const char *name) {
  if (strncmp(name, "\xef\xbb\xbf", 3) == 0) return false;
  while (*name) {
    const size_t length = crd__utf8_length(name);
    if (length == 0 || crd__utf8_is_control(name)) return false;
    name += length;
  }
  return true;
}

/* Returns whether the reader would take it for a label, a weight or the like. */
static bool is_taken(const char *name) {
  const crd__io_key *const key = crd__io_key_find_in_any_case(name, strlen(name));
  return crd__io_key_find(name, strlen(name)) || (key && key->role == CRD__LABELS);
}

/* Returns whether the reader would take all of these for names of scores, and the line for a
 * header. If only some contain a word for scores, it would ignore the others. */
static bool is_header(const crd__io_array *array) {
  bool words = false;
  size_t strong = 0;
  for (size_t k = 0; array->columns && k < crd__data_cols(&array->view); k++) {
    const char *const name = array->columns[k];
    const crd__word word = { name, strlen(name) };
    double ignored;
    if (!*name || !is_plain(name) || is_taken(name)) return false;
    words = words || !crd__number_parse(name, strlen(name), &ignored);
    strong += crd__io_affix_of(&word).strong;
  }
  return words && (strong == 0 || strong == crd__data_cols(&array->view));
}

/* An empty word is written as "", to be one field. */
static void add_word(writer *w, const char *word) {
  crd__text_add_field(&w->text, word);
  if (!*word) crd__text_add(&w->text, "\"\"");
}

/* A matrix has a column per class, with its name or probabilities_0, probabilities_1, ... */
static void add_name(writer *w, size_t index, size_t row, size_t col) {
  const crd__io_array *const array = &w->arrays[index];
  (void)row;
  if (w->blocks[index].named) {
    add_word(w, array->columns[col]);
    return;
  }
  crd__text_add(&w->text, array->name);
  if (crd__data_cols(&array->view) > 1) crd__text_addf(&w->text, "_%zu", col);
}

static void add_element(writer *w, size_t index, size_t row, size_t col) {
  const crd__io_array *const array = &w->arrays[index];
  const crd_array *const view = &w->blocks[index].view;
  int64_t whole;
  const bool is_whole =
      (array->words || w->blocks[index].whole || crd__data_array_is_integral(view)) &&
      crd__data_array_integer(view, row, col, &whole);
  if (is_whole && array->words && whole >= 0 && (uint64_t)whole < array->word_count)
    add_word(w, array->words[whole]);
  else if (is_whole) crd__text_addf(&w->text, "%" PRId64, whole);
  else crd__text_add_number(&w->text, crd__data_array_number(view, row, col));
}

static void add_line(writer *w, size_t row,
                     void (*add)(writer *w, size_t index, size_t row, size_t col)) {
  for (size_t a = 0; a < w->count; a++) {
    for (size_t j = 0; j < crd__data_cols(&w->arrays[a].view); j++) {
      if (a + j > 0) crd__text_add(&w->text, w->separator);
      add(w, a, row, j);
    }
  }
  crd__text_add(&w->text, "\n");
}

static crd_status flush(crd_context *ctx, writer *w, const crd__io_sink *sink) {
  CRD_TRY(crd__text_status(ctx, &w->text));
  CRD_TRY(sink->write(ctx, sink->self, w->text.bytes, w->text.length));
  w->text.length = 0;
  return CRD_OK;
}

/* Writes rows from .. from+count-1 of all arrays. */
static crd_status write_block(crd_context *ctx, writer *w, size_t from, size_t count,
                              const crd__io_sink *sink) {
  for (size_t a = 0; a < w->count; a++)
    CRD_TRY(crd__data_source_read(ctx, &w->arrays[a].source, &w->arrays[a].view, from, count,
                                  w->blocks[a].buffer, &w->blocks[a].view));
  for (size_t i = 0; i < count; i++) {
    add_line(w, i, add_element);
    if (w->text.length >= FLUSH_BYTES || w->text.failed) CRD_TRY(flush(ctx, w, sink));
  }
  return CRD_OK;
}

static crd_status write_lines(crd_context *ctx, writer *w, const crd__io_sink *sink) {
  const size_t rows = crd__data_rows_of(&w->arrays[0].view);
  size_t step = rows;
  for (size_t a = 0; a < w->count; a++)
    if (crd__data_source_step(&w->arrays[a].source, &w->arrays[a].view) < step)
      step = crd__data_source_step(&w->arrays[a].source, &w->arrays[a].view);
  for (size_t a = 0; a < w->count; a++)
    CRD_TRY(crd__new(ctx, crd__data_source_buffer(&w->arrays[a].source, &w->arrays[a].view, step),
                     1, "a block of rows", &w->blocks[a].buffer));
  for (size_t a = 0; a < w->count; a++) {
    const crd__io_key *const key = crd__io_key_find(w->arrays[a].name, strlen(w->arrays[a].name));
    w->blocks[a].named = crd__data_cols(&w->arrays[a].view) > 1 && is_header(&w->arrays[a]);
    w->blocks[a].whole = key && key->role == CRD__GROUPS;
  }
  add_line(w, 0, add_name);
  for (size_t from = 0; from < rows; from += step)
    CRD_TRY(write_block(ctx, w, from, rows - from < step ? rows - from : step, sink));
  return flush(ctx, w, sink);
}

static crd_status write_table(crd_context *ctx, writer *w, const crd__io_sink *sink) {
  CRD_TRY(crd__new(ctx, w->count, sizeof *w->blocks, "a table", &w->blocks));
  crd__text_init(&w->text, &ctx->alloc);
  const crd_status status = write_lines(ctx, w, sink);
  crd__text_clear(&w->text);
  for (size_t a = 0; a < w->count; a++) crd__free(&ctx->alloc, w->blocks[a].buffer);
  crd__free(&ctx->alloc, w->blocks);
  return status;
}

crd_status crd__io_csv_write(crd_context *ctx, const crd__io_sink *sink, const char *stem,
                             const crd__io_array *arrays, size_t count) {
  writer w = { .arrays = arrays,
               .count = count,
               .separator = crd__io_has_extension(stem, "tsv") ? "\t" : "," };
  if (count == 0) return crd__fail(ctx, CRD_EUSAGE, "there is nothing to write");
  for (size_t a = 0; a < count; a++)
    if (arrays[a].shape && arrays[a].shape->rank > 2)
      return crd__fail(ctx, CRD_EUSAGE, "%s has %zu dimensions, a table has two: write npy or npz",
                       arrays[a].name, arrays[a].shape->rank);
  for (size_t a = 1; a < count; a++)
    if (crd__data_rows_of(&arrays[a].view) != crd__data_rows_of(&arrays[0].view))
      return crd__fail(
          ctx, CRD_EUSAGE,
          "%s has %zu rows and %s %zu rows: all columns of a table must have the same number",
          arrays[0].name, crd__data_rows_of(&arrays[0].view), arrays[a].name,
          crd__data_rows_of(&arrays[a].view));
  return write_table(ctx, &w, sink);
}
