/*
 * e_aurc.c -- excess AURC: aurc minus r + (1 - r) ln(1 - r), the aurc of a perfect ranking at error
 * rate r (for large N).
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
            .title = "E-AURC",
            .summary = "excess AURC: aurc minus that of a perfect ranking",
            .meaning = "The part of aurc that is due to the ranking, not to the error rate: 0 if "
                       "every correct prediction is more confident than every wrong one (up to a "
                       "small deviation on few rows).",
            .reference = "Geifman, Uziel, El-Yaniv 2019, Bias-reduced uncertainty estimation",
            .low = -1,
            .high = 1,
            .direction = CRD_LOWER_IS_BETTER },
  .ranked = true,
  .ordinal = true,
  .finish = e_aurc_finish,
};
