/* isotonic.h -- isotonic regression by pool adjacent violators, for methods that build on it. */
#ifndef CRD_CALIBRATOR_METHOD_ISOTONIC_H
#define CRD_CALIBRATOR_METHOD_ISOTONIC_H

#include "calibrator/curve.h"
#include "calibrator/samples.h"

/* A block: samples first .. last have the value hits / weight. */
typedef struct {
  size_t first, last;
  double weight, hits;
} crd__calibrator_block;

/* Computes the blocks, with increasing values; the caller frees them. ENOMEM. */
crd_status crd__calibrator_isotonic_blocks(crd_context *ctx, const crd__calibrator_samples *samples,
                                           crd__calibrator_block **out, size_t *count);
/* Fits a curve over the probability: linear between blocks, or steps. */
crd_status crd__calibrator_isotonic_fit(crd_context *ctx, const crd__calibrator_event_data *data,
                                        bool steps, crd__calibrator_fitted *out);

#endif
