/* palette.h -- colours and marks for many classes, and for values around 0. */
#ifndef CRD_REPORT_PALETTE_H
#define CRD_REPORT_PALETTE_H

#include "report/svg.h"

/* Combinations of colour and mark ("looks"), which tell up to 32 classes apart. */
enum { CRD__PALETTE_COLOURS = 8, CRD__PALETTE_LOOKS = 32 };

/* Defines the CSS classes, after crd__report_svg_open: hot, cold and cell; ring and hole; those of
 * looks.
 */
void crd__report_palette_add(crd__text *out);

/* Begins an SVG path of one look, to which marks are added. */
void crd__report_palette_begin(crd__text *out, size_t look);
void crd__report_palette_mark(crd__text *out, size_t look, double x, double y);

#endif
