/* quantile.h -- numpy.quantile with linear interpolation, rounded as numpy rounds it. */
#ifndef CRD_CONVENTION_QUANTILE_H
#define CRD_CONVENTION_QUANTILE_H

#include "convention/handed.h"

/* edges[0 .. bins]: shares become the quantiles of the confidences. */
void crd__convention_edges_quantile(const crd__convention_handed *handed, double *edges);

#endif
