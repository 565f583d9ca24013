/*
 * eq9_residual.c -- ece - (alpha - beta - gamma): the error of eq. 9 of Singh et al. 2021.
 *
 * alpha is the mean confidence, beta + gamma the rate-averaged accuracy. The equation follows from
 * ece = mean confidence - accuracy, true only without underconfident bins, and from taking the
 * rate-averaged accuracy of an error detector for the accuracy of the classifier.
 */
#include "metric/eq9.h"
#include "metric/top_bins.h"

static crd__metric_answer eq9_residual_finish(const crd__metric_facts *facts) {
  return crd__metric_answer_value(crd__metric_top_gaps(facts) - crd__metric_eq9_right_side(facts));
}

const crd__metric crd__metric_eq9_residual = {
  .info = { .name = "eq9-residual",
            .title = "Eq. 9 residual",
            .summary = "ece minus its claimed decomposition alpha - beta - gamma",
            .meaning = "ece minus the decomposition into mean confidence (alpha) and refinement "
                       "(beta, gamma) that the reference derives. Its eq. 9 is not an identity, "
                       "and this is its error: -0.34 for a network with an ece of 0.06.",
            .reference = "Singh et al. 2021, On the dark side of calibration for modern neural "
                         "networks, eq. 9",
            .low = -0.5,
            .high = 1.5,
            .direction = CRD_NEITHER_IS_BETTER },
  .tally = &crd__metric_top_bins,
  .ranked = true,
  .finish = eq9_residual_finish,
};
