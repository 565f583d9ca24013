/*
 * aece.c -- adaptive calibration error: like ece, over bins of equal mass.
 *
 * Rows in order of confidence (ties in order of row number) are cut as numpy.array_split would:
 * the first N mod M bins hold one row more. With weights, a row belongs to the bin in which the
 * weight before it falls, counted in units of the mean weight; rows of weight 0 count for nothing.
 */
#include "math/bins.h"
#include "metric/metric.h"

#include <math.h>

static crd__answer finish(const crd__facts *facts) {
  const crd__ranking *const r = facts->ranking;
  size_t count = 0, bin = 0;
  for (size_t i = 0; i < r->count; i++) count += crd__ranking_weight(r, i) > 0;
  double error = 0, gap = 0, before = 0;
  for (size_t i = 0; i < r->count; i++) {
    const double weight = crd__ranking_weight(r, i);
    if (weight == 0) continue;
    const double position = before / facts->weight * (double)count;
    const size_t here = crd__rank_bin(position, count, facts->shape.bins);
    if (here != bin) {
      error += fabs(gap);
      gap = 0;
      bin = here;
    }
    gap += weight * (crd__ranking_confidence(r, i) - crd__ranking_correct(r, i));
    before += weight;
  }
  return crd__is((error + fabs(gap)) / facts->weight);
}

const crd__metric crd_metric_aece = {
  .info = { .name = "aece",
            .summary = "adaptive calibration error, bins of equal mass",
            .meaning = "Like ece, with bins that hold the same number of rows each, so that no bin "
                       "is noise and none hides detail.",
            .reference = "Nguyen, O'Connor 2015; Nixon et al. 2019, Measuring calibration in deep "
                         "learning",
            .low = 0,
            .high = 1,
            .direction = CRD_LOWER_IS_BETTER,
            .standard = 1 },
  .ranked = true,
  .finish = finish,
};
