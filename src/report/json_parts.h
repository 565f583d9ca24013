/* json_parts.h -- parts of JSON that results and contests share. Lines begin with `indent`. */
#ifndef CRD_REPORT_JSON_PARTS_H
#define CRD_REPORT_JSON_PARTS_H

#include "base/text.h"
#include "credence/metric.h"

/* , "metrics": {...}, behind what stands on the same level already. */
void crd__json_metrics(crd__text *out, const crd_result *result, const char *indent);
/* {...} alone. */
void crd__json_differences(crd__text *out, const crd_comparison *comparison, const char *indent);

#endif
