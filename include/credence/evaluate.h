/* credence/evaluate.h -- results of evaluation: values, intervals, paired tests, groups. */
#ifndef CREDENCE_EVALUATE_H
#define CREDENCE_EVALUATE_H

#include "credence/metric.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  const crd_metric_info *metric;
  double value;         /* NaN if undefined ... */
  const char *reason;   /* ... for this reason; else NULL */
  double low, high;     /* 95 % interval; NaN: none */
  double noise_floor;   /* expected value for a perfectly calibrated model; NaN: unknown */
  double p;             /* P(such a model shows this value or more); NaN: unknown */
  const char *interval; /* "wilson", "wilson-bootstrap"; NULL: crd_result.interval, or none */
} crd_metric_value;

/** One bin (low, high] of the reliability diagram. */
typedef struct {
  double low, high;
  size_t rows;
  double weight;                      /* fraction of the total weight, 0 .. 1 */
  double confidence, accuracy;        /* weighted means; NaN, like the rest, if the bin is empty */
  double accuracy_low, accuracy_high; /* 95 % interval */
  double calibrated_low, calibrated_high; /* 95 % range of a calibrated model's accuracy */
} crd_reliability_bin;

/** Difference from another set of predictions on the same rows: other minus this. */
typedef struct {
  const crd_metric_info *metric;
  double value;            /* NaN if either is undefined */
  double low, high;        /* 95 % interval; NaN: none */
  double p;                /* two-sided, from the signs of the replicates; NaN: none */
  const char *test;        /* the metric's own test of a difference; NULL: none ... */
  double test_p;           /* ... its two-sided p; NaN if it cannot be computed ... */
  const char *test_reason; /* ... for this reason: "needs ..."; else NULL */
  const char *interval;    /* "tango", "exact"; NULL: quantiles of the replicates, or none */
} crd_difference;

/** Differences of two sets of predictions, one per metric. */
typedef struct {
  const char *name; /* of the other predictions */
  unsigned resamples;
  size_t count;
  const crd_difference *items;
} crd_comparison;

typedef struct crd_group_table crd_group_table;
typedef struct crd_shift_table crd_shift_table; /* credence/shift.h */
struct crd_compat_table;                        /* credence/convention.h */
struct crd_profile;                             /* credence/profile.h */
struct crd_operating_table;                     /* credence/operating.h */

/**
 * The evaluation of one set of predictions. Read-only, like all that the library returns by pointer
 * to const; crd_result_with adds what is to be shown with it.
 *
 *   life      evaluate, judge or with -> destroy
 *   owns      all that it points to, unless it was made by crd_result_with
 *   threads   reading: many at once
 */
typedef struct {
  const char *name; /* of the predictions */
  size_t rows, classes;
  crd_input input;
  crd_binary binary;
  int weighted;
  unsigned resamples; /* behind the intervals; 0: none */
  crd_interval interval;
  const char *cluster; /* the group column that was resampled whole, "patient"; NULL: rows were */
  size_t clusters;     /* its number of groups; 0: rows were resampled */
  size_t value_count;
  const crd_metric_value *values;
  size_t bin_count;
  const crd_reliability_bin *bins;
  size_t note_count;
  const char *const *notes; /* warnings, one sentence each */
  /* Shown with the result; NULL: none. */
  const crd_comparison *paired;
  const crd_group_table *groups;
  const struct crd_compat_table *compat;
  const struct crd_profile *profile;
  const struct crd_operating_table *operating;
  const crd_shift_table *shift;
} crd_result;

/** Destroys a result; NULL is allowed. */
CRD_API void crd_result_destroy(const crd_result *result);

/** What to show with a result; all zero: nothing more. All is borrowed by the new result. */
typedef struct {
  size_t size; /* sizeof(crd_result_parts) */
  /* NULL: as in the result. */
  const crd_comparison *paired;
  const crd_group_table *groups;
  const struct crd_compat_table *compat;
  const struct crd_profile *profile;
  const struct crd_operating_table *operating;
  const crd_shift_table *shift;
  const char *name;         /* in place of its own; NULL: its own */
  const char *metrics;      /* the metrics to show, separated by commas; NULL or "all": all */
  const char *const *notes; /* to show before its own */
  size_t note_count;
} crd_result_parts;

/**
 * Makes a result with the values of another one, and further parts. It borrows `values` and the
 * parts, which must outlive it, and `values` stays as it is; crd_result_destroy destroys the new
 * result, and nothing else. CRD_EUSAGE for a metric that `values` does not have. `parts` NULL:
 * none.
 */
CRD_API CRD_NODISCARD crd_status crd_result_with(crd_context *ctx, const crd_result *values,
                                                 const crd_result_parts *parts,
                                                 const crd_result **out);

/** Returns a metric of a result by its name, such as "ece"; its value may be NaN. NULL if it was
 * not evaluated; `result` may be NULL. */
CRD_API const crd_metric_value *crd_result_value(const crd_result *result, const char *metric);

/** How rows are recalibrated; all zero is the default. */
typedef struct {
  size_t size;          /* sizeof(crd_recalibration) */
  const char *method;   /* of calibration; NULL: "temperature" */
  const char *settings; /* of the method; NULL: its defaults */
  unsigned folds;       /* 0: 5; at most the number of rows, or of clusters */
  /* The fold of each row, below `folds`; NULL: by the context's seed, stratified by class or, if
   * rows have clusters, with every cluster in one fold. */
  const unsigned *fold;
} crd_recalibration;

/**
 * Recalibrates rows by cross-validation, and keeps the losses of every row for the metrics that
 * need them (nll-refinement, nll-calibration ...; crd_metrics_recalibrated): each fold by a
 * calibrator fitted on the others. The scores stay as they are. `how` NULL: defaults. If the rows
 * cannot be recalibrated, as a single row, these metrics stay undefined, and a note names the
 * reason. CRD_EUSAGE for an unknown method or setting, and for invalid folds.
 */
CRD_API CRD_NODISCARD crd_status crd_predictions_recalibrate(crd_context *ctx,
                                                             crd_predictions *predictions,
                                                             const crd_recalibration *how);

/**
 * Evaluates predictions, in one pass over the scores for all metrics. `options` NULL: defaults.
 * CRD_EUSAGE for unknown metrics and bad options; CRD_EINPUT for an invalid row, if labels are
 * missing, or if all weights are 0.
 */
CRD_API CRD_NODISCARD crd_status crd_evaluate(crd_context *ctx, const crd_predictions *predictions,
                                              const crd_evaluate_options *options,
                                              const crd_result **out);

/* ---- Results of each group of rows: hospitals, subgroups, domains. */

typedef struct {
  const char *column; /* the group column; NULL: unknown */
  int64_t number;     /* its id */
  const char *name;   /* NULL: unnamed */
  size_t rows;
  const crd_result *result; /* NULL: all weights are 0 */
} crd_group;

/** Column by column, groups in ascending order of their ids. */
struct crd_group_table {
  size_t count;
  const crd_group *items;
};

/** Evaluates each group of the columns options->group_by. Keeps no pointer to the predictions.
 * CRD_EINPUT if there is no such column; otherwise fails like crd_evaluate. */
CRD_API CRD_NODISCARD crd_status crd_evaluate_groups(crd_context *ctx,
                                                     const crd_predictions *predictions,
                                                     const crd_evaluate_options *options,
                                                     const crd_group_table **out);
/** Destroys a table; NULL is allowed. */
CRD_API void crd_group_table_destroy(const crd_group_table *groups);

/* ---- Results of evidence. */

/** Creates evidence and adds predictions, with fewer resamples if the data is too large for all.
 * Fails like create and add. */
CRD_API CRD_NODISCARD crd_status crd_evidence_gather(crd_context *ctx,
                                                     const crd_predictions *predictions,
                                                     const crd_evaluate_options *options,
                                                     uint64_t first_row, crd_evidence **out);
/** Computes the result for the rows so far. CRD_EUSAGE without rows, CRD_EINPUT if all weights are
 * 0. */
CRD_API CRD_NODISCARD crd_status crd_evidence_judge(crd_context *ctx, crd_evidence *evidence,
                                                    const crd_result **out);
/**
 * Compares two sets of predictions on the same rows. Every resample draws the same rows from both,
 * so that their common variation cancels. CRD_EUSAGE unless both have the same metrics, bins,
 * resamples and seed; CRD_EINPUT unless they have the same rows and clusters.
 */
CRD_API CRD_NODISCARD crd_status crd_evidence_compare(crd_context *ctx, crd_evidence *evidence,
                                                      crd_evidence *other,
                                                      const crd_comparison **out);
/** Destroys a comparison; NULL is allowed. */
CRD_API void crd_comparison_destroy(const crd_comparison *comparison);

#ifdef __cplusplus
}
#endif
#endif
