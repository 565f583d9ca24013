/*
 * chart.c -- charts as SVG: panels one below the other, numbers at the top right, a legend at the
 * bottom right.
 *
 * Lines are clipped at the top of their panel. A chart without data is a frame with a message that
 * says why.
 */
#include "report/chart.h"

#include "report/decimal.h"
#include "report/palette.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
  WIDTH = 620,
  LEFT = 70,
  RIGHT = 420,
  TOP = 56,
  BESIDE = 440,
  MARGIN = 16,
  BELOW = 44,   /* space for the numbers and the label of the last axis */
  BETWEEN = 18, /* space between panels */
  NOTHING = 140,
  MARKS_MOST = 15, /* on one line */
  WORDS_MOST = 28, /* letters of the heading of numbers */
  LEGEND_MAX = CRD__PANELS_MAX * CRD__SERIES_MAX
};

/* CSS classes of svg.c for each pen: of lines, of areas, and of areas with a line. */
static const char *const lines[] = { "first",    "second",     "third", "ideal",
                                     "accuracy", "confidence", "band" };
static const char *const areas[] = { "first-area", "second-area", "third-area", "band",
                                     "band",       "band",        "band" };
static const char *const edged[] = {
  "first first-area", "second second-area", "third third-area", "band", "band", "band", "band"
};

typedef struct {
  const crd__report_drawing *d;
  const crd__report_panel *panel;
  crd__report_axis x, y;
} canvas;

static const char *line_kind(char text[static 32], const crd__report_series *s) {
  return s->look ? crd__report_palette_line(text, s->look - 1, s->dashed) : lines[s->pen];
}

static bool is_point(crd_point p) { return isfinite(p.x) && isfinite(p.y); }

static crd_point on_page(const canvas *c, crd_point p) {
  return (crd_point){ crd__report_scale_at(&c->x.scale, p.x),
                      crd__report_scale_at(&c->y.scale, p.y) };
}

/* Returns where the line between a point above the panel and one inside crosses its top. */
static crd_point crossing(crd_point from, crd_point to, double top) {
  return (crd_point){ from.x + (to.x - from.x) * ((top - from.y) / (to.y - from.y)), top };
}

static void add_line(const canvas *c, const crd__report_series *s) {
  crd__text *const out = c->d->out;
  const double top = c->y.scale.to;
  char kind[32];
  crd_point before = { 0, 0 };
  bool is_open = false, has_before = false;
  for (size_t i = 0; i < s->count; i++) {
    const crd_point raw = crd__report_series_at(s, i), p = on_page(c, raw);
    const bool exists = is_point(raw), inside = exists && p.y >= top;
    if (inside && !is_open) {
      crd__report_svg_points_begin(out, "polyline", line_kind(kind, s));
      if (has_before) crd__report_svg_point(out, crossing(before, p, top).x, top);
    }
    if (inside) crd__report_svg_point(out, p.x, p.y);
    else if (is_open) {
      if (exists) crd__report_svg_point(out, crossing(before, p, top).x, top);
      crd__report_svg_points_end(out);
    }
    is_open = inside;
    has_before = exists;
    before = p;
  }
  if (is_open) crd__report_svg_points_end(out);
}

/* Marks some points of a line, the first one too: one point alone is no line. */
static void add_marks(const canvas *c, const crd__report_series *s) {
  const size_t step = (s->count + MARKS_MOST - 1) / MARKS_MOST;
  crd__report_palette_begin(c->d->out, s->look - 1);
  for (size_t i = 0; i < s->count; i += step) {
    const crd_point raw = crd__report_series_at(s, i), p = on_page(c, raw);
    if (is_point(raw) && p.y >= c->y.scale.to)
      crd__report_palette_mark(c->d->out, s->look - 1, p.x, p.y);
  }
  crd__report_svg_path_end(c->d->out);
}

static double foot_of(const crd__report_series *s, size_t index) {
  return s->foot ? s->foot(s->items, index) : 0;
}

static bool has_width(const crd__report_series *s, size_t index) {
  return is_point(crd__report_series_at(s, index)) && !isnan(foot_of(s, index));
}

/* Draws a polygon: along the upper edge, clipped at the top of the panel, and back along the lower
 * edge. */
static void add_area(const canvas *c, const crd__report_series *s) {
  crd__text *const out = c->d->out;
  const double top = c->y.scale.to, bottom = c->y.scale.from;
  crd_point before = { 0, bottom };
  crd__report_svg_points_begin(out, "polygon", areas[s->pen]);
  for (size_t i = 0; i < s->count; i++) {
    if (!has_width(s, i)) continue;
    const crd_point p = on_page(c, crd__report_series_at(s, i));
    if (i > 0 && (p.y < top) != (before.y < top))
      crd__report_svg_point(out, crossing(before, p, top).x, top);
    crd__report_svg_point(out, p.x, fmin(fmax(p.y, top), bottom));
    before = p;
  }
  for (size_t i = s->count; i-- > 0;)
    if (has_width(s, i))
      crd__report_svg_point(out, crd__report_scale_at(&c->x.scale, crd__report_series_at(s, i).x),
                            crd__report_scale_within(&c->y.scale, foot_of(s, i)));
  crd__report_svg_points_end(out);
}

/* Called for the filled parts of all series first, so that lines are drawn on top. */
static void add_series(const canvas *c, const crd__report_series *s, bool filled) {
  if (s->count == 0 || s->shape == (filled ? CRD__SHAPE_LINE : CRD__SHAPE_BAND)) return;
  crd__report_svg_group(c->d->out, s->words);
  if (filled) add_area(c, s);
  else add_line(c, s);
  if (s->look && !s->dashed) add_marks(c, s);
  crd__report_svg_group_end(c->d->out);
}

/* Draws a dot with a label above it, shifted to stay inside the panel. */
static void add_spot(const canvas *c, const crd__report_spot *spot) {
  enum { ABOVE = 11 };
  static const double letter = 6.2; /* approximate width of a letter */
  const double x = crd__report_scale_within(&c->x.scale, spot->at.x);
  const double y = crd__report_scale_within(&c->y.scale, spot->at.y);
  const double half = letter * (double)strlen(spot->words) / 2;
  const double middle = fmin(fmax(x, LEFT + half + 4), RIGHT - half - 4);
  crd__report_svg_circle(c->d->out, "dot", x, y, 4);
  crd__report_svg_text(c->d->out, "text small strong halo",
                       (crd__report_svg_place){ middle, y - ABOVE, CRD__SVG_MIDDLE, 0 },
                       spot->words);
}

static void add_panel(const crd__report_drawing *d, const crd__report_panel *p, double top) {
  const double bottom = top + p->height;
  canvas c = { .d = d, .panel = p };
  c.x = (crd__report_axis){ p->x, p->across, crd__report_panel_ticks(p), !p->x };
  c.y = (crd__report_axis){ p->y, p->up, crd__report_panel_levels(p, p->height < 120 ? 2 : 5),
                            false };
  c.x.scale.from = LEFT;
  c.x.scale.to = RIGHT;
  c.y.scale.from = bottom;
  c.y.scale.to = top;
  crd__report_axis_left(d->out, &c.y, LEFT, RIGHT);
  crd__report_axis_bottom(d->out, &c.x, bottom, top);
  for (size_t i = 0; i < p->count; i++) add_series(&c, &p->series[i], true);
  for (size_t i = 0; i < p->count; i++) add_series(&c, &p->series[i], false);
  for (size_t i = 0; i < p->spot_count; i++) add_spot(&c, &p->spots[i]);
}

/* Appends the numbers that are not metrics, below the metrics. */
static void add_extras(const crd__report_drawing *d, const crd__report_chart *chart,
                       crd__report_box *at) {
  char number[CRD__NUMBER_SIZE];
  if (*chart->heading) {
    crd__report_svg_text(d->out, "dim small",
                         (crd__report_svg_place){ at->x, at->y, CRD__SVG_START, WORDS_MOST },
                         chart->heading);
    at->y += CRD__LEGEND_STEP;
  }
  for (size_t i = 0; i < chart->extra_count; i++) {
    if (isnan(chart->extras[i].value)) continue;
    crd__report_figure_fact(d, at, chart->extras[i].name,
                            crd__report_decimal_format(number, chart->extras[i].value, 4));
  }
}

/* Finds the entries of the legend; returns their number. */
static size_t list_series(const crd__report_chart *chart,
                          const crd__report_series *out[static LEGEND_MAX]) {
  size_t count = 0;
  for (size_t i = 0; i < chart->count; i++)
    for (size_t k = 0; k < chart->panels[i].count; k++) {
      const crd__report_series *const s = &chart->panels[i].series[k];
      if (s->words && !s->unlisted && s->count > 0) out[count++] = s;
    }
  return count;
}

/* The first entry is at `top`, or the last one at `bottom`; returns the end of the legend. */
static double add_legend(const crd__report_drawing *d, const crd__report_svg_page *page,
                         const crd__report_chart *chart, double top, double bottom) {
  const crd__report_series *series[LEGEND_MAX];
  const size_t count = list_series(chart, series);
  double y = chart->legend_first ? top : bottom - (double)count * CRD__LEGEND_STEP + 9;
  for (size_t i = 0; i < count; i++, y += CRD__LEGEND_STEP) {
    const crd__report_series *const s = series[i];
    char kind[32];
    const crd__report_legend_row row =
        s->shape == CRD__SHAPE_LINE
            ? (crd__report_legend_row){ CRD__MARK_LINE, line_kind(kind, s), s->words }
            : (crd__report_legend_row){ CRD__MARK_BOX, edged[s->pen], s->words };
    crd__report_legend_add(d->out, page, BESIDE, y, &row, 1);
    if (!s->look || s->dashed) continue;
    crd__report_palette_begin(d->out, s->look - 1);
    crd__report_palette_mark(d->out, s->look - 1, BESIDE + CRD__LEGEND_SWATCH / 2.0, y);
    crd__report_svg_path_end(d->out);
  }
  return y;
}

static double panels_height(const crd__report_chart *chart) {
  double height = chart->nothing ? NOTHING : chart->panels[0].height;
  for (size_t i = 1; i < chart->count && !chart->nothing; i++)
    height += BETWEEN + chart->panels[i].height;
  return height;
}

static bool has_looks(const crd__report_chart *chart) {
  for (size_t i = 0; i < chart->count; i++)
    for (size_t k = 0; k < chart->panels[i].count; k++)
      if (chart->panels[i].series[k].look) return true;
  return false;
}

/* Numbers and the legend, to the right of the panels. */
static void add_beside(const crd__report_drawing *d, const crd__report_svg_page *page,
                       const crd__report_chart *chart, double bottom) {
  crd__report_box at = { BESIDE, TOP + 8, WIDTH - MARGIN - BESIDE, 0 };
  if (chart->legend_first && !chart->nothing)
    at.y = add_legend(d, page, chart, at.y, bottom) + CRD__LEGEND_STEP;
  crd__report_figure_facts(d, chart->facts, chart->fact_count, &at);
  add_extras(d, chart, &at);
  if (!chart->legend_first && !chart->nothing) add_legend(d, page, chart, at.y, bottom);
}

void crd__report_chart_draw(const crd__report_drawing *d, const crd__report_chart *chart) {
  char title[300], metrics[400], desc[1000], about[sizeof chart->about];
  const crd_result *const r = d->result;
  if (*chart->about) snprintf(about, sizeof about, "%s", chart->about);
  else snprintf(about, sizeof about, "%zu row%s", r->rows, r->rows == 1 ? "" : "s");
  crd__report_chart_values(chart, r, metrics, sizeof metrics);
  snprintf(title, sizeof title, "%.60s of %.200s", chart->what, d->title);
  snprintf(desc, sizeof desc, "%.120s, of %s%s%s.%s%.120s", chart->shows, about,
           *metrics ? ": " : "", metrics, chart->nothing ? " " : "",
           chart->nothing ? chart->nothing : "");
  const double height = panels_height(chart);
  const crd__report_svg_page page = { WIDTH, TOP + height + BELOW, d->id, title, desc };
  crd__report_svg_open(d->out, &page);
  if (has_looks(chart)) crd__report_palette_add_lines(d->out);
  crd__report_figure_heading(d, LEFT, about);
  double top = TOP;
  for (size_t i = 0; i < chart->count && !chart->nothing; i++) {
    add_panel(d, &chart->panels[i], top);
    top += chart->panels[i].height + BETWEEN;
  }
  if (chart->nothing)
    crd__report_figure_nothing(d, (crd__report_box){ LEFT, TOP, RIGHT - LEFT, height },
                               chart->nothing);
  add_beside(d, &page, chart, TOP + height);
  crd__report_svg_close(d->out);
}
