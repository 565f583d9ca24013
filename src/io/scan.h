/*
 * scan.h -- headers that are small literals: Python's dict in npy, JSON's object in safetensors.
 *
 * Strict: what is not expected is refused with the place quoted. Nothing nests deeper than the
 * caller asks for, so that no text can exhaust the stack.
 */
#ifndef CRD_IO_SCAN_H
#define CRD_IO_SCAN_H

#include "base/text.h"

typedef struct {
  const char *what; /* "npy header", for messages */
  bool python;      /* 'single' quotes and a comma before the closing bracket are allowed */
  const char *at, *end;
} crd__io_scan;

void crd__io_scan_space(crd__io_scan *scan);
bool crd__io_scan_take(crd__io_scan *scan, char wanted);
bool crd__io_scan_word(crd__io_scan *scan, const char *word);
/* EINPUT: what stands here, and what should. */
crd_status crd__io_scan_unexpected(crd_context *ctx, const crd__io_scan *scan, const char *wanted);

/* text[0 .. length): between quotes, as it stands. */
crd_status crd__io_scan_quoted(crd_context *ctx, crd__io_scan *scan, const char **text,
                               size_t *length);
/* A JSON string, its escapes undone; `out` is emptied first. */
crd_status crd__io_scan_json_string(crd_context *ctx, crd__io_scan *scan, crd__text *out);
/* A whole number, 0 or more. */
crd_status crd__io_scan_whole(crd_context *ctx, crd__io_scan *scan, size_t *out);

/* After an item of a list: does another follow, or was this the last one before `close`? */
crd_status crd__io_scan_more(crd_context *ctx, crd__io_scan *scan, char close, bool *more);

/* One key of an object, and what reads its value into `self`. */
typedef struct {
  const char *name;
  crd_status (*read)(crd_context *ctx, crd__io_scan *scan, void *self);
} crd__io_scan_field;

/* { key: value, ... } with each of the fields once, in any order, and nothing else. `names` lists
 * them for messages: "a and b, once each". */
crd_status crd__io_scan_object(crd_context *ctx, crd__io_scan *scan,
                               const crd__io_scan_field *fields, size_t count, const char *names,
                               void *self);

#endif
