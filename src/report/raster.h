/*
 * raster.h -- lines for a terminal: a grid of characters, each of 2 x 4 dots (braille), or, in
 * ASCII, each a mark of its pen.
 */
#ifndef CRD_REPORT_RASTER_H
#define CRD_REPORT_RASTER_H

#include "base/text.h"
#include "credence/report.h"

enum { CRD__RASTER_WIDTH = 62, CRD__RASTER_HEIGHT = 18 };

/* Style of a line. */
typedef struct {
  unsigned on, off;   /* dots drawn and omitted, for dashes */
  char mark;          /* in ASCII */
  const char *colour; /* ANSI style */
} crd__report_raster_pen;

typedef struct {
  size_t width, height; /* in characters, at most CRD__RASTER_WIDTH, CRD__RASTER_HEIGHT */
  unsigned char dots[CRD__RASTER_HEIGHT][CRD__RASTER_WIDTH];
  bool shaded[CRD__RASTER_HEIGHT][CRD__RASTER_WIDTH];
  bool spots[CRD__RASTER_HEIGHT][CRD__RASTER_WIDTH];
  const crd__report_raster_pen
      *pens[CRD__RASTER_HEIGHT][CRD__RASTER_WIDTH]; /* the last one that drew here */
} crd__report_raster;

/* Position of a pen, in dots from the upper left corner, and in its dash pattern. */
typedef struct {
  const crd__report_raster_pen *pen;
  long x, y;
  unsigned drawn;
  bool down; /* whether the line has begun */
} crd__report_raster_stroke;

/* Size in dots. */
static inline double crd__report_raster_across(const crd__report_raster *r) {
  return (double)(2 * r->width);
}
static inline double crd__report_raster_down(const crd__report_raster *r) {
  return (double)(4 * r->height);
}

/* Draws a line from the pen's position to (x, y), or the first dot of a line. Dots outside of the
 * raster are omitted. */
void crd__report_raster_line(crd__report_raster *raster, crd__report_raster_stroke *stroke,
                             double x, double y);
/* Shades the characters between two heights in the column of dot x. */
void crd__report_raster_shade(crd__report_raster *raster, double x, double top, double bottom);
/* Draws a highlighted point. */
void crd__report_raster_spot(crd__report_raster *raster, double x, double y);
/* Appends one line of characters, without trailing spaces. */
void crd__report_raster_add(crd__text *out, const crd__report_raster *raster, size_t row,
                            const crd_report_options *options);

#endif
