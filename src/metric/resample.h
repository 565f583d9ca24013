/*
 * resample.h -- the bootstrap as weights: how often each row is drawn in each resample.
 *
 * In the bootstrap of N rows a row is drawn Binomial(N, 1/N) times, for all but tiny N the same as
 * Poisson(1), independently of the other rows. Drawing these numbers from (seed, resample, row)
 * makes a resample a property of the rows: any thread, any part of the data, a second file with the
 * same rows, all see the same draw. Resamples are then merged like the data itself.
 *
 * Rows of one patient are not independent; the cluster bootstrap draws patients, each with all of
 * their rows. There the number is drawn from (seed, resample, cluster key), and the key follows
 * from the patient's name alone (data/clusters.h): a resample is a property of the patients.
 *
 * Hanley, MacGibbon: Creating non-parametric bootstrap samples using Poisson frequencies (2006).
 * Field, Welsh: Bootstrapping clustered data (2007).
 */
#ifndef CRD_METRIC_RESAMPLE_H
#define CRD_METRIC_RESAMPLE_H

#include "metric/ranking.h"

enum {
  CRD__RESAMPLES_AT_ONCE = 4, /* one call of the generator serves as many */
  CRD__DRAWS_MAX = 12,        /* a row is never drawn more often */
};

/* out[place * rows->count + i]: the weight of row i in the resample at `place` of the four that
 * `sample` (from 1) belongs to. */
void crd__metric_resample_weights(uint64_t seed, uint64_t first_row, size_t sample,
                                  const crd__data_rows *rows, double *out);
/* out[place * ranking->count + i]: how often the ranking's record i is drawn in each of the four
 * resamples that `sample` belongs to. */
void crd__metric_resample_draws(uint64_t seed, size_t sample, const crd__metric_ranking *ranking,
                                unsigned char *out);
/* The records that one resample holds, in the order of the ranking, with their new weights:
 * draws[i] times the old one. `out` has room for as many records as `ranking`, with weights. */
void crd__metric_resample_ranking(const unsigned char *draws, const crd__metric_ranking *ranking,
                                  crd__metric_ranking *out);

#endif
