/* isotonic.h -- pooling of adjacent violators, for the methods that build on it. */
#ifndef CRD_CALIBRATOR_METHOD_ISOTONIC_H
#define CRD_CALIBRATOR_METHOD_ISOTONIC_H

#include "calibrator/curve.h"
#include "calibrator/samples.h"

/* Samples first .. last have one value: hits / weight. */
typedef struct {
  size_t first, last;
  double weight, hits;
} crd__calibrator_block;

/* The blocks from left to right, their values rising; to be freed. */
crd_status crd__calibrator_isotonic_blocks(crd_context *ctx, const crd__calibrator_samples *samples,
                                           crd__calibrator_block **out, size_t *count);
/* A curve over the probability: straight between blocks, or steps. */
crd_status crd__calibrator_isotonic_fit(crd_context *ctx, const crd__calibrator_event_data *data,
                                        bool steps, crd__calibrator_fitted *out);

#endif
