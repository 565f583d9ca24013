/* top_errors.h -- the tally of squared errors of the confidence, for the top-1 Brier scores. */
#ifndef CRD_METRIC_TOP_ERRORS_H
#define CRD_METRIC_TOP_ERRORS_H

#include "metric/metric.h"

extern const crd__metric_tally crd__metric_top_errors; /* one cell: the sum of w (c - a)^2 */

#endif
