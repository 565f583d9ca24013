/* measure.h -- coverage, risk and, for two classes, the rates of accepted rows, with intervals. */
#ifndef CRD_SELECTIVE_MEASURE_H
#define CRD_SELECTIVE_MEASURE_H

#include "selective/sample.h"

/* The proportions of an operating point: an index into each array below. */
enum { CRD__PROPORTIONS = 6 };

/* Returns a proportion of a point by its index. */
crd_proportion *crd__selective_proportion(crd_operating_point *point, size_t index);
/* Returns how many proportions exist: two, coverage and risk, unless there are two classes. */
size_t crd__selective_proportion_count(const crd__selective_sample *sample);
/* Returns the value of a proportion for these accepted and all rows; NaN if no row counts. */
double crd__selective_value(size_t index, const crd__selective_counts *accepted,
                            const crd__selective_counts *all);
/* Returns the weights accepted with the first `steps` steps. */
crd__selective_counts crd__selective_accepted(const crd__selective_sample *sample, size_t steps);

/* Sets rows, accepted and the values of all proportions; intervals stay NaN. */
void crd__selective_measure(const crd__selective_sample *sample, size_t steps,
                            crd_operating_point *out);
/* Sets all intervals by Clopper and Pearson's formula or, for clustered rows, from `resamples` of
 * the cluster bootstrap. A single cluster has none. */
crd_status crd__selective_intervals(crd_context *ctx, const crd__selective_sample *sample,
                                    size_t steps, unsigned resamples, crd_operating_point *out);
/* Sets the interval of one proportion by Clopper and Pearson's formula with effective numbers: rows
 * or, if they are clustered, clusters. */
void crd__selective_exact(const crd__selective_sample *sample, size_t steps, size_t index,
                          crd_proportion *out);
/* Sets a 95 % interval from the quantiles of replicates, some of which may be NaN: [base + low,
 * base + high], or with `reverse` [base - high, base - low]. Returns false, and sets none, if it
 * would be a single point, or fewer than half are numbers. Sorts the replicates. */
bool crd__selective_quantiles(double *replicates, size_t count, double base, bool reverse,
                              crd_proportion *out);

#endif
