/*
 * rate_averaged_accuracy.c -- accuracy of separating correct from wrong rows by a confidence
 * threshold, averaged over the share of rows above the threshold: 2 pi (1 - pi) r + (pi^2 + (1 -
 * pi)^2) / 2.
 */
#include "metric/eq9.h"

static crd__metric_answer rate_averaged_accuracy_finish(const crd__metric_facts *facts) {
  const crd__metric_eq8 parts = crd__metric_eq8_of(facts);
  return crd__metric_answer_value(parts.beta + parts.gamma);
}

const crd__metric crd__metric_rate_averaged_accuracy = {
  .info = { .name = "rate-averaged-accuracy",
            .title = "Rate-averaged accuracy",
            .summary = "rate-averaged accuracy of confidence as an error detector",
            .meaning = "The accuracy with which a confidence threshold separates correct from "
                       "wrong predictions, averaged over the share of rows above it (beta + gamma "
                       "of the reference). It is not the classifier's accuracy, with which eq. 9 "
                       "of the reference confuses it.",
            .reference = "Singh et al. 2021, On the dark side of calibration for modern neural "
                         "networks, eq. 8",
            .low = 0.25,
            .high = 0.75,
            .direction = CRD_HIGHER_IS_BETTER },
  .ranked = true,
  .finish = rate_averaged_accuracy_finish,
};
