/*
 * csv_sample.h -- what the columns of a table hold, from its first rows.
 */
#ifndef CRD_IO_FORMAT_CSV_SAMPLE_H
#define CRD_IO_FORMAT_CSV_SAMPLE_H

#include "io/format/csv_text.h"

typedef struct {
  size_t filled, numbers; /* fields that hold something; a number */
  bool whole;             /* all of them are whole numbers */
  bool counts;            /* n, n + 1, n + 2 ..., with n = 0 or 1 */
} crd__io_csv_column;

typedef struct {
  size_t columns, rows;
  crd__io_csv_column *column;
  double *values; /* rows x columns; NaN where there is no number */
  crd__word *fields;
} crd__io_csv_sample;

/* Read ahead from here, where the rows begin. What is malformed ends the sample: it is refused when
 * it is read for good. Release with clear, also after failure. */
crd_status crd__io_csv_sample_take(const crd__io_csv_reader *reader, size_t columns,
                                   crd__io_csv_sample *out);
void crd__io_csv_sample_clear(const crd_allocator *alloc, crd__io_csv_sample *sample);

/* Words, or nothing at all, in two rows at least: one could be a slip. */
bool crd__io_csv_is_text(const crd__io_csv_sample *sample, size_t column);
/* Are these columns, `chosen` of all, the probabilities of a row each time? */
bool crd__io_csv_is_probable(const crd__io_csv_sample *sample, const bool *chosen);

#endif
