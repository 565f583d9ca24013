/* diagram.h -- the reliability diagram as text. */
#ifndef CRD_REPORT_DIAGRAM_H
#define CRD_REPORT_DIAGRAM_H

#include "report/form.h"

/* Appends one line per bin: confidence, accuracy, and their difference as a number and as a bar.
 * Nothing for a result without bins; a message for more than 100 of them. */
void crd__report_diagram_add(crd__text *out, const crd_result *result,
                             const crd_report_options *options);

/* Switches an ANSI style on ("1", "31", ...) or, with "0", off; does nothing without colour. */
void crd__report_style_add(crd__text *out, const crd_report_options *options, const char *style);

#endif
