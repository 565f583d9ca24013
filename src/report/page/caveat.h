/* caveat.h -- findings that make a metric invalid or misleading, shown beside its value. */
#ifndef CRD_REPORT_PAGE_CAVEAT_H
#define CRD_REPORT_PAGE_CAVEAT_H

#include "base/text.h"
#include "credence/report.h"

/* Returns the worst finding about a metric in a few words; NULL: none. `diagnosis` may be NULL. */
const char *crd__page_caveat_find(const crd_diagnosis *diagnosis, const char *metric);
/* Appends, in a few words, what is wrong with a metric, the worst finding first; returns false, and
 * appends nothing, if nothing is. `value` NULL: not measured; `floor`: its value by chance, or NaN.
 * The text is plain, to be escaped. */
bool crd__page_caveat_add(crd__text *out, const crd_diagnosis *diagnosis, const char *metric,
                          const crd_metric_value *value, double floor);

#endif
