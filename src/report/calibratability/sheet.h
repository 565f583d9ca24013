/*
 * sheet.h -- calibratability as tables of a series (series_parts.h), whose
 * candidates are the training methods: one of all columns, and one of all sizes for each post-hoc
 * method.
 */
#ifndef CRD_REPORT_CALIBRATABILITY_SHEET_H
#define CRD_REPORT_CALIBRATABILITY_SHEET_H

#include "report/form.h"

struct crd__report_calibratability {
  const crd_calibratability *results;
  crd_series_summary table;
  crd_series_summary *sizes; /* one for each post-hoc method; NULL: no sizes */
  /* Memory of the tables. */
  crd_metric_info *headings;
  const crd_metric_info **heading_list;
  crd_series_candidate *candidates;
  crd_series_value *values;
  crd_series_difference *differences;
  char (*size_names)[32], (*names)[128];
};

/* Makes the tables; `results` is borrowed. CRD_ENOMEM. Must be cleared after success. */
crd_status crd__report_calibratability_make(crd_context *ctx, const crd_calibratability *results,
                                            crd__report_calibratability *out);
void crd__report_calibratability_clear(const crd_allocator *alloc,
                                       crd__report_calibratability *sheet);

/* ---- Sentences. */

/* "Mean and standard deviation over the runs (ce 5, ls 5) ...": what a number of the table is. */
void crd__report_calibratability_add_caption(crd__text *out, const crd_calibratability *results);
/* What the columns are: "after METHOD is the ECE ..." */
void crd__report_calibratability_add_columns(crd__text *out, const crd_calibratability *results);
/* "p < 0.05 in Welch's two-sample t-test over the runs, corrected for 3 training methods"; returns
 * false, and adds nothing, if nothing was tested. */
bool crd__report_calibratability_add_test(crd__text *out, const crd_calibratability *results);
/* "ECE after temperature, fitted on few rows: ...": what a table of sizes shows. */
void crd__report_calibratability_add_sizes(crd__text *out, const crd_calibratability *results,
                                           size_t method);

#endif
