/*
 * overconfident_100.c -- how many of 100 equal-width bins are not empty and have A_m <= C_m.
 */
#include "metric/within_bins.h"

static crd__metric_answer overconfident_100_finish(const crd__metric_facts *facts) {
  return crd__metric_answer_value(crd__metric_overconfident_bins(facts->ranking, 100));
}

const crd__metric crd__metric_overconfident_100 = {
  .info = { .name = "overconfident-100",
            .title = "Overconfident bins of 100",
            .summary = "number of overconfident bins out of 100",
            .meaning = "In how many of 100 bins, whatever `bins` is, the accuracy is at or below "
                       "the mean confidence. Empty bins do not count; all others count the same, "
                       "however few rows they hold.",
            .reference = "Singh et al. 2021, On the dark side of calibration for modern neural "
                         "networks",
            .low = 0,
            .high = 100,
            .direction = CRD_NEITHER_IS_BETTER },
  .ranked = true,
  .finish = overconfident_100_finish,
};
