/* plain.h -- strings from outside (file names, notes) made safe to print, measured and wrapped. */
#ifndef CRD_REPORT_PLAIN_H
#define CRD_REPORT_PLAIN_H

#include "base/text.h"
#include "base/utf8.h"

/* Append with every control character and every invalid byte as '?': a file name must not be able
 * to move the cursor or end a line. With `ascii` all that is not ASCII becomes '?' too. */
void crd__report_text_add_plain(crd__text *text, const char *string, int ascii);

typedef struct {
  size_t column; /* where the first line begins already */
  size_t indent; /* spaces before each further line */
  size_t width;  /* the last usable column */
  int ascii;
} crd__report_wrapping;

/* Append words, broken into lines, each counted in characters; ends with a newline. */
void crd__report_text_add_wrapped(crd__text *text, const char *string,
                                  const crd__report_wrapping *how);

/* How many characters that shows. */
size_t crd__report_text_columns(const char *string);

/* The same string in exactly `width` columns: followed by spaces, or cut and ended by an ellipsis
 * (in ASCII '~'). */
void crd__report_text_add_column(crd__text *text, const char *string, size_t width, int ascii);

/* So many spaces. */
void crd__report_text_add_spaces(crd__text *text, size_t count);

/* "note: ..." for each, behind an empty line. */
void crd__report_text_add_notes(crd__text *out, const char *const *notes, size_t count, int ascii);

#endif
