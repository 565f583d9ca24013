/*
 * e_aurc.c -- excess AURC: aurc minus r + (1 - r) ln(1 - r), what the best possible ranking of a
 * classifier with error rate r would have (for large N).
 */
#include "metric/risk.h"

#include <math.h>

static crd__metric_answer e_aurc_finish(const crd__metric_facts *facts) {
  const crd__metric_ties all = crd__metric_ties_total(facts->ranking);
  const double error = all.wrong / facts->weight;
  const double best = error < 1 ? error + (1 - error) * log1p(-error) : 1;
  return crd__metric_answer_value(crd__metric_risk_area(facts) - best);
}

const crd__metric crd__metric_e_aurc = {
  .info = { .name = "e-aurc",
            .summary = "aurc beyond that of a perfect ranking",
            .meaning = "The part of aurc that comes from ranking, not from the error rate: 0 when "
                       "every correct prediction is more confident than every wrong one (slightly "
                       "above or below on small samples).",
            .reference = "Geifman, Uziel, El-Yaniv 2019, Bias-reduced uncertainty estimation",
            .low = -1,
            .high = 1,
            .direction = CRD_LOWER_IS_BETTER },
  .ranked = true,
  .finish = e_aurc_finish,
};
