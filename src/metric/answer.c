/*
 * answer.c -- from evidence to what a metric says of it.
 *
 * A metric is finished once, or, when it reads the pairs of each class, once for each class: its
 * answer is the sum of parts, one for each ranking, of which those it does not read give nothing.
 */
#include "metric/class_pairs.h"
#include "metric/evidence.h"

const crd__sum *crd__evidence_cells(const crd_evidence *evidence, const crd__sum *cells,
                                    size_t sample, const crd__tally *tally) {
  const crd__plan *const plan = &evidence->plan;
  const size_t *const offset = crd__evidence_layout(evidence, sample)->offset;
  for (size_t t = 0; t < plan->tally_count; t++)
    if (plan->tallies[t] == tally && offset[t] < offset[t + 1])
      return cells + crd__evidence_place(evidence, sample) + offset[t];
  return NULL;
}

crd__facts crd__evidence_facts(const crd_evidence *evidence, const crd__metric *metric,
                               size_t sample, const crd__ranking *ranking) {
  const crd__sum *const cells = evidence->cells;
  return (crd__facts){ .shape = evidence->shape,
                       .weight =
                           crd__sum_value(cells[crd__evidence_place(evidence, sample + 1) - 1]),
                       .cells = crd__evidence_cells(evidence, cells, sample, metric->tally),
                       .ranking = metric->ranked ? ranking : NULL };
}

/* One class's share of the mean over classes. */
static crd__answer share(const crd__metric *metric, crd__facts facts, const crd__ranking *ranking) {
  const crd__ties all = crd__ties_total(ranking);
  facts.ranking = ranking;
  facts.weight = all.right + all.wrong;
  if (!(facts.weight > 0)) return crd__is(0);
  crd__answer answer = metric->finish(&facts);
  answer.value /= (double)facts.shape.classes;
  return answer;
}

crd__answer crd__evidence_part(const crd_evidence *evidence, const crd__metric *metric,
                               size_t sample, size_t index, const crd__ranking *ranking) {
  const crd__facts facts = crd__evidence_facts(evidence, metric, sample, ranking);
  const bool classwise = metric->tally == &crd__class_pairs;
  if (metric->tally && !facts.cells)
    return crd__none("needs the scores of all classes, not only the confidence");
  if (!(facts.weight > 0)) return crd__none("all weights are 0");
  if (classwise != (index > 0)) return crd__is(0);
  return classwise ? share(metric, facts, ranking) : metric->finish(&facts);
}

crd__answer crd__evidence_answer(const crd_evidence *evidence, const crd__metric *metric) {
  crd__answer sum = crd__is(0);
  for (size_t r = 0; r < evidence->ranking_count && !sum.reason; r++) {
    const crd__answer part = crd__evidence_part(evidence, metric, 0, r, &evidence->rankings[r]);
    sum.value += part.value;
    sum.reason = part.reason;
  }
  return sum;
}
