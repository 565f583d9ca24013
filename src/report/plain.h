/* plain.h -- untrusted strings (file names, notes) made printable, measured and wrapped. */
#ifndef CRD_REPORT_PLAIN_H
#define CRD_REPORT_PLAIN_H

#include "base/text.h"
#include "base/utf8.h"
#include "credence/report.h"

/* Appends a string with every control character and invalid byte as '?', so that a file name cannot
 * move the cursor or end a line. With `ascii` every other character outside ASCII becomes '?' too.
 */
void crd__report_text_add_plain(crd__text *text, const char *string, int ascii);

typedef struct {
  size_t column; /* current column of the first line */
  size_t indent; /* spaces before the following lines */
  size_t width;  /* the last usable column */
  int ascii;
} crd__report_wrapping;

/* Appends a string, wrapped at spaces to `width` characters; ends with a newline. */
void crd__report_text_add_wrapped(crd__text *text, const char *string,
                                  const crd__report_wrapping *how);

/* Returns the number of characters shown. */
size_t crd__report_text_columns(const char *string);

/* Appends a string in exactly `width` columns: padded with spaces, or truncated with an ellipsis
 * (in ASCII '~'). */
void crd__report_text_add_column(crd__text *text, const char *string, size_t width, int ascii);

/* Appends `count` spaces. */
void crd__report_text_add_spaces(crd__text *text, size_t count);

/* Appends "note: ..." for each note, after an empty line; none if the options are quiet. */
void crd__report_text_add_notes(crd__text *out, const char *const *notes, size_t count,
                                const crd_report_options *options);

#endif
