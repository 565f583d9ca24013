/*
 * sheet.h -- a contact sheet: a title, and for each class its name and some of its images.
 *
 * dataset --sheet.c--> pictures, and texts and tiles with their places --svg.c, png.c--> a file
 *
 * Places are in units of SVG; the PNG file has CRD__SHEET_SCALE pixels for each.
 */
#ifndef CRD_DATASET_SHEET_SHEET_H
#define CRD_DATASET_SHEET_SHEET_H

#include "dataset/image/image.h"

enum { CRD__SHEET_SCALE = 2 };

typedef enum { CRD__SHEET_TITLE, CRD__SHEET_STRONG, CRD__SHEET_DIM } crd__sheet_style;

typedef struct {
  double x, y; /* of the baseline's beginning */
  crd__sheet_style style;
  size_t most; /* characters before truncation */
  char words[200];
} crd__sheet_text;

typedef struct {
  double x, y, width, height;
  crd__image image;
} crd__sheet_tile;

typedef struct {
  size_t width, height;
  crd__sheet_text *texts;
  size_t text_count;
  crd__sheet_tile *tiles;
  size_t tile_count;
} crd__sheet;

/* Append the sheet to `out` as a file. */
crd_status crd__sheet_to_svg(crd_context *ctx, const crd__sheet *sheet, crd__text *out);
crd_status crd__sheet_to_png(crd_context *ctx, const crd__sheet *sheet, crd__text *out);

/* ---- Letters of the PNG file (font.c): strokes in a box of 12 units from baseline to top. */

/* Calls `draw` for each stroke of a character, a line from (x0, y0) to (x1, y1), y downwards from
 * the top of capitals; returns the character's width. Characters beyond ASCII are boxes. */
typedef void (*crd__sheet_stroke_fn)(void *self, double x0, double y0, double x1, double y1);
double crd__sheet_letter(char letter, crd__sheet_stroke_fn draw, void *self);

#endif
