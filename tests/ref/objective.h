/* objective.h -- objectives of calibration methods and their derivatives, in plain loops, for tests
 * of certificates. */
#ifndef CRD_TESTS_REF_OBJECTIVE_H
#define CRD_TESTS_REF_OBJECTIVE_H

#include "credence/calibrator.h"

#include <stdbool.h>

/* The data of a fit. Pairs are two classes: "wrong", "correct". */
typedef struct {
  size_t rows, classes;
  const double *logits;
  const int64_t *labels;
  const double *weights; /* NULL: all 1 */
  const crd_calibrator *calibrator;
} ref_task;

/* Returns whether there is a reference for this method. */
bool ref_has_objective(const char *method);
/* Return the objective at the learnt parameters, and the largest derivative that violates
 * optimality (at a bound, only derivatives that point inwards count). */
long double ref_objective(const ref_task *task);
long double ref_slope(const ref_task *task);

#endif
