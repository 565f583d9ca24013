/* halves.h -- splits rows into a half that chooses thresholds and a half that measures them. */
#ifndef CRD_SELECTIVE_HALVES_H
#define CRD_SELECTIVE_HALVES_H

#include "base/context.h"
#include "credence/predictions.h"

typedef struct {
  unsigned *half; /* of each row: 0 chooses, 1 measures; NULL: the rows cannot be split ... */
  crd_predictions *choose, *measure; /* ... and these are NULL too */
} crd__selective_halves;

/* Splits by cluster, or else stratified by class, by the context's seed. `predictions` must outlive
 * the halves. */
crd_status crd__selective_halves_make(crd_context *ctx, const crd_predictions *predictions,
                                      crd__selective_halves *out);
void crd__selective_halves_clear(const crd_allocator *alloc, crd__selective_halves *halves);

#endif
