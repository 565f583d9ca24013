/*
 * floor.h -- the lower bound to which probabilities are raised before their logarithm is taken.
 *
 * A softmax that was stored with few decimals or as float16 contains exact zeros, which have no
 * logarithm. A fixed tiny floor is ruinous: log 1e-300 = -690.8, so a few rows whose true class was
 * rounded to 0 decide the likelihood, and with it the temperature. If the calibration rows have
 * exact zeros the floor is therefore a parameter, fitted by maximum likelihood together with a
 * temperature (calibrator/floor.c); otherwise it is CRD__LEAST_PROBABILITY, which changes nothing.
 *
 * One floor serves all classes, with one exception: if the file has a single value s per row (a
 * binary score, a confidence), 1 - s is derived, and has another resolution than s. float32, for
 * example, resolves s down to 1e-45 but 1 - s only down to 6e-8.
 */
#ifndef CRD_DATA_FLOOR_H
#define CRD_DATA_FLOOR_H

#include "credence/predictions.h"
#include "math/rows.h"

#include <stdbool.h>

typedef struct {
  double first, others; /* of class 0, and of all other classes */
} crd__data_floor;

static inline double crd__data_floor_of(const crd__data_floor *floor, size_t k) {
  return k ? floor->others : floor->first;
}

/* Returns the floor if none was fitted. A confidence is at most the largest double below 1. */
static inline crd__data_floor crd__data_floor_standard(crd_input input) {
  return (crd__data_floor){ input == CRD_INPUT_PAIRS ? 0x1p-53 : CRD__LEAST_PROBABILITY,
                            CRD__LEAST_PROBABILITY };
}

/* Counts of clipped values; [0]: class 0, [1]: the other classes. */
typedef struct {
  size_t rows;     /* with a value below its floor */
  size_t values;   /* below their floor */
  size_t zeros[2]; /* exactly 0 */
  double least[2]; /* the smallest not below the floor; 0: none */
} crd__data_clipping;

/* Returns the largest floor: below the maximum of every row, so that the predicted class stays. */
static inline double crd__data_floor_limit(size_t classes) { return 0.5 / (double)classes; }

void crd__data_clipping_merge(crd__data_clipping *into, const crd__data_clipping *from);

#endif
