/*
 * class_bins.c -- equal-width bins (a, b] of every class's probability, over all rows.
 *
 * With many classes nearly every probability falls into the first bin, so that case is asked first.
 */
#include "metric/class_bins.h"
#include "math/bins.h"

enum { PROBABILITY, OCCURRENCE, COLUMNS };

static size_t cells(const crd__shape *shape) { return shape->classes * shape->bins * COLUMNS; }

static void add(crd__sum *sums, const crd__shape *shape, const crd__rows *rows) {
  const size_t classes = shape->classes, bins = shape->bins;
  const double first_edge = 1.0 / (double)bins;
  for (size_t i = 0; i < rows->count; i++) {
    const double weight = rows->weight[i], *const p = rows->probabilities + i * classes;
    for (size_t k = 0; k < classes; k++) {
      const size_t bin = p[k] <= first_edge ? 0 : crd__bin_index(p[k], bins);
      crd__sum *const at = sums + COLUMNS * (k * bins + bin);
      crd__sum_add(&at[PROBABILITY], weight * p[k]);
      if (k == rows->label[i]) crd__sum_count(&at[OCCURRENCE], rows, i);
    }
  }
}

double crd__class_gaps(const crd__facts *facts) {
  const size_t count = facts->shape.classes * facts->shape.bins;
  double gaps = 0;
  for (size_t i = 0; i < count; i++) {
    const crd__sum *const at = facts->cells + COLUMNS * i;
    gaps += crd__sum_distance(at[PROBABILITY], at[OCCURRENCE]);
  }
  return gaps / facts->weight;
}

const crd__tally crd__class_bins = {
  .name = "class-bins", .needs = CRD__NEED_PROBABILITIES, .cells = cells, .add = add
};
