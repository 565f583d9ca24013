/* diagram.h -- the reliability diagram as lines of text. */
#ifndef CRD_REPORT_DIAGRAM_H
#define CRD_REPORT_DIAGRAM_H

#include "report/form.h"

/* One line per bin: how sure, how often right, the difference as a number and as a bar. Nothing for
 * a result without bins; a sentence for one with more than fit on a few screens. */
void crd__report_diagram_add(crd__text *out, const crd_result *result,
                             const crd_report_options *options);

/* Switch an ANSI style on ("1", "31", ...) or, with "0", off; nothing without colour. */
void crd__report_style_add(crd__text *out, const crd_report_options *options, const char *style);

#endif
