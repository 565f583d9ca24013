/*
 * accuracy.c -- the share of rows whose predicted class is the true one.
 *
 * The predicted class is the argmax of the scores as given, the lowest index on ties. The value
 * needs a sum alone; McNemar's test needs the rows, which are kept only when a comparison is
 * announced (crd_evaluate_options.paired).
 */
#include "metric/metric.h"

static void add(crd__sum *cells, const crd__shape *shape, const crd__rows *rows) {
  (void)shape;
  for (size_t i = 0; i < rows->count; i++)
    if (rows->hit[i]) crd__sum_count(cells, rows, i);
}

static const crd__tally hits = { .name = "hits", .cells = crd__one_cell, .add = add };

static double trials(const crd__facts *facts, double rows) {
  (void)facts;
  return rows;
}

static const crd__proportion proportion = { .trials = trials, .discordance = crd__discordant_hits };

const crd__metric crd_metric_accuracy = {
  .info = { .name = "accuracy",
            .summary = "share of rows predicted correctly",
            .meaning = "How often the class with the largest score is the true class.",
            .reference = "standard",
            .low = 0,
            .high = 1,
            .direction = CRD_HIGHER_IS_BETTER,
            .standard = 1 },
  .tally = &hits,
  .finish = crd__mean,
  .paired = &crd__mcnemar,
  .proportion = &proportion,
};
