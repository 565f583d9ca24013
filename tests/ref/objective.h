/* objective.h -- what methods with a certificate minimise, and its derivatives, as plain loops. */
#ifndef CRD_TESTS_REF_OBJECTIVE_H
#define CRD_TESTS_REF_OBJECTIVE_H

#include "credence/calibrator.h"

#include <stdbool.h>

/* What was fitted on. Pairs are two classes: "wrong", "right". */
typedef struct {
  size_t rows, classes;
  const double *logits;
  const int64_t *labels;
  const double *weights; /* NULL: all 1 */
  const crd_calibrator *calibrator;
} ref_task;

/* Is there a reference for this method? */
bool ref_has_objective(const char *method);
/* At what the calibrator has learnt: the objective, and the largest derivative that keeps it from
 * being an optimum (at a bound: that part which does not point out of it). */
long double ref_objective(const ref_task *task);
long double ref_slope(const ref_task *task);

#endif
