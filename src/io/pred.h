/* pred.h -- parses names of predictions: FILE[#group][@from:to]. */
#ifndef CRD_IO_PRED_H
#define CRD_IO_PRED_H

#include "base/context.h"

typedef struct {
  char *file, *group;    /* group NULL: none */
  bool has_from, has_to; /* neither: all rows */
  uint64_t from, to;
} crd__io_pred;

/* Parses a name. An existing file with a '#' or '@' in its name takes precedence. Fails with EUSAGE
 * if it is malformed. Release with clear, also after failure. */
crd_status crd__io_pred_parse(crd_context *ctx, const char *text, crd__io_pred *out);
/* Sets *from and *to to the named rows of `rows`; fails with EINPUT if they do not exist. `text` is
 * the whole name, for the error message. */
crd_status crd__io_pred_rows(crd_context *ctx, const char *text, const crd__io_pred *pred,
                             size_t rows, size_t *from, size_t *to);
void crd__io_pred_clear(const crd_allocator *alloc, crd__io_pred *pred);

#endif
