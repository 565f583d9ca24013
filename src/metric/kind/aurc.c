/*
 * aurc.c -- area under the risk-coverage curve: mean over k of the error rate among the k most
 * confident rows, ties at their expected value.
 */
#include "metric/risk.h"

static crd__metric_answer aurc_finish(const crd__metric_facts *facts) {
  return crd__metric_answer_value(crd__metric_risk_area(facts));
}

const crd__metric crd__metric_aurc = {
  .info = { .name = "aurc",
            .title = "AURC",
            .summary = "area under the risk-coverage curve",
            .meaning = "The error rate among the most confident predictions, averaged over all "
                       "coverages (shares of rows kept). Often reported times 1000.",
            .reference = "Geifman, El-Yaniv 2017; Geifman, Uziel, El-Yaniv 2019",
            .low = 0,
            .high = 1,
            .direction = CRD_LOWER_IS_BETTER,
            .standard = 1 },
  .ranked = true,
  .ordinal = true,
  .finish = aurc_finish,
};
