/*
 * eq9_gamma.c -- (pi^2 + (1 - pi)^2) / 2, pi the accuracy: gamma of Singh et al. 2021, eq. 8.
 */
#include "metric/eq9.h"

static crd__metric_answer eq9_gamma_finish(const crd__metric_facts *facts) {
  return crd__metric_answer_value(crd__metric_eq8_of(facts).gamma);
}

const crd__metric crd__metric_eq9_gamma = {
  .info = { .name = "eq9-gamma",
            .title = "Eq. 9 gamma",
            .summary = "part of rate-averaged-accuracy due to accuracy",
            .meaning = "The part of the rate-averaged accuracy that depends on accuracy alone "
                       "(gamma of the reference). Its eq. 9, ece = mean confidence - beta - gamma, "
                       "does not hold.",
            .reference = "Singh et al. 2021, On the dark side of calibration for modern neural "
                         "networks, eq. 8",
            .low = 0.25,
            .high = 0.5,
            .direction = CRD_NEITHER_IS_BETTER },
  .ranked = true,
  .finish = eq9_gamma_finish,
};
