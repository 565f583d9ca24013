/*
 * auroc.c -- how well confidence separates correct from wrong predictions:
 *   P(c_correct > c_wrong) + P(c_correct = c_wrong) / 2, the Mann-Whitney form, ties at half.
 *
 * (Singh et al. 2021, eq. 4, subtracts the wrong term unless both sides are equally many.)
 */
#include "metric/pairs.h"

static crd__answer finish(const crd__facts *facts) {
  const crd__ties all = crd__ties_total(facts->ranking);
  if (!(all.right > 0)) return crd__none("no prediction is correct");
  if (!(all.wrong > 0)) return crd__none("no prediction is wrong");
  return crd__is(crd__ordered_pairs(facts->ranking) / all.right / all.wrong);
}

const crd__metric crd_metric_auroc = {
  .info = { .name = "auroc",
            .summary = "how well confidence tells right from wrong",
            .meaning = "The probability that a correct prediction is more confident than a wrong "
                       "one: refinement, which calibration alone does not measure. 0.5 is chance.",
            .reference = "Hendrycks, Gimpel 2017; Singh et al. 2021, On the dark side of "
                         "calibration for modern neural networks",
            .low = 0,
            .high = 1,
            .direction = CRD_HIGHER_IS_BETTER,
            .standard = 1 },
  .ranked = true,
  .finish = finish,
  .paired = &crd__delong,
};
