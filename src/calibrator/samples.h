/* samples.h -- an event's rows in the order of their scores, those with equal scores together. */
#ifndef CRD_CALIBRATOR_SAMPLES_H
#define CRD_CALIBRATOR_SAMPLES_H

#include "calibrator/method.h"

/* Rows of weight 0 are left out; the weights add up to the number of the others. */
typedef struct {
  size_t count; /* of different scores */
  size_t rows;  /* of weight */
  double *x;    /* the scores, rising */
  double *weight;
  double *hits; /* the weight of rows whose event happened */
  size_t *ties; /* rows of that score */
} crd__samples;

/* `scores` are the data's log-odds or probabilities. To be cleared, also after a failure. */
crd_status crd__samples_make(crd_context *ctx, const crd__event_data *data, const double *scores,
                             crd__samples *out);
void crd__samples_clear(const crd_allocator *alloc, crd__samples *samples);

/*
 * Bins of equal mass: bin b ends before sample ends[b], the last one at the end. Cut as
 * numpy.array_split does, the first rows % bins bins having one row more; rows of equal score stay
 * together in the lower bin, and bins that are left empty vanish. Gives the number of bins.
 */
size_t crd__samples_cut(const crd__samples *samples, size_t bins, size_t *ends);
/* Half-way between sample `end` and the one before it, but always below the upper one. */
double crd__samples_edge(const crd__samples *samples, size_t end);

/* Weight, and weight of events, of samples from .. to-1. */
typedef struct {
  double weight, hits;
} crd__tally;
crd__tally crd__samples_sum(const crd__samples *samples, size_t from, size_t to);

#endif
