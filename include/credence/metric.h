/* credence/metric.h -- metrics, and the evidence they are computed from. */
#ifndef CREDENCE_METRIC_H
#define CREDENCE_METRIC_H

#include "credence/predictions.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { CRD_LOWER_IS_BETTER, CRD_HIGHER_IS_BETTER, CRD_NEITHER_IS_BETTER } crd_direction;

/* A metric. The table of metrics also generates help, man page and completions. */
typedef struct {
  const char *name;      /* as on the command line: "e-aurc" */
  const char *title;     /* as papers write it, for headings: "E-AURC" */
  const char *summary;   /* one line, for lists */
  const char *meaning;   /* a sentence or two: how to read a value */
  const char *reference; /* the paper or the origin of the definition */
  double low, high;      /* the range of its values; may be infinite */
  crd_direction direction;
  int standard;     /* 1: in the default set; 2: only if class 1 is evaluated (CRD_BINARY_POS) */
  int recalibrated; /* non-zero: needs crd_predictions_recalibrate (credence/evaluate.h) */
} crd_metric_info;

/** Returns the number of metrics. */
CRD_API size_t crd_metric_count(void);
/** Returns the metric at an index, or NULL past the end. */
CRD_API const crd_metric_info *crd_metric_at(size_t index);
/** Returns the metric of this name, or NULL. */
CRD_API const crd_metric_info *crd_metric_find(const char *name);
/** Returns non-zero if a list of metrics, as in crd_evaluate_options, names one that needs
 * crd_predictions_recalibrate. */
CRD_API int crd_metrics_recalibrated(const char *metrics);

/*
 * 95 % bootstrap intervals. PERCENTILE: quantiles of the replicates. CORRECTED: these, shifted by
 * the distance from the median of the replicates to the estimate, which for errors such as ECE is
 * the bias that resampling adds.
 */
typedef enum { CRD_INTERVAL_CORRECTED, CRD_INTERVAL_PERCENTILE } crd_interval;

/*
 * Proportions have other intervals: Wilson's (1927), which has a width even at 0 and 1. Accuracy
 * has "wilson"; proportions beyond a threshold that depends on the data have at either end the
 * wider of Wilson's and the bootstrap's, "wilson-bootstrap"; a difference of two proportions on the
 * same rows has Tango's (1998), "tango".
 */

/** Returns "corrected" or "percentile"; a static string, NULL outside the enum. */
CRD_API const char *crd_interval_name(crd_interval interval);

/** How to evaluate; all zero is the default. */
typedef struct {
  size_t size;         /* sizeof(crd_evaluate_options) */
  const char *metrics; /* comma-separated names or "all"; NULL: the default set */
  unsigned bins;       /* 0: 15 */
  unsigned resamples;  /* bootstrap resamples for intervals; 0: no intervals */
  crd_interval interval;
  int paired; /* non-zero: also keep the rows that paired tests need, for crd_evidence_compare */
  /* crd_evaluate_groups: the group columns, separated by commas; NULL: all but the one that
   * clusters rows, or that one if it is the only one. */
  const char *group_by;
} crd_evaluate_options;

/* ---- Evidence, for data that comes in parts (results: credence/evaluate.h). */

/**
 * The sums and rankings that the metrics need of the rows seen so far. Sums are exact: any
 * partition of the rows, added or merged in any order, gives the same bits.
 *
 *   life      create -> add* / merge* -> judge* -> destroy
 *   owns      everything; keeps no pointer to the predictions added
 *   threads   one at a time
 */
typedef struct crd_evidence crd_evidence;

/** Creates evidence without rows. CRD_EUSAGE for unknown metrics and bad options. */
CRD_API CRD_NODISCARD crd_status crd_evidence_create(crd_context *ctx,
                                                     const crd_evaluate_options *options,
                                                     crd_evidence **out);
/** Destroys evidence; NULL is allowed. */
CRD_API void crd_evidence_destroy(crd_evidence *evidence);
/**
 * Adds rows. `first_row` is the row number of the first one in the whole data set: ties in
 * confidence are ordered by row number, so that parts give the same bits as the whole. CRD_EINPUT
 * for an invalid row, and if classes, weights, binary mode or clusters differ from earlier rows'.
 */
CRD_API CRD_NODISCARD crd_status crd_evidence_add(crd_context *ctx, crd_evidence *evidence,
                                                  const crd_predictions *predictions,
                                                  uint64_t first_row);
/**
 * Adds the rows of `other`. CRD_EUSAGE unless both have the same metrics, bins, resamples and seed;
 * CRD_EINPUT if a row number is in both.
 */
CRD_API CRD_NODISCARD crd_status crd_evidence_merge(crd_context *ctx, crd_evidence *evidence,
                                                    const crd_evidence *other);
/** Writes evidence to a file, to be loaded and merged later. CRD_ESYSTEM if writing fails. */
CRD_API CRD_NODISCARD crd_status crd_evidence_save(crd_context *ctx, const crd_evidence *evidence,
                                                   crd_output *output);
/** Reads evidence that save wrote. CRD_EINPUT if the file is truncated, altered or of another
 * version. */
CRD_API CRD_NODISCARD crd_status crd_evidence_load(crd_context *ctx, const char *path,
                                                   crd_evidence **out);
/** Reads saved evidence from memory; `name` stands for the path in error messages. */
CRD_API CRD_NODISCARD crd_status crd_evidence_load_memory(crd_context *ctx, const char *name,
                                                          const void *bytes, size_t length,
                                                          crd_evidence **out);

#ifdef __cplusplus
}
#endif
#endif
