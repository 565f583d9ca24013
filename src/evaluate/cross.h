/* cross.h -- who is fitted on which rows and tested on which: two sets, or folds in turns. */
#ifndef CRD_EVALUATE_CROSS_H
#define CRD_EVALUATE_CROSS_H

#include "evaluate/contest.h"

typedef struct {
  const crd_predictions *calibrate, *test;
  unsigned folds;       /* 0: fitted on one set, tested on the other */
  const unsigned *fold; /* of each row, when both are the same set */
} crd__rounds;

/* How many rows a calibrator is fitted on; with folds, the fewest if these are of one size. */
size_t crd__rounds_rows(const crd__rounds *rounds);
/* Fit, and calibrate the test rows. With folds, each by a calibrator fitted on the others; the
 * first of these is handed out. */
crd_status crd__rounds_fit(crd_context *ctx, const crd__rounds *rounds, const crd__contestant *who,
                           crd_calibrator **calibrator, crd_predictions **calibrated);

crd_status crd__contest_hold(crd_context *ctx, const crd__rounds *rounds,
                             const crd_contest_options *options, crd_contest **out);

#endif
