/*
 * binomial.c -- tails of the binomial distribution as incomplete beta functions, and the interval
 * of Clopper and Pearson from them:
 *
 *   P(X <= k) = I_1-p(n - k, k + 1)
 *   low:  P(X >= k) = I_low(k, n - k + 1) = (1 - level) / 2, or 0 if k = 0
 *   high: P(X <= k) = I_1-high(n - k, k + 1) = (1 - level) / 2, or 1 if k = n
 *
 * The interval contains the proportion with at least this probability, whatever n and the
 * proportion are. Both ends are found by binary search, to the last bit.
 *
 * Clopper, Pearson: The use of confidence or fiducial limits illustrated in the case of the
 * binomial (1934).
 */
#include "math/binomial.h"
#include "math/beta.h"

#include <stdbool.h>

double crd__math_binomial_at_most(double count, double trials, double p) {
  if (count >= trials) return 1;
  if (count < 0) return 0;
  return crd__math_beta(trials - count, count + 1, 1 - p, p);
}

/* P(X >= count) */
static double at_least(double count, double trials, double p) {
  return crd__math_beta(count, trials - count + 1, p, 1 - p);
}

static double end(double count, double trials, double tail, bool upper) {
  double low = upper ? count / trials : 0, high = upper ? 1 : count / trials;
  for (;;) {
    const double p = low + (high - low) / 2;
    if (p <= low || p >= high) return p;
    const bool beyond = upper ? crd__math_binomial_at_most(count, trials, p) < tail
                              : at_least(count, trials, p) > tail;
    if (beyond) high = p;
    else low = p;
  }
}

void crd__math_clopper_pearson(double count, double trials, double level, double *low,
                               double *high) {
  const double tail = (1 - level) / 2;
  *low = count > 0 ? end(count, trials, tail, false) : 0;
  *high = count < trials ? end(count, trials, tail, true) : 1;
}
