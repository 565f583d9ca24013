/*
 * risk.c -- the area under the risk-coverage curve: mean over k of the error rate among the k most
 * confident rows.
 *
 * Within a run of equal confidences the order is arbitrary, so each row counts the run's mean
 * error: the expected value over random orders.
 */
#include "metric/risk.h"

static inline void walk(const crd__metric_ranking *r, crd__metric_risk_visit visit, void *arg) {
  double errors = 0, covered = 0;
  for (crd__metric_ties t = crd__metric_ties_highest(r); t.count; t = crd__metric_ties_next(r, t)) {
    const double weight = t.right + t.wrong, rate = weight > 0 ? t.wrong / weight : 0;
    double inside = 0;
    for (size_t i = t.from + 1 - t.count; i <= t.from; i++) {
      const double step = crd__metric_ranking_weight(r, i);
      if (step == 0) continue;
      inside += step;
      visit(arg, step, covered + inside, (errors + rate * inside) / (covered + inside));
    }
    errors += t.wrong;
    covered += weight;
  }
}

void crd__metric_risk_walk(const crd__metric_ranking *ranking, crd__metric_risk_visit visit,
                           void *arg) {
  walk(ranking, visit, arg);
}

static void add_up(void *area, double step, double covered, double risk) {
  (void)covered;
  *(double *)area += step * risk;
}

double crd__metric_risk_area(const crd__metric_facts *facts) {
  double area = 0;
  walk(facts->ranking, add_up, &area);
  return area / facts->weight;
}
