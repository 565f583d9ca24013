/*
 * resample.h -- the Poisson bootstrap: how often each row is drawn in each resample.
 *
 * In the bootstrap of N rows a row is drawn Binomial(N, 1/N) times, which for all but tiny N is
 * Poisson(1), independently of the other rows. The count is a counter-based random number of (seed,
 * resample, row index), so a resample depends on the rows alone: any thread, any part of the data,
 * a second file with the same rows, all see the same resample. Resamples are merged like the data.
 *
 * Rows of one patient are not independent; the cluster bootstrap draws patients, each with all of
 * their rows. There the count depends on (seed, resample, cluster key), and the key on the
 * patient's name alone (data/clusters.h).
 *
 * Hanley, MacGibbon: Creating non-parametric bootstrap samples using Poisson frequencies (2006).
 * Field, Welsh: Bootstrapping clustered data (2007).
 */
#ifndef CRD_METRIC_RESAMPLE_H
#define CRD_METRIC_RESAMPLE_H

#include "metric/ranking.h"

enum {
  CRD__RESAMPLES_AT_ONCE = 4, /* resamples per call of the random generator */
  CRD__DRAWS_MAX = 12,        /* the largest count of a row in a resample */
};

/* Sets out[j * rows->count + i] to the weight of row i in resample j of the group of four that
 * `sample` (from 1) belongs to. */
void crd__metric_resample_weights(uint64_t seed, uint64_t first_row, size_t sample,
                                  const crd__data_rows *rows, double *out);
/* Sets out[j * ranking->count + i] to how often the ranking's record i is drawn in resample j of
 * the group of four that `sample` belongs to. */
void crd__metric_resample_draws(uint64_t seed, size_t sample, const crd__metric_ranking *ranking,
                                unsigned char *out);
/* Sets `out` to the records drawn in one resample, in the order of the ranking, with weights
 * draws[i] times the old ones. `out` needs capacity for as many records as `ranking`, with weights.
 */
void crd__metric_resample_ranking(const unsigned char *draws, const crd__metric_ranking *ranking,
                                  crd__metric_ranking *out);

#endif
