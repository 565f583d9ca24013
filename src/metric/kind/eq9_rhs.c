/*
 * eq9_rhs.c -- alpha - beta - gamma: the right side of eq. 9 of Singh et al. 2021, which is not
 * ece.
 */
#include "metric/eq9.h"
#include "metric/top_bins.h"

static crd__metric_answer eq9_rhs_finish(const crd__metric_facts *facts) {
  return crd__metric_answer_value(crd__metric_eq9_right_side(facts));
}

const crd__metric crd__metric_eq9_rhs = {
  .info = { .name = "eq9-rhs",
            .title = "Eq. 9 right-hand side",
            .summary = "mean confidence - beta - gamma, which is not ece",
            .meaning = "Mean confidence (alpha) minus the rate-averaged accuracy (beta + gamma). "
                       "The reference equates it with ece, which does not hold: it is 0.40 for a "
                       "network with an ece of 0.06. eq9-residual is the difference.",
            .reference = "Singh et al. 2021, On the dark side of calibration for modern neural "
                         "networks, eq. 9",
            .low = -0.75,
            .high = 0.75,
            .direction = CRD_NEITHER_IS_BETTER },
  .tally = &crd__metric_top_bins,
  .ranked = true,
  .finish = eq9_rhs_finish,
};
