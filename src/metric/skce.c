/*
 * skce.c -- squared kernel calibration error of the top label, unbiased:
 *   sum_{i != j} w_i w_j (c_i - a_i)(c_j - a_j) k(c_i, c_j) / sum_{i != j} w_i w_j,
 *   k(x, y) = exp(-|x - y| / 0.4).
 *
 * Along the ranking the kernel of distant rows is a product of those of neighbours, so that one
 * sum, shrunk from row to row, holds what all rows before say to the next.
 */
#include "metric/metric.h"

#include <math.h>

static crd__answer finish(const crd__facts *facts) {
  static const double width = 0.4;
  const crd__ranking *const r = facts->ranking;
  double products = 0, pairs = 0, below = 0, before = 0, last = 0;
  for (size_t i = 0; i < r->count; i++) {
    const double weight = crd__ranking_weight(r, i), c = crd__ranking_confidence(r, i);
    if (weight == 0) continue;
    const double residual = weight * (c - crd__ranking_correct(r, i));
    if (c != last) below *= exp((last - c) / width);
    products += residual * below;
    pairs += weight * before;
    below += residual;
    before += weight;
    last = c;
  }
  if (!(pairs > 0)) return crd__none("needs two rows");
  return crd__is(products / pairs);
}

const crd__metric crd_metric_skce = {
  .info = { .name = "skce",
            .summary = "squared kernel calibration error, unbiased",
            .meaning = "How much rows of similar confidence are wrong in the same direction: an "
                       "estimate of a squared error (MMCE is its biased root), 0 on "
                       "average for a calibrated model and often slightly negative then.",
            .reference = "Kumar, Sarawagi, Jain 2018, Trainable calibration measures; Widmann, "
                         "Lindsten, Zachariah 2019, Calibration tests in multi-class "
                         "classification",
            .low = -1,
            .high = 1,
            .direction = CRD_LOWER_IS_BETTER },
  .ranked = true,
  .finish = finish,
};
