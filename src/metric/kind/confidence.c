/*
 * confidence.c -- mean confidence: the mean probability of the predicted class.
 */
#include "metric/metric.h"

static void confidence_add(crd__sum *cells, const crd__metric_shape *shape,
                           const crd__data_rows *rows) {
  (void)shape;
  crd__metric_add_terms(cells, rows, rows->confidence);
}

static const crd__metric_tally terms = { .name = "confidence",
                                         .cells = crd__metric_one_cell,
                                         .add = confidence_add };

const crd__metric crd__metric_confidence = {
  .info = { .name = "confidence",
            .title = "Confidence",
            .summary = "mean confidence",
            .meaning = "The mean probability of the predicted class; for a calibrated classifier "
                       "it equals the accuracy. Where class 1 is judged (binary pos) it is the "
                       "mean probability of "
                       "class 1.",
            .reference = "standard",
            .low = 0,
            .high = 1,
            .direction = CRD_NEITHER_IS_BETTER,
            .standard = 1 },
  .tally = &terms,
  .finish = crd__metric_mean,
  .unlabelled = true,
};
