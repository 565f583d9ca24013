/* svg.c -- a contact sheet as SVG, which holds its images as PNG files in base64. */
#include "dataset/sheet/sheet.h"

#include "report/svg.h"

static void add_base64(crd__text *out, const unsigned char *bytes, size_t count) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < count; i += 3) {
    const size_t left = count - i;
    const unsigned bits = (unsigned)bytes[i] << 16 | (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0) |
                          (left > 2 ? bytes[i + 2] : 0);
    char four[4] = { digits[bits >> 18], digits[bits >> 12 & 63], digits[bits >> 6 & 63],
                     digits[bits & 63] };
    if (left < 2) four[2] = '=';
    if (left < 3) four[3] = '=';
    crd__text_add_bytes(out, four, sizeof four);
  }
}

static void add_attribute(crd__text *out, const char *name, double value) {
  crd__text_addf(out, " %s=\"", name);
  crd__report_svg_add_number(out, value);
  crd__text_add(out, "\"");
}

static crd_status add_tile(crd_context *ctx, const crd__sheet_tile *tile, crd__text *out) {
  const crd__image_codec *const codec = &crd__image_codec_png;
  crd__text file;
  crd__text_init(&file, &ctx->alloc);
  const crd_status status = codec->encode(ctx, &tile->image, 0, &file);
  if (status == CRD_OK) {
    crd__text_add(out, "<image class=\"tile\"");
    add_attribute(out, "x", tile->x);
    add_attribute(out, "y", tile->y);
    add_attribute(out, "width", tile->width);
    add_attribute(out, "height", tile->height);
    crd__text_addf(out, " preserveAspectRatio=\"none\" href=\"data:%s;base64,", codec->media);
    add_base64(out, (const unsigned char *)file.bytes, file.length);
    crd__text_add(out, "\"/>\n");
  }
  crd__text_clear(&file);
  return status;
}

static void add_text(const crd__sheet_text *text, crd__text *out) {
  static const char *const kinds[] = {
    [CRD__SHEET_TITLE] = "text title", [CRD__SHEET_STRONG] = "text strong", [CRD__SHEET_DIM] = "dim"
  };
  const crd__report_svg_place place = { text->x, text->y, CRD__SVG_START, text->most };
  crd__report_svg_text(out, kinds[text->style], place, text->words);
}

crd_status crd__sheet_to_svg(crd_context *ctx, const crd__sheet *sheet, crd__text *out) {
  static const crd__report_svg_rule rules[] = { { "tile", "image-rendering:pixelated", NULL } };
  const crd__report_svg_page page = { .width = (double)sheet->width,
                                      .height = (double)sheet->height,
                                      .id = "sheet",
                                      .title = sheet->texts[0].words,
                                      .desc = sheet->texts[1].words };
  crd__report_svg_open(out, &page);
  crd__report_svg_style(out, rules, 1);
  for (size_t i = 0; i < sheet->text_count; i++) add_text(&sheet->texts[i], out);
  for (size_t i = 0; i < sheet->tile_count; i++) CRD_TRY(add_tile(ctx, &sheet->tiles[i], out));
  crd__report_svg_close(out);
  return crd__text_status(ctx, out);
}
