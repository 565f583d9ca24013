/*
 * entropy.c -- predictive entropy: mean of -sum_k p_k log p_k.
 */
#include "metric/metric.h"

#include <math.h>

static void entropy_add(crd__sum *cells, const crd__metric_shape *shape,
                        const crd__data_rows *rows) {
  (void)shape;
  crd__metric_add_terms(cells, rows, rows->entropy);
}

static const crd__metric_tally terms = {
  .name = "entropy", .needs = CRD__NEED_ENTROPY, .cells = crd__metric_one_cell, .add = entropy_add
};

const crd__metric crd__metric_entropy = {
  .info = { .name = "entropy",
            .title = "Entropy",
            .summary = "mean entropy of the predictions (nats)",
            .meaning = "How spread out the predicted probabilities are: 0 for one-hot predictions, "
                       "log K for uniform ones.",
            .reference = "Shannon 1948, A mathematical theory of communication",
            .low = 0,
            .high = INFINITY,
            .direction = CRD_NEITHER_IS_BETTER,
            .standard = 0 },
  .tally = &terms,
  .finish = crd__metric_mean,
  .unlabelled = true,
};
