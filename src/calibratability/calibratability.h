/*
 * calibratability.h -- internals: the values of all runs, training method by training method.
 *
 * Runs are sorted by training method, the baseline first; run r of a training method is at
 * first + r. A column has one value per run, NaN where the run has none.
 */
#ifndef CRD_CALIBRATABILITY_CALIBRATABILITY_H
#define CRD_CALIBRATABILITY_CALIBRATABILITY_H

#include "base/arena.h"
#include "base/text.h"
#include "credence/calibratability.h"
#include "data/predictions.h"

/* The results in the making, in their arena. */
typedef struct {
  crd_calibratability results;
  crd_trained *items;
  size_t *first; /* of each training method, the first of its runs; count + 1 */
  size_t runs;   /* of all training methods */
  const char **methods;
  crd_calibratability_column *columns;
  double *table;                 /* columns x runs */
  crd_series_value *values;      /* training methods x columns */
  crd_calibratability_gap *gaps; /* training methods x columns */
  size_t *sizes;
  double *draws;    /* methods x sizes x runs x draws */
  crd_sized *sized; /* training methods x methods x sizes */
  crd__notes notes;
} crd__calibratability;

/* Returns the values of a column, one per run. */
static inline double *crd__calibratability_column(const crd__calibratability *c, size_t column) {
  return c->table + column * c->runs;
}

/* The rows of one run. */
typedef struct {
  const crd_predictions *calibrate, *test;
} crd__calibratability_rows;

/* Creates the columns, after the contest of the first run, whose candidates are `identity` and the
 * post-hoc methods. CRD_ENOMEM. */
crd_status crd__calibratability_columns_make(crd_context *ctx, crd__calibratability *c,
                                             const crd_contest *contest);
/* Fills the columns of a run from its contest. CRD_EINPUT if the oracle cannot be computed. */
crd_status crd__calibratability_columns_fill(crd_context *ctx, crd__calibratability *c, size_t run,
                                             const crd_contest *contest,
                                             const crd_predictions *test);

/* Fails with CRD_EUSAGE if a size is larger than the calibration rows. */
crd_status crd__calibratability_sizes_check(crd_context *ctx, const crd__calibratability *c,
                                            const crd_predictions *calibrate);
/* Draws calibration rows of all sizes, fits the methods on them, and keeps the ECE of the test
 * rows; a fit that fails has NaN. */
crd_status crd__calibratability_sizes_measure(crd_context *ctx, crd__calibratability *c, size_t run,
                                              const crd__calibratability_rows *rows);
/* Returns the number of draws of a size: all rows can be drawn in one way only. */
unsigned crd__calibratability_draws(const crd__calibratability *c, size_t size);
/* Returns the ECE of a run's draws of a size after a method, one per draw. */
double *crd__calibratability_drawn(const crd__calibratability *c, size_t method, size_t size,
                                   size_t run);

/* Appends the names, separated by commas. `names` points to the first of `count` names, which are
 * `step` bytes apart. */
void crd__calibratability_join(crd__text *out, const void *names, size_t step, size_t count);
/* Returns mean and standard deviation (n - 1) of the values that are not NaN. */
crd_series_value crd__calibratability_moments(const double *values, size_t count);
/* Compares two samples by the two-sample t-test of Welch; without `p_corrected`. `other` is the
 * baseline. */
crd_calibratability_gap crd__calibratability_gap(const crd_series_value *value,
                                                 const crd_series_value *other);
/* Computes means, deviations and gaps of all columns and sizes. */
crd_status crd__calibratability_sum_up(crd_context *ctx, crd__calibratability *c);

#endif
