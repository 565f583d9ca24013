/*
 * nll_resolution.c -- resolution, the second term of nll-top1 (nll_reliability.c):
 *   sum_m (n_m / N) KL(A_m || A), A the overall accuracy.
 */
#include "metric/log_loss.h"

static crd__metric_answer nll_resolution_finish(const crd__metric_facts *facts) {
  return crd__metric_answer_value(crd__metric_top_divergence(facts, true));
}

const crd__metric crd__metric_nll_resolution = {
  .info = { .name = "nll-resolution",
            .title = "NLL resolution",
            .summary = "resolution term of nll-top1: how much bins differ",
            .meaning = "The mean KL divergence of the accuracies of bins from the overall "
                       "accuracy: the gain in nll-top1 because confidence separates easy rows "
                       "from hard ones.",
            .reference = "Broecker 2009, Reliability, sufficiency, and the decomposition of proper "
                         "scores; Kull, Flach 2015, Novel decompositions of proper scoring rules",
            .low = 0,
            .high = 0.6931471805599453,
            .direction = CRD_HIGHER_IS_BETTER },
  .tally = &crd__metric_top_bins,
  .finish = nll_resolution_finish,
};
