/*
 * ks.c -- Kolmogorov-Smirnov calibration error: max_t |sum over {c <= t} of (c - a)| / N.
 *
 * The running sum is looked at only at the end of a run of equal confidences, so that the order of
 * ties does not matter.
 */
#include "metric/metric.h"

#include <math.h>

static crd__answer finish(const crd__facts *facts) {
  const crd__ranking *const r = facts->ranking;
  double sum = 0, most = 0;
  for (crd__ties t = crd__ties_lowest(r); t.count; t = crd__ties_next(r, t)) {
    sum += t.confidence * (t.right + t.wrong) - t.right;
    most = fmax(most, fabs(sum));
  }
  return crd__is(most / facts->weight);
}

const crd__metric crd_metric_ks = {
  .info = { .name = "ks",
            .summary = "Kolmogorov-Smirnov calibration error, without bins",
            .meaning = "The largest accumulated difference between confidence and correctness, "
                       "going from the least to the most confident row.",
            .reference = "Gupta et al. 2021, Calibration of neural networks using splines",
            .low = 0,
            .high = 1,
            .direction = CRD_LOWER_IS_BETTER },
  .ranked = true,
  .finish = finish,
};
