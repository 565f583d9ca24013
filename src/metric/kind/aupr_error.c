/*
 * aupr_error.c -- average precision of detecting wrong predictions by low confidence.
 */
#include "metric/precision.h"

static crd__metric_answer aupr_error_finish(const crd__metric_facts *facts) {
  return crd__metric_average_precision(facts->ranking, false);
}

const crd__metric crd__metric_aupr_error = {
  .info = { .name = "aupr-error",
            .title = "AUPR-Error",
            .summary = "AUPR of detecting wrong predictions by confidence",
            .meaning = "The average precision of detecting wrong predictions by low confidence "
                       "(area under the precision-recall curve). Chance level is the error rate.",
            .reference = "Hendrycks, Gimpel 2017; Corbiere et al. 2019",
            .low = 0,
            .high = 1,
            .direction = CRD_HIGHER_IS_BETTER },
  .ranked = true,
  .ordinal = true,
  .finish = aupr_error_finish,
};
