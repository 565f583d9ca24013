/* palette.h -- colours and marks for many classes, and for values around 0. */
#ifndef CRD_REPORT_PALETTE_H
#define CRD_REPORT_PALETTE_H

#include "report/svg.h"

/* Combinations of colour and mark ("looks"), which tell up to 32 classes apart. */
enum { CRD__PALETTE_COLOURS = 8, CRD__PALETTE_LOOKS = 32 };

/* Returns the look of the line at an index: colours that differ most come first; with every round,
 * marks are shifted. */
size_t crd__report_palette_look(size_t index);

/* Defines the CSS classes, after crd__report_svg_open: hot, cold and cell; ring and hole; those of
 * looks.
 */
void crd__report_palette_add(crd__text *out);

/* Defines the CSS classes of looks, and of lines in their colours. */
void crd__report_palette_add_lines(crd__text *out);
/* Returns the CSS classes of a line in the colour of a look. */
const char *crd__report_palette_line(char text[static 32], size_t look, bool dashed);

/* Begins an SVG path of one look, to which marks are added. */
void crd__report_palette_begin(crd__text *out, size_t look);
void crd__report_palette_mark(crd__text *out, size_t look, double x, double y);

#endif
