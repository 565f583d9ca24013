/*
 * svg.c -- writes SVG.
 *
 * The same drawing gives the same bytes on every machine: coordinates have at most two decimals and
 * are printed as integers. Colours are those of Okabe and Ito (2008), which colour-blind readers
 * can distinguish; stripes, dashes or position carry the same information. Renderers that do not
 * know `prefers-color-scheme` use the light colours. Every CSS rule begins with .crd, since in an
 * HTML page a style applies to the whole page.
 */
#include "report/svg.h"

#include "base/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* ---- Numbers and text. */

void crd__report_svg_add_number(crd__text *out, double value) {
  static const double far = 1e7;
  if (isnan(value)) value = 0;
  if (value > far) value = far;
  if (value < -far) value = -far;
  const int64_t hundredths = (int64_t)rint(value * 100);
  const int64_t size = hundredths < 0 ? -hundredths : hundredths;
  crd__text_addf(out, "%s%" PRId64, hundredths < 0 ? "-" : "", size / 100);
  if (size % 10) crd__text_addf(out, ".%02" PRId64, size % 100);
  else if (size % 100) crd__text_addf(out, ".%" PRId64, size % 100 / 10);
}

/* Returns whether XML 1.0 allows the character; control characters are excluded. */
static bool is_allowed(const char *s, size_t length) {
  const unsigned char *const u = (const unsigned char *)s;
  if (length == 0) return false;
  if (length == 1) return u[0] >= 0x20 && u[0] != 0x7f;
  if (length == 2) return u[0] != 0xc2 || u[1] >= 0xa0;
  const bool unassigned = u[0] == 0xef && u[1] == 0xbf && u[2] >= 0xbe; /* U+FFFE, U+FFFF */
  return length > 3 || !unassigned;
}

static void add_character(crd__text *out, const char *s, size_t length) {
  static const char special[] = "&<>\"'";
  static const char *const entities[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&#39;" };
  const char *const found = strchr(special, *s);
  if (found) crd__text_add(out, entities[found - special]);
  else crd__text_add_bytes(out, s, length);
}

/* Returns the next allowed character and sets *length to its bytes; NULL at the end. */
static const char *next_shown(const char *s, size_t *length) {
  for (; *s; s += *length ? *length : 1) {
    *length = crd__utf8_length(s);
    if (is_allowed(s, *length)) return s;
  }
  return NULL;
}

size_t crd__report_svg_length(const char *words) {
  size_t count = 0, length = 0;
  while ((words = next_shown(words, &length))) {
    count++;
    words += length;
  }
  return count;
}

void crd__report_svg_add_words(crd__text *out, const char *words, size_t most) {
  size_t left = crd__report_svg_length(words), length = 0;
  const bool whole = left <= most;
  if (!whole) left = most > 0 ? most - 1 : 0;
  for (; left > 0; left--) {
    words = next_shown(words, &length);
    add_character(out, words, length);
    words += length;
  }
  if (!whole) crd__text_add(out, "\xe2\x80\xa6");
}

/* " x=\"12.5\"" */
static void add_attribute(crd__text *out, const char *name, double value) {
  crd__text_addf(out, " %s=\"", name);
  crd__report_svg_add_number(out, value);
  crd__text_add(out, "\"");
}

/* ---- The page. */

#define BLACK "#1b1b1b"
#define WHITE "#ececec"
#define BLUE "#0072b2"
#define SKY "#56b4e9"
#define VERMILION "#d55e00"
#define ORANGE "#f0a04b"
#define GREEN "#009e73"
#define MINT "#4fd1ae"

static const crd__report_svg_rule all_pages[] = {
  { "paper", "fill:#fff", "fill:#16181c" },
  { "text", "fill:" BLACK, "fill:" WHITE },
  { "title", "font-size:15px;font-weight:600", NULL },
  { "small", "font-size:10px", NULL },
  { "strong", "font-weight:700", NULL },
  { "halo", "paint-order:stroke;stroke:#fff;stroke-width:4px", "stroke:#16181c" },
  { "dim", "fill:#595959", "fill:#a6a6a6" },
  { "axis", "stroke:#595959;fill:none", "stroke:#a6a6a6" },
  { "grid", "stroke:#e2e2e2;fill:none", "stroke:#33373d" },
  { "frame", "stroke:#a8a8a8;fill:none;stroke-dasharray:2 2", "stroke:#60666e" },
  { "bar", "fill:" BLUE, "fill:" SKY },
  { "edge", "stroke:" BLUE ";fill:none", "stroke:" SKY },
  { "over", "stroke:" VERMILION, "stroke:" ORANGE },
  { "under", "stroke:" GREEN, "stroke:" MINT },
  { "band", "fill:#8c8c8c;fill-opacity:.35", "fill:#b0b0b0;fill-opacity:.35" },
  { "chosen", "fill:" GREEN ";fill-opacity:.14", "fill:" MINT ";fill-opacity:.18" },
  { "whisker", "stroke:" BLACK ";stroke-width:1.4;fill:none", "stroke:" WHITE },
  { "dot", "fill:" BLACK, "fill:" WHITE },
  { "ideal", "stroke:#595959;stroke-dasharray:5 3;fill:none", "stroke:#a6a6a6" },
  { "confidence", "stroke:" VERMILION ";stroke-width:2;stroke-dasharray:6 3;fill:none",
    "stroke:" ORANGE },
  { "accuracy", "stroke:" BLACK ";stroke-width:2;fill:none", "stroke:" WHITE },
  { "first", "stroke:" BLUE ";stroke-width:2;fill:none", "stroke:" SKY },
  { "second", "stroke:" VERMILION ";stroke-width:2;stroke-dasharray:7 3;fill:none",
    "stroke:" ORANGE },
  { "third", "stroke:" GREEN ";stroke-width:2;stroke-dasharray:2 2;fill:none", "stroke:" MINT },
  { "first-area", "fill:" BLUE ";fill-opacity:.22", "fill:" SKY },
  { "second-area", "fill:" VERMILION ";fill-opacity:.22", "fill:" ORANGE },
  { "third-area", "fill:" GREEN ";fill-opacity:.22", "fill:" MINT },
};

static void add_rules(crd__text *out, const crd__report_svg_rule *rules, size_t count) {
  for (size_t i = 0; i < count; i++)
    crd__text_addf(out, ".crd .%s{%s}\n", rules[i].kind, rules[i].light);
  crd__text_add(out, "@media (prefers-color-scheme:dark){\n");
  for (size_t i = 0; i < count; i++)
    if (rules[i].dark) crd__text_addf(out, ".crd .%s{%s}\n", rules[i].kind, rules[i].dark);
  crd__text_add(out, "}\n</style>\n");
}

void crd__report_svg_style(crd__text *out, const crd__report_svg_rule *rules, size_t count) {
  crd__text_add(out, "<style>\n");
  add_rules(out, rules, count);
}

void crd__report_svg_common_style(crd__text *out) {
  crd__text_add(out, "<style>\n"
                     ".crd text{font:12px Helvetica,Arial,\"DejaVu Sans\",sans-serif}\n");
  add_rules(out, all_pages, sizeof all_pages / sizeof *all_pages);
}

/* Stripes that rise for "over" (overconfident) and fall for "under" (underconfident). */
static void add_stripes(crd__text *out, const crd__report_svg_page *page, const char *kind,
                        const char *path) {
  crd__text_add(out, "<pattern id=\"");
  crd__report_svg_add_words(out, page->id, SIZE_MAX);
  crd__text_addf(out,
                 "-%s\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">"
                 "<path class=\"%s\" d=\"%s\" stroke-width=\"1.8\" fill=\"none\"/></pattern>\n",
                 kind, kind, path);
}

static void add_label(crd__text *out, const crd__report_svg_page *page, const char *tag,
                      const char *label) {
  crd__text_addf(out, "<%s id=\"", tag);
  crd__report_svg_add_words(out, page->id, SIZE_MAX);
  crd__text_addf(out, "-%s\">", tag);
  crd__report_svg_add_words(out, label, SIZE_MAX);
  crd__text_addf(out, "</%s>\n", tag);
}

void crd__report_svg_open(crd__text *out, const crd__report_svg_page *page) {
  crd__text_add(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"crd\" viewBox=\"0 0 ");
  crd__report_svg_add_number(out, page->width);
  crd__text_add(out, " ");
  crd__report_svg_add_number(out, page->height);
  crd__text_add(out, "\"");
  add_attribute(out, "width", page->width);
  add_attribute(out, "height", page->height);
  crd__text_add(out, " role=\"img\" aria-labelledby=\"");
  crd__report_svg_add_words(out, page->id, SIZE_MAX);
  crd__text_add(out, "-title ");
  crd__report_svg_add_words(out, page->id, SIZE_MAX);
  crd__text_add(out, "-desc\">\n");
  add_label(out, page, "title", page->title);
  add_label(out, page, "desc", page->desc);
  crd__report_svg_common_style(out);
  crd__text_add(out, "<defs>\n");
  add_stripes(out, page, "over", "M-1 7L7 -1M-1 1L1 -1M5 7L7 5");
  add_stripes(out, page, "under", "M-1 -1L7 7M5 -1L7 1M-1 5L1 7");
  crd__text_add(out, "</defs>\n");
  crd__report_svg_rect(out, "paper", (crd__report_box){ 0, 0, page->width, page->height });
}

void crd__report_svg_close(crd__text *out) { crd__text_add(out, "</svg>\n"); }

void crd__report_svg_group(crd__text *out, const char *label) {
  crd__text_add(out, "<g");
  if (label) {
    crd__text_add(out, " aria-label=\"");
    crd__report_svg_add_words(out, label, SIZE_MAX);
    crd__text_add(out, "\"><title>");
    crd__report_svg_add_words(out, label, SIZE_MAX);
    crd__text_add(out, "</title");
  }
  crd__text_add(out, ">\n");
}

void crd__report_svg_group_at(crd__text *out, double x, double y, double scale) {
  crd__text_add(out, "<g transform=\"translate(");
  crd__report_svg_add_number(out, x);
  crd__text_add(out, ",");
  crd__report_svg_add_number(out, y);
  crd__text_add(out, ") scale(");
  crd__report_svg_add_number(out, scale);
  crd__text_add(out, ")\">\n");
}

void crd__report_svg_group_end(crd__text *out) { crd__text_add(out, "</g>\n"); }

/* ---- Marks. */

static void begin(crd__text *out, const char *tag, const char *kind) {
  crd__text_addf(out, "<%s class=\"%s\"", tag, kind);
}

static void end(crd__text *out) { crd__text_add(out, "/>\n"); }

static void add_box(crd__text *out, crd__report_box box) {
  add_attribute(out, "x", box.x);
  add_attribute(out, "y", box.y);
  add_attribute(out, "width", box.width > 0 ? box.width : 0);
  add_attribute(out, "height", box.height > 0 ? box.height : 0);
}

void crd__report_svg_rect(crd__text *out, const char *kind, crd__report_box box) {
  begin(out, "rect", kind);
  add_box(out, box);
  end(out);
}

void crd__report_svg_rect_deep(crd__text *out, const char *kind, crd__report_box box,
                               double depth) {
  begin(out, "rect", kind);
  add_box(out, box);
  add_attribute(out, "fill-opacity", depth);
  end(out);
}

void crd__report_svg_rect_striped(crd__text *out, const crd__report_svg_page *page,
                                  const char *kind, crd__report_box box) {
  begin(out, "rect", kind);
  add_box(out, box);
  crd__text_add(out, " fill=\"url(#");
  crd__report_svg_add_words(out, page->id, SIZE_MAX);
  crd__text_addf(out, "-%s)\"", kind);
  end(out);
}

void crd__report_svg_line(crd__text *out, const char *kind, double x1, double y1, double x2,
                          double y2) {
  begin(out, "line", kind);
  add_attribute(out, "x1", x1);
  add_attribute(out, "y1", y1);
  add_attribute(out, "x2", x2);
  add_attribute(out, "y2", y2);
  end(out);
}

void crd__report_svg_circle(crd__text *out, const char *kind, double x, double y, double radius) {
  begin(out, "circle", kind);
  add_attribute(out, "cx", x);
  add_attribute(out, "cy", y);
  add_attribute(out, "r", radius);
  end(out);
}

void crd__report_svg_points_begin(crd__text *out, const char *tag, const char *kind) {
  begin(out, tag, kind);
  crd__text_add(out, " points=\"");
}

void crd__report_svg_point(crd__text *out, double x, double y) {
  const bool is_first = out->length > 0 && out->bytes[out->length - 1] == '"';
  if (!is_first) crd__text_add(out, " ");
  crd__report_svg_add_number(out, x);
  crd__text_add(out, ",");
  crd__report_svg_add_number(out, y);
}

void crd__report_svg_points_end(crd__text *out) {
  crd__text_add(out, "\"");
  end(out);
}

void crd__report_svg_polyline(crd__text *out, const char *kind, const double *points,
                              size_t count) {
  crd__report_svg_points_begin(out, "polyline", kind);
  for (size_t i = 0; i < count; i++) crd__report_svg_point(out, points[2 * i], points[2 * i + 1]);
  crd__report_svg_points_end(out);
}

void crd__report_svg_path_begin(crd__text *out, const char *kind, double depth) {
  begin(out, "path", kind);
  if (depth < 1) add_attribute(out, "fill-opacity", depth);
  crd__text_add(out, " d=\"");
}

void crd__report_svg_path_add(crd__text *out, double x, double y, const char *rest) {
  crd__text_add(out, "M");
  crd__report_svg_add_number(out, x);
  crd__text_add(out, " ");
  crd__report_svg_add_number(out, y);
  crd__text_add(out, rest);
}

void crd__report_svg_path_add_box(crd__text *out, crd__report_box box) {
  crd__report_svg_path_add(out, box.x, box.y, "h");
  crd__report_svg_add_number(out, box.width);
  crd__text_add(out, "v");
  crd__report_svg_add_number(out, box.height);
  crd__text_add(out, "h");
  crd__report_svg_add_number(out, -box.width);
  crd__text_add(out, "z");
}

void crd__report_svg_path_end(crd__text *out) {
  crd__text_add(out, "\"");
  end(out);
}

static void add_text(crd__text *out, const char *words, size_t most) {
  crd__text_add(out, ">");
  crd__report_svg_add_words(out, words, most);
  crd__text_add(out, "</text>\n");
}

void crd__report_svg_text(crd__text *out, const char *kind, crd__report_svg_place place,
                          const char *words) {
  static const char *const anchors[] = { "", " text-anchor=\"middle\"", " text-anchor=\"end\"" };
  begin(out, "text", kind);
  add_attribute(out, "x", place.x);
  add_attribute(out, "y", place.y);
  crd__text_add(out, anchors[place.anchor]);
  add_text(out, words, place.most ? place.most : SIZE_MAX);
}

void crd__report_svg_text_up(crd__text *out, const char *kind, double x, double y,
                             const char *words) {
  begin(out, "text", kind);
  crd__text_add(out, " text-anchor=\"middle\" transform=\"translate(");
  crd__report_svg_add_number(out, x);
  crd__text_add(out, ",");
  crd__report_svg_add_number(out, y);
  crd__text_add(out, ") rotate(-90)\"");
  add_text(out, words, SIZE_MAX);
}
