/* shift.h -- shifted sets of a result: text, CSV, Markdown, LaTeX, JSON. */
#ifndef CRD_REPORT_SHIFT_H
#define CRD_REPORT_SHIFT_H

#include "credence/shift.h"
#include "report/form.h"

/* Append the tables of all shifted sets; nothing if there are none (shift_text.c, shift_table.c,
 * shift_json.c). */
void crd__report_shift_text(crd__text *out, const crd_result *result,
                            const crd_report_options *options);
void crd__report_shift_markdown(crd__text *out, const crd_result *result);
void crd__report_shift_latex(crd__text *out, const crd_result *result);
/* Lines of a CSV file whose line begins with `before`, and the fields that its other lines lack. */
#define CRD__SHIFT_CSV_HEADING ",shift,difference,difference_low,difference_high,difference_p"
#define CRD__SHIFT_CSV_NONE ",,,,,"
void crd__report_shift_csv(crd__text *out, const crd_result *result, const char *before);
/* ,"shift": {...} */
void crd__report_shift_json(crd__text *out, const crd_shift_table *shift, const char *indent);

/* Returns how the rows of a set belong to the original's, in words. */
const char *crd__report_shift_rows(const crd_shift *shift);
/* Appends a sentence on a set: accuracy, calibration and refinement. */
void crd__report_shift_sentence(crd__text *out, const crd_result *original, const crd_shift *shift);

#endif
