/*
 * kuiper.c -- Kuiper calibration error: max_t S(t) - min_t S(t), divided by N, where S(t) is the
 * sum over {c <= t} of (c - a) and S = 0 before the first row.
 *
 * Its p-value is that of the range of Brownian motion (walk.c).
 */
#include "math/brownian.h"
#include "metric/walk.h"

static double distance(const crd__metric_walk *walk) { return walk->most - walk->least; }

static crd__metric_answer kuiper_finish(const crd__metric_facts *facts) {
  const crd__metric_walk walk = crd__metric_walk_along(facts->ranking);
  return crd__metric_answer_value(distance(&walk) / facts->weight);
}

static double kuiper_p(const crd__metric_facts *facts, uint64_t seed) {
  (void)seed;
  const crd__metric_walk walk = crd__metric_walk_along(facts->ranking);
  return crd__math_brownian_range_p(crd__metric_walk_units(&walk, distance(&walk)));
}

const crd__metric crd__metric_kuiper = {
  .info = { .name = "kuiper",
            .title = "Kuiper",
            .summary = "Kuiper calibration error, without bins",
            .meaning = "The largest cumulative difference between confidence and correctness over "
                       "any interval of confidences; unlike ks it does not depend on where the "
                       "sum starts.",
            .reference = "Kuiper 1960; Arrieta-Ibarra et al. 2022, Metrics of calibration for "
                         "probabilistic predictions",
            .low = 0,
            .high = 1,
            .direction = CRD_LOWER_IS_BETTER },
  .ranked = true,
  .finish = kuiper_finish,
  .p = kuiper_p,
};
