/*
 * skce.c -- squared kernel calibration error of the top label, unbiased:
 *   sum_{i != j} w_i w_j (c_i - a_i)(c_j - a_j) k(c_i, c_j) / sum_{i != j} w_i w_j,
 *   k(x, y) = exp(-|x - y| / 0.4).
 *
 * Along the ranking the kernel of distant rows is the product of the kernels between neighbours, so
 * one running sum, shrunk from row to row, holds the contribution of all rows before: O(n) after
 * sorting.
 *
 * For a calibrated model the U-statistic is degenerate: it is not asymptotically normal. But given
 * the confidences, such a model's correctness is independent with P(a_i = 1) = c_i, so the p-value
 * comes from simulating it 1000 times (consistency resampling): (1 + simulations that reach the
 * value) / (1 + simulations). Broecker, Smith: Increasing the reliability of reliability diagrams
 * (2007); Vaicenavicius et al.: Evaluating model calibration in classification (2019).
 */
#include "base/random.h"
#include "metric/metric.h"

#include <string.h>

enum { STREAM = 3, BLOCK = 40 /* simulations in one pass */, BLOCKS = 25, LANES = 4 };
/* Limit on rows times simulations; beyond, there are fewer of them, and p is valid but coarser. */
static const double steps_max = 2e9;

/* The kernel between neighbours. */
static double shrinkage(double last, double c) {
  static const double width = 0.4;
  return c != last ? exp((last - c) / width) : 1;
}

/* Sums over i < j of the numerator and of the denominator. */
typedef struct {
  double products, pairs;
} sums;

static sums add_up(const crd__metric_ranking *r) {
  sums s = { 0 };
  double below = 0, before = 0, last = 0;
  for (size_t i = 0; i < r->count; i++) {
    const double weight = crd__metric_ranking_weight(r, i),
                 c = crd__metric_ranking_confidence(r, i);
    if (weight == 0) continue;
    const double residual = weight * (c - crd__metric_ranking_correct(r, i));
    below *= shrinkage(last, c);
    s.products += residual * below;
    s.pairs += weight * before;
    below += residual;
    before += weight;
    last = c;
  }
  return s;
}

static crd__metric_answer skce_finish(const crd__metric_facts *facts) {
  const sums s = add_up(facts->ranking);
  if (!(s.pairs > 0)) return crd__metric_answer_undefined("needs two rows");
  return crd__metric_answer_value(s.products / s.pairs);
}

/* Sets 32 random bits for each simulation of a block. They depend on the row index, not on the
 * order in which rows were added. */
static void draw(uint64_t seed, uint64_t row, size_t block, uint32_t bits[BLOCK]) {
  const uint32_t key[2] = { (uint32_t)seed, (uint32_t)(seed >> 32) };
  for (size_t d = 0; d < BLOCK; d += LANES) {
    uint32_t counter[LANES] = { (uint32_t)row, (uint32_t)(row >> 32),
                                (uint32_t)((block * BLOCK + d) / LANES), STREAM };
    crd__philox(counter, key);
    memcpy(bits + d, counter, sizeof counter);
  }
}

/* Returns how many simulations of a block reach `products`: add_up for all of them in one pass. */
static size_t count_block(const crd__metric_ranking *r, uint64_t seed, size_t block,
                          double products) {
  double sum[BLOCK] = { 0 }, below[BLOCK] = { 0 }, last = 0;
  uint32_t bits[BLOCK];
  size_t reached = 0;
  for (size_t i = 0; i < r->count; i++) {
    const double weight = crd__metric_ranking_weight(r, i),
                 c = crd__metric_ranking_confidence(r, i);
    if (weight == 0) continue;
    const double if_right = weight * (c - 1), if_wrong = weight * c;
    const double shrink = shrinkage(last, c), limit = c * 0x1p32;
    draw(seed, crd__metric_ranking_row(r, i), block, bits);
    for (size_t d = 0; d < BLOCK; d++) {
      const double residual = bits[d] < limit ? if_right : if_wrong;
      below[d] *= shrink;
      sum[d] += residual * below[d];
      below[d] += residual;
    }
    last = c;
  }
  for (size_t d = 0; d < BLOCK; d++) reached += sum[d] >= products;
  return reached;
}

static double skce_p(const crd__metric_facts *facts, uint64_t seed) {
  const crd__metric_ranking *const r = facts->ranking;
  const double affordable = steps_max / BLOCK / (double)r->count;
  const size_t blocks = affordable >= BLOCKS ? BLOCKS : affordable > 1 ? (size_t)affordable : 1;
  const double products = add_up(r).products;
  size_t reached = 0;
  for (size_t b = 0; b < blocks; b++) reached += count_block(r, seed, b, products);
  return (double)(1 + reached) / (double)(1 + blocks * BLOCK);
}

const crd__metric crd__metric_skce = {
  .info = { .name = "skce",
            .title = "SKCE",
            .summary = "squared kernel calibration error, unbiased",
            .meaning = "How much rows of similar confidence are miscalibrated in the same "
                       "direction: an unbiased estimate of a squared error (MMCE is the root of "
                       "the biased one). For a calibrated model it is 0 on average and often "
                       "slightly negative.",
            .reference = "Kumar, Sarawagi, Jain 2018, Trainable calibration measures; Widmann, "
                         "Lindsten, Zachariah 2019, Calibration tests in multi-class "
                         "classification",
            .low = -1,
            .high = 1,
            .direction = CRD_LOWER_IS_BETTER },
  .ranked = true,
  .finish = skce_finish,
  .p = skce_p,
};
