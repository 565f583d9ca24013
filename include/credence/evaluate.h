/* credence/evaluate.h -- evidence judged into results: values, intervals, paired tests, groups. */
#ifndef CREDENCE_EVALUATE_H
#define CREDENCE_EVALUATE_H

#include "credence/metric.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  const crd_metric_info *metric;
  double value;         /* NaN when it does not exist ... */
  const char *reason;   /* ... and then this says why; else NULL */
  double low, high;     /* the 95 % interval; NaN without */
  double noise_floor;   /* what a perfectly calibrated model would show; NaN where not known */
  double p;             /* how likely such a model shows as much or more; NaN where not known */
  const char *interval; /* "wilson", "wilson-bootstrap"; NULL: of the result's kind, or none */
} crd_metric_value;

/** One bin (low, high] of the reliability diagram. */
typedef struct {
  double low, high;
  size_t rows;
  double weight;               /* share of all weight, 0 .. 1 */
  double confidence, accuracy; /* weighted means; NaN when the bin is empty, as what follows */
  double accuracy_low, accuracy_high;     /* the 95 % interval of accuracy */
  double calibrated_low, calibrated_high; /* where 95 % of samples of a calibrated model have it */
} crd_reliability_bin;

/** How another set of predictions on the same rows differs: other minus this. */
typedef struct {
  const crd_metric_info *metric;
  double value;            /* NaN when either does not exist */
  double low, high;        /* the 95 % interval; NaN without */
  double p;                /* two-sided: how easily resampling turns the sign; NaN without */
  const char *test;        /* whose test the metric has for such a difference, or NULL: none ... */
  double test_p;           /* ... its two-sided p; NaN without ... */
  const char *test_reason; /* ... and then this says why: "needs ..."; else NULL */
  const char *interval;    /* "tango", "exact"; NULL: quantiles of the resamples, or none */
} crd_difference;

typedef struct {
  const char *name; /* of the other predictions */
  unsigned resamples;
  size_t count;
  const crd_difference *items;
} crd_comparison;

typedef struct crd_group_table crd_group_table;
struct crd_compat_table; /* credence/convention.h */
struct crd_profile;      /* credence/profile.h */

typedef struct {
  const char *name; /* of the predictions */
  size_t rows, classes;
  crd_input input;
  crd_binary binary;
  int weighted;
  unsigned resamples; /* behind the intervals; 0: none */
  crd_interval interval;
  const char *cluster; /* the group column that was drawn whole, "patient"; NULL: single rows */
  size_t clusters;     /* ... and how many of its groups there are; 0: single rows */
  size_t value_count;
  const crd_metric_value *values;
  size_t bin_count;
  const crd_reliability_bin *bins;
  size_t note_count;
  const char *const *notes; /* warnings, one sentence each */
  /* To be drawn along; borrowed, NULL: none. */
  const crd_comparison *paired;
  const crd_group_table *groups;
  const struct crd_compat_table *compat;
  const struct crd_profile *profile;
} crd_result;

/** Release it. NULL is allowed. */
CRD_API void crd_result_destroy(crd_result *result);

/** Measure predictions: one pass over the scores for all metrics together. */
CRD_API CRD_CHECK crd_status crd_evaluate(crd_context *ctx, const crd_predictions *predictions,
                                          const crd_evaluate_options *options, crd_result **out);

/* ---- The same for each group of rows: hospitals, subgroups, domains. */

typedef struct {
  const char *column; /* the group column it is a group of; NULL: not known */
  int64_t number;
  const char *name; /* NULL: it has a number only */
  size_t rows;
  const crd_result *result; /* NULL: all weights are 0 */
} crd_group;

/** Column by column, groups in the order of their numbers. */
struct crd_group_table {
  size_t count;
  const crd_group *items;
};

/** Measure each group of the columns options->group_by. It keeps no pointer to predictions. */
CRD_API CRD_CHECK crd_status crd_evaluate_groups(crd_context *ctx,
                                                 const crd_predictions *predictions,
                                                 const crd_evaluate_options *options,
                                                 crd_group_table **out);
/** Release it. NULL is allowed. */
CRD_API void crd_group_table_destroy(crd_group_table *groups);

/* ---- Results of evidence. */

/** Create, with as many of the resamples as the size of the data allows, and add. */
CRD_API CRD_CHECK crd_status crd_evidence_gather(crd_context *ctx,
                                                 const crd_predictions *predictions,
                                                 const crd_evaluate_options *options,
                                                 uint64_t first_row, crd_evidence **out);
/** The numbers, so far. */
CRD_API CRD_CHECK crd_status crd_evidence_judge(crd_context *ctx, crd_evidence *evidence,
                                                crd_result **out);
/**
 * Compare two sets of predictions on the same rows, with the same metrics, bins, resamples and
 * seed: every resample draws the same rows from both, so that what they share cancels.
 */
CRD_API CRD_CHECK crd_status crd_evidence_compare(crd_context *ctx, crd_evidence *evidence,
                                                  crd_evidence *other, crd_comparison **out);
/** Release it. NULL is allowed. */
CRD_API void crd_comparison_destroy(crd_comparison *comparison);

#ifdef __cplusplus
}
#endif
#endif
