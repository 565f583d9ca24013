/* recognise.h -- tell logits from probabilities. */
#ifndef CRD_DATA_RECOGNISE_H
#define CRD_DATA_RECOGNISE_H

#include "data/predictions.h"

/* Sets parts.input of predictions whose shapes are checked: AUTO becomes the kind inferred from the
 * values, with a note; declared probabilities are verified (CRD_EINPUT). */
crd_status crd__data_recognise(crd_context *ctx, crd_predictions *predictions);

#endif
