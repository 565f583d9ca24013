/* start.h -- where delta begins. */
#ifndef CRD_CLAMP_START_H
#define CRD_CLAMP_START_H

#include "clamp/pass.h"
#include "clamp/settings.h"

/* Sets the range of valid inputs after normalisation: low and high of each element, count each. */
void crd__clamp_range(const crd__clamp_settings *settings, const crd_encoding *encoding,
                      size_t count, float *low, float *high);
/* Sets delta. *gain: for the start `entropy`, the mean entropy that it gains to first order; else
 * NaN. */
crd_status crd__clamp_begin(crd_context *ctx, crd__clamp_pass *pass,
                            const crd__clamp_settings *settings, const float *low,
                            const float *high, double *delta, double *gain);

#endif
