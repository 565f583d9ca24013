/*
 * class_bins.c -- equal-width bins (a, b] of every class's probability, over all rows.
 *
 * With many classes nearly every probability falls into the first bin, so that case is tested
 * first. In resamples the sums of that bin are a matrix product (metric/drawn.h).
 */
#include "metric/class_bins.h"
#include "math/bins.h"
#include "metric/class_pairs.h"

enum { PROBABILITY, OCCURRENCE, COLUMNS, ROWS = COLUMNS, WEIGHT, FULL_COLUMNS };

static size_t cells(const crd__metric_shape *shape) {
  return shape->classes * shape->bins * COLUMNS;
}

/* Adds class k of row i to its bin of `columns` sums, and returns the bin. */
static inline crd__sum *add_pair(crd__sum *sums, size_t columns, const crd__metric_shape *shape,
                                 const crd__data_rows *rows, size_t i, size_t k) {
  const double p = rows->probabilities[i * shape->classes + k];
  const double first_edge = 1.0 / (double)shape->bins;
  crd__sum *at = sums + columns * k * shape->bins;
  if (p <= first_edge) {
    crd__sum_add_small(&at[PROBABILITY], rows->weight[i] * p);
  } else {
    at += columns * crd__math_bin_index(p, shape->bins);
    crd__sum_add(&at[PROBABILITY], rows->weight[i] * p);
  }
  if (k == rows->label[i]) crd__metric_sum_count(&at[OCCURRENCE], rows, i);
  return at;
}

static void add(crd__sum *sums, const crd__metric_shape *shape, const crd__data_rows *rows) {
  for (size_t i = 0; i < rows->count; i++)
    for (size_t k = 0; k < shape->classes; k++) add_pair(sums, COLUMNS, shape, rows, i, k);
}

/*
 * Adds the probabilities of classes first .. first + columns - 1: those in the lowest bin of each
 * as a column of a matrix product, the few above it one by one. With `kept`, only kept pairs.
 */
static void add_classes(const crd__metric_drawn *d, const crd__metric_shape *shape, bool kept,
                        size_t first, size_t columns) {
  const crd__data_rows *const rows = d->rows;
  const double first_edge = 1.0 / (double)shape->bins;
  for (size_t i = 0; i < rows->count; i++)
    for (size_t j = 0; j < columns; j++) {
      const double p = rows->probabilities[i * shape->classes + first + j];
      const bool counts = !kept || crd__metric_pair_kept(p), lowest = p <= first_edge;
      crd__metric_drawn_set(d, i, j, counts && lowest ? rows->weight[i] * p : 0);
      if (!counts || lowest) continue;
      const size_t bin = (first + j) * shape->bins + crd__math_bin_index(p, shape->bins);
      crd__metric_drawn_add(d, COLUMNS * bin + PROBABILITY, i, rows->weight[i] * p);
    }
  const size_t step = COLUMNS * shape->bins;
  crd__metric_drawn_panel(d, first * step + PROBABILITY, step, columns);
}

static void add_labels(const crd__metric_drawn *d, const crd__metric_shape *shape, bool kept) {
  const crd__data_rows *const rows = d->rows;
  for (size_t i = 0; i < rows->count; i++) {
    const size_t k = rows->label[i];
    const double p = rows->probabilities[i * shape->classes + k];
    if (kept && !crd__metric_pair_kept(p)) continue;
    const size_t bin = k * shape->bins + crd__math_bin_index(p, shape->bins);
    crd__metric_drawn_add(d, COLUMNS * bin + OCCURRENCE, i, rows->weight[i]);
  }
}

static size_t panel_width(const crd__metric_shape *shape, size_t first) {
  const size_t left = shape->classes - first;
  return left < CRD__DRAWN_PANEL ? left : CRD__DRAWN_PANEL;
}

static void add_all_drawn(const crd__metric_drawn *d, const crd__metric_shape *shape, bool kept) {
  for (size_t k = 0; k < shape->classes; k += CRD__DRAWN_PANEL)
    add_classes(d, shape, kept, k, panel_width(shape, k));
  add_labels(d, shape, kept);
  crd__metric_drawn_finish(d);
}

static void add_drawn(const crd__metric_drawn *d, const crd__metric_shape *shape) {
  add_all_drawn(d, shape, false);
}

static size_t kept_cells(const crd__metric_shape *shape) { return cells(shape) + shape->classes; }

static void add_kept(crd__sum *sums, const crd__metric_shape *shape, const crd__data_rows *rows) {
  crd__sum *const weights = sums + cells(shape);
  for (size_t i = 0; i < rows->count; i++)
    for (size_t k = 0; k < shape->classes; k++) {
      if (!crd__metric_pair_kept(rows->probabilities[i * shape->classes + k])) continue;
      add_pair(sums, COLUMNS, shape, rows, i, k);
      crd__metric_sum_count(&weights[k], rows, i);
    }
}

static void add_kept_drawn(const crd__metric_drawn *d, const crd__metric_shape *shape) {
  const crd__data_rows *const rows = d->rows;
  add_all_drawn(d, shape, true);
  for (size_t k = 0; k < shape->classes; k += CRD__DRAWN_PANEL) {
    const size_t columns = panel_width(shape, k);
    for (size_t i = 0; i < rows->count; i++)
      for (size_t j = 0; j < columns; j++) {
        const double p = rows->probabilities[i * shape->classes + k + j];
        crd__metric_drawn_set(d, i, j, crd__metric_pair_kept(p) ? rows->weight[i] : 0);
      }
    crd__metric_drawn_panel(d, cells(shape) + k, 1, columns);
  }
}

/* All columns of all bins, then the row count of each class. */
static size_t full_size(const crd__metric_shape *shape) {
  return shape->classes * shape->bins * FULL_COLUMNS;
}

static size_t full_cells(const crd__metric_shape *shape) {
  return full_size(shape) + shape->classes;
}

static void add_full(crd__sum *sums, const crd__metric_shape *shape, const crd__data_rows *rows) {
  for (size_t i = 0; i < rows->count; i++) {
    for (size_t k = 0; k < shape->classes; k++) {
      crd__sum *const bin = add_pair(sums, FULL_COLUMNS, shape, rows, i, k);
      bin[ROWS].whole++;
      crd__metric_sum_count(&bin[WEIGHT], rows, i);
    }
    sums[full_size(shape) + rows->label[i]].whole++;
  }
}

crd__metric_class_sums crd__metric_class_sums_at(const crd__sum *sums,
                                                 const crd__metric_shape *shape, size_t k,
                                                 size_t bin) {
  const crd__sum *const at = sums + FULL_COLUMNS * (k * shape->bins + bin);
  return (crd__metric_class_sums){ .rows = (size_t)at[ROWS].whole,
                                   .weight = crd__sum_value(at[WEIGHT]),
                                   .probability = crd__sum_value(at[PROBABILITY]),
                                   .occurrence = crd__sum_value(at[OCCURRENCE]),
                                   .gap = crd__sum_distance(at[PROBABILITY], at[OCCURRENCE]) };
}

size_t crd__metric_class_rows(const crd__sum *sums, const crd__metric_shape *shape, size_t k) {
  return (size_t)sums[full_size(shape) + k].whole;
}

static double sum_gaps(const crd__sum *sums, size_t count) {
  double gaps = 0;
  for (size_t i = 0; i < count; i++) {
    const crd__sum *const at = sums + COLUMNS * i;
    gaps += crd__sum_distance(at[PROBABILITY], at[OCCURRENCE]);
  }
  return gaps;
}

double crd__metric_class_gaps(const crd__metric_facts *facts) {
  return sum_gaps(facts->cells, facts->shape.classes * facts->shape.bins) / facts->weight;
}

double crd__metric_kept_class_gaps(const crd__metric_facts *facts, size_t k) {
  const size_t bins = facts->shape.bins;
  const double kept = crd__sum_value(facts->cells[cells(&facts->shape) + k]);
  return kept > 0 ? sum_gaps(facts->cells + COLUMNS * k * bins, bins) / kept : 0;
}

const crd__metric_tally crd__metric_class_bins = { .name = "class-bins",
                                                   .needs = CRD__NEED_PROBABILITIES,
                                                   .cells = cells,
                                                   .add = add,
                                                   .add_drawn = add_drawn };

const crd__metric_tally crd__metric_kept_class_bins = { .name = "kept-class-bins",
                                                        .needs = CRD__NEED_PROBABILITIES,
                                                        .cells = kept_cells,
                                                        .add = add_kept,
                                                        .add_drawn = add_kept_drawn };

const crd__metric_tally crd__metric_full_class_bins = {
  .name = "full-class-bins", .needs = CRD__NEED_PROBABILITIES, .cells = full_cells, .add = add_full
};
