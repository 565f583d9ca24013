/*
 * ks.c -- Kolmogorov-Smirnov calibration error: max_t |sum over {c <= t} of (c - a)| / N.
 *
 * Its p-value is that of the maximum of |Brownian motion| (walk.c).
 */
#include "math/brownian.h"
#include "metric/walk.h"

static double distance(const crd__metric_walk *walk) { return fmax(walk->most, -walk->least); }

static crd__metric_answer ks_finish(const crd__metric_facts *facts) {
  const crd__metric_walk walk = crd__metric_walk_along(facts->ranking);
  return crd__metric_answer_value(distance(&walk) / facts->weight);
}

static double ks_p(const crd__metric_facts *facts, uint64_t seed) {
  (void)seed;
  const crd__metric_walk walk = crd__metric_walk_along(facts->ranking);
  return crd__math_brownian_peak_p(crd__metric_walk_units(&walk, distance(&walk)));
}

const crd__metric crd__metric_ks = {
  .info = { .name = "ks",
            .title = "KS",
            .summary = "Kolmogorov-Smirnov calibration error, without bins",
            .meaning = "The largest cumulative difference between confidence and correctness, from "
                       "the least to the most confident row.",
            .reference = "Gupta et al. 2021, Calibration of neural networks using splines",
            .low = 0,
            .high = 1,
            .direction = CRD_LOWER_IS_BETTER },
  .ranked = true,
  .finish = ks_finish,
  .p = ks_p,
};
