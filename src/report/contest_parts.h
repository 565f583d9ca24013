/* contest_parts.h -- parts of a contest's report: calibration and refinement, shifted sets. */
#ifndef CRD_REPORT_CONTEST_PARTS_H
#define CRD_REPORT_CONTEST_PARTS_H

#include "report/form.h"

/* Returns the metrics that show calibration and refinement; NULL past the end. */
const char *crd__report_balance_metric(size_t index);
/* Returns a metric of a comparison; NULL if it has none, or is NULL. */
const crd_difference *crd__report_difference_of(const crd_comparison *comparison,
                                                const char *metric);
/* Returns '+' better, '-' worse beyond chance, else ' '. */
char crd__report_change_mark(const crd_difference *difference);

/* Appends the table of changes as text; nothing if no method can be compared. */
void crd__report_contest_balance(const crd_contest *contest, const crd_report_options *options,
                                 crd__text *out);

/* ---- Shifted sets (contest_shift.c); nothing if there are none. */

void crd__report_contest_shift_text(const crd_contest *contest, const crd_report_options *options,
                                    crd__text *out);
/* Further lines of the CSV, which then has a last column `shift`. */
void crd__report_contest_shift_csv(const crd_contest *contest, crd__text *out);
void crd__report_contest_shift_markdown(const crd_contest *contest, crd__text *out);
void crd__report_contest_shift_latex(const crd_contest *contest, crd__text *out);
void crd__report_contest_shift_json(const crd_contest *contest, crd__text *out);

#endif
