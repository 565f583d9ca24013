/* plan.h -- from a list of names to metrics and the tallies they share. */
#ifndef CRD_METRIC_PLAN_H
#define CRD_METRIC_PLAN_H

#include "metric/evidence.h"

/* Names, comma-separated, or "all", or NULL for the default set; in the order of the table, each
 * once. EUSAGE names an unknown one and its nearest relative. `paired`: will be compared. */
crd_status crd__plan_make(crd_context *ctx, const char *names, bool paired, crd__plan *out);
/* Gather one tally more, of no metric; at most once. */
void crd__plan_add(crd__plan *plan, const crd__tally *tally);
void crd__plan_clear(const crd_allocator *alloc, crd__plan *plan);
bool crd__plan_equal(const crd__plan *a, const crd__plan *b);

#endif
