/* resample_test.c -- Poisson draws of rows and clusters: distribution, known values. */
#include "metric/evidence.h"
#include "metric/resample.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Mean and variance of Poisson(1) are 1, P(0) is 1/e; five standard errors are allowed. */
static void draws_are_poisson(void **state) {
  enum { N = 50000 };
  (void)state;
  double *const ones = malloc(N * sizeof *ones), *const drawn = malloc(4 * N * sizeof *drawn);
  for (size_t i = 0; i < N; i++) ones[i] = 1;
  const crd__data_rows rows = { .count = N, .weight = ones };
  crd__metric_resample_weights(11, 0, 5, &rows, drawn);
  for (size_t place = 0; place < 4; place++) {
    double sum = 0, square = 0, none = 0;
    for (size_t i = 0; i < N; i++) {
      const double count = drawn[place * N + i];
      sum += count;
      square += (count - 1) * (count - 1);
      none += count == 0;
    }
    assert_true(fabs(sum / N - 1) < 5 / sqrt(N));
    assert_true(fabs(square / N - 1) < 5 * sqrt(3.0 / N));
    assert_true(fabs(none / N - exp(-1)) < 5 * sqrt(0.2325 / N));
  }
  double together = 0; /* resamples are independent of each other */
  for (size_t i = 0; i < N; i++) together += (drawn[i] - 1) * (drawn[N + i] - 1);
  assert_true(fabs(together / N) < 5 / sqrt(N));
  free(ones);
  free(drawn);
}

/* Tallies and rankings see the same resample, wherever a block begins. */
static void blocks_and_rankings_agree(void **state) {
  enum { N = 100 };
  crd_context *const ctx = *state;
  double weight[N], confidence[N], drawn[4 * N], part[4 * N];
  unsigned char correct[N] = { 0 }, draws[4 * N];
  for (size_t i = 0; i < N; i++) {
    weight[i] = 1 + (double)(i % 3);
    confidence[i] = (double)i / N;
  }
  crd__data_rows rows = { .count = N,
                          .weight = weight,
                          .weighted = true,
                          .confidence = confidence,
                          .correct = correct,
                          .hit = correct };
  const crd__metric_record_kind kind = { .weighted = true };
  crd__metric_ranking ranking = { 0 }, resampled = { 0 };
  assert_int_equal(crd__metric_ranking_reserve(ctx, &ctx->alloc, &ranking, N, kind), CRD_OK);
  assert_int_equal(crd__metric_ranking_reserve(ctx, &ctx->alloc, &resampled, N, kind), CRD_OK);
  crd__metric_ranking_put(&ranking, 0, &rows, 1000);
  ranking.count = N;
  for (size_t sample = 1; sample <= 9; sample++) {
    const double *const mine = drawn + (sample - 1) % 4 * N;
    crd__metric_resample_weights(7, 1000, sample, &rows, drawn);
    crd__metric_resample_draws(7, sample, &ranking, draws);
    crd__metric_resample_ranking(draws + (sample - 1) % 4 * N, &ranking, &resampled);
    size_t kept = 0;
    for (size_t i = 0; i < N; i++) {
      if (mine[i] == 0) continue;
      assert_true(crd__metric_ranking_confidence(&resampled, kept) == confidence[i]);
      assert_true(crd__metric_ranking_weight(&resampled, kept++) == mine[i]);
    }
    assert_int_equal(kept, resampled.count);
    const crd__data_rows later = { .first = 40, .count = 60, .weight = weight + 40 };
    crd__metric_resample_weights(7, 1000, sample, &later, part);
    for (size_t i = 0; i < 60; i++) assert_true(part[(sample - 1) % 4 * 60 + i] == mine[40 + i]);
  }
  crd__metric_ranking_clear(&ctx->alloc, &ranking);
  crd__metric_ranking_clear(&ctx->alloc, &resampled);
}

/* Counts how often each of `count` rows from `row` on is drawn in one resample. */
static void draw_rows(uint64_t seed, uint64_t row, size_t sample, size_t count,
                      unsigned char *out) {
  enum { MOST = 64 };
  double ones[MOST], drawn[CRD__RESAMPLES_AT_ONCE * MOST];
  assert_true(count <= MOST);
  for (size_t i = 0; i < count; i++) ones[i] = 1;
  const crd__data_rows rows = { .count = count, .weight = ones };
  crd__metric_resample_weights(seed, row, sample, &rows, drawn);
  const double *const mine = drawn + (sample - 1) % CRD__RESAMPLES_AT_ONCE * count;
  for (size_t i = 0; i < count; i++) out[i] = (unsigned char)mine[i];
}

/* Sixteen rows each, by Philox4x32-10 and the distribution function of Poisson(1) in Python, with
 * 40 digits: seeds, rows and resamples also beyond 32 bits, and beyond what a test would reach. */
static void draws_are_known(void **state) {
  static const struct {
    uint64_t seed, row;
    size_t sample;
    const char *draws;
  } known[] = {
    { 7, 0, 1, "0000100100110320" },
    { 7, 0, 1025, "2111021110121231" },
    { 7, 0, 2049, "1021201010021223" },
    { 7, 0, 4097, "2003212321102001" },
    { 7, 1000000, 1025, "2001010111000210" },
    { 7, UINT64_C(1) << 32, 1, "1111131130011201" },
    { 7, (UINT64_C(1) << 33) + 5, 10000, "0211200001011000" },
    { UINT64_C(1) << 32, 0, 1, "0212102012202100" },
    { (UINT64_C(1) << 40) + 7, 3, 65537, "0312012310112401" },
    { 0, 12345, (1 << 20) + 1, "3010200120120301" },
  };
  (void)state;
  for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
    unsigned char drawn[16];
    draw_rows(known[k].seed, known[k].row, known[k].sample, 16, drawn);
    for (size_t i = 0; i < 16; i++) assert_int_equal(drawn[i], known[k].draws[i] - '0');
  }
}

enum { WIDTH = 64 };
static int by_bytes(const void *a, const void *b) { return memcmp(a, b, WIDTH); }

static void all_differ(unsigned char *streams, size_t count) {
  qsort(streams, count, WIDTH, by_bytes);
  for (size_t s = 1; s < count; s++)
    if (memcmp(streams + (s - 1) * WIDTH, streams + s * WIDTH, WIDTH) == 0)
      fail_msg("two of %zu streams are the same", count);
}

/* No two resamples are equal, no two rows are always drawn alike, and no two seeds give the same
 * draws: 64 draws have some 120 bits of entropy, so that coincidences are practically impossible.
 */
static void streams_differ(void **state) {
  enum { STREAMS = 20000 };
  unsigned char *const streams = malloc(STREAMS * WIDTH);
  (void)state;
  for (size_t s = 0; s < STREAMS; s++) draw_rows(7, 0, s + 1, WIDTH, streams + s * WIDTH);
  all_differ(streams, STREAMS);
  for (size_t s = 0; s < STREAMS; s++) /* each row alone, in 64 resamples */
    for (size_t sample = 0; sample < WIDTH; sample++)
      draw_rows(7, s * 1021, sample + 1, 1, streams + s * WIDTH + sample);
  all_differ(streams, STREAMS);
  for (size_t s = 0; s < STREAMS; s++)
    draw_rows(s < STREAMS / 2 ? s : (uint64_t)s << 32, 0, 1, WIDTH, streams + s * WIDTH);
  all_differ(streams, STREAMS);
  free(streams);
}

/* All rows of a cluster have the same count; clusters are drawn independently. */
static void clusters_are_drawn_whole(void **state) {
  enum { N = 6000, CLUSTERS = 1500 };
  crd_context *const ctx = *state;
  double *const ones = malloc(N * sizeof *ones), *const drawn = malloc(4 * N * sizeof *drawn);
  double *const part = malloc(4 * N * sizeof *part);
  uint64_t *const key = malloc(N * sizeof *key);
  unsigned char *const correct = calloc(N, 1), *const draws = malloc((size_t)4 * N);
  for (size_t i = 0; i < N; i++) {
    ones[i] = 1;
    key[i] = (i * 7 % CLUSTERS) * UINT64_C(0x9e3779b97f4a7c15);
  }
  const crd__data_rows rows = { .count = N,
                                .weight = ones,
                                .cluster = key,
                                .confidence = ones,
                                .correct = correct,
                                .hit = correct };
  crd__metric_ranking ranking = { 0 };
  const crd__metric_record_kind kinds[] = { { .clustered = true },
                                            { .weighted = true, .clustered = true } };
  for (size_t sample = 1; sample < 12; sample += 3) {
    crd__metric_resample_weights(3, 0, sample, &rows, drawn);
    const double *const mine = drawn + (sample - 1) % 4 * N;
    double sum = 0, square = 0;
    for (size_t i = 0; i < CLUSTERS; i++) {
      sum += mine[i];
      square += (mine[i] - 1) * (mine[i] - 1);
    }
    assert_true(fabs(sum / CLUSTERS - 1) < 5 / sqrt(CLUSTERS));
    assert_true(fabs(square / CLUSTERS - 1) < 5 * sqrt(3.0 / CLUSTERS));
    for (size_t i = CLUSTERS; i < N; i++) assert_true(mine[i] == mine[i % CLUSTERS]);
    /* Row indices do not matter, nor where a part begins. */
    crd__data_rows later = rows;
    later.first = 77;
    later.count = N - 100;
    later.cluster = key + 100;
    crd__metric_resample_weights(3, 123456, sample, &later, part);
    for (size_t i = 0; i < later.count; i++)
      assert_true(part[(sample - 1) % 4 * later.count + i] == mine[100 + i]);
    for (size_t k = 0; k < 2; k++) {
      assert_int_equal(crd__metric_ranking_reserve(ctx, &ctx->alloc, &ranking, N, kinds[k]),
                       CRD_OK);
      crd__metric_ranking_put(&ranking, 0, &rows, 55);
      ranking.count = N;
      crd__metric_resample_draws(3, sample, &ranking, draws);
      for (size_t i = 0; i < N; i++) assert_true(draws[(sample - 1) % 4 * N + i] == mine[i]);
      crd__metric_ranking_clear(&ctx->alloc, &ranking);
    }
  }
  free(ones);
  free(drawn);
  free(part);
  free(key);
  free(correct);
  free(draws);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(draws_are_poisson),
                                      cmocka_unit_test(blocks_and_rankings_agree),
                                      cmocka_unit_test(draws_are_known),
                                      cmocka_unit_test(streams_differ),
                                      cmocka_unit_test(clusters_are_drawn_whole) };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
