/*
 * metrics.h -- reference implementations of all metrics, as slow and plain as possible, for
 * differential tests. tests/ref/metric/<name>.c defines ref_<name>, one file per entry of
 * src/metric/kind/list.h: a metric without a reference does not link.
 *
 * Nothing here is shared with the library: probabilities come from long double arithmetic, bins
 * from a linear search, ranks from counting pairs where that is possible.
 */
#ifndef CRD_TESTS_REF_METRICS_H
#define CRD_TESTS_REF_METRICS_H

#include "support.h"

typedef struct {
  size_t n, k, bins;
  const int64_t *label;
  double *weight, *confidence, *p; /* p is n x k */
  int *correct,
      *hit;      /* the event of the confidence came true; the predicted class is the true one */
  bool positive; /* confidence is the probability of class 1 */
  double total;  /* weight */
} ref_table;

/* Returns the metric's value, or NaN where it is undefined. */
double ref_metric(const char *name, const test_data *data, size_t bins);

#define METRIC(name) double ref_##name(const ref_table *t);
#include "metric/kind/list.h"
#undef METRIC

/* Returns the index of the bin (a, b] of a value. */
size_t ref_bin_of(double c, size_t bins);

typedef struct {
  double weight, confidence, accuracy; /* means; 0 in an empty bin */
} ref_bin;
ref_bin ref_top_bin(const ref_table *t, size_t m);
double ref_gap(ref_bin b);
/* Returns the sum over non-empty bins of term(bin); sets *filled to their number. */
double ref_over_bins(const ref_table *t, double (*term)(ref_bin), size_t *filled);

/* Returns how many bins are not empty and have accuracy <= mean confidence. */
double ref_overconfident(const ref_table *t, size_t bins);

/* Returns -share log(chance) - (1 - share) log(1 - chance), with 0 log 0 = 0; chances of 0 and 1
 * count as 1e-300 and 1 - 2^-54. */
double ref_log_loss(double chance, double share);

/* Returns the sum over equal-mass bins of term(bin, its weight in units of the mean weight). */
double ref_over_mass_bins(const ref_table *t, double (*term)(ref_bin, double));

/* Sorts the rows of positive weight, least confident first, ties in row order; returns how many. */
size_t ref_in_order(const ref_table *t, size_t *order);
/* Returns the weight of the correct, or of the wrong rows. */
double ref_side(const ref_table *t, int correct);
/* Returns the same for rows whose confidence is at least (upwards) or at most c. */
double ref_beyond(const ref_table *t, int correct, double c, int upwards);
/* Returns the average precision: each positive row contributes the precision at its threshold. */
double ref_average_precision(const ref_table *t, int positive, int upwards);

#endif
