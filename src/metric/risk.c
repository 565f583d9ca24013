/*
 * risk.c -- the area under the risk-coverage curve: mean over k of the error rate among the k most
 * confident rows.
 *
 * Within a run of equal confidences every order is as good as any other, so each row of the run
 * counts the run's mean error: the expected value over random orders.
 */
#include "metric/risk.h"

double crd__risk_area(const crd__facts *facts) {
  const crd__ranking *const r = facts->ranking;
  double area = 0, errors = 0, covered = 0;
  for (crd__ties t = crd__ties_highest(r); t.count; t = crd__ties_next(r, t)) {
    const double weight = t.right + t.wrong, rate = weight > 0 ? t.wrong / weight : 0;
    double inside = 0;
    for (size_t i = t.from + 1 - t.count; i <= t.from; i++) {
      const double step = crd__ranking_weight(r, i);
      if (step == 0) continue;
      inside += step;
      area += step * ((errors + rate * inside) / (covered + inside));
    }
    errors += t.wrong;
    covered += weight;
  }
  return area / facts->weight;
}
