/*
 * eq9_beta.c -- 2 pi (1 - pi) r, pi the accuracy and r the auroc: beta of Singh et al. 2021, eq. 8.
 */
#include "metric/eq9.h"

static crd__metric_answer eq9_beta_finish(const crd__metric_facts *facts) {
  return crd__metric_answer_value(crd__metric_eq8_of(facts).beta);
}

const crd__metric crd__metric_eq9_beta = {
  .info = { .name = "eq9-beta",
            .title = "Eq. 9 beta",
            .summary = "part of rate-averaged-accuracy due to auroc",
            .meaning = "The part of the rate-averaged accuracy that grows with refinement (beta of "
                       "the reference). Its eq. 9, ece = mean confidence - beta - gamma, does not "
                       "hold.",
            .reference = "Singh et al. 2021, On the dark side of calibration for modern neural "
                         "networks, eq. 8",
            .low = 0,
            .high = 0.5,
            .direction = CRD_NEITHER_IS_BETTER },
  .ranked = true,
  .finish = eq9_beta_finish,
};
