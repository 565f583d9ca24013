/*
 * kuiper.c -- Kuiper's calibration error: max_t S(t) - min_t S(t), divided by N, where S(t) is the
 * sum over {c <= t} of (c - a) and S = 0 before the first row.
 *
 * Like ks, it looks at the ends of runs of equal confidences alone.
 */
#include "metric/metric.h"

#include <math.h>

static crd__answer finish(const crd__facts *facts) {
  const crd__ranking *const r = facts->ranking;
  double sum = 0, most = 0, least = 0;
  for (crd__ties t = crd__ties_lowest(r); t.count; t = crd__ties_next(r, t)) {
    sum += t.confidence * (t.right + t.wrong) - t.right;
    most = fmax(most, sum);
    least = fmin(least, sum);
  }
  return crd__is((most - least) / facts->weight);
}

const crd__metric crd_metric_kuiper = {
  .info = { .name = "kuiper",
            .summary = "Kuiper's calibration error, without bins",
            .meaning = "The largest difference between confidence and correctness accumulated over "
                       "any interval of confidences; unlike ks it does not matter where counting "
                       "begins.",
            .reference = "Kuiper 1960; Arrieta-Ibarra et al. 2022, Metrics of calibration for "
                         "probabilistic predictions",
            .low = 0,
            .high = 1,
            .direction = CRD_LOWER_IS_BETTER },
  .ranked = true,
  .finish = finish,
};
