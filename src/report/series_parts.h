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

/* Columns are the metrics, then the seconds, if they are known. */
size_t crd__report_series_columns(const crd_series_summary *s);
const char *crd__report_series_heading(const crd_series_summary *s, size_t column);
crd_direction crd__report_series_direction(const crd_series_summary *s, size_t column);
const crd_series_value *crd__report_series_value(const crd_series_summary *s, size_t candidate,
                                                 size_t column);

/* Mean and deviation as text, with the decimals of the column: four, or up to six if a mean would
 * have fewer than two digits. "-" for NaN. */
typedef struct {
  char mean[CRD__NUMBER_SIZE], std[CRD__NUMBER_SIZE];
  bool has_std;
} crd__report_series_cell;
crd__report_series_cell crd__report_series_cell_format(const crd_series_summary *s,
                                                       size_t candidate, size_t column);

/* Ranks a candidate by its mean, as shown, among those that have the column in all runs. */
typedef enum {
  CRD__SERIES_OTHER, /* or there is no better direction, or all are equal */
  CRD__SERIES_BEST,
  CRD__SERIES_SECOND
} crd__report_series_rank;
crd__report_series_rank crd__report_series_rank_of(const crd_series_summary *s, size_t candidate,
                                                   size_t column);

/* '+' if the column is significantly better than identity's (p < 0.05), '-' if worse, else ' '. */
char crd__report_series_mark(const crd_series_summary *s, size_t candidate, size_t column);
/* Returns whether any difference from identity was tested. */
bool crd__report_series_is_tested(const crd_series_summary *s);

/* ---- Tables (series_text.c, series_table.c). */

/* Adds tables of all columns, as many as fit into 80 characters beside each other; `heading` is
 * that of the names. */
void crd__report_series_add_tables(crd__text *out, const crd_series_summary *s, const char *heading,
                                   const crd_report_options *options);
/* Adds a sentence, indented and wrapped, and clears it. */
void crd__report_series_add_sentence(crd__text *out, crd__text *sentence,
                                     const crd_report_options *options);
/* Add one table of all columns. */
void crd__report_series_add_markdown(crd__text *out, const crd_series_summary *s,
                                     const char *heading);
void crd__report_series_add_latex(crd__text *out, const crd_series_summary *s, const char *heading);

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
