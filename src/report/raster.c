/*
 * raster.c -- lines for a terminal.
 *
 * Braille characters are U+2800 plus a bit for each of their dots: four times the resolution of
 * letters in height, twice in width, in every terminal font. A character has one colour, so lines
 * are also told apart by dashes, whose length is counted in dots to be the same on steep and flat
 * lines.
 */
#include "report/raster.h"

#include "report/diagram.h"

#include <math.h>
#include <stdlib.h>

/* The bit of a dot, by row and column. */
static const unsigned char bits[4][2] = {
  { 0x01, 0x08 }, { 0x02, 0x10 }, { 0x04, 0x20 }, { 0x40, 0x80 }
};

static bool is_inside(const crd__report_raster *r, long x, long y) {
  return x >= 0 && y >= 0 && x < 2 * (long)r->width && y < 4 * (long)r->height;
}

static void add_dot(crd__report_raster *r, crd__report_raster_stroke *s, long x, long y) {
  const crd__report_raster_pen *const pen = s->pen;
  const bool on = s->drawn++ % (pen->on + pen->off) < pen->on;
  s->x = x;
  s->y = y;
  s->down = true;
  if (!on || !is_inside(r, x, y)) return;
  r->dots[y / 4][x / 2] |= bits[y % 4][x % 2];
  r->pens[y / 4][x / 2] = pen;
}

void crd__report_raster_line(crd__report_raster *r, crd__report_raster_stroke *s, double x,
                             double y) {
  static const double far = 1e4; /* bounds the length of a line */
  const long to_x = lrint(fmin(fmax(x, -far), far)), to_y = lrint(fmin(fmax(y, -far), far));
  if (!s->down) {
    add_dot(r, s, to_x, to_y);
    return;
  }
  const long from_x = s->x, from_y = s->y;
  const long wide = labs(to_x - from_x), high = labs(to_y - from_y);
  const long steps = wide > high ? wide : high;
  for (long i = 1; i <= steps; i++) {
    const double share = (double)i / (double)steps;
    add_dot(r, s, from_x + lrint((double)(to_x - from_x) * share),
            from_y + lrint((double)(to_y - from_y) * share));
  }
}

void crd__report_raster_shade(crd__report_raster *r, double x, double top, double bottom) {
  const long column = lrint(x) / 2;
  if (column < 0 || column >= (long)r->width) return;
  for (size_t row = 0; row < r->height; row++) {
    const double middle = 4 * (double)row + 1.5;
    if (middle >= top && middle <= bottom) r->shaded[row][column] = true;
  }
}

void crd__report_raster_spot(crd__report_raster *r, double x, double y) {
  const long at_x = lrint(x), at_y = lrint(y);
  if (is_inside(r, at_x, at_y)) r->spots[at_y / 4][at_x / 2] = true;
}

/* U+2800 .. U+28FF are three bytes. */
static void add_braille(crd__text *out, unsigned dots) {
  const char bytes[] = { (char)0xe2, (char)(0xa0 | (dots >> 6)), (char)(0x80 | (dots & 0x3f)) };
  crd__text_add_bytes(out, bytes, sizeof bytes);
}

static bool is_blank(const crd__report_raster *r, size_t row, size_t column) {
  return !r->dots[row][column] && !r->shaded[row][column] && !r->spots[row][column];
}

static void add_cell(crd__text *out, const crd__report_raster *r, size_t row, size_t column,
                     const crd_report_options *options) {
  const crd__report_raster_pen *const pen = r->pens[row][column];
  if (r->spots[row][column]) {
    crd__text_add(out, options->ascii ? "@" : "●");
  } else if (pen) {
    crd__report_style_add(out, options, pen->colour);
    if (options->ascii) crd__text_add_bytes(out, &pen->mark, 1);
    else add_braille(out, r->dots[row][column]);
    crd__report_style_add(out, options, "0");
  } else if (r->shaded[row][column]) {
    crd__text_add(out, options->ascii ? ":" : "░");
  } else {
    crd__text_add(out, " ");
  }
}

void crd__report_raster_add(crd__text *out, const crd__report_raster *r, size_t row,
                            const crd_report_options *options) {
  size_t end = r->width;
  while (end > 0 && is_blank(r, row, end - 1)) end--;
  for (size_t column = 0; column < end; column++) add_cell(out, r, row, column, options);
}
