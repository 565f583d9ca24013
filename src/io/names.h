/*
 * names.h -- what classes are called: strings of every format, and a text file of their own.
 *
 * Names are any bytes without a zero; what is not UTF-8 is left as it is, as groups' names are, and
 * made plain where it is shown.
 */
#ifndef CRD_IO_NAMES_H
#define CRD_IO_NAMES_H

#include "base/text.h"
#include "io/bundle.h"
#include "io/scan.h"

/* Strings as arrays have them: characters of 1 byte (UTF-8), 2 (UTF-16) or 4 (code points), filled
 * up with zeros. */
typedef struct {
  const void *data;
  size_t length, size;
  bool swapped; /* the other byte order */
} crd__io_characters;

/* One name more, with its zero; `index` is for the message: EINPUT names what is no character. */
crd_status crd__io_names_add(crd_context *ctx, crd__text *names,
                             const crd__io_characters *characters, size_t index);
/* The entry is loaded: it holds these names. */
crd_status crd__io_names_fill(crd_context *ctx, const crd__text *names, size_t count,
                              crd__io_entry *entry);
/* The code points of names, a row for each, filled up with zeros; free the view's data. */
crd_status crd__io_names_matrix(crd_context *ctx, const char *const *names, size_t count,
                                crd_view *out);
/* ["cat", "dog"]: JSON's list of strings. */
crd_status crd__io_names_scan(crd_context *ctx, crd__io_scan *scan, crd__text *names,
                              size_t *count);
/* The lines of a file; a line that is empty is a class without a name. */
crd_status crd__io_names_open(crd_context *ctx, const char *path, char ***out, size_t *count);

#endif
