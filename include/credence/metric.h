/* credence/metric.h -- metrics, and the evidence they are computed from. */
#ifndef CREDENCE_METRIC_H
#define CREDENCE_METRIC_H

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

/* ---- Evidence, for data that comes in parts (judged in credence/evaluate.h). */

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
/** Write evidence to a file, to be loaded and merged later, elsewhere, in any order. */
CRD_API CRD_CHECK crd_status crd_evidence_save(crd_context *ctx, const crd_evidence *evidence,
                                               crd_output *output);
CRD_API CRD_CHECK crd_status crd_evidence_load(crd_context *ctx, const char *path,
                                               crd_evidence **out);
#ifdef __cplusplus
}
#endif
#endif
