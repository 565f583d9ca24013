/* axes.h -- from numbers to places on a page: scales, ticks, axes with a grid, legends. */
#ifndef CRD_REPORT_AXES_H
#define CRD_REPORT_AXES_H

#include "report/decimal.h"
#include "report/svg.h"

/* low .. high of the data lie at from .. to on the page. */
typedef struct {
  double low, high, from, to;
  bool logarithmic; /* low above 0 */
} crd__report_scale;

double crd__report_scale_at(const crd__report_scale *scale, double value);
/* The same; what lies outside is moved to the end of the scale. */
double crd__report_scale_within(const crd__report_scale *scale, double value);

enum { CRD__TICKS_MAX = 24 };
typedef struct {
  double at[CRD__TICKS_MAX];
  size_t count;
  unsigned decimals; /* that tell them apart */
} crd__report_ticks;

/* Multiples of 1, 2 or 5 times a power of ten within low .. high: about `wanted`, 2 .. 10, of them;
 * none when low is not below high. */
crd__report_ticks crd__report_ticks_linear(double low, double high, size_t wanted);
/* Powers of ten within low .. high, with 2 and 5 times these over less than three decades. */
crd__report_ticks crd__report_ticks_logarithmic(double low, double high);

typedef struct {
  const char *label;
  crd__report_scale scale;
  crd__report_ticks ticks;
  bool bare; /* neither numbers nor label: another axis has them */
} crd__report_axis;

/* A tick's number as the axis writes it. */
const char *crd__report_axis_number(char text[CRD__NUMBER_SIZE], const crd__report_axis *axis,
                                    double value);
/* Along the line y, with a grid up to the line `top`. */
void crd__report_axis_bottom(crd__text *out, const crd__report_axis *axis, double y, double top);
/* Along the line x, with a grid up to the line `right`. */
void crd__report_axis_left(crd__text *out, const crd__report_axis *axis, double x, double right);

typedef enum { CRD__MARK_BOX, CRD__MARK_STRIPES, CRD__MARK_LINE, CRD__MARK_DOT } crd__report_mark;
typedef struct {
  crd__report_mark mark;
  const char *kind, *words;
} crd__report_legend_row;

enum { CRD__LEGEND_STEP = 18 }; /* between its lines */
/* One below the other, the first at (x, y). */
void crd__report_legend_add(crd__text *out, const crd__report_svg_page *page, double x, double y,
                            const crd__report_legend_row *rows, size_t count);

#endif
