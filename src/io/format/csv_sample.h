/*
 * csv_sample.h -- types of the columns of a table, from its first rows.
 */
#ifndef CRD_IO_FORMAT_CSV_SAMPLE_H
#define CRD_IO_FORMAT_CSV_SAMPLE_H

#include "io/format/csv_text.h"

typedef struct {
  size_t filled, numbers; /* fields that are not empty; that are numbers */
  bool whole;             /* all numbers are integers */
  bool counts;            /* n, n + 1, n + 2 ..., with n = 0 or 1 */
} crd__io_csv_column;

typedef struct {
  size_t columns, rows;
  crd__io_csv_column *column;
  double *values; /* rows x columns; NaN: not a number */
  crd__word *fields;
} crd__io_csv_sample;

/* Reads ahead from the first row. A malformed row ends the sample; it fails later, when all rows
 * are read. Release with clear, also after failure. */
crd_status crd__io_csv_sample_take(const crd__io_csv_reader *reader, size_t columns,
                                   crd__io_csv_sample *out);
void crd__io_csv_sample_clear(const crd_allocator *alloc, crd__io_csv_sample *sample);

/* Returns whether at least two rows of the column are text or empty. One could be a typing
 * error. */
bool crd__io_csv_is_text(const crd__io_csv_sample *sample, size_t column);
/* Returns whether the chosen columns are probabilities that sum to 1 in every row. */
bool crd__io_csv_are_probabilities(const crd__io_csv_sample *sample, const bool *chosen);

#endif
