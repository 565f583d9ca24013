/* choose.h -- chooses the weight of the penalty by cross-validation. */
#ifndef CRD_CLAMP_CHOOSE_H
#define CRD_CLAMP_CHOOSE_H

#include "clamp/solve.h"

enum { CRD__CLAMP_CANDIDATES = 5, CRD__CLAMP_FOLDS = 2, CRD__CLAMP_FOLD_PASSES = 15 };

/* The inputs of the fits on both halves of the data. */
typedef struct {
  crd__clamp_chain chain;
  crd_loss *loss;
  const float *low, *high;
  crd__clamp_goal goal; /* its weight and passes are replaced */
  double initial_loss;  /* lambda is a multiple of it */
  crd__clamp_meter *meter;
} crd__clamp_contest;

/* Fits on each half of the data with every lambda, and evaluates on the other half. Sets the
 * candidates, the largest lambda first, and *lambda: of these the one with the lowest negative
 * log-likelihood, unless its difference from temperature scaling is within one standard error; then
 * infinity. */
crd_status crd__clamp_choose(crd_context *ctx, const crd__clamp_contest *contest,
                             const crd_dataset *data, crd_clamp_candidate *candidates,
                             double *lambda);
/* Returns the largest number of rows that it runs, for progress. */
uint64_t crd__clamp_choose_rows(const crd_dataset *data);

#endif
