/* credence/metric.h -- what there is to measure, and measuring it. */
#ifndef CREDENCE_METRIC_H
#define CREDENCE_METRIC_H

#include "credence/convention.h"
#include "credence/predictions.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { CRD_LOWER_IS_BETTER, CRD_HIGHER_IS_BETTER, CRD_NEITHER_IS_BETTER } crd_direction;

/* This table also drives the program, its help, the man page and the tests. */
typedef struct {
  const char *name;      /* as on the command line: "e-aurc" */
  const char *summary;   /* one line, for lists */
  const char *meaning;   /* a sentence or two: what a value says */
  const char *reference; /* the paper or the origin of the definition */
  double low, high;      /* the values it can take; may be infinite */
  crd_direction direction;
  int standard; /* 1: part of the default set; 2: only where class 1 is judged (CRD_BINARY_POS) */
} crd_metric_info;

CRD_API size_t crd_metric_count(void);
/** NULL past the end. */
CRD_API const crd_metric_info *crd_metric_at(size_t index);
/** NULL when there is none of that name. */
CRD_API const crd_metric_info *crd_metric_find(const char *name);

/*
 * 95 % intervals from the bootstrap's values: PERCENTILE takes their quantiles; CORRECTED moves
 * these by the distance between the values' median and the estimate, which for errors such as ECE
 * is the bias that resampling adds.
 */
typedef enum { CRD_INTERVAL_CORRECTED, CRD_INTERVAL_PERCENTILE } crd_interval;

/*
 * Shares of rows have another: Wilson's (1927), which has a width where the share is 0 or 1 too. It
 * is "wilson" for accuracy, and for shares by a threshold that follows from the rows the wider of
 * it and the bootstrap's at either end, "wilson-bootstrap". Of a difference of two shares of the
 * same rows it is Tango's (1998), "tango".
 */

/** "corrected" or "percentile"; lives for ever. */
CRD_API const char *crd_interval_name(crd_interval interval);

/** What to measure; all zero is the default. */
typedef struct {
  const char *metrics; /* comma-separated names or "all"; NULL: the default set */
  unsigned bins;       /* 0: 15 */
  unsigned resamples;  /* bootstrap resamples for intervals; 0: no intervals */
  crd_interval interval;
  int paired; /* non-zero: to be compared, so keep what tests of a difference need */
  /* Of crd_evaluate_groups: the group columns, separated by commas; NULL: all but the one that
   * clusters rows, or that one where there is no other. */
  const char *group_by;
} crd_evaluate_options;

/* ---- Results: plain tables, to be read and drawn. */

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
struct crd_profile; /* credence/profile.h */

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
  const crd_compat_table *compat;
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

/* ---- The same in steps, for data that comes in parts. */

/**
 * Evidence is what the metrics need to know of the rows seen so far, in exact sums:
 * any partition of the rows, added or merged in any order, gives the same bits.
 *
 *   life      create -> add* / merge* -> judge* -> destroy
 *   owns      everything; keeps no pointer to the predictions added
 *   threads   one at a time
 */
typedef struct crd_evidence crd_evidence;

CRD_API CRD_CHECK crd_status crd_evidence_create(crd_context *ctx,
                                                 const crd_evaluate_options *options,
                                                 crd_evidence **out);
CRD_API void crd_evidence_destroy(crd_evidence *evidence);
/** Create, with as many of the resamples as the size of the data allows, and add. */
CRD_API CRD_CHECK crd_status crd_evidence_gather(crd_context *ctx,
                                                 const crd_predictions *predictions,
                                                 const crd_evaluate_options *options,
                                                 uint64_t first_row, crd_evidence **out);
/**
 * Add rows. `first_row` is the number of predictions' row 0 in the whole data set: ties in
 * confidence are ordered by row number, so that parts give what the whole would give.
 */
CRD_API CRD_CHECK crd_status crd_evidence_add(crd_context *ctx, crd_evidence *evidence,
                                              const crd_predictions *predictions,
                                              uint64_t first_row);
/**
 * Add what `other` has seen. Both must measure the same metrics with the same bins, resamples and
 * seed, and no row number may be in both.
 */
CRD_API CRD_CHECK crd_status crd_evidence_merge(crd_context *ctx, crd_evidence *evidence,
                                                const crd_evidence *other);
/**
 * Compare two sets of predictions on the same rows, with the same metrics, bins, resamples and
 * seed: every resample draws the same rows from both, so that what they share cancels.
 */
CRD_API CRD_CHECK crd_status crd_evidence_compare(crd_context *ctx, crd_evidence *evidence,
                                                  crd_evidence *other, crd_comparison **out);
/** Release it. NULL is allowed. */
CRD_API void crd_comparison_destroy(crd_comparison *comparison);
/** Write evidence to a file, to be loaded and merged later, elsewhere, in any order. */
CRD_API CRD_CHECK crd_status crd_evidence_save(crd_context *ctx, const crd_evidence *evidence,
                                               crd_output *output);
CRD_API CRD_CHECK crd_status crd_evidence_load(crd_context *ctx, const char *path,
                                               crd_evidence **out);
/** The numbers, so far. */
CRD_API CRD_CHECK crd_status crd_evidence_judge(crd_context *ctx, crd_evidence *evidence,
                                                crd_result **out);

#ifdef __cplusplus
}
#endif
#endif
