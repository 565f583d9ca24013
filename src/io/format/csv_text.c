/*
 * csv_text.c -- fields of a table: separators, quotes, CRLF, a byte order mark.
 *
 * The separator is a tab if the first line has one; else a comma, unless semicolons yield more
 * numbers in the first lines: in many locales spreadsheets write 0,5 and separate columns by ';'.
 */
#include "io/format/csv_text.h"

#include "base/number.h"
#include "io/format.h"

#include <string.h>

crd_status crd__io_csv_fail(const crd__io_csv_reader *r, size_t line, const crd__word *field,
                            const char *expected) {
  char name[64] = "";
  const size_t length = field->length;
  if (r->names && r->names[r->column].length < sizeof name)
    memcpy(name, r->names[r->column].text, r->names[r->column].length);
  const char *open = name[0] ? " ('" : "", *close = name[0] ? "')" : "";
  if (length == 0)
    return crd__fail(r->ctx, CRD_EINPUT, "line %zu, column %zu%s%s%s: found nothing, expected %s",
                     line, r->column + 1, open, name, close, expected);
  return crd__fail(r->ctx, CRD_EINPUT, "line %zu, column %zu%s%s%s: found '%.*s', expected %s",
                   line, r->column + 1, open, name, close, length < 40 ? (int)length : 40,
                   field->text, expected);
}

static bool is_blank(const crd__io_csv_reader *r, char c) {
  return c == ' ' || (c == '\t' && c != r->separator);
}

static void skip_blanks(crd__io_csv_reader *r) {
  while (r->at < r->end && is_blank(r, *r->at)) r->at++;
}

/* Reads a quoted field. Doubled quotes inside stay doubled. */
static crd_status take_quoted(crd__io_csv_reader *r, crd__word *out) {
  const size_t line = r->line;
  const char *start = ++r->at;
  for (; r->at < r->end; r->at++) {
    r->line += *r->at == '\n';
    if (*r->at != '"') continue;
    if (r->at + 1 == r->end || r->at[1] != '"') break;
    r->at++;
  }
  if (r->at == r->end)
    return crd__fail(r->ctx, CRD_EINPUT, "line %zu, column %zu: a quote is opened and not closed",
                     line, r->column + 1);
  *out = (crd__word){ start, (size_t)(r->at++ - start) };
  skip_blanks(r);
  if (r->at < r->end && *r->at == '\r') r->at++;
  if (r->at == r->end || *r->at == r->separator || *r->at == '\n') return CRD_OK;
  return crd__fail(r->ctx, CRD_EINPUT, "line %zu, column %zu: found '%c' after a closing quote",
                   r->line, r->column + 1, *r->at);
}

static void take_plain(crd__io_csv_reader *r, crd__word *out) {
  const char *start = r->at;
  while (r->at < r->end && *r->at != r->separator && *r->at != '\n') r->at++;
  const char *stop = r->at;
  if (stop > start && stop[-1] == '\r' && (r->at == r->end || *r->at == '\n')) stop--;
  while (stop > start && is_blank(r, stop[-1])) stop--;
  *out = (crd__word){ start, (size_t)(stop - start) };
}

crd_status crd__io_csv_field(crd__io_csv_reader *r, crd__word *out) {
  skip_blanks(r);
  if (r->at < r->end && *r->at == '"') CRD_TRY(take_quoted(r, out));
  else take_plain(r, out);
  r->more = r->at < r->end && *r->at == r->separator;
  if (!r->more && r->at < r->end) r->line++;
  r->at += r->at < r->end;
  return CRD_OK;
}

bool crd__io_csv_is_finished(const crd__io_csv_reader *r) {
  const char *at = r->at;
  while (at < r->end && (*at == '\n' || *at == '\r' || *at == ' ')) at++;
  return at == r->end;
}

bool crd__io_csv_number(const crd__io_csv_reader *r, const crd__word *field, double *out) {
  char plain[64];
  if (r->decimal == '.') return crd__number_parse(field->text, field->length, out);
  if (field->length > sizeof plain || memchr(field->text, '.', field->length)) return false;
  memcpy(plain, field->text, field->length);
  char *const comma = memchr(plain, r->decimal, field->length);
  if (comma) *comma = '.';
  return crd__number_parse(plain, field->length, out);
}

size_t crd__io_csv_count(const char *from, const char *to, char wanted) {
  size_t count = 0;
  while (from < to && (from = memchr(from, wanted, (size_t)(to - from)))) {
    count++;
    from++;
  }
  return count;
}

/* ---- Separator and decimal sign. */

/* Counts the fields of the first lines that are numbers; 0 if lines differ in their number of
 * fields. */
static size_t count_numbers(crd__io_csv_reader r, char separator, char decimal) {
  enum { LINES = 20, FIELDS = 20000 };
  size_t numbers = 0, fields = 0, width = 0;
  r.separator = separator;
  r.decimal = decimal;
  for (size_t line = 0; line < LINES && fields < FIELDS && !crd__io_csv_is_finished(&r); line++) {
    size_t here = 0;
    do {
      crd__word field;
      double value;
      r.column = here;
      if (crd__io_csv_field(&r, &field) != CRD_OK) return 0;
      numbers += crd__io_csv_number(&r, &field, &value);
      here++;
    } while (r.more && ++fields < FIELDS);
    if (line == 0) width = here;
    if (here != width) return 0;
  }
  return numbers;
}

static void choose_separator(crd__io_csv_reader *r, const crd__io_bundle *bundle) {
  const char *stop = memchr(r->at, '\n', (size_t)(r->end - r->at));
  const size_t first = (size_t)((stop ? stop : r->end) - r->at);
  r->separator = ',';
  r->decimal = '.';
  if (crd__io_has_extension(bundle->stem, "tsv") || memchr(r->at, '\t', first)) r->separator = '\t';
  else if (memchr(r->at, ';', first)) {
    const size_t commas = count_numbers(*r, ',', '.');
    if (count_numbers(*r, ';', '.') > commas || count_numbers(*r, ';', ',') > commas)
      r->separator = ';';
  }
  if (r->separator != ',' &&
      count_numbers(*r, r->separator, ',') > count_numbers(*r, r->separator, '.'))
    r->decimal = ',';
}

crd_status crd__io_csv_start(crd_context *ctx, const crd__io_bundle *bundle,
                             crd__io_csv_reader *out) {
  const char *zero = memchr(bundle->bytes, '\0', bundle->length);
  *out = (crd__io_csv_reader){ .ctx = ctx, .at = (const char *)bundle->bytes, .line = 1 };
  out->end = out->at + bundle->length;
  if (zero)
    return crd__fail(ctx, CRD_EINPUT, "line %zu holds a zero byte: this is not UTF-8 text",
                     crd__io_csv_count(out->at, zero, '\n') + 1);
  if (bundle->length >= 3 && memcmp(out->at, "\xef\xbb\xbf", 3) == 0) out->at += 3;
  if (crd__io_csv_is_finished(out))
    return crd__fail(ctx, CRD_EINPUT, "the file holds blank lines only");
  choose_separator(out, bundle);
  return CRD_OK;
}
