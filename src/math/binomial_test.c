/* binomial_test.c -- binomial tails and the interval of Clopper and Pearson: values of scipy, plain
 * sums, coverage. */
#include "math/binomial.h"
#include "support.h"

#include <math.h>

/* scipy 1.17.1, beta.ppf(0.025, k, n - k + 1) and beta.ppf(0.975, k + 1, n - k). */
static void intervals_are_known(void **state) {
  static const struct {
    double count, trials, low, high;
  } table[] = {
    { 0, 1, 0, 0.97499999999999998 },
    { 1, 1, 0.025000000000000001, 1 },
    { 0, 149, 0, 0.024453624905590006 },
    { 3, 200, 0.0031041076215535088, 0.043208281917712602 },
    { 20, 1000, 0.012258267972406329, 0.030720032682609109 },
    { 999, 1000, 0.99444107572017337, 0.99997468251250876 },
    { 500, 1000, 0.46854917297179194, 0.53145082702820801 },
    { 1, 100000, 2.5317804779333138e-07, 5.5715160347742751e-05 },
    { 2000, 100000, 0.019141229780473303, 0.020886766971820001 },
    { 19873, 1000000, 0.019600351142750869, 0.020148434857957614 },
  };
  (void)state;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    double low, high;
    crd__math_clopper_pearson(table[i].count, table[i].trials, 0.95, &low, &high);
    if (!(fabs(low - table[i].low) <= 1e-9 * table[i].low) ||
        !(fabs(high - table[i].high) <= 1e-9 * table[i].high))
      fail_msg("%g of %g: %.17g .. %.17g, expected %.17g .. %.17g", table[i].count, table[i].trials,
               low, high, table[i].low, table[i].high);
  }
}

/* scipy 1.17.1, binom.cdf(k, n, p). */
static void tails_are_known(void **state) {
  static const struct {
    double count, trials, p, tail;
  } table[] = {
    { 0, 149, 0.02, 0.049281654330089596 },
    { 3, 200, 0.02, 0.43149497316150287 },
    { 10, 1000, 0.02, 0.010236548159763267 },
    { 500, 1000, 0.5, 0.51261250908918021 },
    { 4, 625, 0.02, 0.0050281778341472278 },
    { 1900, 100000, 0.02, 0.011834014434186637 },
    { 30, 40, 0.5, 0.99966022587250336 },
    { 19700, 1000000, 0.02, 0.016040366065050576 },
    { 7, 7, 0.3, 1 },
    { 0, 7, 0, 1 },
    { 3, 7, 1, 0 },
  };
  (void)state;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    const double tail = crd__math_binomial_at_most(table[i].count, table[i].trials, table[i].p);
    if (!(fabs(tail - table[i].tail) <= 1e-8 * table[i].tail))
      fail_msg("at most %g of %g at %g: %.17g, expected %.17g", table[i].count, table[i].trials,
               table[i].p, tail, table[i].tail);
  }
}

static double probability(unsigned k, unsigned n, double p) {
  return exp(lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0)) * pow(p, k) *
         pow(1 - p, n - k);
}

static void tails_are_sums(void **state) {
  enum { N = 23 };
  (void)state;
  for (double p = 0.05; p < 1; p += 0.1) {
    double sum = 0;
    for (unsigned k = 0; k < N; k++) {
      sum += probability(k, N, p);
      assert_true(near(crd__math_binomial_at_most(k, N, p), sum, 1e-12));
    }
  }
}

/* The interval contains p with at least its level, summed over all outcomes. */
static void interval_covers(void **state) {
  enum { N = 30 };
  double low[N + 1], high[N + 1];
  (void)state;
  for (unsigned k = 0; k <= N; k++) crd__math_clopper_pearson(k, N, 0.95, &low[k], &high[k]);
  for (double p = 0.005; p < 1; p += 0.005) {
    double covered = 0;
    for (unsigned k = 0; k <= N; k++)
      if (low[k] <= p && p <= high[k]) covered += probability(k, N, p);
    assert_true(covered >= 0.95);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(intervals_are_known),
    cmocka_unit_test(tails_are_known),
    cmocka_unit_test(tails_are_sums),
    cmocka_unit_test(interval_covers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
