/* resample.c -- Poisson(1) counts from the counter-based random generator. */
#include "metric/resample.h"
#include "base/random.h"

#include <string.h>

/* Streams of the random generator: its counter is a row index, or the key of a cluster. */
enum { ROWS = 2, CLUSTERS = 4 };

/* 2^32 P(X <= k) for X Poisson(1), k = 0 ..; beyond, the probability is below 2^-32. */
static const uint32_t cumulated[CRD__DRAWS_MAX] = {
  1580030169, 3160060337, 3950075422, 4213413783, 4279248374, 4292415292,
  4294609778, 4294923276, 4294962463, 4294966817, 4294967253, 4294967292
};

/* A count above 3 has probability 1/50: only then can a branch be mispredicted. */
static unsigned poisson(uint32_t uniform) {
  unsigned count = (unsigned)(uniform >= cumulated[0]) + (uniform >= cumulated[1]) +
                   (uniform >= cumulated[2]) + (uniform >= cumulated[3]);
  while (count > 3 && count < CRD__DRAWS_MAX && uniform >= cumulated[count]) count++;
  return count;
}

/* Sets `out` to the random bits of one row or cluster in four resamples. */
static void draw(uint64_t seed, uint32_t stream, uint64_t unit, size_t group, uint32_t out[4]) {
  const uint32_t key[2] = { (uint32_t)seed, (uint32_t)(seed >> 32) };
  out[0] = (uint32_t)unit;
  out[1] = (uint32_t)(unit >> 32);
  out[2] = (uint32_t)group;
  out[3] = stream;
  crd__philox(out, key);
}

void crd__metric_resample_weights(uint64_t seed, uint64_t first_row, size_t sample,
                                  const crd__data_rows *rows, double *out) {
  const size_t group = (sample - 1) / CRD__RESAMPLES_AT_ONCE, count = rows->count;
  for (size_t i = 0; i < count; i++) {
    uint32_t bits[CRD__RESAMPLES_AT_ONCE];
    if (rows->cluster) draw(seed, CLUSTERS, rows->cluster[i], group, bits);
    else draw(seed, ROWS, first_row + crd__data_row_number(rows, i), group, bits);
    for (size_t place = 0; place < CRD__RESAMPLES_AT_ONCE; place++)
      out[place * count + i] = rows->weight[i] * poisson(bits[place]);
  }
}

void crd__metric_resample_draws(uint64_t seed, size_t sample, const crd__metric_ranking *ranking,
                                unsigned char *out) {
  const size_t group = (sample - 1) / CRD__RESAMPLES_AT_ONCE, count = ranking->count;
  for (size_t i = 0; i < count; i++) {
    uint32_t bits[CRD__RESAMPLES_AT_ONCE];
    if (ranking->kind.clustered)
      draw(seed, CLUSTERS, crd__metric_ranking_cluster(ranking, i), group, bits);
    else draw(seed, ROWS, crd__metric_ranking_row(ranking, i), group, bits);
    for (size_t place = 0; place < CRD__RESAMPLES_AT_ONCE; place++)
      out[place * count + i] = (unsigned char)poisson(bits[place]);
  }
}

void crd__metric_resample_ranking(const unsigned char *draws, const crd__metric_ranking *ranking,
                                  crd__metric_ranking *out) {
  out->count = 0;
  for (size_t i = 0; i < ranking->count; i++) {
    const uint64_t *const from = ranking->records + i * ranking->words;
    const double weight = crd__metric_ranking_weight(ranking, i) * draws[i];
    if (!(weight > 0)) continue;
    uint64_t *const to = out->records + out->count++ * out->words;
    to[0] = from[0];
    to[1] = from[1];
    memcpy(&to[2], &weight, sizeof to[2]);
  }
}
