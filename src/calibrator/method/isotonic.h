/* isotonic.h -- pooling of adjacent violators, for the methods that build on it. */
#ifndef CRD_CALIBRATOR_METHOD_ISOTONIC_H
#define CRD_CALIBRATOR_METHOD_ISOTONIC_H

#include "calibrator/curve.h"
#include "calibrator/samples.h"

/* Samples first .. last have one value: hits / weight. */
typedef struct {
  size_t first, last;
  double weight, hits;
} crd__block;

/* The blocks from left to right, their values rising; to be freed. */
crd_status crd__isotonic_blocks(crd_context *ctx, const crd__samples *samples, crd__block **out,
                                size_t *count);
/* A curve over the probability: straight between blocks, or steps. */
crd_status crd__isotonic_fit(crd_context *ctx, const crd__event_data *data, bool steps,
                             crd__fit *out);

#endif
