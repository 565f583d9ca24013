/*
 * accuracy.c -- the share of rows whose predicted class is the true one.
 *
 * The predicted class is the argmax of the scores as given, the lowest index on ties. The value
 * needs only a sum; McNemar's test needs the rows, which are kept only for paired comparisons
 * (crd_evaluate_options.paired).
 */
#include "metric/metric.h"

static void accuracy_add(crd__sum *cells, const crd__metric_shape *shape,
                         const crd__data_rows *rows) {
  (void)shape;
  for (size_t i = 0; i < rows->count; i++)
    if (rows->hit[i]) crd__metric_sum_count(cells, rows, i);
}

static const crd__metric_tally hits = {
  .name = "hits", .cells = crd__metric_one_cell, .ordinal = true, .add = accuracy_add
};

static double accuracy_trials(const crd__metric_facts *facts, double rows) {
  (void)facts;
  return rows;
}

static const crd__metric_proportion proportion = { .trials = accuracy_trials,
                                                   .discordance = crd__metric_discordant_hits };

const crd__metric crd__metric_accuracy = {
  .info = { .name = "accuracy",
            .title = "Accuracy",
            .summary = "share of correct predictions",
            .meaning = "How often the class with the largest score is the true class.",
            .reference = "standard",
            .low = 0,
            .high = 1,
            .direction = CRD_HIGHER_IS_BETTER,
            .standard = 1 },
  .tally = &hits,
  .ordinal = true,
  .finish = crd__metric_mean,
  .paired = &crd__metric_mcnemar,
  .proportion = &proportion,
};
