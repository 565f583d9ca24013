/*
 * aupr_success.c -- average precision of finding the correct predictions by high confidence.
 */
#include "metric/precision.h"

static crd__metric_answer aupr_success_finish(const crd__metric_facts *facts) {
  return crd__metric_average_precision(facts->ranking, true);
}

const crd__metric crd__metric_aupr_success = {
  .info = { .name = "aupr-success",
            .summary = "average precision of finding correct predictions",
            .meaning = "The area under the precision-recall curve when high confidence is used to "
                       "pick the correct predictions. Chance level is the accuracy.",
            .reference = "Hendrycks, Gimpel 2017; Corbiere et al. 2019",
            .low = 0,
            .high = 1,
            .direction = CRD_HIGHER_IS_BETTER },
  .ranked = true,
  .finish = aupr_success_finish,
};
