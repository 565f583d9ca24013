/* heat.h -- colours of values around 0: blue is negative, orange positive, blank is 0. */
#ifndef CRD_REPORT_HEAT_H
#define CRD_REPORT_HEAT_H

#include "report/axes.h"

/* Levels of colour on each side of 0; size of a colour bar on the page. */
enum { CRD__HEAT_LEVELS = 25, CRD__HEAT_BAR = 160, CRD__HEAT_BAR_HEIGHT = 12 };

/* Returns the class of palette.h for values of this sign. */
const char *crd__report_heat_kind(double value);
/* Draws a colour bar from -most to most, above an axis at y. */
void crd__report_heat_bar(crd__text *out, double x, double y, double most, const char *label);

#endif
