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
  crd__ranking ranking = { 0 }, resampled = { 0 };
  assert_int_equal(crd__ranking_reserve(ctx, &ctx->alloc, &ranking, N, true), CRD_OK);
  assert_int_equal(crd__ranking_reserve(ctx, &ctx->alloc, &resampled, N, true), CRD_OK);
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

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(draws_are_poisson),
                                      cmocka_unit_test(blocks_and_rankings_agree) };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
