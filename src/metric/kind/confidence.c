/*
 * confidence.c -- the mean of the predicted class's probability.
 */
#include "metric/metric.h"

static void add(crd__sum *cells, const crd__shape *shape, const crd__rows *rows) {
  (void)shape;
  crd__add_terms(cells, rows, rows->confidence);
}

static const crd__tally terms = { .name = "confidence", .cells = crd__one_cell, .add = add };

const crd__metric crd_metric_confidence = {
  .info = { .name = "confidence",
            .summary = "mean confidence",
            .meaning =
                "How sure the classifier says it is, on average; for a calibrated one this equals "
                "the accuracy. With --binary pos it is the mean probability of class 1.",
            .reference = "standard",
            .low = 0,
            .high = 1,
            .direction = CRD_NEITHER_IS_BETTER,
            .standard = 1 },
  .tally = &terms,
  .finish = crd__mean,
};
