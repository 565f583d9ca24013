/* spearman.h -- Spearman's rank correlation. */
#ifndef CRD_MATH_SPEARMAN_H
#define CRD_MATH_SPEARMAN_H

#include "base/context.h"

/* Sets *out to the rank correlation of `count` pairs, ties with their mean rank; NaN if all values
 * of one side are equal, or with fewer than two pairs. No value may be NaN. CRD_ENOMEM. */
crd_status crd__math_spearman(crd_context *ctx, const double *x, const double *y, size_t count,
                              double *out);

#endif
