/*
 * brier.c -- Brier score: mean over rows of sum_k (p_k - [k = y])^2, between 0 and 2.
 */
#include "metric/metric.h"

static void brier_add(crd__sum *cells, const crd__metric_shape *shape, const crd__data_rows *rows) {
  (void)shape;
  crd__metric_add_terms(cells, rows, rows->brier);
}

static const crd__metric_tally terms = {
  .name = "brier", .needs = CRD__NEED_BRIER, .cells = crd__metric_one_cell, .add = brier_add
};

const crd__metric crd__metric_brier = {
  .info = { .name = "brier",
            .title = "Brier",
            .summary = "Brier score: squared error of all probabilities",
            .meaning = "The squared distance between the probabilities and the one-hot label, "
                       "summed over classes (0 to 2): a proper score that rewards calibration and "
                       "refinement together.",
            .reference = "Brier 1950, Verification of forecasts expressed in terms of probability",
            .low = 0,
            .high = 2,
            .direction = CRD_LOWER_IS_BETTER,
            .standard = 1 },
  .tally = &terms,
  .finish = crd__metric_mean,
};
