/* recognise.h -- are these logits or probabilities? */
#ifndef CRD_DATA_RECOGNISE_H
#define CRD_DATA_RECOGNISE_H

#include "data/predictions.h"

/* Settle parts.input of predictions whose shapes are checked: AUTO becomes what the values show,
 * with a note; declared probabilities are verified. */
crd_status crd__data_recognise(crd_context *ctx, crd_predictions *predictions);

#endif
