/* samples.h -- an event's rows in the order of their scores, those with equal scores together. */
#ifndef CRD_CALIBRATOR_SAMPLES_H
#define CRD_CALIBRATOR_SAMPLES_H

#include "calibrator/method.h"

/*
 * Rounded probabilities are equal in many rows, but their sums, and with them log-odds, are not to
 * the last digit, and decimals in single precision not to the seventh. Curves through points that
 * only rounding has parted would be steep, and no export could follow them, so that such scores
 * count as one, half-way between the ends. Where nothing was rounded away scores are equal only if
 * all their digits are.
 */
/* Rows of weight 0 are left out; the weights add up to the number of the others. */
typedef struct {
  size_t count; /* of different scores */
  size_t rows;  /* of weight */
  double *x;    /* the scores, rising */
  double *weight;
  double *hits;  /* the weight of rows whose event happened */
  size_t *ties;  /* rows of that score */
  size_t *order; /* the rows' numbers, by score; those of equal score as they came */
  double unit;   /* scores below it are no more exact than it is */
  double slack;  /* of the larger of a score and the unit: what is nearer together is equal */
} crd__calibrator_samples;

/* `scores` are the data's log-odds or probabilities. To be cleared, also after a failure. */
crd_status crd__calibrator_samples_make(crd_context *ctx, const crd__calibrator_event_data *data,
                                        const double *scores, crd__calibrator_samples *out);
void crd__calibrator_samples_clear(const crd_allocator *alloc, crd__calibrator_samples *samples);

/*
 * Bins of equal mass, cut as numpy.array_split does, the first rows % bins bins having one row
 * more. Rows of equal score stay together in the lower bin, and bins that are left empty vanish.
 * ends[b] is the place where bin b ends; gives the number of bins.
 *
 * Places are numbered: 2 i is half-way between sample i - 1 and sample i, and 2 i + 1 is sample i
 * itself, where a bin ends that was cut between rows of equal score.
 */
size_t crd__calibrator_samples_cut(const crd__calibrator_samples *samples, size_t bins,
                                   size_t *ends);
/* The score at a place from 1 to 2 count - 1; half-way is always below the upper sample. */
double crd__calibrator_samples_edge(const crd__calibrator_samples *samples, size_t place);
/*
 * Where a step ends that sample i belongs to, or begins. Another machine or an export may find the
 * same row's score some units of the last place away: as much is left, but never more than half of
 * the way to the next sample.
 */
double crd__calibrator_samples_above(const crd__calibrator_samples *samples, size_t i);
double crd__calibrator_samples_below(const crd__calibrator_samples *samples, size_t i);
/* How many samples lie before it. */
static inline size_t crd__calibrator_samples_before(size_t place) { return (place + 1) / 2; }

/* Weight, and weight of events, of the samples between two places. */
typedef struct {
  double weight, hits;
} crd__calibrator_tally;
crd__calibrator_tally crd__calibrator_samples_sum(const crd__calibrator_samples *samples,
                                                  size_t from, size_t to);

#endif
