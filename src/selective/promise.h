/* promise.h -- what a table of operating points promises, in words. */
#ifndef CRD_SELECTIVE_PROMISE_H
#define CRD_SELECTIVE_PROMISE_H

#include "base/text.h"
#include "selective/sample.h"

/* Appends what is promised, for a table with guarantee, rows and points, measured on `sample`. */
void crd__selective_promise(crd__text *out, const crd_operating_table *table,
                            const crd__selective_sample *sample, int fitted);
/* The same for thresholds that were chosen elsewhere. */
void crd__selective_promise_applied(crd__text *out, const crd_operating_table *table,
                                    const crd__selective_sample *sample);
/* Appends why no threshold has the target; `sample` NULL: the rows cannot be split. */
void crd__selective_unreachable(crd__text *out, const crd_target *target, crd_guarantee guarantee,
                                const crd__selective_sample *sample);
/* Returns "clopper-pearson", "cluster-bootstrap" or "bootstrap". */
const char *crd__selective_interval(crd_guarantee guarantee, const crd__selective_sample *sample);

#endif
