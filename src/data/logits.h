/*
 * logits.h -- predictions as float64 logits, for code that fits or differentiates.
 */
#ifndef CRD_DATA_LOGITS_H
#define CRD_DATA_LOGITS_H

#include "data/floor.h"
#include "data/predictions.h"

/* Which logits a caller needs. Probabilities always become their logarithms. */
typedef enum {
  CRD__ANY_SHIFT, /* a constant added to a row does not matter: unchanged */
  CRD__LOG_P,     /* log-probabilities, also of logits */
  CRD__AS_GIVEN   /* unchanged; a fit on logits applies to logits only */
} crd__data_scale;

/* How rows become logits. */
typedef struct {
  crd__data_scale scale;
  crd__data_floor floor; /* of probabilities and confidences; logits have none */
  bool unnormalised;     /* of probabilities: log max(p, floor), without normalisation */
} crd__data_reading;

/*
 * Reads rows as logits: count x (classes, or 2 for confidence pairs). Adds counts of clipped values
 * to `met`. CRD_EINPUT names the first invalid row.
 */
crd_status crd__data_logits_read(crd_context *ctx, const crd_predictions *predictions,
                                 const crd__data_reading *how, size_t from, size_t count,
                                 double *out, crd__data_clipping *met);
/* Reads all rows, in parallel. */
crd_status crd__data_logits_read_all(crd_context *ctx, const crd_predictions *predictions,
                                     const crd__data_reading *how, double *out,
                                     crd__data_clipping *met);

/* Returns the logits in memory, without copying; NULL if they are not contiguous, or not logits of
 * all classes. */
const void *crd__data_logits_stored(const crd_predictions *predictions, crd__math_row_type *type);
/* Sets `top` to the maximum of each of these stored rows; CRD_EINPUT unless they are finite. */
crd_status crd__data_logits_check(crd_context *ctx, const crd_predictions *predictions, size_t from,
                                  size_t count, double *top);

#endif
