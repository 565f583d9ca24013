/*
 * top_bins.c -- equal-width bins (a, b] of confidence: rows, weight, confidence, correctness.
 *
 * Confidence 0 belongs to the first bin, 1 to the last; edges are compared exactly (math/bins.h).
 */
#include "metric/top_bins.h"
#include "math/bins.h"

enum { ROWS, WEIGHT, CONFIDENCE, CORRECT, COLUMNS };

static size_t cells(const crd__metric_shape *shape) { return shape->bins * COLUMNS; }

static void add(crd__sum *sums, const crd__metric_shape *shape, const crd__data_rows *rows) {
  for (size_t i = 0; i < rows->count; i++) {
    crd__sum *const bin = sums + COLUMNS * crd__math_bin_index(rows->confidence[i], shape->bins);
    bin[ROWS].whole++;
    crd__metric_sum_count(&bin[WEIGHT], rows, i);
    crd__sum_add(&bin[CONFIDENCE], rows->weight[i] * rows->confidence[i]);
    if (rows->correct[i]) crd__metric_sum_count(&bin[CORRECT], rows, i);
  }
}

crd__metric_top_sums crd__metric_top_sums_at(const crd__sum *sums, size_t bin) {
  const crd__sum *const at = sums + COLUMNS * bin;
  return (crd__metric_top_sums){ .rows = (size_t)at[ROWS].whole,
                                 .weight = crd__sum_value(at[WEIGHT]),
                                 .confidence = crd__sum_value(at[CONFIDENCE]),
                                 .correct = crd__sum_value(at[CORRECT]) };
}

crd__metric_top_bin crd__metric_top_bin_at(const crd__sum *cells, size_t bin) {
  const crd__sum *const at = cells + COLUMNS * bin;
  const crd__metric_top_sums sums = crd__metric_top_sums_at(cells, bin);
  const double divisor = sums.weight > 0 ? sums.weight : 1;
  return (crd__metric_top_bin){ .rows = sums.rows,
                                .weight = sums.weight,
                                .confidence = sums.confidence / divisor,
                                .accuracy = sums.correct / divisor,
                                .gap = crd__sum_distance(at[CONFIDENCE], at[CORRECT]) };
}

double crd__metric_top_gaps(const crd__metric_facts *facts) {
  double error = 0;
  for (size_t m = 0; m < facts->shape.bins; m++)
    error += crd__metric_top_bin_at(facts->cells, m).gap;
  return error / facts->weight;
}

double crd__metric_top_side(const crd__metric_facts *facts, bool over) {
  double error = 0;
  for (size_t m = 0; m < facts->shape.bins; m++) {
    const crd__metric_top_bin bin = crd__metric_top_bin_at(facts->cells, m);
    if (over ? bin.confidence > bin.accuracy : bin.accuracy > bin.confidence) error += bin.gap;
  }
  return error / facts->weight;
}

double crd__metric_top_squares(const crd__metric_facts *facts) {
  double error = 0;
  for (size_t m = 0; m < facts->shape.bins; m++) {
    const crd__metric_top_bin bin = crd__metric_top_bin_at(facts->cells, m);
    if (bin.weight > 0) error += bin.gap * (bin.gap / bin.weight);
  }
  return error / facts->weight;
}

double crd__metric_top_accuracy(const crd__metric_facts *facts) {
  crd__sum correct = { 0 };
  for (size_t m = 0; m < facts->shape.bins; m++)
    crd__sum_merge(&correct, facts->cells[COLUMNS * m + CORRECT]);
  return crd__sum_value(correct) / facts->weight;
}

const crd__metric_tally crd__metric_top_bins = { .name = "top-bins", .cells = cells, .add = add };
