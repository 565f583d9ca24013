/* csv_sample.c -- reads the first rows of a table, to distinguish numbers, text and indices. */
#include "io/format/csv_sample.h"

#include "base/memory.h"
#include "data/predictions.h"

#include <math.h>

enum { ROWS = 1000, FIELDS = 200000 };

static void look_at(const crd__io_csv_reader *r, const crd__word *field, crd__io_csv_column *column,
                    double *value) {
  const bool number = crd__io_csv_number(r, field, value);
  if (!number) *value = NAN;
  column->filled += field->length > 0;
  column->numbers += number;
  column->whole = column->whole && number && *value == floor(*value);
}

/* Reads a row; false: it is malformed. */
static bool take_row(crd__io_csv_reader *r, crd__io_csv_sample *s) {
  double *const values = s->values + s->rows * s->columns;
  crd__word *const fields = s->fields + s->rows * s->columns;
  for (size_t i = 0; i < s->columns; i++) {
    r->column = i;
    if (crd__io_csv_field(r, &fields[i]) != CRD_OK || r->more != (i + 1 < s->columns)) return false;
    look_at(r, &fields[i], &s->column[i], &values[i]);
  }
  s->rows++;
  return true;
}

/* A column counts if each number is one more than that of the row before. */
static void find_counting(crd__io_csv_sample *s) {
  for (size_t i = 0; i < s->columns; i++) {
    crd__io_csv_column *const column = &s->column[i];
    const double first = s->rows ? s->values[i] : NAN;
    column->counts = column->whole && s->rows > 1 && (first == 0 || first == 1);
    for (size_t row = 0; row < s->rows && column->counts; row++)
      column->counts = s->values[row * s->columns + i] == first + (double)row;
  }
}

crd_status crd__io_csv_sample_take(const crd__io_csv_reader *reader, size_t columns,
                                   crd__io_csv_sample *out) {
  crd__io_csv_reader ahead = *reader;
  const size_t fit = FIELDS / columns + 1, most = fit < ROWS ? fit : ROWS;
  const size_t there =
      (size_t)(ahead.end - ahead.at) / columns + 1; /* a field takes at least one byte */
  const size_t rows = there < most ? there : most;
  *out = (crd__io_csv_sample){ .columns = columns };
  CRD_TRY(crd__new(reader->ctx, columns, sizeof *out->column, "columns", &out->column));
  CRD_TRY(crd__new(reader->ctx, rows * columns, sizeof *out->values, "columns", &out->values));
  CRD_TRY(crd__new(reader->ctx, rows * columns, sizeof *out->fields, "columns", &out->fields));
  for (size_t i = 0; i < columns; i++) out->column[i].whole = true;
  while (out->rows < rows && !crd__io_csv_is_finished(&ahead))
    if (!take_row(&ahead, out)) break;
  find_counting(out);
  return CRD_OK;
}

void crd__io_csv_sample_clear(const crd_allocator *alloc, crd__io_csv_sample *sample) {
  crd__free(alloc, sample->column);
  crd__free(alloc, sample->values);
  crd__free(alloc, sample->fields);
  *sample = (crd__io_csv_sample){ 0 };
}

bool crd__io_csv_is_text(const crd__io_csv_sample *sample, size_t column) {
  return sample->rows > 1 && sample->column[column].numbers == 0;
}

bool crd__io_csv_is_probable(const crd__io_csv_sample *sample, const bool *chosen) {
  for (size_t row = 0; row < sample->rows; row++) {
    double sum = 0;
    for (size_t i = 0; i < sample->columns; i++) {
      const double value = chosen[i] ? sample->values[row * sample->columns + i] : 0;
      if (!(value >= 0 && value <= 1 + CRD__PROBABILITY_SLACK)) return false;
      sum += value;
    }
    if (!(fabs(sum - 1) <= CRD__PROBABILITY_SLACK)) return false;
  }
  return sample->rows > 1; /* one row could be so by chance */
}
