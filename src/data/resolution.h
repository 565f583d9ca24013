/* resolution.h -- the grid of rounded probabilities. */
#ifndef CRD_DATA_RESOLUTION_H
#define CRD_DATA_RESOLUTION_H

#include "data/predictions.h"

/*
 * Returns the tolerance of values and row sums for scores of several classes: 0.01, or half their
 * resolution times the number of classes if that is larger. `scratch` holds one row.
 */
double crd__data_resolution_tolerance(const crd_predictions *predictions, double *scratch);

#endif
