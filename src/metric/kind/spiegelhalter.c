/*
 * spiegelhalter.c -- Spiegelhalter's Z:
 *   sum_i w (a - c)(1 - 2c) / sqrt(sum_i w^2 (1 - 2c)^2 c (1 - c)),
 * the deviation of the Brier score from its mean under calibration, in standard deviations.
 *
 * Sums run along the ranking: squares of weights exceed the range of the exact sums.
 */
#include "math/brownian.h"
#include "metric/metric.h"

#include <math.h>

static crd__metric_answer spiegelhalter_finish(const crd__metric_facts *facts) {
  const crd__metric_ranking *const r = facts->ranking;
  double score = 0, variance = 0;
  for (size_t i = 0; i < r->count; i++) {
    const double c = crd__metric_ranking_confidence(r, i);
    const double slope = crd__metric_ranking_weight(r, i) * (1 - 2 * c);
    score += (crd__metric_ranking_correct(r, i) - c) * slope;
    variance += slope * slope * (c * (1 - c));
  }
  if (!(variance > 0)) return crd__metric_answer_undefined("every confidence is 0, 1/2 or 1");
  return crd__metric_answer_value(score / sqrt(variance));
}

static double spiegelhalter_p(const crd__metric_facts *facts, uint64_t seed) {
  (void)seed;
  return crd__math_normal_p(spiegelhalter_finish(facts).value);
}

const crd__metric crd__metric_spiegelhalter = {
  .info = { .name = "spiegelhalter",
            .title = "Spiegelhalter's Z",
            .summary = "Spiegelhalter's Z test of calibration",
            .meaning = "Approximately standard normal for a calibrated model: above 2 or below -2 "
                       "the top-1 Brier score contradicts calibration. It grows with the number "
                       "of rows; 0 is best, but errors can cancel.",
            .reference = "Spiegelhalter 1986, Probabilistic prediction in patient management and "
                         "clinical trials",
            .low = -INFINITY,
            .high = INFINITY,
            .direction = CRD_NEITHER_IS_BETTER },
  .ranked = true,
  .finish = spiegelhalter_finish,
  .p = spiegelhalter_p,
};
