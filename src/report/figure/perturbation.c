/*
 * perturbation.c -- the perturbation of Neural Clamping, delta, in colours around 0: blue is
 * negative, orange positive, blank is 0.
 *
 * Images (channels, height, width) have one panel per channel and one of the mean over channels, on
 * one scale, from minus to plus the largest magnitude of delta. A matrix is one panel; of more
 * dimensions all but the last two are channels. A vector is drawn as bars by index. Cells of one
 * colour are one SVG element, and equal neighbours in a row one mark.
 */
#include "base/number.h"
#include "report/figure.h"
#include "report/form.h"
#include "report/heat.h"
#include "report/palette.h"

#include <math.h>
#include <stdio.h>

enum {
  LEFT = 24,
  TOP = 76,
  ACROSS = 4, /* panels side by side */
  PANEL = 176,
  PANEL_ALONE = 400,
  SIDE_MOST = 36,
  GAP = 20,
  LABEL = 20,
  BELOW = 64, /* colour bar */
  WIDTH_LEAST = 420,
  BARS_LEFT = 64,
  BARS_WIDTH = 560,
  BARS_HEIGHT = 240,
  BARS_MOST = 4096,
  SIDE_CELLS = 256,
  PANELS_MOST = 64,
  PRINTED_ROWS = 32,
  PRINTED_COLUMNS = 36, /* two characters each */
  PRINTED_BARS = 32,
  PRINTED_REACH = 24
};

typedef struct {
  const crd__report_drawing *d;
  const crd_perturbation *p;
  size_t channels, rows, columns, count;
  size_t panels; /* of the mean too */
  double low, high, most, norm;
} sheet;

/* ---- Values. */

static sheet look(const crd_perturbation *p) {
  sheet s = { .p = p, .channels = 1, .rows = 1, .columns = 1, .low = p->values[0] };
  double sum = 0;
  s.high = s.low;
  if (p->rank > 0) s.columns = (size_t)p->dims[p->rank - 1];
  if (p->rank > 1) s.rows = (size_t)p->dims[p->rank - 2];
  for (size_t i = 0; i + 2 < p->rank; i++) s.channels *= (size_t)p->dims[i];
  s.count = s.channels * s.rows * s.columns;
  s.panels = s.channels > 1 ? s.channels + 1 : 1;
  for (size_t i = 0; i < s.count; i++) {
    const double value = p->values[i];
    s.low = fmin(s.low, value);
    s.high = fmax(s.high, value);
    sum += value * value;
  }
  s.most = fmax(fabs(s.low), fabs(s.high));
  s.norm = sqrt(sum);
  return s;
}

/* The value of a cell; the last of several panels is the mean over channels. */
static double value_of(const sheet *s, size_t panel, size_t row, size_t column) {
  const size_t area = s->rows * s->columns, at = row * s->columns + column;
  double sum = 0;
  if (panel < s->channels) return s->p->values[panel * area + at];
  for (size_t c = 0; c < s->channels; c++) sum += s->p->values[c * area + at];
  return sum / (double)s->channels;
}

static double depth_of(const sheet *s, double value) { return s->most > 0 ? value / s->most : 0; }

static bool is_vector(const sheet *s) { return s->rows == 1 && s->channels == 1; }

static crd_status perturbation_check(crd_context *ctx, const crd_figure_data *data, bool terminal) {
  const sheet s = look(data->perturbation);
  (void)terminal;
  if (is_vector(&s) && s.columns > BARS_MOST)
    return crd__fail(ctx, CRD_EUSAGE, "%zu elements are too many to draw, allowed are up to %d",
                     s.columns, BARS_MOST);
  if (s.rows > SIDE_CELLS || (s.columns > SIDE_CELLS && !is_vector(&s)))
    return crd__fail(ctx, CRD_EUSAGE,
                     "%zu x %zu elements are too many to draw, allowed are up to %d x %d", s.rows,
                     s.columns, SIDE_CELLS, SIDE_CELLS);
  if (s.channels <= PANELS_MOST) return CRD_OK;
  return crd__fail(ctx, CRD_EUSAGE, "%zu channels are too many to draw, allowed are up to %d",
                   s.channels, PANELS_MOST);
}

/* "3 x 32 x 32, |delta| 0.2, from -0.1 to 0.2; T 1.5" */
static const char *facts_of(const sheet *s, char text[static 256]) {
  char norm[CRD__NUMBER_SIZE], low[CRD__NUMBER_SIZE], high[CRD__NUMBER_SIZE], t[CRD__NUMBER_SIZE];
  size_t at = 0;
  for (size_t i = 0; i < s->p->rank; i++)
    at += (size_t)snprintf(text + at, 256 - at, "%s%lld", i ? " x " : "", (long long)s->p->dims[i]);
  snprintf(text + at, 256 - at, "%s, |delta| %s, from %s to %s; T %s",
           s->p->rank > 1  ? ""
           : s->count == 1 ? " element"
                           : " elements",
           crd__number_brief(norm, s->norm, 4), crd__number_brief(low, s->low, 3),
           crd__number_brief(high, s->high, 3), crd__number_brief(t, s->p->temperature, 4));
  return text;
}

/* ---- Panels. */

/* The place of a panel: cells of the same side in all of them. */
typedef struct {
  const sheet *s;
  double side, step_x, step_y;
  size_t across;
} grid;

static grid arrange(const sheet *s) {
  const double room = s->panels > 1 ? PANEL : PANEL_ALONE;
  const size_t longest = s->rows > s->columns ? s->rows : s->columns;
  grid g = { .s = s, .side = fmin(SIDE_MOST, room / (double)longest) };
  g.across = s->panels < ACROSS ? s->panels : ACROSS;
  g.step_x = (double)s->columns * g.side + GAP;
  g.step_y = (double)s->rows * g.side + GAP + LABEL;
  return g;
}

static crd__report_box box_of(const grid *g, size_t panel, size_t row, size_t column,
                              size_t cells) {
  const size_t line = panel / g->across, place = panel % g->across;
  const double x = LEFT + (double)place * g->step_x, y = TOP + (double)line * g->step_y;
  return (crd__report_box){ x + (double)column * g->side, y + (double)row * g->side,
                            (double)cells * g->side, g->side };
}

static int level_of(const sheet *s, size_t panel, size_t row, size_t column) {
  return (int)rint(depth_of(s, value_of(s, panel, row, column)) * CRD__HEAT_LEVELS);
}

static void add_level(const grid *g, size_t panel, int level) {
  const sheet *const s = g->s;
  bool begun = false;
  for (size_t row = 0; row < s->rows; row++)
    for (size_t column = 0, run; column < s->columns; column += run) {
      const int here = level_of(s, panel, row, column);
      run = 1;
      while (column + run < s->columns && level_of(s, panel, row, column + run) == here) run++;
      if (here != level) continue;
      if (!begun)
        crd__report_svg_path_begin(s->d->out, crd__report_heat_kind(level),
                                   fabs((double)level) / CRD__HEAT_LEVELS);
      begun = true;
      crd__report_svg_path_add_box(s->d->out, box_of(g, panel, row, column, run));
    }
  if (begun) crd__report_svg_path_end(s->d->out);
}

static void add_panel(const grid *g, size_t panel) {
  const sheet *const s = g->s;
  crd__report_box frame = box_of(g, panel, 0, 0, s->columns);
  char label[48];
  frame.height = (double)s->rows * g->side;
  if (panel < s->channels) snprintf(label, sizeof label, "channel %zu", panel);
  else snprintf(label, sizeof label, "mean");
  crd__report_svg_group(s->d->out, s->panels > 1 ? label : "delta");
  for (int level = -CRD__HEAT_LEVELS; level <= CRD__HEAT_LEVELS; level++)
    if (level) add_level(g, panel, level);
  crd__report_svg_rect(s->d->out, "cell", frame);
  crd__report_svg_group_end(s->d->out);
  if (s->panels > 1)
    crd__report_svg_text(
        s->d->out, "text small",
        (crd__report_svg_place){ frame.x + frame.width / 2, frame.y - 6, CRD__SVG_MIDDLE, 0 },
        label);
}

static void draw_panels(const sheet *s, const char *below, crd__report_svg_page page) {
  const grid g = arrange(s);
  const size_t lines = (s->panels + g.across - 1) / g.across;
  const double bottom = TOP + (double)lines * g.step_y - LABEL;
  page.width = fmax(WIDTH_LEAST, LEFT + (double)g.across * g.step_x + 4);
  page.height = bottom + BELOW;
  crd__report_svg_open(s->d->out, &page);
  crd__report_palette_add(s->d->out);
  crd__report_figure_heading(s->d, LEFT, below);
  for (size_t panel = 0; panel < s->panels; panel++) add_panel(&g, panel);
  if (s->most > 0)
    crd__report_heat_bar(s->d->out, LEFT + 16, bottom + CRD__HEAT_BAR_HEIGHT, s->most, "delta");
  crd__report_svg_close(s->d->out);
}

/* ---- Bars. */

static void add_bars(const sheet *s, const crd__report_scale *x, const crd__report_scale *y,
                     int sign) {
  const double zero = crd__report_scale_at(y, 0), width = (x->to - x->from) / (double)s->columns;
  bool begun = false;
  for (size_t i = 0; i < s->columns; i++) {
    const double value = s->p->values[i];
    if (value * sign <= 0) continue;
    if (!begun) crd__report_svg_path_begin(s->d->out, crd__report_heat_kind(sign), 1);
    begun = true;
    const double end = crd__report_scale_at(y, value);
    crd__report_svg_path_add_box(s->d->out, (crd__report_box){ x->from + ((double)i + 0.1) * width,
                                                               fmin(zero, end), 0.8 * width,
                                                               fabs(zero - end) });
  }
  if (begun) crd__report_svg_path_end(s->d->out);
}

static void draw_bars(const sheet *s, const char *below, crd__report_svg_page page) {
  const double right = BARS_LEFT + BARS_WIDTH, bottom = TOP + BARS_HEIGHT - GAP;
  const double reach = s->most > 0 ? 1.05 * s->most : 1;
  const crd__report_scale x = { -0.5, (double)s->columns - 0.5, BARS_LEFT, right, false };
  const crd__report_scale y = { -reach, reach, bottom, TOP - GAP, false };
  const crd__report_axis index = {
    "element", x,
    s->columns > 1
        ? crd__report_ticks_linear(0, (double)s->columns - 1,
                                   s->columns < 10 ? (s->columns < 3 ? 2 : s->columns) : 8)
        : (crd__report_ticks){ .count = 1 },
    false
  };
  const crd__report_axis value = { "delta", y, crd__report_ticks_linear(-reach, reach, 6), false };
  page.width = right + LEFT;
  page.height = bottom + BELOW - 12;
  crd__report_svg_open(s->d->out, &page);
  crd__report_palette_add(s->d->out);
  crd__report_figure_heading(s->d, LEFT, below);
  crd__report_axis_left(s->d->out, &value, BARS_LEFT, right);
  crd__report_axis_bottom(s->d->out, &index, bottom, bottom);
  add_bars(s, &x, &y, -1);
  add_bars(s, &x, &y, 1);
  const double zero = crd__report_scale_at(&y, 0);
  crd__report_svg_line(s->d->out, "axis", BARS_LEFT, zero, right, zero);
  crd__report_svg_close(s->d->out);
}

static void perturbation_draw(const crd__report_drawing *d) {
  char title[256], desc[400], below[256];
  sheet s = look(d->perturbation);
  s.d = d;
  facts_of(&s, below);
  snprintf(title, sizeof title, "Perturbation of %.200s", d->title);
  snprintf(desc, sizeof desc, "The perturbation that is added to every input: %s.", below);
  const crd__report_svg_page page = { .id = d->id, .title = title, .desc = desc };
  (is_vector(&s) ? draw_bars : draw_panels)(&s, below, page);
}

/* ---- Terminal. */

/* Means of blocks of cells, so that they fit. */
typedef struct {
  size_t rows, columns;
  double most;
  double values[PRINTED_ROWS * PRINTED_COLUMNS];
} picture;

static size_t edge(size_t index, size_t parts, size_t count) { return index * count / parts; }

static void shrink(const sheet *s, size_t panel, picture *out) {
  out->rows = s->rows < PRINTED_ROWS ? s->rows : PRINTED_ROWS;
  out->columns = s->columns < PRINTED_COLUMNS ? s->columns : PRINTED_COLUMNS;
  out->most = 0;
  for (size_t i = 0; i < out->rows * out->columns; i++) {
    const size_t row = i / out->columns, column = i % out->columns;
    double sum = 0, count = 0;
    for (size_t r = edge(row, out->rows, s->rows); r < edge(row + 1, out->rows, s->rows); r++)
      for (size_t c = edge(column, out->columns, s->columns);
           c < edge(column + 1, out->columns, s->columns); c++, count++)
        sum += value_of(s, panel, r, c);
    out->values[i] = sum / count;
    out->most = fmax(out->most, fabs(out->values[i]));
  }
}

/* A sign and a shade. */
static void print_cell(crd__text *out, const crd_report_options *options, double depth) {
  static const char *const shades[][5] = { { "·", "░", "▒", "▓", "█" },
                                           { ".", ":", "*", "%", "#" } };
  const size_t shade = (size_t)rint(4 * fabs(depth));
  crd__text_add(out, !shade ? " " : depth < 0 ? "-" : "+");
  crd__text_add(out, shades[options->ascii != 0][shade]);
}

static void print_panel(const sheet *s, const crd_report_options *options) {
  crd__text *const out = s->d->out;
  char number[CRD__NUMBER_SIZE];
  picture p;
  shrink(s, s->panels - 1, &p);
  for (size_t row = 0; row < p.rows; row++) {
    crd__text_add(out, "  ");
    for (size_t column = 0; column < p.columns; column++)
      print_cell(out, options, p.most > 0 ? p.values[row * p.columns + column] / p.most : 0);
    crd__text_add(out, "\n");
  }
  crd__text_addf(out, "\n  %s is %s%s%s\n", options->ascii ? "#" : "█",
                 crd__number_brief(number, p.most, 3),
                 s->channels > 1 ? "; mean over channels" : "",
                 p.rows < s->rows || p.columns < s->columns ? "; mean over neighbours" : "");
}

/* One line for each element, or for the mean of some. */
static void print_bars(const sheet *s, const crd_report_options *options) {
  crd__text *const out = s->d->out;
  const size_t lines = s->columns < PRINTED_BARS ? s->columns : PRINTED_BARS;
  for (size_t i = 0; i < lines; i++) {
    const size_t first = edge(i, lines, s->columns), end = edge(i + 1, lines, s->columns);
    char number[CRD__NUMBER_SIZE], range[48];
    double sum = 0;
    for (size_t k = first; k < end; k++) sum += s->p->values[k];
    const double mean = sum / (double)(end - first);
    const int length = (int)rint(fabs(depth_of(s, mean)) * PRINTED_REACH);
    if (end - first > 1) snprintf(range, sizeof range, "%zu-%zu", first, end - 1);
    else snprintf(range, sizeof range, "%zu", first);
    crd__text_addf(out, "  %9s %10s ", range, crd__number_brief(number, mean, 3));
    for (int k = -PRINTED_REACH; k < (mean > 0 ? length : 0); k++)
      crd__text_add(out, (mean < 0 ? k < -length : k < 0) ? " " : options->ascii ? "#" : "█");
    crd__text_add(out, options->ascii ? "|\n" : "\n");
  }
  if (lines < s->columns) crd__text_add(out, "\n  means of neighbouring elements\n");
}

static void perturbation_print(const crd__report_drawing *d, const crd_report_options *options) {
  char facts[256];
  sheet s = look(d->perturbation);
  s.d = d;
  crd__report_heading_add_name(d->out, options, d->title);
  crd__text_addf(d->out, "%s\n\n", facts_of(&s, facts));
  (is_vector(&s) ? print_bars : print_panel)(&s, options);
}

const crd__report_figure crd__report_figure_perturbation = {
  .info = { .name = "perturbation",
            .summary = "the perturbation of 'credence clamp', as an image or by element",
            .source = CRD_FIGURE_OF_PERTURBATION,
            .metrics = "" },
  .check = perturbation_check,
  .draw = perturbation_draw,
  .print = perturbation_print,
};
