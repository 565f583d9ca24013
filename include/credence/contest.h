/* credence/contest.h -- methods of calibration side by side on the same rows, and which to take. */
#ifndef CREDENCE_CONTEST_H
#define CREDENCE_CONTEST_H

#include "credence/calibrator.h"
#include "credence/evaluate.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What to compare; all zero is the default. */
typedef struct {
  /* Names separated by commas, with settings in brackets: "temperature,platt(scope=top-1)"; "all";
   * NULL: the usual ones. `identity` always takes part, as the first. */
  const char *methods;
  const char *metrics; /* NULL: accuracy,ece,aece,sce,brier,nll,auroc,aurc */
  unsigned bins;       /* 0: 15 */
  unsigned resamples;  /* bootstrap resamples for intervals and tests; 0: none */
  double floor;        /* of probabilities, for all methods; 0: fitted where it is needed */
  unsigned profile;    /* parts of a profile (profile.h) of each candidate; 0: none */
} crd_contest_options;

/** One method: how it was fitted, what it gives on the test rows, how it differs. */
typedef struct {
  const char *name; /* with its settings, as asked for */
  const crd_method_info *method;
  const crd_calibrator *calibrator;          /* NULL: it failed; with folds, that of the first */
  const crd_certificate *certificate;        /* the calibrator's; NULL: it failed ... */
  size_t learnt_count;                       /* ... and what it learnt: both stay with a contest */
  const crd_learnt *learnt;                  /* that was stored, whose calibrator is NULL */
  const char *failure;                       /* why it failed; else NULL */
  const crd_result *result;                  /* NULL: it failed */
  const crd_comparison *against_identity;    /* NULL for identity, and for failures; p by Holm */
  const crd_comparison *against_temperature; /* NULL for temperature, or without it */
  double seconds;                            /* to fit */
} crd_candidate;

/** A candidate that the verdict does not recommend, whatever its other numbers. */
typedef struct {
  const crd_candidate *candidate;
  const char *reason; /* continues its name: "gives probabilities of exactly 0" */
} crd_rejection;

/** A plain table: candidates in the order asked for, and a verdict in words. */
typedef struct {
  const char *calibrate_name, *test_name;
  size_t calibrate_rows, test_rows;
  unsigned folds;     /* 0: calibrated and tested on other rows */
  unsigned resamples; /* behind intervals and tests */
  size_t count;
  const crd_candidate *candidates;
  const crd_candidate *chosen; /* of the verdict */
  const char *verdict;
  const char *score;         /* the metric that the verdict goes by; NULL: a stored one of old */
  const crd_candidate *best; /* by it, of those not rejected; NULL: as above */
  size_t rejected_count;
  const crd_rejection *rejected; /* in the order of the candidates */
  size_t note_count;
  const char *const *notes;
} crd_contest;

/** Fit every method on `calibrate` and judge it on `test`. */
CRD_API CRD_CHECK crd_status crd_contest_run(crd_context *ctx, const crd_predictions *calibrate,
                                             const crd_predictions *test,
                                             const crd_contest_options *options, crd_contest **out);
/**
 * The same with one set of rows: a share of them, 0 .. 1, calibrates and the others test. Groups
 * stay together, else classes are shared out evenly.
 */
CRD_API CRD_CHECK crd_status crd_contest_split(crd_context *ctx, const crd_predictions *predictions,
                                               double share, const crd_contest_options *options,
                                               crd_contest **out);
/** The same with cross-validation: every row is tested by a calibrator fitted on other folds. */
CRD_API CRD_CHECK crd_status crd_contest_folds(crd_context *ctx, const crd_predictions *predictions,
                                               unsigned folds, const crd_contest_options *options,
                                               crd_contest **out);
/** Release it. NULL is allowed. */
CRD_API void crd_contest_destroy(crd_contest *contest);

#ifdef __cplusplus
}
#endif
#endif
