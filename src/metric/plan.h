/* plan.h -- parses a list of metrics, and collects the tallies they share. */
#ifndef CRD_METRIC_PLAN_H
#define CRD_METRIC_PLAN_H

#include "metric/evidence.h"

/* Reads comma-separated names of metrics, "all", or NULL for the default set; the metrics are in
 * the order of the table, each once. `paired`: keep what paired tests need. EUSAGE names an unknown
 * metric and the nearest known one. */
crd_status crd__metric_plan_make(crd_context *ctx, const char *names, bool paired,
                                 crd__metric_plan *out);
/* Adds a tally that no metric reads; at most once per plan. */
void crd__metric_plan_add(crd__metric_plan *plan, const crd__metric_tally *tally);
void crd__metric_plan_clear(const crd_allocator *alloc, crd__metric_plan *plan);
bool crd__metric_plan_equal(const crd__metric_plan *a, const crd__metric_plan *b);

#endif
