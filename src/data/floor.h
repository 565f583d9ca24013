/*
 * floor.h -- the probability that a value of exactly 0 is read as.
 *
 * A softmax that was stored with few decimals or in half precision holds exact zeros, of which no
 * logarithm can be taken. A fixed tiny floor is ruinous: log 1e-300 = -690.8, so a few rows whose
 * true class was rounded to 0 decide the likelihood, and with it the temperature. Where the
 * calibration rows have exact zeros the floor is therefore a parameter, fitted by likelihood
 * together with a temperature (calibrator/floor.c); where they have none it is
 * CRD__LEAST_PROBABILITY, which changes nothing.
 *
 * One floor serves all classes, with one exception: where the file has one number s for each row
 * (a binary score, a confidence), 1 - s is derived, and its resolution is another than that of s.
 * Single precision, for example, resolves s down to 1e-45 but 1 - s down to 6e-8 only.
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

/* Where nothing was fitted. The margin of a confidence is the largest double below 1, as ever. */
static inline crd__data_floor crd__data_floor_standard(crd_input input) {
  return (crd__data_floor){ input == CRD_INPUT_PAIRS ? 0x1p-53 : CRD__LEAST_PROBABILITY,
                            CRD__LEAST_PROBABILITY };
}

/* Values met while rows were read as logits; [0]: of class 0, [1]: of the other classes. */
typedef struct {
  size_t rows;     /* with a value below its floor */
  size_t values;   /* that were below their floor */
  size_t zeros[2]; /* exactly 0 */
  double least[2]; /* the smallest that is not below the floor; 0: none was seen */
} crd__data_clipping;

/* The largest floor: below the largest probability of every row, so that none becomes another. */
static inline double crd__data_floor_limit(size_t classes) { return 0.5 / (double)classes; }

void crd__data_clipping_merge(crd__data_clipping *into, const crd__data_clipping *from);

#endif
