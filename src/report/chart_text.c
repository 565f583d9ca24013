/*
 * chart_text.c -- charts for a terminal of 80 columns.
 *
 *   precision
 *       1.0 ┤⠉⠉⠒⠒⠢⠤⣀
 *           │        ⠑⢄
 *       0.5 ┤          ⠱⡀
 *           └┬────────┬───
 *            0.0     0.5
 *                   recall
 */
#include "report/chart.h"

#include "report/diagram.h"
#include "report/palette.h"
#include "report/plain.h"
#include "report/raster.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LABEL = 9, PAGE_PER_LINE = 20, SAMPLE = 6, WORDS_MOST = 40, WIDTH = 80 };

static const crd__report_raster_pen pens[] = {
  [CRD__PEN_FIRST] = { 1, 0, '*', "36" },   [CRD__PEN_SECOND] = { 4, 4, 'o', "33" },
  [CRD__PEN_THIRD] = { 1, 1, '+', "32" },   [CRD__PEN_IDEAL] = { 1, 3, '.', "2" },
  [CRD__PEN_ACCURACY] = { 1, 0, '|', "1" }, [CRD__PEN_CONFIDENCE] = { 2, 2, '!', "31" },
  [CRD__PEN_BAND] = { 1, 0, ':', "2" },
};

/* Colours of looks (palette.h), and their marks in ASCII: of lines, and of dashed ones. */
static const crd__report_raster_pen colours[CRD__PALETTE_COLOURS] = {
  { 1, 0, '*', "34" }, { 1, 0, '#', "33" }, { 1, 0, '+', "32" }, { 1, 0, 'x', "35" },
  { 1, 0, '~', "36" }, { 1, 0, 'o', "31" }, { 1, 0, '=', "1" },  { 1, 0, '&', "93" },
};
static const char dashed_marks[CRD__PALETTE_COLOURS] = { '.', ';', ':', '"', '^', ',', '-', '\'' };

/* Without colours, looks are told apart by their dashes; dashed lines are dotted. */
static crd__report_raster_pen pen_of(const crd__report_series *s) {
  static const unsigned dashes[][2] = { { 1, 0 }, { 4, 1 }, { 6, 2 }, { 2, 1 } };
  if (!s->look) return pens[s->pen];
  const size_t look = s->look - 1, colour = look % CRD__PALETTE_COLOURS;
  const unsigned *const dash = dashes[look / CRD__PALETTE_COLOURS % 4];
  if (s->dashed)
    return (crd__report_raster_pen){ 1, 2, dashed_marks[colour], colours[colour].colour };
  return (crd__report_raster_pen){ dash[0], dash[1], colours[colour].mark, colours[colour].colour };
}

typedef struct {
  crd__text *out;
  const crd_report_options *options;
  crd__report_axis x, y; /* in dots */
  crd__report_raster raster;
  crd__report_raster_pen used[CRD__SERIES_MAX]; /* by the raster */
} canvas;

/* ---- Marks. */

static void draw_line(canvas *c, const crd__report_series *s, const crd__report_raster_pen *pen) {
  crd__report_raster_stroke stroke = { .pen = pen };
  for (size_t i = 0; i < s->count; i++) {
    const crd_point p = crd__report_series_at(s, i);
    if (isfinite(p.x) && isfinite(p.y))
      crd__report_raster_line(&c->raster, &stroke, crd__report_scale_at(&c->x.scale, p.x),
                              crd__report_scale_at(&c->y.scale, p.y));
    else stroke.down = false;
  }
}

/* Interpolates a band's upper and lower edge at a dot; returns false outside of the band. */
static bool band_at(const canvas *c, const crd__report_series *s, double dot, double *top,
                    double *bottom) {
  for (size_t i = 0; i + 1 < s->count; i++) {
    const crd_point p = crd__report_series_at(s, i), q = crd__report_series_at(s, i + 1);
    const double from = crd__report_scale_at(&c->x.scale, p.x),
                 to = crd__report_scale_at(&c->x.scale, q.x);
    if (!(from <= dot && dot <= to && from < to)) continue;
    const double share = (dot - from) / (to - from);
    const double a = s->foot ? s->foot(s->items, i) : 0;
    const double b = s->foot ? s->foot(s->items, i + 1) : 0;
    *top = crd__report_scale_at(&c->y.scale, p.y + (q.y - p.y) * share);
    *bottom = crd__report_scale_within(&c->y.scale, a + (b - a) * share);
    return true;
  }
  return false;
}

static void draw_band(canvas *c, const crd__report_series *s) {
  double top, bottom;
  for (size_t i = 0; i < c->raster.width; i++)
    if (band_at(c, s, 2 * (double)i + 0.5, &top, &bottom))
      crd__report_raster_shade(&c->raster, 2 * (double)i, top, bottom);
}

static void draw_marks(canvas *c, const crd__report_panel *p) {
  for (size_t i = 0; i < p->count; i++) {
    c->used[i] = pen_of(&p->series[i]);
    if (p->series[i].shape == CRD__SHAPE_BAND) draw_band(c, &p->series[i]);
    else draw_line(c, &p->series[i], &c->used[i]);
  }
  for (size_t i = 0; i < p->spot_count; i++)
    crd__report_raster_spot(&c->raster, crd__report_scale_at(&c->x.scale, p->spots[i].at.x),
                            crd__report_scale_at(&c->y.scale, p->spots[i].at.y));
}

/* ---- Axes. */

/* Returns the label of the tick in row `row` of characters; NULL if it has none. */
static const char *label_at(const canvas *c, size_t row, char text[CRD__NUMBER_SIZE]) {
  for (size_t i = 0; i < c->y.ticks.count; i++) {
    const long dot = lrint(crd__report_scale_at(&c->y.scale, c->y.ticks.at[i]));
    if (dot / 4 == (long)row) return crd__report_axis_number(text, &c->y, c->y.ticks.at[i]);
  }
  return NULL;
}

static void add_rows(const canvas *c) {
  char number[CRD__NUMBER_SIZE];
  for (size_t row = 0; row < c->raster.height; row++) {
    const char *const label = label_at(c, row, number);
    const bool ascii = c->options->ascii;
    crd__text_addf(c->out, "%*s %s", LABEL, label ? label : "",
                   label ? (ascii ? "+" : "┤") : (ascii ? "|" : "│"));
    crd__report_raster_add(c->out, &c->raster, row, c->options);
    crd__text_add(c->out, "\n");
  }
}

static long column_of(const canvas *c, double value) {
  return lrint(crd__report_scale_at(&c->x.scale, value)) / 2;
}

static bool is_tick(const canvas *c, long column) {
  for (size_t i = 0; i < c->x.ticks.count; i++)
    if (column_of(c, c->x.ticks.at[i]) == column) return true;
  return false;
}

static void add_bottom(const canvas *c) {
  const bool ascii = c->options->ascii;
  crd__report_text_add_spaces(c->out, LABEL + 1);
  crd__text_add(c->out, ascii ? "+" : "└");
  for (size_t i = 0; i < c->raster.width; i++)
    crd__text_add(c->out, is_tick(c, (long)i) ? (ascii ? "+" : "┬") : (ascii ? "-" : "─"));
  crd__text_add(c->out, "\n");
}

/* Prints each number below its tick, except where it would touch the one before. */
static void add_numbers(const canvas *c) {
  char number[CRD__NUMBER_SIZE];
  size_t column = 0;
  for (size_t i = 0; i < c->x.ticks.count; i++) {
    crd__report_axis_number(number, &c->x, c->x.ticks.at[i]);
    const size_t middle = LABEL + 2 + (size_t)column_of(c, c->x.ticks.at[i]);
    const size_t from = middle - strlen(number) / 2;
    if (column > 0 && from < column + 1) continue;
    crd__report_text_add_spaces(c->out, from - column);
    crd__text_add(c->out, number);
    column = from + strlen(number);
  }
  crd__text_add(c->out, "\n");
  crd__report_text_add_spaces(c->out, LABEL + 2 + (c->raster.width - strlen(c->x.label)) / 2);
  crd__text_addf(c->out, "%s\n", c->x.label);
}

/* ---- The panel. */

static void add_panel(const crd__report_drawing *d, const crd__report_panel *p,
                      const crd_report_options *options) {
  canvas c = { .out = d->out, .options = options };
  const size_t lines = (size_t)(p->height / PAGE_PER_LINE);
  c.raster.width = CRD__RASTER_WIDTH;
  c.raster.height = lines < CRD__RASTER_HEIGHT ? lines : CRD__RASTER_HEIGHT;
  c.x = (crd__report_axis){ p->x, p->across, crd__report_panel_ticks(p), !p->x };
  c.y = (crd__report_axis){ p->y, p->up,
                            crd__report_panel_levels(p, lines < 6   ? 2
                                                        : lines < 8 ? 3
                                                                    : 5),
                            false };
  c.x.scale.from = 0;
  c.x.scale.to = crd__report_raster_across(&c.raster) - 1;
  c.y.scale.from = crd__report_raster_down(&c.raster) - 1;
  c.y.scale.to = 0;
  draw_marks(&c, p);
  const size_t name = crd__report_text_columns(p->y);
  crd__text_add(d->out, "\n  ");
  crd__report_text_add_column(d->out, p->y, name < WIDTH - 2 ? name : WIDTH - 2, options->ascii);
  crd__text_add(d->out, "\n");
  add_rows(&c);
  add_bottom(&c);
  if (p->x) add_numbers(&c);
}

/* ---- The legend. */

/* Appends a sample of the line, drawn on its own raster. */
static void add_sample(crd__text *out, const crd__report_series *s,
                       const crd_report_options *options) {
  crd__report_raster sample = { .width = SAMPLE, .height = 1 };
  const crd__report_raster_pen pen = pen_of(s);
  crd__report_raster_stroke stroke = { .pen = &pen };
  if (s->shape == CRD__SHAPE_BAND) {
    for (size_t i = 0; i < sample.width; i++)
      crd__report_raster_shade(&sample, 2 * (double)i, 0, 4);
  } else {
    crd__report_raster_line(&sample, &stroke, 0, 1);
    crd__report_raster_line(&sample, &stroke, crd__report_raster_across(&sample) - 1, 1);
  }
  crd__report_raster_add(out, &sample, 0, options);
}

typedef struct {
  crd__text *out;
  size_t column;
} legend;

/* Begins an entry of `columns` columns, on this line if it fits, else on the next. */
static void begin_entry(legend *l, size_t columns) {
  const bool fits = l->column > 0 && l->column + 3 + columns <= WIDTH;
  if (fits) crd__report_text_add_spaces(l->out, 3);
  else crd__text_add(l->out, "\n  ");
  l->column = (fits ? l->column + 3 : 2) + columns;
}

/* `name` of the panel, shown before its highlighted points; "" if the chart has one panel. */
static void add_legend(const crd__report_drawing *d, const crd__report_panel *p, const char *name,
                       legend *l, const crd_report_options *options) {
  for (size_t i = 0; i < p->count; i++) {
    const crd__report_series *const s = &p->series[i];
    if (!s->words || s->unlisted || s->count == 0) continue;
    const size_t columns = crd__report_text_columns(s->words);
    const size_t shown = columns < WORDS_MOST ? columns : WORDS_MOST;
    begin_entry(l, SAMPLE + 1 + shown);
    add_sample(d->out, s, options);
    crd__text_add(d->out, " ");
    crd__report_text_add_column(d->out, s->words, shown, options->ascii);
  }
  for (size_t i = 0; i < p->spot_count; i++) {
    begin_entry(l, 4 + strlen(name) + strlen(p->spots[i].words));
    crd__text_addf(d->out, "%s %s%s%s", options->ascii ? "@" : "●", name, *name ? ", " : "",
                   p->spots[i].words);
  }
}

static void add_heading(const crd__report_drawing *d, const crd__report_chart *chart,
                        const crd_report_options *options) {
  if (!*chart->about) {
    crd__report_figure_print_heading(d, options);
    return;
  }
  crd__report_heading_add_name(d->out, options, d->title);
  crd__report_text_add_wrapped(d->out, chart->about,
                               &(crd__report_wrapping){ 0, 0, WIDTH, options->ascii });
}

void crd__report_chart_print(const crd__report_drawing *d, const crd__report_chart *chart,
                             const crd_report_options *options) {
  char metrics[400];
  legend l = { .out = d->out };
  add_heading(d, chart, options);
  if (chart->nothing) {
    crd__text_addf(d->out, "\n  %s\n", chart->nothing);
  } else {
    for (size_t i = 0; i < chart->count; i++) add_panel(d, &chart->panels[i], options);
    for (size_t i = 0; i < chart->count; i++)
      add_legend(d, &chart->panels[i], chart->count > 1 ? chart->panels[i].y : "", &l, options);
    crd__text_add(d->out, l.column ? "\n" : "");
  }
  crd__report_chart_values(chart, d->result, metrics, sizeof metrics);
  if (*metrics) {
    crd__text_add(d->out, "\n  ");
    crd__report_text_add_wrapped(d->out, metrics,
                                 &(crd__report_wrapping){ 2, 2, WIDTH, options->ascii });
  }
}
