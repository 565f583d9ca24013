/*
 * nll_top1.c -- log loss of the confidence c: the mean of -log c over correct and of -log(1 - c)
 * over wrong rows.
 */
#include "metric/log_loss.h"

static void nll_top1_add(crd__sum *cells, const crd__metric_shape *shape,
                         const crd__data_rows *rows) {
  (void)shape;
  for (size_t i = 0; i < rows->count; i++)
    crd__sum_add(cells,
                 rows->weight[i] * crd__metric_log_loss(rows->confidence[i], rows->correct[i]));
}

static const crd__metric_tally terms = { .name = "nll-top1",
                                         .cells = crd__metric_one_cell,
                                         .add = nll_top1_add };

const crd__metric crd__metric_nll_top1 = {
  .info = { .name = "nll-top1",
            .title = "NLL (top-1)",
            .summary = "log loss of the confidence alone (nats)",
            .meaning = "The mean of -log c over correct and -log(1 - c) over wrong predictions; "
                       "for binary scores with binary pos, the usual log loss. A wrong "
                       "prediction of confidence 1 counts as 1 - 2^-54 (37.4), the most that "
                       "rounding can hide.",
            .reference = "Good 1952, Rational decisions, applied to the predicted class",
            .low = 0,
            .high = INFINITY,
            .direction = CRD_LOWER_IS_BETTER },
  .tally = &terms,
  .finish = crd__metric_mean,
};
