/* credence/contest.h -- compare calibration methods on the same rows and recommend one. */
#ifndef CREDENCE_CONTEST_H
#define CREDENCE_CONTEST_H

#include "credence/calibrator.h"
#include "credence/evaluate.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The fit of an external method. */
typedef struct {
  crd_predictions *calibrated; /* the test rows, in their order; the contest destroys them */
  crd_certificate certificate; /* its texts must outlive the contest */
  size_t learnt_count;
  const crd_learnt *learnt; /* what is shown of the fit; borrowed during the call */
  size_t parameters;        /* number of fitted parameters, shown or not */
} crd_external_fit;

/**
 * A method of calibration that is not in the table, since it needs more than predictions: Neural
 * Clamping needs the network. It knows calibration and test rows itself, so it takes part in
 * crd_contest_run only.
 */
typedef struct {
  const char *name;     /* in crd_contest_options.methods: "clamping" */
  const char *standard; /* entries added to the default set: "clamping,clamping(gamma=1)" */
  void *self;           /* passed to the functions */
  /* Checks settings ("gamma=1", NULL: none) before the first fit. CRD_EUSAGE. */
  crd_status (*check)(void *self, crd_context *ctx, const char *settings);
  /* Fits on the calibration rows, and calibrates the test rows. */
  crd_status (*fit)(void *self, crd_context *ctx, const char *settings, crd_external_fit *out);
} crd_external_method;

/** What to compare; all zero is the default. */
typedef struct {
  /* Names separated by commas, with settings in brackets: "temperature,platt(scope=top-1)"; "all";
   * NULL: the default set. `identity` is always included, as the first. */
  const char *methods;
  const char *metrics; /* NULL: accuracy,ece,aece,sce,brier,nll,auroc,aurc */
  unsigned bins;       /* 0: 15 */
  unsigned resamples;  /* bootstrap resamples for intervals and tests; 0: none */
  double floor;        /* lower bound of probabilities, for all methods; 0: as in crd_fit_options */
  unsigned profile;    /* CRD_PROFILE_* parts to compute for each candidate (profile.h); 0: none */
  const crd_external_method *external; /* may be named in `methods` too; borrowed */
  size_t external_count;
} crd_contest_options;

/** One method: its fit, its result on the test rows, its differences from others. */
typedef struct {
  const char *name;                   /* with its settings, as in crd_contest_options.methods */
  const crd_method_info *method;      /* NULL: an external method */
  const crd_calibrator *calibrator;   /* with folds, the first; NULL: failed, external, or stored */
  const crd_certificate *certificate; /* of the fit; NULL: it failed */
  size_t learnt_count;
  const crd_learnt *learnt;               /* its parameters; stored contests have them too */
  size_t parameters;                      /* their number; 0 in a stored contest */
  const char *failure;                    /* the error message; else NULL */
  const crd_result *result;               /* NULL: it failed */
  const crd_comparison *against_identity; /* NULL for identity and failures; p by Holm's method */
  const crd_comparison *against_temperature; /* NULL for temperature, or if it is not a candidate */
  double seconds;                            /* to fit */
} crd_candidate;

/** A candidate that the verdict excludes, whatever its metrics. */
typedef struct {
  const crd_candidate *candidate;
  const char *reason; /* follows its name in a sentence: "gives probabilities of exactly 0" */
} crd_rejection;

/** The outcome: candidates in the order of the options, and a verdict. */
typedef struct {
  const char *calibrate_name, *test_name;
  size_t calibrate_rows, test_rows;
  unsigned folds;     /* 0: separate rows for calibration and test */
  unsigned resamples; /* behind the intervals and tests */
  size_t count;
  const crd_candidate *candidates;
  const crd_candidate *chosen; /* the one that the verdict recommends */
  const char *verdict;
  const char *score; /* the metric that the verdict compares; NULL: loaded from an old file */
  const crd_candidate *best; /* by that metric, among those not rejected; NULL: as above */
  size_t rejected_count;
  const crd_rejection *rejected; /* in the order of the candidates */
  size_t note_count;
  const char *const *notes;
} crd_contest;

/** Fits every method on `calibrate` and evaluates it on `test`; a method that fails is a candidate
 * with its error message. CRD_EUSAGE for unknown methods, settings or metrics; CRD_EINPUT if even
 * `identity` fails. `options` NULL: defaults. */
CRD_API CRD_NODISCARD crd_status crd_contest_run(crd_context *ctx, const crd_predictions *calibrate,
                                                 const crd_predictions *test,
                                                 const crd_contest_options *options,
                                                 crd_contest **out);
/**
 * Runs a contest on one set of predictions: a fraction `share` of the rows, 0 .. 1, calibrates, the
 * rest tests. Splits by clusters or groups, or else stratifies by class.
 */
CRD_API CRD_NODISCARD crd_status crd_contest_split(crd_context *ctx,
                                                   const crd_predictions *predictions, double share,
                                                   const crd_contest_options *options,
                                                   crd_contest **out);
/** Runs a contest by cross-validation: each row is tested by a calibrator fitted on other folds. */
CRD_API CRD_NODISCARD crd_status crd_contest_folds(crd_context *ctx,
                                                   const crd_predictions *predictions,
                                                   unsigned folds,
                                                   const crd_contest_options *options,
                                                   crd_contest **out);
/** Destroys a contest; NULL is allowed. */
CRD_API void crd_contest_destroy(crd_contest *contest);

#ifdef __cplusplus
}
#endif
#endif
