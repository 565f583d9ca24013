/*
 * series.h -- internals of a series: the values of all runs, and their statistics (statistics.c).
 *
 * Each candidate has a row of cells: its metrics, then the fit time and the learnt temperature. A
 * cell holds one value per run, NaN where the run has none.
 */
#ifndef CRD_CONTEST_SERIES_H
#define CRD_CONTEST_SERIES_H

#include "base/text.h"
#include "credence/contest.h"

struct crd_series {
  crd_allocator alloc;
  crd_series_summary summary; /* points to the members below */
  char *caption, *calibrate_name, *test_name;
  size_t calibrate_rows, test_rows; /* of all runs together */
  size_t capacity;                  /* runs that `table` has memory for */
  double *table;                    /* candidates x cells x capacity */
  const crd_metric_info **metrics;
  crd_series_candidate *items; /* names and failures are owned */
  crd_series_value *values;    /* candidates x metrics */
  /* From identity, then from temperature: 2 x candidates x metrics. */
  crd_series_difference *differences;
  double *p; /* scratch buffer of the tests: 2 x candidates */
  crd__notes notes;
};

/* Returns the number of cells of a candidate, and the index of the last two. */
static inline size_t crd__contest_series_cells(const crd_series *s) {
  return s->summary.metric_count + 2;
}
static inline size_t crd__contest_series_seconds(const crd_series *s) {
  return s->summary.metric_count;
}
static inline size_t crd__contest_series_temperature(const crd_series *s) {
  return s->summary.metric_count + 1;
}
/* Returns the values of a candidate's cell, one per run. */
static inline double *crd__contest_series_cell(const crd_series *s, size_t candidate, size_t cell) {
  return s->table + (candidate * crd__contest_series_cells(s) + cell) * s->capacity;
}

/* Computes means, deviations and tests of all runs. */
void crd__contest_series_sum_up(crd_series *s);

#endif
