/*
 * aupr_success.c -- average precision of detecting correct predictions by high confidence.
 */
#include "metric/precision.h"

static crd__metric_answer aupr_success_finish(const crd__metric_facts *facts) {
  return crd__metric_average_precision(facts->ranking, true);
}

const crd__metric crd__metric_aupr_success = {
  .info = { .name = "aupr-success",
            .title = "AUPR-Success",
            .summary = "AUPR of detecting correct predictions by confidence",
            .meaning = "The average precision of detecting correct predictions by high confidence "
                       "(area under the precision-recall curve). Chance level is the accuracy.",
            .reference = "Hendrycks, Gimpel 2017; Corbiere et al. 2019",
            .low = 0,
            .high = 1,
            .direction = CRD_HIGHER_IS_BETTER },
  .ranked = true,
  .ordinal = true,
  .finish = aupr_success_finish,
};
