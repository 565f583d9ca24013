/*
 * scan.h -- parser of small literals: the Python dict of npy headers, JSON in safetensors.
 *
 * Strict: anything unexpected fails with EINPUT, quoting the place. Nesting is bounded by the
 * caller, so that no text can exhaust the stack.
 */
#ifndef CRD_IO_SCAN_H
#define CRD_IO_SCAN_H

#include "base/text.h"

typedef struct {
  const char *what; /* "npy header", for error messages */
  bool python;      /* 'single' quotes and a comma before the closing bracket are allowed */
  const char *at, *end;
} crd__io_scan;

void crd__io_scan_space(crd__io_scan *scan);
bool crd__io_scan_take(crd__io_scan *scan, char wanted);
bool crd__io_scan_word(crd__io_scan *scan, const char *word);
/* Fails with EINPUT: quotes what was found, and names what was wanted. */
crd_status crd__io_scan_unexpected(crd_context *ctx, const crd__io_scan *scan, const char *wanted);

/* Reads a quoted word as text[0 .. length), without escapes. */
crd_status crd__io_scan_quoted(crd_context *ctx, crd__io_scan *scan, const char **text,
                               size_t *length);
/* Reads a JSON string and decodes its escapes; `out` is emptied first. */
crd_status crd__io_scan_json_string(crd_context *ctx, crd__io_scan *scan, crd__text *out);
/* Reads an integer, 0 or more. */
crd_status crd__io_scan_whole(crd_context *ctx, crd__io_scan *scan, size_t *out);

/* Reads what follows an item of a list: a comma (*more), or `close`. */
crd_status crd__io_scan_more(crd_context *ctx, crd__io_scan *scan, char close, bool *more);

/* One key of an object, and the function that reads its value into `self`. */
typedef struct {
  const char *name;
  crd_status (*read)(crd_context *ctx, crd__io_scan *scan, void *self);
} crd__io_scan_field;

/* Reads { key: value, ... } with each of the fields once, in any order, and nothing else. `names`
 * lists them for error messages: "a and b, once each". */
crd_status crd__io_scan_object(crd_context *ctx, crd__io_scan *scan,
                               const crd__io_scan_field *fields, size_t count, const char *names,
                               void *self);

#endif
