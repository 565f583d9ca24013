/*
 * weights.c -- heat map of the weights of a linear method, softmax(W x + b).
 *
 * Cell (j, k) is the weight of the score of class k for class j; b is drawn beside W. Blue is
 * negative, orange positive, blank is 0. Weights off the diagonal are often a hundredth of those on
 * it, and b has another unit, so each of the three has its own scale, from minus to plus its
 * largest magnitude. Vector scaling has a diagonal only, drawn as a column.
 *
 * Up to CELLS_LABELLED classes each cell has its value as a tooltip. Beyond that, all cells of one
 * colour are one SVG element and equal neighbours one mark: a hundred classes are ten thousand
 * cells.
 */
#include "report/decimal.h"
#include "report/figure.h"
#include "report/form.h"
#include "report/heat.h"
#include "report/palette.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
  LEFT = 64,
  TOP = 56,
  SQUARE = 400,
  SIDE_MOST = 36,
  THICK_LEAST = 14,
  BETWEEN = 12,
  BELOW = 48,
  BAR_STEP = 66,
  CELLS_LABELLED = 20,
  CLASSES_MOST = 200,
  CLASSES_PRINTED = 30
};

static const char *const methods[] = {
  "vector", "matrix", "matrix-odir", "dirichlet-odir", "structured-vector", "structured-matrix"
};
enum { METHODS = sizeof methods / sizeof *methods };

/* Weights that share a colour scale. */
typedef enum { OFF, ON, OFFSET, PARTS } part;

typedef struct {
  const crd__report_drawing *d;
  const char *method;
  size_t classes;
  const double *w, *b;
  bool whole;         /* w is classes x classes; else the diagonal only */
  double most[PARTS]; /* largest magnitude */
  double side;        /* of a cell */
  double thick;       /* width of a single column: b, and w of vector scaling */
  double beside;      /* left edge of b */
} sheet;

static const crd_learnt *find(const crd_calibrator *calibrator, const char *name) {
  const crd_learnt *item;
  for (size_t i = 0; (item = crd_calibrator_learnt(calibrator, i)); i++)
    if (strcmp(item->name, name) == 0) return item;
  return NULL;
}

static size_t columns(const sheet *s) { return s->whole ? s->classes : 1; }

/* The part of cell (j, k); column columns(s) is b. */
static part part_of(const sheet *s, size_t j, size_t k) {
  if (k == columns(s)) return OFFSET;
  return s->whole && j != k ? OFF : ON;
}

static double value_of(const sheet *s, size_t j, size_t k) {
  return k == columns(s) ? s->b[j] : s->w[j * columns(s) + k];
}

/* The value relative to the scale of its part, -1 .. 1. */
static double depth_of(const sheet *s, size_t j, size_t k) {
  const double most = s->most[part_of(s, j, k)];
  return most > 0 ? value_of(s, j, k) / most : 0;
}

static sheet look(const crd__report_drawing *d) {
  const crd_learnt *const whole = find(d->calibrator, "W"), *const b = find(d->calibrator, "b");
  const crd_learnt *const w = whole ? whole : find(d->calibrator, "w");
  sheet s = { .d = d,
              .method = crd_calibrator_method(d->calibrator)->name,
              .classes = b->start[b->parts],
              .w = w->values,
              .b = b->values,
              .whole = whole };
  for (size_t j = 0; j < s.classes; j++)
    for (size_t k = 0; k <= columns(&s); k++) {
      double *const most = &s.most[part_of(&s, j, k)];
      *most = fmax(*most, fabs(value_of(&s, j, k)));
    }
  s.side = fmin(SIDE_MOST, SQUARE / (double)s.classes);
  s.thick = fmax(s.side, THICK_LEAST);
  s.beside = LEFT + (s.whole ? (double)s.classes * s.side : s.thick) + BETWEEN;
  return s;
}

static crd_status weights_check(crd_context *ctx, const crd_figure_data *data, bool terminal) {
  const char *const method = crd_calibrator_method(data->calibrator)->name;
  char known[128] = "";
  size_t found = METHODS;
  for (size_t i = 0, at = 0; i < METHODS; i++) {
    at += (size_t)snprintf(known + at, sizeof known - at, "%s%s", i ? ", " : "", methods[i]);
    if (strcmp(methods[i], method) == 0) found = i;
  }
  if (found == METHODS)
    return crd__fail(ctx, CRD_EUSAGE, "%s has no weights to draw, allowed are calibrators of %s",
                     method, known);
  const crd_learnt *const b = find(data->calibrator, "b");
  const size_t classes = b->start[b->parts];
  const size_t most = terminal ? CLASSES_PRINTED : CLASSES_MOST;
  if (classes <= most) return CRD_OK;
  return crd__fail(ctx, CRD_EUSAGE, "%zu classes are too many to draw%s, allowed are up to %zu",
                   classes, terminal ? " on a terminal" : "", most);
}

/* ---- Cells. */

/* The box of `cells` cells from (j, k) to the right. */
static crd__report_box box_of(const sheet *s, size_t j, size_t k, size_t cells) {
  const double y = TOP + (double)j * s->side;
  if (k == columns(s)) return (crd__report_box){ s->beside, y, s->thick, s->side };
  if (!s->whole) return (crd__report_box){ LEFT, y, s->thick, s->side };
  return (crd__report_box){ LEFT + (double)k * s->side, y, (double)cells * s->side, s->side };
}

static void add_labelled(const sheet *s, size_t j, size_t k) {
  char words[128], from[64], number[CRD__NUMBER_SIZE];
  const double depth = depth_of(s, j, k);
  snprintf(from, sizeof from, "from class %zu", k);
  snprintf(words, sizeof words, "class %zu, %s: %s", j,
           k == columns(s) ? "b"
           : s->whole      ? from
                           : "w",
           crd__number_brief(number, value_of(s, j, k), 4));
  crd__report_svg_group(s->d->out, words);
  crd__report_svg_rect_deep(s->d->out, crd__report_heat_kind(depth), box_of(s, j, k, 1),
                            fabs(depth));
  crd__report_svg_group_end(s->d->out);
}

/* -CRD__HEAT_LEVELS .. CRD__HEAT_LEVELS */
static int level_of(const sheet *s, size_t j, size_t k) {
  return (int)rint(depth_of(s, j, k) * CRD__HEAT_LEVELS);
}

/* Number of cells from (j, k) on that are drawn as one mark; b never joins W. */
static size_t run_of(const sheet *s, size_t j, size_t k) {
  size_t run = 1;
  while (k + run < columns(s) && level_of(s, j, k + run) == level_of(s, j, k)) run++;
  return run;
}

static void add_level(const sheet *s, int level) {
  bool begun = false;
  for (size_t j = 0; j < s->classes; j++)
    for (size_t k = 0, run; k <= columns(s); k += run) {
      run = run_of(s, j, k);
      if (level_of(s, j, k) != level) continue;
      if (!begun)
        crd__report_svg_path_begin(s->d->out, crd__report_heat_kind(level),
                                   fabs((double)level) / CRD__HEAT_LEVELS);
      begun = true;
      crd__report_svg_path_add_box(s->d->out, box_of(s, j, k, run));
    }
  if (begun) crd__report_svg_path_end(s->d->out);
}

static void add_cells(const sheet *s) {
  if (s->classes <= CELLS_LABELLED)
    for (size_t j = 0; j < s->classes; j++)
      for (size_t k = 0; k <= columns(s); k++) add_labelled(s, j, k);
  else
    for (int level = -CRD__HEAT_LEVELS; level <= CRD__HEAT_LEVELS; level++)
      if (level) add_level(s, level);
}

/* Outlines the diagonal, unless cells are too small. */
static void add_diagonal(const sheet *s) {
  if (!s->whole || s->side < 8) return;
  crd__report_svg_path_begin(s->d->out, "cell", 1);
  for (size_t j = 0; j < s->classes; j++)
    crd__report_svg_path_add_box(s->d->out, box_of(s, j, j, 1));
  crd__report_svg_path_end(s->d->out);
}

/* ---- Labels, frames and scales. */

/* Returns the step between labelled classes that keeps labels at least `space` apart. */
static size_t thinned(const sheet *s, double space) {
  static const size_t steps[] = { 1, 2, 5, 10, 20, 50 };
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
    if ((double)steps[i] * s->side >= space) return steps[i];
  return 100;
}

static void add_numbers(const sheet *s) {
  crd__text *const out = s->d->out;
  const double edge = (double)s->classes * s->side, bottom = TOP + edge;
  char number[32];
  for (size_t j = 0; j < s->classes; j += thinned(s, 13)) {
    const double at = ((double)j + 0.5) * s->side;
    snprintf(number, sizeof number, "%zu", j);
    crd__report_svg_text(out, "text small",
                         (crd__report_svg_place){ LEFT - 6, TOP + at + 3.5, CRD__SVG_END, 0 },
                         number);
  }
  for (size_t k = 0; s->whole && k < s->classes; k += thinned(s, 20)) {
    const double at = ((double)k + 0.5) * s->side;
    snprintf(number, sizeof number, "%zu", k);
    crd__report_svg_text(out, "text small",
                         (crd__report_svg_place){ LEFT + at, bottom + 14, CRD__SVG_MIDDLE, 0 },
                         number);
  }
  const double middle = (LEFT + s->beside - BETWEEN) / 2;
  crd__report_svg_text(
      out, "text",
      (crd__report_svg_place){ middle, bottom + (s->whole ? 32 : 14), CRD__SVG_MIDDLE, 0 },
      s->whole ? "W, from class" : "w");
  crd__report_svg_text(
      out, "text",
      (crd__report_svg_place){ s->beside + s->thick / 2, bottom + 14, CRD__SVG_MIDDLE, 0 }, "b");
  crd__report_svg_text_up(out, "text", LEFT - 36, TOP + edge / 2, s->whole ? "to class" : "class");
}

static void add_frames(const sheet *s) {
  const double height = (double)s->classes * s->side;
  crd__report_svg_rect(s->d->out, "cell",
                       (crd__report_box){ LEFT, TOP, s->beside - BETWEEN - LEFT, height });
  crd__report_svg_rect(s->d->out, "cell", (crd__report_box){ s->beside, TOP, s->thick, height });
}

static void add_bars(const sheet *s, double x) {
  const char *const labels[PARTS] = { "W off the diagonal", s->whole ? "W on the diagonal" : "w",
                                      "b" };
  double y = TOP + CRD__HEAT_BAR_HEIGHT;
  for (int which = OFF; which < PARTS; which++) {
    if (!(s->most[which] > 0)) continue;
    crd__report_heat_bar(s->d->out, x, y, s->most[which], labels[which]);
    y += BAR_STEP;
  }
}

static const char *formula(const sheet *s) {
  if (strncmp(s->method, "structured", strlen("structured")) == 0)
    return s->whole ? "softmax(W x + b)" : "softmax(w x + b)";
  if (!s->whole) return "softmax(w z + b)";
  return strcmp(s->method, "dirichlet-odir") == 0 ? "softmax(W log p + b)" : "softmax(W z + b)";
}

static void weights_draw(const crd__report_drawing *d) {
  char title[256], desc[256], below[128];
  const sheet s = look(d);
  const double height = (double)s.classes * s.side;
  const double bars = s.beside + s.thick + 40;
  snprintf(title, sizeof title, "Weights of %.200s", d->title);
  snprintf(desc, sizeof desc, "Weights of %s for %zu classes, %s: one cell per weight.", s.method,
           s.classes, formula(&s));
  snprintf(below, sizeof below, "%s, %zu classes: %s", s.method, s.classes, formula(&s));
  const crd__report_svg_page page = { bars + CRD__HEAT_BAR + 24,
                                      fmax(TOP + height + BELOW, TOP + PARTS * BAR_STEP), d->id,
                                      title, desc };
  crd__report_svg_open(d->out, &page);
  crd__report_palette_add(d->out);
  crd__report_figure_heading(d, 20, below);
  add_cells(&s);
  add_frames(&s);
  add_diagonal(&s);
  add_numbers(&s);
  add_bars(&s, bars);
  crd__report_svg_close(d->out);
}

/* ---- Terminal: a sign and a shade for each cell. */

static void print_cell(const crd__report_drawing *d, const crd_report_options *options,
                       double depth) {
  static const char *const shades[][5] = { { "·", "░", "▒", "▓", "█" },
                                           { ".", ":", "*", "%", "#" } };
  const size_t shade = (size_t)rint(4 * fabs(depth));
  crd__text_add(d->out, !shade ? " " : depth < 0 ? "-" : "+");
  crd__text_add(d->out, shades[options->ascii != 0][shade]);
}

static void weights_print(const crd__report_drawing *d, const crd_report_options *options) {
  static const char *const names[PARTS] = { "off the diagonal", "on it", "for b" };
  const sheet s = look(d);
  const char *separator = "";
  char number[CRD__NUMBER_SIZE];
  crd__report_heading_add_name(d->out, options, d->title);
  crd__text_addf(d->out, "%zu classes, %s\n\n     ", s.classes, formula(&s));
  for (size_t k = 0; k < columns(&s); k++)
    if (s.whole) crd__text_addf(d->out, "%2zu", k);
    else crd__text_add(d->out, " w");
  crd__text_add(d->out, "   b\n");
  for (size_t j = 0; j < s.classes; j++) {
    crd__text_addf(d->out, "  %2zu ", j);
    for (size_t k = 0; k <= columns(&s); k++) {
      if (k == columns(&s)) crd__text_add(d->out, "  ");
      print_cell(d, options, depth_of(&s, j, k));
    }
    crd__text_add(d->out, "\n");
  }
  crd__text_addf(d->out, "\n  %s is ", options->ascii ? "#" : "█");
  for (size_t which = s.whole ? OFF : ON; which < PARTS; which++, separator = ", ")
    crd__text_addf(d->out, "%s%s %s", separator, crd__number_brief(number, s.most[which], 3),
                   !s.whole && which == ON ? "for w" : names[which]);
  crd__text_add(d->out, "\n");
}

const crd__report_figure crd__report_figure_weights = {
  .info = { .name = "weights",
            .summary = "heat map of the weights of vector, matrix and Dirichlet calibration",
            .source = CRD_FIGURE_OF_CALIBRATOR,
            .metrics = "" },
  .check = weights_check,
  .draw = weights_draw,
  .print = weights_print,
};
