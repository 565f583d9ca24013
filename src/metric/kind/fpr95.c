/*
 * fpr95.c -- false positive rate at 95 % true positive rate: the share of wrong predictions that
 * pass when 95 % of the correct ones do.
 *
 * The threshold is the highest confidence t such that {c >= t} holds at least 95 % of the correct
 * rows; no interpolation.
 */
#include "metric/metric.h"

static crd__metric_answer fpr95_finish(const crd__metric_facts *facts) {
  const crd__metric_ranking *const r = facts->ranking;
  const crd__metric_ties all = crd__metric_ties_total(r);
  if (!(all.right > 0)) return crd__metric_answer_undefined("no prediction is correct");
  if (!(all.wrong > 0)) return crd__metric_answer_undefined("no prediction is wrong");
  double right = 0, wrong = 0;
  for (crd__metric_ties t = crd__metric_ties_highest(r); t.count && right / all.right < 0.95;
       t = crd__metric_ties_next(r, t)) {
    right += t.right;
    wrong += t.wrong;
  }
  return crd__metric_answer_value(wrong / all.wrong);
}

/* Returns the effective number of wrong rows, (sum w)^2 / sum w^2. */
static double fpr95_trials(const crd__metric_facts *facts, double rows) {
  const crd__metric_ranking *const r = facts->ranking;
  double sum = 0, squares = 0;
  (void)rows;
  for (size_t i = 0; i < r->count; i++) {
    const double weight = crd__metric_ranking_correct(r, i) ? 0 : crd__metric_ranking_weight(r, i);
    sum += weight;
    squares += weight * weight;
  }
  return sum * sum / squares;
}

static const crd__metric_proportion proportion = { .trials = fpr95_trials, .dependent = true };

const crd__metric crd__metric_fpr95 = {
  .info = { .name = "fpr95",
            .title = "FPR95",
            .summary = "FPR at 95 % TPR: wrong predictions accepted by confidence",
            .meaning = "The share of wrong predictions above the confidence threshold that accepts "
                       "95 % of the correct ones.",
            .reference = "Liang, Li, Srikant 2018; Corbiere et al. 2019",
            .low = 0,
            .high = 1,
            .direction = CRD_LOWER_IS_BETTER },
  .ranked = true,
  .ordinal = true,
  .finish = fpr95_finish,
  .proportion = &proportion,
};
