/* pred.h -- how predictions are named: FILE[#group][@from:to]. */
#ifndef CRD_IO_PRED_H
#define CRD_IO_PRED_H

#include "base/context.h"

typedef struct {
  char *file, *group;    /* group NULL: none */
  bool has_from, has_to; /* neither: all rows */
  uint64_t from, to;
} crd__io_pred;

/* Longest existing file name first: a file of that literal name beats # and @. EUSAGE when it is
 * malformed. Release with clear, also after failure. */
crd_status crd__io_pred_parse(crd_context *ctx, const char *text, crd__io_pred *out);
/* Which of so many rows are meant; `text` is what was parsed. */
crd_status crd__io_pred_rows(crd_context *ctx, const char *text, const crd__io_pred *pred,
                             size_t rows, size_t *from, size_t *to);
void crd__io_pred_clear(const crd_allocator *alloc, crd__io_pred *pred);

#endif
