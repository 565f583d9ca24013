/*
 * logits.h -- predictions as logits in double precision, for everything that fits or
 * differentiates.
 */
#ifndef CRD_DATA_LOGITS_H
#define CRD_DATA_LOGITS_H

#include "data/floor.h"
#include "data/predictions.h"

/* Which logits a caller reads. Probabilities are always read as their logarithms. */
typedef enum {
  CRD__ANY_SHIFT, /* a constant added to a row changes nothing: as they come */
  CRD__LOG_P,     /* logarithms of probabilities, whatever was given */
  CRD__AS_GIVEN   /* logits as given; what was fitted on logits applies to logits only */
} crd__data_scale;

/* How rows become logits. */
typedef struct {
  crd__data_scale scale;
  crd__data_floor floor; /* of probabilities and confidences; logits have none */
  bool unnormalised;     /* of probabilities log max(p, floor), whatever they then sum to */
} crd__data_reading;

/*
 * Rows of predictions as logits (logits.c): count x (classes, or 2 for pairs). What
 * was met is added to `met`.
 */
crd_status crd__data_logits_read(crd_context *ctx, const crd_predictions *predictions,
                                 const crd__data_reading *how, size_t from, size_t count,
                                 double *out, crd__data_clipping *met);
/* All rows, by several threads. */
crd_status crd__data_logits_read_all(crd_context *ctx, const crd_predictions *predictions,
                                     const crd__data_reading *how, double *out,
                                     crd__data_clipping *met);

/* Rows of logits as they lie in memory; NULL where they do not, or are not logits of all classes.
 */
const void *crd__data_logits_stored(const crd_predictions *predictions, crd__math_row_type *type);
/* EINPUT unless these rows of them are finite; the largest of each. */
crd_status crd__data_logits_check(crd_context *ctx, const crd_predictions *predictions, size_t from,
                                  size_t count, double *top);

#endif
