/*
 * names.h -- class names: strings of every format, and a text file of names.
 *
 * Names are any bytes without a zero. Invalid UTF-8 is kept, as in names of groups, and escaped
 * when it is shown.
 */
#ifndef CRD_IO_NAMES_H
#define CRD_IO_NAMES_H

#include "base/text.h"
#include "io/bundle.h"
#include "io/scan.h"

/* A string of an array: characters of 1 byte (UTF-8), 2 (UTF-16) or 4 (code points), padded with
 * zeros. */
typedef struct {
  const void *data;
  size_t length, size;
  bool swapped; /* the other byte order */
} crd__io_characters;

/* Appends a name, zero-terminated; fails with EINPUT on invalid characters, naming `index`. */
crd_status crd__io_names_add(crd_context *ctx, crd__text *names,
                             const crd__io_characters *characters, size_t index);
/* Marks the entry as loaded, with these names. */
crd_status crd__io_names_fill(crd_context *ctx, const crd__text *names, size_t count,
                              crd__io_entry *entry);
/* Makes a matrix of code points, one row per name, padded with zeros; free the view's data. */
crd_status crd__io_names_matrix(crd_context *ctx, const char *const *names, size_t count,
                                crd_array *out);
/* Parses ["cat", "dog"], a JSON list of strings. */
crd_status crd__io_names_scan(crd_context *ctx, crd__io_scan *scan, crd__text *names,
                              size_t *count);
/* Reads the lines of a file; an empty line is a class without a name. */
crd_status crd__io_names_open(crd_context *ctx, const char *path, char ***out, size_t *count);

#endif
