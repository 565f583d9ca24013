/*
 * png.c -- a contact sheet as pixels: tiles are copied, letters are drawn as strokes.
 *
 * A pixel's share of a stroke is taken from the distance d of its centre to the stroke's line:
 * 1/2 + r - d, limited to 0 .. 1, which smooths the edge over one pixel.
 */
#include "dataset/sheet/sheet.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <math.h>
#include <string.h>

/* How a style looks: its size (height of capitals) and thickness in pixels, and its grey. */
typedef struct {
  double size, radius;
  unsigned char grey;
} look;

static const look looks[] = { [CRD__SHEET_TITLE] = { 22, 2.1, 0x1b },
                              [CRD__SHEET_STRONG] = { 18, 1.5, 0x1b },
                              [CRD__SHEET_DIM] = { 15, 1.05, 0x59 } };

typedef struct {
  crd__image *canvas;
  const look *look;
  double x, top; /* of the letter */
} pen;

static double distance(double x, double y, const double from[2], const double to[2]) {
  const double dx = to[0] - from[0], dy = to[1] - from[1];
  const double length = dx * dx + dy * dy;
  double along = length > 0 ? ((x - from[0]) * dx + (y - from[1]) * dy) / length : 0;
  along = along < 0 ? 0 : along > 1 ? 1 : along;
  return hypot(x - from[0] - along * dx, y - from[1] - along * dy);
}

static size_t limit(double value, size_t most) {
  return value <= 0 ? 0 : value >= (double)most ? most : (size_t)value;
}

/* Darkens pixels near a line; where strokes meet, the darkest one counts. */
static void draw_stroke(void *self, double x0, double y0, double x1, double y1) {
  const pen *const p = self;
  const double unit = p->look->size / 12, reach = p->look->radius + 1;
  const double from[2] = { p->x + x0 * unit, p->top + y0 * unit };
  const double to[2] = { p->x + x1 * unit, p->top + y1 * unit };
  crd__image *const canvas = p->canvas;
  const size_t left = limit(fmin(from[0], to[0]) - reach, canvas->width);
  const size_t right = limit(fmax(from[0], to[0]) + reach + 1, canvas->width);
  const size_t bottom = limit(fmax(from[1], to[1]) + reach + 1, canvas->height);
  for (size_t y = limit(fmin(from[1], to[1]) - reach, canvas->height); y < bottom; y++)
    for (size_t x = left; x < right; x++) {
      const double far = distance((double)x + 0.5, (double)y + 0.5, from, to);
      const double share = fmin(fmax(0.5 + p->look->radius - far, 0), 1);
      const unsigned char shade = (unsigned char)(255 - share * (255 - p->look->grey) + 0.5);
      unsigned char *const pixel = canvas->pixels + 3 * (y * canvas->width + x);
      if (shade < pixel[0]) memset(pixel, shade, 3);
    }
}

/* Draws a letter at the pen and moves the pen on. */
static void draw_letter(pen *p, char letter) {
  p->x += (crd__sheet_letter(letter, draw_stroke, p) + 3.2) * p->look->size / 12;
}

static void draw_text(crd__image *canvas, const crd__sheet_text *text) {
  const look *const style = &looks[text->style];
  pen p = { .canvas = canvas,
            .look = style,
            .x = text->x * CRD__SHEET_SCALE,
            .top = text->y * CRD__SHEET_SCALE - style->size };
  size_t drawn = 0;
  for (const char *at = text->words; *at; drawn++) {
    const size_t length = crd__utf8_length(at), step = length ? length : 1;
    if (drawn + 1 == text->most && at[step]) { /* as in SVG: the last place is an ellipsis */
      for (size_t i = 0; i < 3; i++) draw_letter(&p, '.');
      return;
    }
    draw_letter(&p, *at); /* of several bytes, the first one is beyond ASCII */
    at += step;
  }
}

/* Copies the nearest pixel of an image to each one of its tile. */
static void draw_tile(crd__image *canvas, const crd__sheet_tile *tile) {
  const crd__image *const image = &tile->image;
  const size_t width = (size_t)tile->width * CRD__SHEET_SCALE;
  const size_t height = (size_t)tile->height * CRD__SHEET_SCALE;
  const size_t top = (size_t)tile->y * CRD__SHEET_SCALE, left = (size_t)tile->x * CRD__SHEET_SCALE;
  for (size_t y = 0; y < height; y++)
    for (size_t x = 0; x < width; x++) {
      const size_t from = y * image->height / height * image->width + x * image->width / width;
      unsigned char *const to = canvas->pixels + 3 * ((top + y) * canvas->width + left + x);
      if (image->channels == 1) memset(to, image->pixels[from], 3);
      else memcpy(to, image->pixels + 3 * from, 3);
    }
}

crd_status crd__sheet_to_png(crd_context *ctx, const crd__sheet *sheet, crd__text *out) {
  crd__image canvas = { sheet->height * CRD__SHEET_SCALE, sheet->width * CRD__SHEET_SCALE, 3,
                        NULL };
  CRD_TRY(crd__image_allocate(ctx, &canvas));
  memset(canvas.pixels, 255, canvas.height * canvas.width * 3);
  for (size_t i = 0; i < sheet->tile_count; i++) draw_tile(&canvas, &sheet->tiles[i]);
  for (size_t i = 0; i < sheet->text_count; i++) draw_text(&canvas, &sheet->texts[i]);
  const crd_status status = crd__image_codec_png.encode(ctx, &canvas, 0, out);
  crd__image_clear(&ctx->alloc, &canvas);
  return status;
}
