/* bootstrap.h -- bootstrap intervals that include the choice of the threshold. */
#ifndef CRD_SELECTIVE_BOOTSTRAP_H
#define CRD_SELECTIVE_BOOTSTRAP_H

#include "selective/sample.h"

/* Sets the intervals of all points, whose targets and proportions are set. */
crd_status crd__selective_bootstrap(crd_context *ctx, const crd__selective_sample *sample,
                                    unsigned resamples, crd_operating_point *points, size_t count);

#endif
