/*
 * brier_binary.c -- the Brier score of a risk, as clinical studies report it: the mean of (p -
 * y)^2, p the probability of class 1 and y whether it is the true class.
 *
 * Between 0 and 1; `brier` sums over both classes and is twice as large. A constant p = 1/2 has
 * 0.25.
 */
#include "metric/top_errors.h"

static crd__metric_answer brier_binary_finish(const crd__metric_facts *facts) {
  return facts->shape.positive ? crd__metric_mean(facts)
                               : crd__metric_answer_undefined(CRD__NOT_POSITIVE);
}

const crd__metric crd__metric_brier_binary = {
  .info = { .name = "brier-binary",
            .title = "Brier (binary)",
            .summary = "Brier score of class 1: one squared error per row",
            .meaning = "The mean squared distance between the probability of class 1 and whether "
                       "it is the true class (0 to 1; a constant 0.5 gives 0.25): the Brier score "
                       "as clinical studies report it, half of `brier`. Needs scores judged by "
                       "class 1 (binary pos).",
            .reference = "Brier 1950, Verification of forecasts expressed in terms of probability",
            .low = 0,
            .high = 1,
            .direction = CRD_LOWER_IS_BETTER,
            .standard = 2 },
  .tally = &crd__metric_top_errors,
  .finish = brier_binary_finish,
};
