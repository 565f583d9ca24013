/*
 * mcnemar.c -- McNemar's exact test for the difference of two accuracies on the same rows.
 *
 * Only discordant rows matter, those that one side alone predicts correctly: b of the first, c of
 * the second. Under the null hypothesis each is a toss of a fair coin:
 *   p = min(1, 2 P(X <= min(b, c))), X ~ Binomial(b + c, 1/2).
 *
 * Probabilities are computed from the middle downwards, each from its neighbour, in units of the
 * middle one, and normalised by their sum over all k. That needs no log-factorials, which lose
 * their last digits for millions of rows, and ends where terms vanish, after some 20 sqrt(b + c)
 * steps.
 */
#include "metric/paired.h"

double crd__metric_coin_p(size_t b, size_t c) {
  const size_t tosses = b + c, least = b < c ? b : c, middle = tosses / 2;
  double term = 1, tail = 0, half = 0; /* half: half of the sum over all k */
  for (size_t k = middle; term > 0; k--) {
    half += tosses == 2 * k ? term / 2 : term;
    if (k <= least) tail += term;
    term *= (double)k / (double)(tosses - k + 1); /* 0 after k = 0 */
  }
  return fmin(1, tail / half);
}

static void mark(const crd__metric_side *side) {
  for (size_t i = 0; i < side->ranking->count; i++)
    crd__metric_part_set(side, i, crd__metric_ranking_hit(side->ranking, i));
  crd__metric_parts_sort(side);
}

crd__metric_discordance crd__metric_discordant_hits(const crd__metric_side *mine,
                                                    const crd__metric_side *other) {
  crd__metric_discordance alone = { 0, 0 };
  mark(mine);
  mark(other);
  for (size_t i = 0; i < mine->ranking->count; i++) {
    const double x = crd__metric_part_at(mine, i), y = crd__metric_part_at(other, i);
    alone.mine += x > y;
    alone.other += y > x;
  }
  return alone;
}

static crd__metric_answer p(const crd__metric_side *mine, const crd__metric_side *other) {
  const crd__metric_discordance alone = crd__metric_discordant_hits(mine, other);
  return crd__metric_answer_value(crd__metric_coin_p(alone.mine, alone.other));
}

const crd__metric_paired_test crd__metric_mcnemar = { .name = "McNemar", .p = p };
