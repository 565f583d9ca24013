/*
 * precision.c -- average precision: sum over thresholds of (increase of recall) * precision, a run
 * of equal confidences being one threshold.
 */
#include "metric/precision.h"

void crd__metric_precision_walk(const crd__metric_ranking *ranking, bool correct, double all,
                                crd__metric_precision_visit visit, void *arg) {
  double found = 0, seen = 0;
  crd__metric_ties t =
      correct ? crd__metric_ties_highest(ranking) : crd__metric_ties_lowest(ranking);
  for (; t.count; t = crd__metric_ties_next(ranking, t)) {
    const double step = correct ? t.right : t.wrong;
    found += step;
    seen += t.right + t.wrong;
    if (step > 0) visit(arg, step / all, found / all, found / seen);
  }
}

static void add_up(void *area, double step, double recall, double precision) {
  (void)recall;
  *(double *)area += step * precision;
}

crd__metric_answer crd__metric_average_precision(const crd__metric_ranking *ranking, bool correct) {
  const crd__metric_ties total = crd__metric_ties_total(ranking);
  const double all = correct ? total.right : total.wrong;
  double area = 0;
  if (!(all > 0))
    return crd__metric_none(correct ? "no prediction is correct" : "no prediction is wrong");
  crd__metric_precision_walk(ranking, correct, all, add_up, &area);
  return crd__metric_answer_value(area);
}
