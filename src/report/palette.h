/* palette.h -- colours for figures that need many: of classes, and of numbers around 0. */
#ifndef CRD_REPORT_PALETTE_H
#define CRD_REPORT_PALETTE_H

#include "report/svg.h"

/* Colours times marks: so many classes look different. */
enum { CRD__PALETTE_COLOURS = 8, CRD__PALETTE_LOOKS = 32 };

/* The classes below, after crd__report_svg_open: hot, cold and cell; ring and hole; those of looks.
 */
void crd__report_palette_add(crd__text *out);

/* The mark of a class: a path of this kind, which takes marks. */
void crd__report_palette_begin(crd__text *out, size_t look);
void crd__report_palette_mark(crd__text *out, size_t look, double x, double y);

#endif
