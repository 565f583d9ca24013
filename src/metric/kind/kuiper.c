/*
 * kuiper.c -- Kuiper's calibration error: max_t S(t) - min_t S(t), divided by N, where S(t) is the
 * sum over {c <= t} of (c - a) and S = 0 before the first row.
 *
 * Its p is that of the range of Brownian motion (walk.c).
 */
#include "math/brownian.h"
#include "metric/walk.h"

static double distance(const crd__walk *walk) { return walk->most - walk->least; }

static crd__answer finish(const crd__facts *facts) {
  const crd__walk walk = crd__walk_along(facts->ranking);
  return crd__is(distance(&walk) / facts->weight);
}

static double p(const crd__facts *facts, uint64_t seed) {
  (void)seed;
  const crd__walk walk = crd__walk_along(facts->ranking);
  return crd__brownian_range_p(crd__walk_units(&walk, distance(&walk)));
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
  .p = p,
};
