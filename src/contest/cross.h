/* cross.h -- calibration and test rows of a contest: two sets, or cross-validation. */
#ifndef CRD_CONTEST_CROSS_H
#define CRD_CONTEST_CROSS_H

#include "contest/contest.h"
#include "data/floor.h"
#include "metric/evidence.h"

/* The floor for one set of calibration rows. */
typedef struct {
  bool known; /* given, or already fitted by a method */
  crd__data_floor floor;
} crd__contest_round_floor;

typedef struct {
  const crd_predictions *calibrate, *test;
  unsigned folds;                   /* 0: fitted on one set, tested on the other */
  const unsigned *fold;             /* of each row, if both are the same set */
  crd__contest_round_floor *floors; /* one, or one for each fold; fitted once for all methods */
} crd__contest_rounds;

/* Divides rows at random: a fraction `share`, 0 .. 1, calibrates, the rest tests. Splits by
 * clusters or groups, or else stratifies by class. Both are picked from `predictions`, which must
 * outlive them; the caller destroys them. */
crd_status crd__contest_rows_divide(crd_context *ctx, const crd_predictions *predictions,
                                    double share, crd_predictions **calibrate,
                                    crd_predictions **test);

/* Returns the number of rows a calibrator is fitted on; with folds, of the smallest training set if
 * folds have equal size. */
size_t crd__contest_rounds_rows(const crd__contest_rounds *rounds);
/* The results of a candidate's fits; the caller destroys them, also after a failure. */
typedef struct {
  crd_calibrator *calibrator; /* with folds, that of the first */
  crd_predictions *calibrated;
  bool gives_zero; /* a calibrator gives probabilities of exactly 0 (calibrator/zero.h) */
  crd__calibrator_fitted external; /* of an external method, which has no calibrator */
  size_t parameters;               /* of it */
} crd__contest_trial;

/* Fits a candidate and calibrates the test rows; with folds, each fold by a calibrator fitted on
 * the others. */
crd_status crd__contest_rounds_fit(crd_context *ctx, const crd__contest_rounds *rounds,
                                   const crd__contest_contestant *who, crd__contest_trial *out);

/* The same for an external method. CRD_EUSAGE with folds, and if it calibrated other rows. */
crd_status crd__contest_external_fit(crd_context *ctx, const crd__contest_rounds *rounds,
                                     const crd__contest_contestant *who, crd__contest_trial *out);

/* Finds the operating points of a candidate; `judged` are its calibrated test rows. */
crd_status crd__contest_operating(crd_context *ctx, const crd__contest_rounds *rounds,
                                  const crd__contest_trial *trial, const crd_predictions *judged,
                                  const crd_operating_options *options,
                                  const crd_operating_table **out);

/* Runs a contest. */
crd_status crd__contest_hold(crd_context *ctx, const crd__contest_rounds *rounds,
                             const crd_contest_options *options, const crd_contest **out);

/* Add notes on clusters: which sides of the split they are on, and how intervals were resampled.
 * Adds none where rows are independent. */
crd_status crd__contest_cluster_notes(crd_context *ctx, const crd__contest_rounds *rounds,
                                      const crd_evidence *tested, const crd_allocator *alloc,
                                      crd__notes *notes);

#endif
