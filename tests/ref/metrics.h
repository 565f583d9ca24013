/*
 * metrics.h -- every metric by its definition, as slow and plain as possible: the other side of
 * differential tests. tests/ref/metric/<name>.c defines ref_<name>, one file per line of
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
  int *correct, *hit; /* what confidence speaks of came true; the predicted class is the true one */
  bool positive;      /* confidence is the probability of class 1 */
  double total;       /* weight */
} ref_table;

/* The metric's value, or NaN where it does not exist. */
double ref_metric(const char *name, const test_data *data, size_t bins);

#define METRIC(name) double ref_##name(const ref_table *t);
#include "metric/kind/list.h"
#undef METRIC

/* The bin (a, b] of a value. */
size_t ref_bin_of(double value, size_t bins);

typedef struct {
  double weight, confidence, accuracy; /* means; 0 in an empty bin */
} ref_bin;
ref_bin ref_top_bin(const ref_table *t, size_t m);
double ref_gap(ref_bin b);
/* Sum over filled bins of term(bin), and how many are filled. */
double ref_over_bins(const ref_table *t, double (*term)(ref_bin), size_t *filled);

/* How many of so many bins are filled and not more often right than sure. */
double ref_overconfident(const ref_table *t, size_t bins);

/* -share log(chance) - (1 - share) log(1 - chance), 0 log 0 being 0; chances of 0 and 1 count as
 * 1e-300 and 1 - 2^-54. */
double ref_log_loss(double chance, double share);

/* Sum over the bins of equal mass of term(bin, its weight in units of the mean weight). */
double ref_over_mass_bins(const ref_table *t, double (*term)(ref_bin, double));

/* Rows of positive weight, least confident first, ties in row order; returns how many. */
size_t ref_in_order(const ref_table *t, size_t *order);
/* Weight of the correct, or of the wrong rows. */
double ref_side(const ref_table *t, int correct);
/* The same, of rows whose confidence is at least (upwards) or at most c. */
double ref_beyond(const ref_table *t, int correct, double c, int upwards);
/* Each positive row contributes the precision at its own threshold. */
double ref_average_precision(const ref_table *t, int positive, int upwards);

#endif
