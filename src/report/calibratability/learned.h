/* learned.h -- learned epochs as a table of a series (series_parts.h), whose candidates are the
 * training methods. */
#ifndef CRD_REPORT_LEARNED_H
#define CRD_REPORT_LEARNED_H

#include "report/form.h"

struct crd__report_learned {
  const crd_learned *results;
  crd_series_summary table;
  /* Memory of the table. */
  crd_series_candidate *candidates;
  crd_series_value *values;
  char (*names)[128];
};

/* Makes the table; `results` is borrowed. CRD_ENOMEM. Must be cleared after success. */
crd_status crd__report_learned_make(crd_context *ctx, const crd_learned *results,
                                    crd__report_learned *out);
void crd__report_learned_clear(const crd_allocator *alloc, crd__report_learned *sheet);

#endif
