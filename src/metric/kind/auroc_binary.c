/*
 * auroc_binary.c -- AUROC of the probability p of class 1:
 *   P(p_1 > p_0) + P(p_1 = p_0) / 2 for a row of class 1 and one of class 0, ties at half.
 *
 * The c-statistic of clinical studies. `auroc` ranks correct and wrong predictions by confidence;
 * with CRD_BINARY_POS rows are ranked by p and class 1 counts as correct, so the two agree.
 */
#include "metric/pairs.h"

static crd__metric_answer auroc_binary_finish(const crd__metric_facts *facts) {
  if (!facts->shape.positive) return crd__metric_answer_undefined(CRD__NOT_POSITIVE);
  const crd__metric_ties all = crd__metric_ties_total(facts->ranking);
  if (!(all.right > 0)) return crd__metric_answer_undefined("no row is of class 1");
  if (!(all.wrong > 0)) return crd__metric_answer_undefined("no row is of class 0");
  return crd__metric_answer_value(crd__metric_ordered_pairs(facts->ranking) / all.right /
                                  all.wrong);
}

const crd__metric crd__metric_auroc_binary = {
  .info = { .name = "auroc-binary",
            .title = "AUROC (binary)",
            .summary = "AUROC of class 1 against class 0 (c-statistic)",
            .meaning = "The probability that a row of class 1 gets a higher probability of class 1 "
                       "than a row of class 0: the area under the ROC curve, or c-statistic. 0.5 "
                       "is chance. Needs scores judged by class 1 (binary pos).",
            .reference = "Hanley, McNeil 1982, The meaning and use of the area under a receiver "
                         "operating characteristic (ROC) curve",
            .low = 0,
            .high = 1,
            .direction = CRD_HIGHER_IS_BETTER,
            .standard = 2 },
  .ranked = true,
  .finish = auroc_binary_finish,
  .paired = &crd__metric_delong,
};
