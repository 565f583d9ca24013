/*
 * choose.c -- the lowest threshold whose risk is at most a target r, with a probability of at least
 * 1 - d, d = 0.05.
 *
 * At a threshold with n accepted rows and k errors, the hypothesis that its risk is above r has the
 * exact p-value P(X <= k), X binomial (n, r): it is at most a exactly where the upper bound of
 * Clopper and Pearson at the level 1 - a is at most r. Testing every threshold at the level d and
 * choosing the lowest one that passes would exceed d, since one of many passes by chance.
 *
 * Thresholds are tested from the highest down, each at the level that is left (fixed-sequence
 * testing). A sequence that begins with few rows would end at the first confident error; the
 * fallback procedure lets it begin again, when a fraction 1/32, 1/8, 1/4, 1/2, 3/4 and all of the
 * rows are accepted: each beginning has the level d/6, and adds the level with which the sequence
 * arrives there. A threshold that fails ends the sequence: its level is 0 until the next beginning.
 * The last threshold that passes is chosen.
 *
 * The probability that any threshold passes whose risk is above r is at most d, whatever the
 * dependence between the tests, if the risk does not fall with the threshold: let t be the highest
 * threshold with a risk above r. If it passes, its p-value is at most the sum of the levels of the
 * beginnings before it; if a lower one passes and t does not, the p-value of a later beginning is
 * at most its own level. The levels add up to d. p-values are exact although thresholds are
 * observed confidences: given the number of rows above t, their errors are binomial.
 *
 * Angelopoulos, Bates, Candes, Jordan, Lei: Learn then test: calibrating predictive algorithms to
 * achieve risk control (2021). Wiens: A fixed sequence Bonferroni procedure for testing multiple
 * endpoints (2003). The problem, with another bound: Geifman, El-Yaniv: Selective classification
 * for deep neural networks (2017).
 */
#include "selective/choose.h"
#include "math/binomial.h"

#include <math.h>

/* Sums of weights may differ in their last digits. */
#define SLACK 1e-12

static const double beginnings[] = { 1.0 / 32, 1.0 / 8, 1.0 / 4, 1.0 / 2, 3.0 / 4, 1 };
enum { BEGINNINGS = sizeof beginnings / sizeof *beginnings };

double crd__selective_rows_needed(double risk) {
  return ceil(log(CRD__SELECTIVE_ERROR) / log1p(-risk));
}

/* Errors and rows of a step as effective numbers. */
typedef struct {
  double errors, rows;
} tally;

static tally tally_of(const crd__selective_sample *s, size_t step) {
  const double all = crd__selective_counts_of(&s->counts[step], CRD__ALL_ROWS);
  const double scale = s->steps[step].effective / all;
  return (tally){ crd__selective_counts_of(&s->counts[step], CRD__WRONG) * scale, all * scale };
}

/* Without further errors, more rows pass any test that fewer rows passed. */
static bool is_easier(tally now, tally before) {
  return now.errors <= before.errors && now.rows >= before.rows;
}

size_t crd__selective_choose_tested(const crd__selective_sample *s, double risk) {
  const double all = (double)s->ranking.count;
  double level = 0;
  size_t chosen = 0, next = 0;
  tally passed = { 0 };
  for (size_t i = 0; i < s->count; i++) {
    const tally now = tally_of(s, i);
    const bool easier = level > 0 && is_easier(now, passed);
    for (; next < BEGINNINGS && (double)s->steps[i].rows >= beginnings[next] * all; next++)
      level += CRD__SELECTIVE_ERROR / BEGINNINGS;
    if (level == 0) continue;
    if (easier || (now.errors < risk * now.rows &&
                   crd__math_binomial_at_most(now.errors, now.rows, risk) <= level)) {
      chosen = i + 1;
      passed = now;
    } else level = 0;
  }
  return chosen;
}

size_t crd__selective_choose_observed(const crd__selective_counts *counts, size_t count,
                                      const crd_target *target) {
  const double total = crd__selective_counts_of(&counts[count - 1], CRD__ALL_ROWS);
  size_t chosen = 0;
  for (size_t i = 0; i < count; i++) {
    const double all = crd__selective_counts_of(&counts[i], CRD__ALL_ROWS);
    if (target->kind == CRD_TARGET_COVERAGE) {
      if (all >= target->value * total * (1 - SLACK)) return i + 1;
    } else if (all > 0 && crd__selective_counts_of(&counts[i], CRD__WRONG) <=
                              target->value * all * (1 + SLACK))
      chosen = i + 1;
  }
  return chosen;
}
