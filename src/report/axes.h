/* axes.h -- scales from data to page coordinates, ticks, axes with a grid, legends. */
#ifndef CRD_REPORT_AXES_H
#define CRD_REPORT_AXES_H

#include "report/decimal.h"
#include "report/svg.h"

/* Maps low .. high of the data to from .. to on the page. */
typedef struct {
  double low, high, from, to;
  bool logarithmic; /* low above 0 */
} crd__report_scale;

/* Returns the page coordinate of a value. */
double crd__report_scale_at(const crd__report_scale *scale, double value);
/* The same, with values clamped to low .. high. */
double crd__report_scale_within(const crd__report_scale *scale, double value);

enum { CRD__TICKS_MAX = 24 };
typedef struct {
  double at[CRD__TICKS_MAX];
  size_t count;
  unsigned decimals; /* needed to tell them apart */
} crd__report_ticks;

/* Returns about `wanted` (2 .. 10) multiples of 1, 2 or 5 times a power of ten within low .. high;
 * none unless low < high. */
crd__report_ticks crd__report_ticks_linear(double low, double high, size_t wanted);
/* Returns the powers of ten within low .. high; over less than three decades, also 2 and 5 times
 * these. */
crd__report_ticks crd__report_ticks_logarithmic(double low, double high);

/* Returns the ticks of a scale, about `wanted` of a linear one. */
crd__report_ticks crd__report_scale_ticks(const crd__report_scale *scale, size_t wanted);

typedef struct {
  const char *label;
  crd__report_scale scale;
  crd__report_ticks ticks;
  bool bare; /* no numbers and no label: another axis has them */
} crd__report_axis;

/* Formats the number of a tick. */
const char *crd__report_axis_number(char text[CRD__NUMBER_SIZE], const crd__report_axis *axis,
                                    double value);
/* Draws a horizontal axis at y, with a grid up to `top`. */
void crd__report_axis_bottom(crd__text *out, const crd__report_axis *axis, double y, double top);
/* Draws a vertical axis at x, with a grid up to `right`. */
void crd__report_axis_left(crd__text *out, const crd__report_axis *axis, double x, double right);

typedef enum { CRD__MARK_BOX, CRD__MARK_STRIPES, CRD__MARK_LINE, CRD__MARK_DOT } crd__report_mark;
typedef struct {
  crd__report_mark mark;
  const char *kind, *words;
} crd__report_legend_row;

enum { CRD__LEGEND_STEP = 18, CRD__LEGEND_SWATCH = 20 }; /* distance of entries; their width */
/* Draws legend entries one below the other, the first at (x, y). */
void crd__report_legend_add(crd__text *out, const crd__report_svg_page *page, double x, double y,
                            const crd__report_legend_row *rows, size_t count);

#endif
