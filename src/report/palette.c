/*
 * palette.c -- colours and marks of many classes.
 *
 * The eight colours of Okabe and Ito (2008), the most distinct first; yellow, which is faint on
 * white, last and darker. After eight classes colours repeat with another mark.
 */
#include "report/palette.h"

#include <stdio.h>

#define WIDE "stroke-linecap:round;fill:none;stroke-width:"

static const crd__report_svg_rule rules[] = {
  { "hot", "fill:#d55e00;shape-rendering:crispEdges", "fill:#f0a04b" },
  { "cold", "fill:#0072b2;shape-rendering:crispEdges", "fill:#56b4e9" },
  { "cell", "fill:none;stroke:#595959;stroke-width:.8", "stroke:#a6a6a6" },
  { "c0", "stroke:#0072b2", "stroke:#3d9bdc" },
  { "c1", "stroke:#e69f00", NULL },
  { "c2", "stroke:#009e73", "stroke:#1fbf93" },
  { "c3", "stroke:#cc79a7", NULL },
  { "c4", "stroke:#56b4e9", "stroke:#9ad4f5" },
  { "c5", "stroke:#d55e00", "stroke:#e8743b" },
  { "c6", "stroke:#1b1b1b", "stroke:#ececec" },
  { "c7", "stroke:#d8c600", "stroke:#f0e442" },
  { "disc", WIDE "4.4", NULL },
  { "square", "stroke-width:3.8", NULL },
  { "triangle", "stroke-width:1.3;fill:none", NULL },
  { "cross", "stroke-width:1.3", NULL },
  { "ring", WIDE "8.4;stroke:#1b1b1b", "stroke:#ececec" },
  { "hole", WIDE "6.4;stroke:#fff", "stroke:#16181c" },
  { "line", "stroke-width:1.8;stroke-linejoin:round;fill:none", NULL },
  { "dashes", "stroke-width:1.6;stroke-dasharray:5 3;fill:none", NULL },
};
enum { RULES = sizeof rules / sizeof *rules, HEAT = 3, LINES = 2 }; /* the first, the last ones */

/* The start of a mark relative to its centre, and the rest of its SVG path. */
typedef struct {
  const char *kind;
  double x, y;
  const char *rest;
} mark;

static const mark marks[] = {
  { "disc", 0, 0, "h0" },
  { "cross", -1.8, -1.8, "l3.6 3.6m0-3.6l-3.6 3.6" },
  { "triangle", 0, -2.1, "l2 3.6h-4z" },
  { "square", -1.9, 0, "h3.8" },
};

static const mark *mark_of(size_t look) { return &marks[look / CRD__PALETTE_COLOURS]; }

void crd__report_palette_add(crd__text *out) { crd__report_svg_style(out, rules, RULES - LINES); }

void crd__report_palette_add_lines(crd__text *out) {
  crd__report_svg_style(out, rules + HEAT, RULES - HEAT);
}

const char *crd__report_palette_line(char text[static 32], size_t look, bool dashed) {
  snprintf(text, 32, "c%zu %s", look % CRD__PALETTE_COLOURS, dashed ? "dashes" : "line");
  return text;
}

void crd__report_palette_begin(crd__text *out, size_t look) {
  char kind[32];
  snprintf(kind, sizeof kind, "c%zu %s", look % CRD__PALETTE_COLOURS, mark_of(look)->kind);
  crd__report_svg_path_begin(out, kind, 1);
}

void crd__report_palette_mark(crd__text *out, size_t look, double x, double y) {
  const mark *const m = mark_of(look);
  crd__report_svg_path_add(out, x + m->x, y + m->y, m->rest);
}

size_t crd__report_palette_look(size_t index) {
  static const size_t colours[] = { 0, 5, 2, 3, 1, 6, 7 };
  enum { COLOURS = sizeof colours / sizeof *colours };
  return colours[index % COLOURS] + (index + index / COLOURS) % 4 * CRD__PALETTE_COLOURS;
}
