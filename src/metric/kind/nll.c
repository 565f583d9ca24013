/*
 * nll.c -- negative log-likelihood: mean of -log p_y, from logits without clipping; probabilities
 * of 0 count as 1e-300.
 */
#include "metric/metric.h"

#include <math.h>

static void nll_add(crd__sum *cells, const crd__metric_shape *shape, const crd__data_rows *rows) {
  (void)shape;
  crd__metric_add_terms(cells, rows, rows->nll);
}

static const crd__metric_tally terms = {
  .name = "nll", .needs = CRD__NEED_NLL, .cells = crd__metric_one_cell, .add = nll_add
};

const crd__metric crd__metric_nll = {
  .info = { .name = "nll",
            .title = "NLL",
            .summary = "negative log-likelihood (nats)",
            .meaning = "The mean of -log of the probability of the true class: a proper score "
                       "that penalises confident mistakes without limit.",
            .reference = "Good 1952, Rational decisions",
            .low = 0,
            .high = INFINITY,
            .direction = CRD_LOWER_IS_BETTER,
            .standard = 1 },
  .tally = &terms,
  .finish = crd__metric_mean,
};
