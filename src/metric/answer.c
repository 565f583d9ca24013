/*
 * answer.c -- computes a metric from evidence.
 *
 * A metric is finished once, or, if it reads the pairs of each class, once per class: its value is
 * the sum of contributions, one for each ranking, which are 0 for rankings that it does not read.
 */
#include "metric/evidence.h"

const crd__sum *crd__metric_evidence_cells(const crd_evidence *evidence, const crd__sum *cells,
                                           size_t sample, const crd__metric_tally *tally) {
  const crd__metric_plan *const plan = &evidence->plan;
  const size_t *const offset = crd__metric_evidence_layout(evidence, sample)->offset;
  for (size_t t = 0; t < plan->tally_count; t++)
    if (plan->tallies[t] == tally && offset[t] < offset[t + 1])
      return cells + crd__metric_evidence_offset(evidence, sample) + offset[t];
  return NULL;
}

crd__metric_facts crd__metric_evidence_facts(const crd_evidence *evidence,
                                             const crd__metric *metric, size_t sample,
                                             const crd__metric_ranking *ranking) {
  const crd__sum *const cells = evidence->cells;
  return (crd__metric_facts){
    .shape = evidence->shape,
    .weight = crd__sum_value(cells[crd__metric_evidence_offset(evidence, sample + 1) - 1]),
    .cells = crd__metric_evidence_cells(evidence, cells, sample, metric->tally),
    .ranking = metric->ranked ? ranking : NULL
  };
}

/* Returns the contribution of one class to the mean over classes. */
static crd__metric_answer share(const crd__metric *metric, crd__metric_facts facts,
                                const crd__metric_ranking *ranking) {
  const crd__metric_ties all = crd__metric_ties_total(ranking);
  facts.ranking = ranking;
  facts.weight = all.right + all.wrong;
  if (!(facts.weight > 0)) return crd__metric_answer_value(0);
  crd__metric_answer answer = metric->finish(&facts);
  answer.value /= (double)facts.shape.classes;
  return answer;
}

crd__metric_answer crd__metric_evidence_contribution(const crd_evidence *evidence,
                                                     const crd__metric *metric, size_t sample,
                                                     size_t index,
                                                     const crd__metric_ranking *ranking) {
  const crd__metric_facts facts = crd__metric_evidence_facts(evidence, metric, sample, ranking);
  const bool classwise = metric->tally && metric->tally->put_pairs;
  if (facts.shape.ranking && !metric->ordinal)
    return crd__metric_answer_undefined(CRD__NOT_PROBABILITY);
  if (metric->tally && !facts.cells)
    return crd__metric_answer_undefined("needs the scores of all classes, not only the confidence");
  if (!(facts.weight > 0)) return crd__metric_answer_undefined("all weights are 0");
  if (classwise != (index > 0)) return crd__metric_answer_value(0);
  return classwise ? share(metric, facts, ranking) : metric->finish(&facts);
}

crd__metric_answer crd__metric_evidence_answer(const crd_evidence *evidence,
                                               const crd__metric *metric) {
  crd__metric_answer sum = crd__metric_answer_value(0);
  for (size_t r = 0; r < evidence->ranking_count && !sum.reason; r++) {
    const crd__metric_answer part =
        crd__metric_evidence_contribution(evidence, metric, 0, r, &evidence->rankings[r]);
    sum.value += part.value;
    sum.reason = part.reason;
  }
  return sum;
}
