/*
 * monitor.h -- evaluates a model on labelled data: metrics, the temperature that fits these data
 * best, and the ECE at that temperature.
 *
 * The last two are oracles: they choose on the data that they judge. Refinement does not: rows are
 * recalibrated by temperatures of other rows, so that the epoch with the smallest nll-refinement is
 * the one to calibrate afterwards.
 */
#ifndef CRD_TRAIN_MONITOR_H
#define CRD_TRAIN_MONITOR_H

#include "base/text.h"
#include "credence/edit.h"

/* The metrics, and those that a monitor adds to them: as names of columns. */
enum { CRD__TRAIN_METRICS = 6, CRD__TRAIN_ORACLES = 2 };

typedef struct {
  const char *best; /* a further metric; NULL: none, or one of the usual ones */
} crd__train_metrics;

/* Checks `best`: a metric with a direction. CRD_EUSAGE. */
crd_status crd__train_metrics_make(crd_context *ctx, const char *best, crd__train_metrics *out);
/* Returns the number of values of an evaluation. */
size_t crd__train_metrics_count(const crd__train_metrics *metrics);
/* Appends "NAME.accuracy" and so on, each with its NUL. */
void crd__train_metrics_names(const crd__train_metrics *metrics, const char *name, crd__text *text);
/* Returns the index of the metric `best` among the values. */
size_t crd__train_metrics_find(const crd__train_metrics *metrics, const char *best);

/* Writes the logits with labels, weights and indices of the samples: FOLDER/NAME-EPOCH.npz. */
crd_status crd__train_logits_write(crd_context *ctx, const crd_dataset *data, const float *logits,
                                   const char *folder, const char *name, size_t epoch);
/* Computes the values of an evaluation; those that do not exist are NaN. */
crd_status crd__train_metrics_compute(crd_context *ctx, const crd__train_metrics *metrics,
                                      const crd_dataset *data, const float *logits, double *values);

#endif
