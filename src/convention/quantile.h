/* quantile.h -- numpy.quantile with linear interpolation and numpy's rounding. */
#ifndef CRD_CONVENTION_QUANTILE_H
#define CRD_CONVENTION_QUANTILE_H

#include "convention/handed.h"

/* Replaces the shares edges[0 .. bins] by quantiles of the confidences. */
void crd__convention_edges_quantile(const crd__convention_input *handed, double *edges);

#endif
