/*
 * class_bins.c -- equal-width bins (a, b] of every class's probability, over all rows.
 *
 * With many classes nearly every probability falls into the first bin, so that case is asked first.
 */
#include "metric/class_bins.h"
#include "math/bins.h"
#include "metric/class_pairs.h"

enum { PROBABILITY, OCCURRENCE, COLUMNS };

static size_t cells(const crd__shape *shape) { return shape->classes * shape->bins * COLUMNS; }

/* Count class k of row i in its bin. */
static inline void add_pair(crd__sum *sums, const crd__shape *shape, const crd__rows *rows,
                            size_t i, size_t k) {
  const double p = rows->probabilities[i * shape->classes + k];
  const double first_edge = 1.0 / (double)shape->bins;
  crd__sum *at = sums + COLUMNS * k * shape->bins;
  if (p <= first_edge) {
    crd__sum_add_small(&at[PROBABILITY], rows->weight[i] * p);
  } else {
    at += COLUMNS * crd__bin_index(p, shape->bins);
    crd__sum_add(&at[PROBABILITY], rows->weight[i] * p);
  }
  if (k == rows->label[i]) crd__sum_count(&at[OCCURRENCE], rows, i);
}

static void add(crd__sum *sums, const crd__shape *shape, const crd__rows *rows) {
  for (size_t i = 0; i < rows->count; i++)
    for (size_t k = 0; k < shape->classes; k++) add_pair(sums, shape, rows, i, k);
}

static size_t kept_cells(const crd__shape *shape) { return cells(shape) + shape->classes; }

static void add_kept(crd__sum *sums, const crd__shape *shape, const crd__rows *rows) {
  crd__sum *const weights = sums + cells(shape);
  for (size_t i = 0; i < rows->count; i++)
    for (size_t k = 0; k < shape->classes; k++) {
      if (!crd__pair_kept(rows->probabilities[i * shape->classes + k])) continue;
      add_pair(sums, shape, rows, i, k);
      crd__sum_count(&weights[k], rows, i);
    }
}

static double sum_gaps(const crd__sum *sums, size_t count) {
  double gaps = 0;
  for (size_t i = 0; i < count; i++) {
    const crd__sum *const at = sums + COLUMNS * i;
    gaps += crd__sum_distance(at[PROBABILITY], at[OCCURRENCE]);
  }
  return gaps;
}

double crd__class_gaps(const crd__facts *facts) {
  return sum_gaps(facts->cells, facts->shape.classes * facts->shape.bins) / facts->weight;
}

double crd__kept_class_gaps(const crd__facts *facts, size_t k) {
  const size_t bins = facts->shape.bins;
  const double kept = crd__sum_value(facts->cells[cells(&facts->shape) + k]);
  return kept > 0 ? sum_gaps(facts->cells + COLUMNS * k * bins, bins) / kept : 0;
}

const crd__tally crd__class_bins = {
  .name = "class-bins", .needs = CRD__NEED_PROBABILITIES, .cells = cells, .add = add
};

const crd__tally crd__kept_class_bins = {
  .name = "kept-class-bins", .needs = CRD__NEED_PROBABILITIES, .cells = kept_cells, .add = add_kept
};
