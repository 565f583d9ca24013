/* csv_write.c -- arrays as columns of text; numbers in the shortest form that reads back the same.
 */
#include "io/csv.h"

#include "base/text.h"
#include "data/view.h"
#include "io/format.h"

#include <inttypes.h>

enum { FLUSH_BYTES = 65536 };

typedef struct {
  const crd__array *arrays;
  size_t count;
  const char *separator;
  crd__text text;
} writer;

/* A matrix takes a column per class: probabilities_0, probabilities_1, ... */
static void add_name(writer *w, const crd__array *array, size_t row, size_t col) {
  (void)row;
  crd__text_add(&w->text, array->name);
  if (array->view.cols > 1) crd__text_addf(&w->text, "_%zu", col);
}

static void add_element(writer *w, const crd__array *array, size_t row, size_t col) {
  int64_t whole;
  if (crd__view_is_integral(&array->view) && crd__view_integer(&array->view, row, col, &whole))
    crd__text_addf(&w->text, "%" PRId64, whole);
  else crd__text_add_number(&w->text, crd__view_number(&array->view, row, col));
}

static void add_line(writer *w, size_t row,
                     void (*add)(writer *w, const crd__array *array, size_t row, size_t col)) {
  for (size_t a = 0; a < w->count; a++) {
    for (size_t j = 0; j < w->arrays[a].view.cols; j++) {
      if (a + j > 0) crd__text_add(&w->text, w->separator);
      add(w, &w->arrays[a], row, j);
    }
  }
  crd__text_add(&w->text, "\n");
}

static crd_status flush(crd_context *ctx, writer *w, const crd__sink *sink) {
  CRD_TRY(crd__text_status(ctx, &w->text));
  CRD_TRY(sink->write(ctx, sink->self, w->text.bytes, w->text.length));
  w->text.length = 0;
  return CRD_OK;
}

static crd_status write_lines(crd_context *ctx, writer *w, const crd__sink *sink) {
  add_line(w, 0, add_name);
  for (size_t i = 0; i < w->arrays[0].view.rows; i++) {
    add_line(w, i, add_element);
    if (w->text.length >= FLUSH_BYTES || w->text.failed) CRD_TRY(flush(ctx, w, sink));
  }
  return flush(ctx, w, sink);
}

crd_status crd__csv_write(crd_context *ctx, const crd__sink *sink, const char *stem,
                          const crd__array *arrays, size_t count) {
  writer w = { arrays, count, crd__has_extension(stem, "tsv") ? "\t" : ",", { 0 } };
  if (count == 0) return crd__fail(ctx, CRD_EUSAGE, "there is nothing to write");
  for (size_t a = 1; a < count; a++)
    if (arrays[a].view.rows != arrays[0].view.rows)
      return crd__fail(ctx, CRD_EUSAGE, "%s has %zu rows and %s %zu: a table needs the same",
                       arrays[0].name, arrays[0].view.rows, arrays[a].name, arrays[a].view.rows);
  crd__text_init(&w.text, &ctx->alloc);
  const crd_status status = write_lines(ctx, &w, sink);
  crd__text_clear(&w.text);
  return status;
}
