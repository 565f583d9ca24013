/* credence/calibratability.h -- how well networks can be calibrated, by training method; learned
 * epochs. */
#ifndef CREDENCE_CALIBRATABILITY_H
#define CREDENCE_CALIBRATABILITY_H

#include "credence/contest.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The predictions of one trained network. Runs of equal names are seeds of one training method. */
typedef struct {
  const char *name; /* of the training method: "label smoothing" */
  const crd_predictions *test;
  /* The rows to fit post-hoc methods on. NULL: the rows of `test` are divided. */
  const crd_predictions *calibrate;
} crd_trained_run;

/** All zero is the default. */
typedef struct {
  size_t size;          /* sizeof(crd_calibratability_options) */
  const char *baseline; /* name of the training method to compare with; NULL: the first */
  /* Post-hoc methods, as in crd_contest_options. NULL: temperature,histogram(edges=equal-mass),
   * isotonic(scope=top-1). */
  const char *methods;
  unsigned bins;       /* of the calibration error, at most 1000; 0: 15 */
  double split;        /* without `calibrate`, the fraction of rows to fit on; 0: 0.5 */
  const size_t *sizes; /* numbers of calibration rows to draw; 0: all rows. NULL: none */
  size_t size_count;
  unsigned draws; /* of each size; 0: 20 */
} crd_calibratability_options;

typedef enum {
  CRD_CALIBRATABILITY_METRIC, /* of the uncalibrated test rows: accuracy, ece, nll, auroc */
  CRD_CALIBRATABILITY_AFTER,  /* ECE after a post-hoc method */
  /* Lowest ECE of the temperatures 0.01 .. 10 by 0.01, chosen on the test rows: an oracle. */
  CRD_CALIBRATABILITY_ORACLE,
  CRD_CALIBRATABILITY_HEADROOM,           /* ECE before calibration minus that of the oracle */
  CRD_CALIBRATABILITY_TEMPERATURE,        /* learnt by a post-hoc method */
  CRD_CALIBRATABILITY_ORACLE_TEMPERATURE, /* of the oracle */
  CRD_CALIBRATABILITY_KINDS
} crd_calibratability_kind;

/** A quantity that every run has. */
typedef struct {
  crd_calibratability_kind kind;
  const char *name;   /* "ece", "after temperature", "oracle ece" */
  const char *method; /* the post-hoc method, with its settings; NULL: none */
  crd_direction direction;
} crd_calibratability_column;

/** A training method's mean minus that of the baseline: for ECE after a post-hoc method, the
 * calibratability gap. */
typedef struct {
  double value;       /* NaN if either side has no runs */
  double t, freedom;  /* of Welch's test for unequal variances; NaN without p */
  double p;           /* two-sided; NaN if it does not exist ... */
  double p_pooled;    /* of Student's test, which assumes equal variances */
  double p_corrected; /* p, corrected for the number of training methods by Holm's method */
  const char *reason; /* ... for this reason; else NULL */
} crd_calibratability_gap;

/** ECE on the test rows after a post-hoc method was fitted on few rows. */
typedef struct {
  size_t rows;          /* of each draw; of all rows, the most of any run */
  crd_series_value ece; /* over all draws of all runs; values by run, then draw */
} crd_sized;

/** One training method over its runs. */
typedef struct {
  const char *name;
  size_t runs;
  const crd_series_value *values;      /* one per column */
  const crd_calibratability_gap *gaps; /* one per column; NULL for the baseline */
  const crd_sized *sized;              /* methods x sizes; NULL: no sizes */
} crd_trained;

/**
 * Calibratability: results by training method.
 *
 *   life      measure -> destroy
 *   owns      all that it points to
 */
typedef struct {
  const char *name; /* those of the training methods: "ce, focal" */
  size_t count;
  const crd_trained *items; /* the baseline first, then by first run */
  size_t column_count;
  const crd_calibratability_column *columns;
  size_t method_count;
  const char *const *methods; /* post-hoc, with their settings */
  unsigned bins;
  size_t classes; /* 0: confidence pairs */
  size_t calibrate_rows_min, calibrate_rows_max, test_rows_min, test_rows_max;
  size_t size_count;
  const size_t *sizes; /* 0: all rows */
  unsigned draws;      /* of each size; of all rows, one */
  size_t note_count;
  const char *const *notes;
} crd_calibratability;

/**
 * Fits the post-hoc methods for every run, and compares the training methods with the baseline. The
 * context's seed divides rows and draws them, so that runs with the same rows are divided alike.
 * CRD_EUSAGE for an unknown baseline or method, a size that is larger than the calibration rows, or
 * CRD_BINARY_POS; CRD_EINPUT for invalid rows, and if runs differ in their classes.
 */
CRD_API CRD_NODISCARD crd_status crd_calibratability_measure(
    crd_context *ctx, const crd_trained_run *runs, size_t count,
    const crd_calibratability_options *options, const crd_calibratability **out);
/** Destroys results; NULL is allowed. */
CRD_API void crd_calibratability_destroy(const crd_calibratability *results);

/* ---- Learned epochs: does a network still distinguish easy from hard training rows? */

/** Learned epochs and largest logits of the training rows of one network. */
typedef struct {
  const char *name; /* of the training method; runs of equal names are its seeds */
  size_t rows;
  /* The epoch, from 1, from which on each row is predicted correctly after every epoch; 0: never.
   */
  const uint32_t *learned;
  const float *max_logit; /* of the final model in evaluation mode */
} crd_learned_run;

/** A bin of a histogram of largest logits; the last one includes `high`. */
typedef struct {
  double low, high;
  size_t rows;
  double share; /* of all rows of the training method */
} crd_learned_bin;

/** Rows that were learned early, later or last: thirds, as far as equal epochs allow. */
typedef struct {
  size_t rows;       /* of all runs; the other members are NaN or 0 without any */
  uint32_t from, to; /* the learned epochs; 0: no row of it was ever learned */
  size_t never;      /* rows of it that were never learned */
  double mean, std;  /* of the largest logits; std is NaN with one row */
  const crd_learned_bin *bins;
} crd_learned_third;

enum { CRD_LEARNED_THIRDS = 3 };

/** One training method over its runs. */
typedef struct {
  const char *name;
  size_t runs;
  crd_series_value rho;   /* Spearman's correlation of learned epoch (never: last) and max logit */
  crd_series_value mean;  /* of the largest logits */
  crd_series_value std;   /* their standard deviation */
  crd_series_value never; /* share of rows that were never learned */
  crd_learned_third thirds[CRD_LEARNED_THIRDS];
} crd_learned_training;

/**
 * Learned epochs by training method.
 *
 *   life      measure -> destroy
 *   owns      all that it points to
 */
typedef struct {
  const char *name; /* those of the training methods: "ce, focal" */
  size_t count;
  const crd_learned_training *items; /* in the order of their first runs */
  unsigned bins;
  double low, high; /* of the histograms: the same bins for all training methods */
} crd_learned;

/** Correlates learned epochs with largest logits. `bins` 0: 30. CRD_EUSAGE without runs, CRD_EINPUT
 * for a run without rows or a logit that is not finite. */
CRD_API CRD_NODISCARD crd_status crd_learned_measure(crd_context *ctx, const crd_learned_run *runs,
                                                     size_t count, unsigned bins,
                                                     const crd_learned **out);
/** Destroys results; NULL is allowed. */
CRD_API void crd_learned_destroy(const crd_learned *learned);

/** The contents of a file of learned epochs. */
typedef struct {
  size_t rows;
  const uint32_t *learned;
  const float *max_logit;
} crd_learned_file;

/** Reads the columns or arrays `learned` and `max_logit` of a file that crd_trainer_learned_save
 * wrote. CRD_EINPUT if they are missing or invalid. */
CRD_API CRD_NODISCARD crd_status crd_learned_file_open(crd_context *ctx, const char *path,
                                                       const crd_learned_file **out);
/** Closes the file; NULL is allowed. */
CRD_API void crd_learned_file_destroy(const crd_learned_file *file);

#ifdef __cplusplus
}
#endif
#endif
