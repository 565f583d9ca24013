/*
 * raster.h -- lines for a terminal: a grid of characters, each of 2 x 4 dots (braille), or, in
 * ASCII, each a mark of its pen.
 */
#ifndef CRD_REPORT_RASTER_H
#define CRD_REPORT_RASTER_H

#include "base/text.h"
#include "credence/report.h"

enum { CRD__RASTER_WIDTH = 62, CRD__RASTER_HEIGHT = 18 };

/* How a line looks: so many dots drawn, so many left out; a mark where there are no dots. */
typedef struct {
  unsigned on, off;
  char mark;
  const char *colour; /* an ANSI style */
} crd__report_raster_pen;

typedef struct {
  size_t width, height; /* in characters, at most as above */
  unsigned char dots[CRD__RASTER_HEIGHT][CRD__RASTER_WIDTH];
  bool shaded[CRD__RASTER_HEIGHT][CRD__RASTER_WIDTH];
  bool spots[CRD__RASTER_HEIGHT][CRD__RASTER_WIDTH];
  const crd__report_raster_pen
      *pens[CRD__RASTER_HEIGHT][CRD__RASTER_WIDTH]; /* the last that drew here */
} crd__report_raster;

/* Where a pen is: in dots from the upper left corner, and how far into its dashes. */
typedef struct {
  const crd__report_raster_pen *pen;
  long x, y;
  unsigned drawn;
  bool down; /* it has touched the paper */
} crd__report_raster_stroke;

/* How many dots there are either way. */
static inline double crd__report_raster_across(const crd__report_raster *r) {
  return (double)(2 * r->width);
}
static inline double crd__report_raster_down(const crd__report_raster *r) {
  return (double)(4 * r->height);
}

/* A line from where the pen is to the dot at x, y; the first is a dot. What lies outside is not
 * drawn. */
void crd__report_raster_line(crd__report_raster *raster, crd__report_raster_stroke *stroke,
                             double x, double y);
/* Grey from one dot down to another in the character column that has the dot x. */
void crd__report_raster_shade(crd__report_raster *raster, double x, double top, double bottom);
/* A point that stands out. */
void crd__report_raster_spot(crd__report_raster *raster, double x, double y);
/* One line of characters, without the spaces at its end. */
void crd__report_raster_add(crd__text *out, const crd__report_raster *raster, size_t row,
                            const crd_report_options *options);

#endif
