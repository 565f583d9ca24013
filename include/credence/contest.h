/* credence/contest.h -- compare calibration methods on the same rows and recommend one; repeat that
 * comparison. */
#ifndef CREDENCE_CONTEST_H
#define CREDENCE_CONTEST_H

#include "credence/calibrator.h"
#include "credence/evaluate.h"
#include "credence/operating.h"
#include "credence/shift.h"

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
  size_t size; /* sizeof(crd_contest_options) */
  /* Names separated by commas, with settings in brackets: "temperature,platt(scope=top-1)"; "all";
   * NULL: the default set. `identity` is always included, as the first. */
  const char *methods;
  const char *metrics; /* NULL: accuracy,ece,aece,sce,brier,nll,auroc,aurc */
  unsigned bins;       /* 0: 15 */
  unsigned resamples;  /* bootstrap resamples for intervals and tests; 0: none */
  double floor;        /* lower bound of probabilities, for all methods; 0: as in crd_fit_options */
  unsigned profile;    /* CRD_PROFILE_* parts to compute for each candidate (profile.h); 0: none */
  /* Operating points of each candidate, chosen on the calibration rows and measured on the test
   * rows; with folds and for external methods, on halves of the test rows. `guarantee` is ignored.
   * Borrowed; NULL: none. */
  const crd_operating_options *operating;
  const crd_external_method *external; /* may be named in `methods` too; borrowed */
  size_t external_count;
  /* Other data of the same classifier, with labels: the calibrators are applied to them unchanged.
   * Not with folds, which have several calibrators. Borrowed. */
  const crd_shift_set *shift;
  size_t shift_count;
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

/** A candidate on a shifted set. */
typedef struct {
  const crd_result *result;               /* NULL: it failed ... */
  const char *failure;                    /* ... for this reason; else NULL */
  const crd_comparison *against_identity; /* on the same set; as in crd_candidate */
} crd_shifted_candidate;

/** A shifted set: do calibrators that were fitted on other data still help there? */
typedef struct {
  const char *name;      /* "jpeg:3" */
  const char *family;    /* "jpeg" */
  double severity;       /* 3 */
  const char *data_name; /* of its predictions */
  size_t rows;
  const crd_shifted_candidate *candidates; /* in the order of the contest's */
  const char *verdict;                     /* which methods help, which harm, the chosen one */
} crd_contest_shift;

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
  size_t shift_count;
  const crd_contest_shift *shift; /* in the order of the options */
} crd_contest;

/** Fits every method on `calibrate` and evaluates it on `test`; a method that fails is a candidate
 * with its error message. CRD_EUSAGE for unknown methods, settings or metrics; CRD_EINPUT if even
 * `identity` fails, and for shifted sets without rows or labels or of other classes. `options`
 * NULL: defaults. */
CRD_API CRD_NODISCARD crd_status crd_contest_run(crd_context *ctx, const crd_predictions *calibrate,
                                                 const crd_predictions *test,
                                                 const crd_contest_options *options,
                                                 const crd_contest **out);
/**
 * Runs a contest on one set of predictions: a fraction `share` of the rows, 0 .. 1, calibrates, the
 * rest tests. Splits by clusters or groups, or else stratifies by class.
 */
CRD_API CRD_NODISCARD crd_status crd_contest_split(crd_context *ctx,
                                                   const crd_predictions *predictions, double share,
                                                   const crd_contest_options *options,
                                                   const crd_contest **out);
/** Runs a contest by cross-validation: each row is tested by a calibrator fitted on other folds. */
CRD_API CRD_NODISCARD crd_status crd_contest_folds(crd_context *ctx,
                                                   const crd_predictions *predictions,
                                                   unsigned folds,
                                                   const crd_contest_options *options,
                                                   const crd_contest **out);
/** Destroys a contest; NULL is allowed. */
CRD_API void crd_contest_destroy(const crd_contest *contest);

/* ---- Series: the same methods in several contests, as mean and standard deviation. */

/** What differs between the runs of a series; it decides how differences are tested. */
typedef enum {
  /* Everything but the rows: each run has its own network, seed or fit, and runs are independent.
   * Paired t-test, with the variance of a mean difference s^2 / n. */
  CRD_SERIES_INDEPENDENT,
  /* Random splits of the same rows, which overlap. Corrected resampled t-test (Nadeau and Bengio
   * 2003), with the variance s^2 (1 / n + test rows / calibration rows). */
  CRD_SERIES_SPLITS
} crd_series_kind;

/** All zero is the default. */
typedef struct {
  size_t size; /* sizeof(crd_series_options) */
  crd_series_kind kind;
  const char *caption; /* what differs between runs: "random halves, seeds 0 to 9"; NULL: none */
} crd_series_options;

/** A quantity over the runs. */
typedef struct {
  size_t runs;          /* that have it */
  double mean;          /* over these runs; NaN: none has it */
  double std;           /* standard deviation (n - 1) over these runs; NaN with fewer than two */
  const double *values; /* one per run; NaN: the run does not have it */
} crd_series_value;

/** A candidate's metric minus that of another candidate in the same run. */
typedef struct {
  size_t runs; /* that have both */
  double mean, std;
  double p; /* two-sided, corrected for the number of candidates by Holm's method; NaN: none */
} crd_series_difference;

/** One method over all runs. */
typedef struct {
  const char *name;
  size_t failures;                /* number of runs in which it failed ... */
  const char *failure;            /* ... and its first error message; NULL: none failed */
  size_t unconverged;             /* number of runs in which its fit did not converge */
  size_t chosen;                  /* number of runs whose verdict recommends it */
  crd_series_value seconds;       /* to fit */
  crd_series_value temperature;   /* learnt; without runs for methods that learn none */
  const crd_series_value *values; /* one per metric */
  const crd_series_difference *against_identity;    /* one per metric; NULL for identity */
  const crd_series_difference *against_temperature; /* NULL for temperature, or without it */
} crd_series_candidate;

/** The outcome of a series so far. */
typedef struct {
  crd_series_kind kind;
  const char *caption;                    /* NULL: none */
  const char *calibrate_name, *test_name; /* of the first run */
  size_t runs;
  size_t calibrate_rows_min, calibrate_rows_max, test_rows_min, test_rows_max;
  unsigned folds; /* as in crd_contest */
  size_t metric_count;
  const crd_metric_info *const *metrics;
  size_t count;
  const crd_series_candidate *candidates; /* in the order of the contests; NULL before a run */
  size_t note_count;
  const char *const *notes; /* of the first run */
} crd_series_summary;

/**
 * A series of contests.
 *
 *   life      create -> add, describe ... -> destroy
 *   owns      copies of all that it keeps of the contests
 */
typedef struct crd_series crd_series;

/** Creates a series without runs. `options` NULL: defaults. */
CRD_API CRD_NODISCARD crd_status crd_series_create(crd_context *ctx,
                                                   const crd_series_options *options,
                                                   crd_series **out);
/** Adds a run, which is copied. CRD_EUSAGE unless it has the candidates, metrics and folds of the
 * first one, and for cross-validated contests as splits; the series is then unchanged. */
CRD_API CRD_NODISCARD crd_status crd_series_add(crd_context *ctx, crd_series *series,
                                                const crd_contest *contest);
/** Returns the outcome; borrowed until the next add or destroy. */
CRD_API const crd_series_summary *crd_series_describe(const crd_series *series);
/** Destroys a series; NULL is allowed. */
CRD_API void crd_series_destroy(crd_series *series);

/* ---- Several models on the same rows. */

/** A model that was evaluated; all members are borrowed. */
typedef struct {
  const crd_predictions *predictions;
  crd_evidence *evidence;
  const crd_result *result;
} crd_ranked_model;

/**
 * Tests several models against the best one of each metric: sets p[i * value_count + m] to the
 * two-sided p of the paired difference between model i and the model with the best value of metric
 * m, corrected for the number of models (Holm). NaN for the best model itself, for metrics without
 * a better direction, and without resamples. Sets `*paired` to 0 and every p to NaN if the models
 * were not evaluated on the same rows: other labels, row numbers or clusters. CRD_EUSAGE unless all
 * have the same metrics, bins, resamples and seed.
 */
CRD_API CRD_NODISCARD crd_status crd_models_rank(crd_context *ctx, const crd_ranked_model *models,
                                                 size_t count, double *p, int *paired);

#ifdef __cplusplus
}
#endif
#endif
