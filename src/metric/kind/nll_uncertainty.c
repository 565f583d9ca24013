/*
 * nll_uncertainty.c -- uncertainty, the third term of nll-top1 (nll_reliability.c):
 *   -A log A - (1 - A) log(1 - A), the entropy of the overall accuracy A.
 */
#include "metric/log_loss.h"

static crd__metric_answer nll_uncertainty_finish(const crd__metric_facts *facts) {
  const double accuracy = crd__metric_top_accuracy(facts);
  return crd__metric_answer_value(crd__metric_log_loss(accuracy, accuracy));
}

const crd__metric crd__metric_nll_uncertainty = {
  .info = { .name = "nll-uncertainty",
            .title = "NLL uncertainty",
            .summary = "uncertainty term of nll-top1: from the accuracy alone",
            .meaning = "The nll-top1 of a model whose confidence is the accuracy on every row: it "
                       "does not depend on calibration.",
            .reference = "Broecker 2009, Reliability, sufficiency, and the decomposition of proper "
                         "scores; Kull, Flach 2015, Novel decompositions of proper scoring rules",
            .low = 0,
            .high = 0.6931471805599453,
            .direction = CRD_NEITHER_IS_BETTER },
  .tally = &crd__metric_top_bins,
  .finish = nll_uncertainty_finish,
};
