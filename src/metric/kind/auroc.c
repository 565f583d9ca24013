/*
 * auroc.c -- AUROC of confidence as a detector of correct predictions:
 *   P(c_correct > c_wrong) + P(c_correct = c_wrong) / 2, the Mann-Whitney form, ties at half.
 *
 * (Singh et al. 2021, eq. 4, subtracts the wrong term unless as many rows are correct as wrong.)
 */
#include "metric/pairs.h"

static crd__metric_answer auroc_finish(const crd__metric_facts *facts) {
  const crd__metric_ties all = crd__metric_ties_total(facts->ranking);
  if (!(all.right > 0)) return crd__metric_answer_undefined("no prediction is correct");
  if (!(all.wrong > 0)) return crd__metric_answer_undefined("no prediction is wrong");
  return crd__metric_answer_value(crd__metric_ordered_pairs(facts->ranking) / all.right /
                                  all.wrong);
}

const crd__metric crd__metric_auroc = {
  .info = { .name = "auroc",
            .title = "AUROC",
            .summary = "AUROC of confidence: correct against wrong predictions",
            .meaning = "The probability that a correct prediction is more confident than a wrong "
                       "one: refinement, which calibration errors do not measure. 0.5 is chance.",
            .reference = "Hendrycks, Gimpel 2017; Singh et al. 2021, On the dark side of "
                         "calibration for modern neural networks",
            .low = 0,
            .high = 1,
            .direction = CRD_HIGHER_IS_BETTER,
            .standard = 1 },
  .ranked = true,
  .ordinal = true,
  .finish = auroc_finish,
  .paired = &crd__metric_delong,
};
