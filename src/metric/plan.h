/* plan.h -- from a list of names to metrics and the tallies they share. */
#ifndef CRD_METRIC_PLAN_H
#define CRD_METRIC_PLAN_H

#include "metric/evidence.h"

/* Names, comma-separated, or "all", or NULL for the default set; in the order of the table, each
 * once. EUSAGE names an unknown one and its nearest relative. `paired`: will be compared. */
crd_status crd__metric_plan_make(crd_context *ctx, const char *names, bool paired,
                                 crd__metric_plan *out);
/* Gather one tally more, of no metric; at most once. */
void crd__metric_plan_add(crd__metric_plan *plan, const crd__metric_tally *tally);
void crd__metric_plan_clear(const crd_allocator *alloc, crd__metric_plan *plan);
bool crd__metric_plan_equal(const crd__metric_plan *a, const crd__metric_plan *b);

#endif
