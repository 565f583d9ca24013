#include "metric/evidence.h"
#include "metric/resample.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>

/* Mean and variance of Poisson(1) are 1, P(0) is 1/e; five standard errors are allowed. */
static void draws_are_poisson(void **state) {
  enum { N = 50000 };
  (void)state;
  double *const ones = malloc(N * sizeof *ones), *const drawn = malloc(4 * N * sizeof *drawn);
  for (size_t i = 0; i < N; i++) ones[i] = 1;
  const crd__rows rows = { .count = N, .weight = ones };
  crd__resample_weights(11, 0, 5, &rows, drawn);
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

/* Rows counted and rows ranked see the same draw, wherever their block begins. */
static void blocks_and_rankings_agree(void **state) {
  enum { N = 100 };
  crd_context *const ctx = *state;
  double weight[N], confidence[N], drawn[4 * N], part[4 * N];
  unsigned char correct[N] = { 0 }, draws[4 * N];
  for (size_t i = 0; i < N; i++) {
    weight[i] = 1 + (double)(i % 3);
    confidence[i] = (double)i / N;
  }
  crd__rows rows = { .count = N,
                     .weight = weight,
                     .weighted = true,
                     .confidence = confidence,
                     .correct = correct,
                     .hit = correct };
  const crd__record_kind kind = { .weighted = true };
  crd__ranking ranking = { 0 }, resampled = { 0 };
  assert_int_equal(crd__ranking_reserve(ctx, &ctx->alloc, &ranking, N, kind), CRD_OK);
  assert_int_equal(crd__ranking_reserve(ctx, &ctx->alloc, &resampled, N, kind), CRD_OK);
  crd__ranking_put(&ranking, 0, &rows, 1000);
  ranking.count = N;
  for (size_t sample = 1; sample <= 9; sample++) {
    const double *const mine = drawn + (sample - 1) % 4 * N;
    crd__resample_weights(7, 1000, sample, &rows, drawn);
    crd__resample_draws(7, sample, &ranking, draws);
    crd__resample_ranking(draws + (sample - 1) % 4 * N, &ranking, &resampled);
    size_t kept = 0;
    for (size_t i = 0; i < N; i++) {
      if (mine[i] == 0) continue;
      assert_true(crd__ranking_confidence(&resampled, kept) == confidence[i]);
      assert_true(crd__ranking_weight(&resampled, kept++) == mine[i]);
    }
    assert_int_equal(kept, resampled.count);
    const crd__rows later = { .first = 40, .count = 60, .weight = weight + 40 };
    crd__resample_weights(7, 1000, sample, &later, part);
    for (size_t i = 0; i < 60; i++) assert_true(part[(sample - 1) % 4 * 60 + i] == mine[40 + i]);
  }
  crd__ranking_clear(&ctx->alloc, &ranking);
  crd__ranking_clear(&ctx->alloc, &resampled);
}

/* Rows of one cluster are drawn alike, wherever they stand; clusters are drawn independently. */
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
  const crd__rows rows = { .count = N,
                           .weight = ones,
                           .cluster = key,
                           .confidence = ones,
                           .correct = correct,
                           .hit = correct };
  crd__ranking ranking = { 0 };
  const crd__record_kind kinds[] = { { false, true }, { true, true } };
  for (size_t sample = 1; sample < 12; sample += 3) {
    crd__resample_weights(3, 0, sample, &rows, drawn);
    const double *const mine = drawn + (sample - 1) % 4 * N;
    double sum = 0, square = 0;
    for (size_t i = 0; i < CLUSTERS; i++) {
      sum += mine[i];
      square += (mine[i] - 1) * (mine[i] - 1);
    }
    assert_true(fabs(sum / CLUSTERS - 1) < 5 / sqrt(CLUSTERS));
    assert_true(fabs(square / CLUSTERS - 1) < 5 * sqrt(3.0 / CLUSTERS));
    for (size_t i = CLUSTERS; i < N; i++) assert_true(mine[i] == mine[i % CLUSTERS]);
    /* Row numbers do not matter, nor where a part begins. */
    crd__rows later = rows;
    later.first = 77;
    later.count = N - 100;
    later.cluster = key + 100;
    crd__resample_weights(3, 123456, sample, &later, part);
    for (size_t i = 0; i < later.count; i++)
      assert_true(part[(sample - 1) % 4 * later.count + i] == mine[100 + i]);
    for (size_t k = 0; k < 2; k++) {
      assert_int_equal(crd__ranking_reserve(ctx, &ctx->alloc, &ranking, N, kinds[k]), CRD_OK);
      crd__ranking_put(&ranking, 0, &rows, 55);
      ranking.count = N;
      crd__resample_draws(3, sample, &ranking, draws);
      for (size_t i = 0; i < N; i++) assert_true(draws[(sample - 1) % 4 * N + i] == mine[i]);
      crd__ranking_clear(&ctx->alloc, &ranking);
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
                                      cmocka_unit_test(clusters_are_drawn_whole) };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
