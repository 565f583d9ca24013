/* samples.h -- an event's rows sorted by score and grouped: one sample for each distinct score. */
#ifndef CRD_CALIBRATOR_SAMPLES_H
#define CRD_CALIBRATOR_SAMPLES_H

#include "calibrator/method.h"

/*
 * Rounded probabilities are equal in many rows, but after normalising, the log-odds differ in the
 * last digits (decimals in float32: in the seventh). A curve through points that differ only by
 * rounding would be steep, and no export could reproduce it, so such scores are merged into their
 * midpoint. Probabilities that were not rounded are equal only if all digits are.
 */
/* Rows of weight 0 are left out; the weights sum to the number of the others. */
typedef struct {
  size_t count; /* of distinct scores */
  size_t rows;  /* of positive weight */
  double *x;    /* the scores, ascending */
  double *weight;
  double *hits;  /* weight of the rows whose event happened */
  size_t *ties;  /* number of rows of that score */
  size_t *order; /* row indices sorted by score, ties in row order */
  double unit;   /* absolute precision of scores below it */
  double slack;  /* tolerance of equality, relative to the larger of the score and `unit` */
} crd__calibrator_samples;

/* Sorts and groups the rows by `scores`, the data's log-odds or probabilities. ENOMEM,
 * EINTERRUPTED. Must be cleared, also after failure. */
crd_status crd__calibrator_samples_make(crd_context *ctx, const crd__calibrator_event_data *data,
                                        const double *scores, crd__calibrator_samples *out);
void crd__calibrator_samples_clear(const crd_allocator *alloc, crd__calibrator_samples *samples);

/*
 * Splits the samples into equal-mass bins like numpy.array_split: the first rows % bins bins have
 * one row more. Rows of equal score stay together in the lower bin, and empty bins are dropped.
 * Sets ends[b] to the place where bin b ends; returns the number of bins.
 *
 * Places: 2 i is the midpoint between samples i - 1 and i, and 2 i + 1 is sample i itself, where a
 * bin ends whose split fell between rows of equal score.
 */
size_t crd__calibrator_samples_cut(const crd__calibrator_samples *samples, size_t bins,
                                   size_t *ends);
/* Returns the score at a place from 1 to 2 count - 1; a midpoint is always below the upper sample.
 */
double crd__calibrator_samples_edge(const crd__calibrator_samples *samples, size_t place);
/*
 * Return where a step that contains sample i ends, or begins. Another machine or an export may
 * compute a score that differs in the last places: the step leaves that much slack, but at most
 * half of the distance to the next sample.
 */
double crd__calibrator_samples_above(const crd__calibrator_samples *samples, size_t i);
double crd__calibrator_samples_below(const crd__calibrator_samples *samples, size_t i);
/* Returns the number of samples before a place. */
static inline size_t crd__calibrator_samples_before(size_t place) { return (place + 1) / 2; }

/* Sums between two places: weight, and weight of rows whose event happened. */
typedef struct {
  double weight, hits;
} crd__calibrator_tally;
crd__calibrator_tally crd__calibrator_samples_sum(const crd__calibrator_samples *samples,
                                                  size_t from, size_t to);

#endif
