/* resolution.h -- the grid that rounded probabilities lie on. */
#ifndef CRD_DATA_RESOLUTION_H
#define CRD_DATA_RESOLUTION_H

#include "data/predictions.h"

/*
 * The tolerance of values and of row sums that the scores of several classes deserve: 0.01, or half
 * their resolution times the classes where that is larger. `scratch` is a row of doubles.
 */
double crd__data_resolution_tolerance(const crd_predictions *predictions, double *scratch);

#endif
