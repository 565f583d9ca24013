/*
 * e_aurc_finite.c -- excess AURC against the best ranking of the same rows:
 *   aurc - mean over k of max(0, k - (N - E)) / k, for E wrong rows among N.
 *
 * The best ranking has the correct rows first. With weights, the wrong rows follow in their order,
 * and the risk at each row includes its whole weight, as in aurc.
 */
#include "metric/risk.h"

static double best_area(const crd__metric_facts *facts) {
  const crd__metric_ranking *const r = facts->ranking;
  const double right = crd__metric_ties_total(r).right;
  double area = 0, errors = 0;
  for (size_t i = r->count; i-- > 0;) {
    const double weight = crd__metric_ranking_weight(r, i);
    if (weight == 0 || crd__metric_ranking_correct(r, i)) continue;
    errors += weight;
    area += weight * (errors / (right + errors));
  }
  return area / facts->weight;
}

static crd__metric_answer e_aurc_finite_finish(const crd__metric_facts *facts) {
  return crd__metric_answer_value(crd__metric_risk_area(facts) - best_area(facts));
}

const crd__metric crd__metric_e_aurc_finite = {
  .info = { .name = "e-aurc-finite",
            .title = "E-AURC (finite)",
            .summary = "excess AURC against the best ranking of the same rows",
            .meaning = "Like e-aurc, against the best ranking of the same number of rows instead "
                       "of its limit for many rows: exactly 0 if every correct prediction is more "
                       "confident than every wrong one.",
            .reference = "after Geifman, Uziel, El-Yaniv 2019, Bias-reduced uncertainty estimation",
            .low = 0,
            .high = 1,
            .direction = CRD_LOWER_IS_BETTER },
  .ranked = true,
  .ordinal = true,
  .finish = e_aurc_finite_finish,
};
