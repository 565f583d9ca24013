/*
 * nll_uncertainty.c -- the entropy of the accuracy A of all rows, -A log A - (1 - A) log(1 - A):
 * the third term of nll-top1 (nll_reliability.c).
 */
#include "metric/log_loss.h"

static crd__metric_answer nll_uncertainty_finish(const crd__metric_facts *facts) {
  const double accuracy = crd__metric_top_accuracy(facts);
  return crd__metric_answer_value(crd__metric_log_loss(accuracy, accuracy));
}

const crd__metric crd__metric_nll_uncertainty = {
  .info = { .name = "nll-uncertainty",
            .summary = "nll-top1, its part for the accuracy alone",
            .meaning = "What nll-top1 would be if every row had the accuracy as its confidence: it "
                       "says nothing about calibration.",
            .reference = "Broecker 2009, Reliability, sufficiency, and the decomposition of proper "
                         "scores; Kull, Flach 2015, Novel decompositions of proper scoring rules",
            .low = 0,
            .high = 0.6931471805599453,
            .direction = CRD_NEITHER_IS_BETTER },
  .tally = &crd__metric_top_bins,
  .finish = nll_uncertainty_finish,
};
