/*
 * series_parts.h -- what all forms show of a series: columns of mean and standard deviation, the
 * best of each, and the sentences below the table.
 */
#ifndef CRD_REPORT_SERIES_PARTS_H
#define CRD_REPORT_SERIES_PARTS_H

#include "base/number.h"
#include "base/text.h"
#include "credence/contest.h"
#include "credence/report.h"
#include "report/grid/grid.h"

/* Columns are the metrics, then the seconds, if they are known. */
size_t crd__report_series_columns(const crd_series_summary *s);
const char *crd__report_series_heading(const crd_series_summary *s, size_t column);
crd_direction crd__report_series_direction(const crd_series_summary *s, size_t column);
const crd_series_value *crd__report_series_value(const crd_series_summary *s, size_t candidate,
                                                 size_t column);

/* The series as a table; `corner` is the heading of the names. `options` NULL: defaults. */
crd__report_grid crd__report_series_grid(const crd_series_summary *s,
                                         const crd_report_options *options, const char *corner);

/* Mean and deviation as text, as in the table. "-" for NaN. */
typedef struct {
  char mean[CRD__NUMBER_SIZE], std[CRD__NUMBER_SIZE];
  bool has_std;
} crd__report_series_cell;
crd__report_series_cell crd__report_series_cell_format(const crd_series_summary *s,
                                                       size_t candidate, size_t column);

/* Ranks a candidate by its mean, as shown, among those that have the column in all runs. */
crd__report_rank crd__report_series_rank_of(const crd_series_summary *s, size_t candidate,
                                            size_t column);

/* '+' if the column is significantly better than identity's (p < 0.05), '-' if worse, else ' '. */
char crd__report_series_mark(const crd_series_summary *s, size_t candidate, size_t column);
/* Returns whether any difference from identity was tested. */
bool crd__report_series_is_tested(const crd_series_summary *s);

/* Append the table, and in text and Markdown an empty line. */
void crd__report_series_add_tables(crd__text *out, const crd_series_summary *s, const char *corner,
                                   const crd_report_options *options);
void crd__report_series_add_markdown(crd__text *out, const crd_series_summary *s,
                                     const char *corner, const crd_report_options *options);
void crd__report_series_add_latex(crd__text *out, const crd_series_summary *s, const char *corner,
                                  const crd_report_options *options);

/* Adds a sentence, indented and wrapped, and clears it (series_text.c). */
void crd__report_series_add_sentence(crd__text *out, crd__text *sentence,
                                     const crd_report_options *options);

/* ---- Sentences. */

/* "Mean and standard deviation over 10 runs (CAPTION), ...": what a number of the table is. */
void crd__report_series_add_caption(crd__text *out, const crd_series_summary *s);
/* "p < 0.05 in the paired t-test over runs, corrected for 6 methods" */
void crd__report_series_add_test(crd__text *out, const crd_series_summary *s);
/* "The verdict recommends temperature in 9 of 10 runs, vector in 1." */
void crd__report_series_add_choices(crd__text *out, const crd_series_summary *s);
/* "failed in 1 of 4 runs: MESSAGE", "did not converge in 2 of 4 runs"; nothing for neither. */
void crd__report_series_add_trouble(crd__text *out, const crd_series_summary *s, size_t candidate);

#endif
