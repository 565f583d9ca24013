/*
 * csv_text.h -- a table as text: fields, quotes, line ends, the separator and the decimal sign.
 */
#ifndef CRD_IO_FORMAT_CSV_TEXT_H
#define CRD_IO_FORMAT_CSV_TEXT_H

#include "base/context.h"
#include "base/words.h"
#include "io/bundle.h"

typedef struct {
  crd_context *ctx;
  const char *at, *end;
  char separator, decimal;
  size_t line;            /* from 1 */
  size_t column;          /* of the field read last, from 0 */
  bool more;              /* more fields follow in this line */
  const crd__word *names; /* of the columns, for error messages; NULL: none */
} crd__io_csv_reader;

/* Starts to read a bundle's text, and detects its separator; fails with EINPUT if it is not text.
 */
crd_status crd__io_csv_start(crd_context *ctx, const crd__io_bundle *bundle,
                             crd__io_csv_reader *out);
/* Reads the next field and its separator. The caller counts columns. */
crd_status crd__io_csv_field(crd__io_csv_reader *reader, crd__word *out);
/* Returns whether only line ends are left. */
bool crd__io_csv_is_finished(const crd__io_csv_reader *reader);
/* Parses a number with this table's decimal sign. */
bool crd__io_csv_number(const crd__io_csv_reader *reader, const crd__word *field, double *out);
/* Fails with EINPUT: names the line, the column, what was found and what was expected. */
crd_status crd__io_csv_fail(const crd__io_csv_reader *reader, size_t line, const crd__word *field,
                            const char *expected);
size_t crd__io_csv_count(const char *from, const char *to, char wanted);

#endif
