/*
 * comparison.c -- calibration methods side by side: one line per method, one panel per metric of
 * the verdict, a dot for the value and a bar for its 95 % interval.
 *
 * The dashed line is the uncalibrated value; the grey area ends at the noise floor of a perfectly
 * calibrated model. A panel shows the first method and at least half of all. A method more than
 * twice as far from the ideal value as half of them would squeeze the others together, so it
 * becomes an arrow with its value.
 */
#include "report/decimal.h"
#include "report/figure.h"
#include "report/form.h"

#include <math.h>
#include <stdio.h>

enum {
  TOP = 56,
  ROW = 22,
  PANEL = 150,
  BETWEEN = 26,
  MARGIN = 20,
  LEGEND = 58,
  BELOW = 78,
  PANELS_MAX = 3,
  NAME_MOST = 30
};
static const double letter = 6.8; /* approximate width of a letter */

typedef struct {
  const char *metric, *name;
  crd__report_axis axis; /* without its label: a pointer into a struct that is copied */
  double limit;          /* the worst value on the axis */
  char label[64];
} panel;

typedef struct {
  const crd__report_drawing *d;
  crd__report_svg_page page;
  double left; /* of the panels */
  panel panels[PANELS_MAX];
  size_t count;
} canvas;

static bool higher_is_better(const crd_metric_value *v) {
  return v->metric->direction == CRD_HIGHER_IS_BETTER;
}

/* Returns the worse or the better end of the interval; the value if it has none. */
static double end_of(const crd_metric_value *v, bool worse) {
  if (isnan(v->low) || isnan(v->high)) return v->value;
  return worse == higher_is_better(v) ? v->low : v->high;
}

/* Distance from the ideal value. */
static double distance(const crd_metric_value *v, double value) {
  return higher_is_better(v) ? v->metric->high - value : value - v->metric->low;
}

/* Returns the smallest distance that at least half of the methods do not exceed. */
static double usual_distance(const crd_contest *t, const char *metric) {
  double usual = (double)INFINITY;
  for (size_t i = 0; i < t->count; i++) {
    const crd_metric_value *const v = crd__report_finite_value(t->candidates[i].result, metric);
    if (!v) continue;
    const double far = distance(v, end_of(v, true));
    size_t within = 0, all = 0;
    for (size_t k = 0; k < t->count; k++) {
      const crd_metric_value *const other =
          crd__report_finite_value(t->candidates[k].result, metric);
      if (!other) continue;
      all++;
      within += distance(other, end_of(other, true)) <= far;
    }
    if (2 * within >= all && far < usual) usual = far;
  }
  return usual;
}

/* Returns whether the method gets a dot rather than an arrow. */
static bool is_shown(const panel *p, const crd_metric_value *v) {
  return higher_is_better(v) ? v->value >= p->limit : v->value <= p->limit;
}

/* Sets the range of the axis to hold all shown values and intervals. */
static void find_range(const crd_contest *t, panel *p) {
  const crd_metric_value *const first =
      crd__report_finite_value(t->candidates[0].result, p->metric);
  const double usual = usual_distance(t, p->metric);
  const double most = fmax(2 * usual, distance(first, end_of(first, true)));
  p->limit = higher_is_better(first) ? first->metric->high - most : first->metric->low + most;
  double low = first->value, high = low;
  for (size_t i = 0; i < t->count; i++) {
    const crd_metric_value *const v = crd__report_finite_value(t->candidates[i].result, p->metric);
    if (!v || !is_shown(p, v)) continue;
    low = fmin(low, isnan(v->low) ? v->value : v->low);
    high = fmax(high, isnan(v->high) ? v->value : v->high);
    if (!isnan(v->noise_floor)) low = 0; /* the noise floor is drawn from 0 */
  }
  const double margin = high > low ? 0.06 * (high - low) : fmax(0.01, fabs(high) * 0.01);
  p->axis.scale.low = low == 0 ? 0 : low - margin;
  p->axis.scale.high = high + margin;
}

static void add_panel(canvas *c, const char *metric, const char *name) {
  const crd_contest *const t = c->d->contest;
  const crd_metric_value *const first = crd__report_finite_value(t->candidates[0].result, metric);
  if (!first || c->count == PANELS_MAX) return;
  panel *const p = &c->panels[c->count];
  *p = (panel){ .metric = metric, .name = name };
  snprintf(p->label, sizeof p->label, "%s, %s is better", name,
           higher_is_better(first) ? "higher" : "lower");
  find_range(t, p);
  p->axis.scale.from = c->left + (double)c->count * (PANEL + BETWEEN);
  p->axis.scale.to = p->axis.scale.from + PANEL;
  p->axis.ticks = crd__report_ticks_linear(p->axis.scale.low, p->axis.scale.high, 3);
  c->count++;
}

/* Draws an arrow at the end of the axis, with the value beyond it. */
static void add_beyond(const canvas *c, const panel *p, const crd_metric_value *v, double y) {
  char number[CRD__NUMBER_SIZE];
  const bool left = higher_is_better(v);
  const double tip = left ? p->axis.scale.from : p->axis.scale.to, back = left ? 5 : -5;
  const crd__report_svg_place place = { tip + 2 * back, y + 3.5,
                                        left ? CRD__SVG_START : CRD__SVG_END, 0 };
  crd__report_svg_polyline(c->d->out, "whisker",
                           (const double[]){ tip + back, y - 4, tip, y, tip + back, y + 4 }, 3);
  crd__report_svg_text(c->d->out, "text small", place,
                       crd__report_decimal_format(number, v->value, 3));
}

static void add_value(const canvas *c, const panel *p, const crd_metric_value *v, double y) {
  const crd__report_scale *const s = &p->axis.scale;
  if (!isnan(v->noise_floor)) {
    const double end = crd__report_scale_within(s, v->noise_floor);
    crd__report_svg_rect(c->d->out, "band",
                         (crd__report_box){ s->from, y - ROW / 2.0, end - s->from, ROW });
  }
  if (!is_shown(p, v)) {
    add_beyond(c, p, v, y);
    return;
  }
  if (!isnan(v->low))
    crd__report_svg_line(c->d->out, "whisker", crd__report_scale_within(s, v->low), y,
                         crd__report_scale_within(s, v->high), y);
  crd__report_svg_circle(c->d->out, "dot", crd__report_scale_within(s, v->value), y, 4);
}

/* "temperature: ECE 0.0123, NLL 0.345" */
static void describe(crd__text *out, const canvas *c, const crd_candidate *each) {
  static const crd__report_fact facts[] = {
    { "ece", "ECE", false },
    { "nll", "NLL", false },
    { "brier-top1", "Brier", false },
    { "auroc", "AUROC", false },
  };
  char metrics[160] = "failed", words[256];
  if (each->result) crd__report_figure_values(metrics, sizeof metrics, each->result, facts, 4);
  snprintf(words, sizeof words, "%.80s: %s%s", each->name, metrics,
           each == c->d->contest->chosen ? "; chosen" : "");
  crd__report_svg_group(out, words);
}

static void add_candidate(const canvas *c, const crd_candidate *each, double y) {
  crd__text *const out = c->d->out;
  const bool chosen = each == c->d->contest->chosen;
  const crd__report_svg_place name = { c->left - 12, y + 4, CRD__SVG_END, NAME_MOST };
  describe(out, c, each);
  crd__report_svg_text(out,
                       chosen         ? "text strong"
                       : each->result ? "text"
                                      : "dim",
                       name, each->name);
  if (!each->result)
    crd__report_svg_text(out, "dim small",
                         (crd__report_svg_place){ c->left + 4, y + 3.5, CRD__SVG_START, 0 },
                         "failed");
  for (size_t i = 0; i < c->count; i++) {
    const crd_metric_value *const v = crd__report_finite_value(each->result, c->panels[i].metric);
    if (v) add_value(c, &c->panels[i], v, y);
  }
  crd__report_svg_group_end(out);
}

static double row_at(size_t index) { return TOP + ((double)index + 0.5) * ROW; }
static double bottom_of(const crd_contest *t) { return TOP + (double)t->count * ROW; }

static void add_axes(const canvas *c, double bottom) {
  for (size_t i = 0; i < c->count; i++) {
    const panel *const p = &c->panels[i];
    crd__report_axis axis = p->axis;
    axis.label = p->label;
    crd__report_axis_bottom(c->d->out, &axis, bottom, TOP);
    const crd_metric_value *const first =
        crd__report_finite_value(c->d->contest->candidates[0].result, p->metric);
    const double x = crd__report_scale_at(&p->axis.scale, first->value);
    crd__report_svg_line(c->d->out, "ideal", x, bottom, x, TOP);
  }
}

static void add_legend(const canvas *c, double y) {
  static const crd__report_legend_row rows[] = {
    { CRD__MARK_DOT, "dot", "value, 95 % interval" },
    { CRD__MARK_LINE, "ideal", "uncalibrated" },
    { CRD__MARK_BOX, "band", "up to the noise floor" },
    { CRD__MARK_BOX, "chosen", "chosen" },
  };
  const double step = (c->page.width - 2 * MARGIN) / 4;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    crd__report_legend_add(c->d->out, &c->page, MARGIN + step * (double)i, y, &rows[i], 1);
}

static canvas plan(const crd__report_drawing *d, const char *title) {
  const crd_contest *const t = d->contest;
  size_t longest = 8;
  for (size_t i = 0; i < t->count; i++) {
    const size_t length = crd__report_svg_length(t->candidates[i].name);
    if (length > longest) longest = length < NAME_MOST ? length : NAME_MOST;
  }
  canvas c = { .d = d, .left = MARGIN + 12 + ceil(letter * (double)longest) };
  add_panel(&c, "ece", "ECE");
  add_panel(&c, "nll", "NLL");
  if (c.count < 2) add_panel(&c, "brier-top1", "Brier");
  add_panel(&c, "auroc", "AUROC");
  const double panels = fmax((double)c.count, 2); /* the legend needs this width */
  const double width = c.left + panels * (PANEL + BETWEEN) - BETWEEN + MARGIN;
  c.page = (crd__report_svg_page){ width, bottom_of(t) + BELOW, d->id, title, t->verdict };
  return c;
}

static void comparison_draw(const crd__report_drawing *d) {
  char title[256], below[96];
  const crd_contest *const t = d->contest;
  snprintf(title, sizeof title, "Calibration methods on %.200s", d->title);
  if (t->folds)
    snprintf(below, sizeof below, "%zu rows, cross-validated in %u folds", t->test_rows, t->folds);
  else
    snprintf(below, sizeof below, "fitted on %zu rows, tested on %zu others", t->calibrate_rows,
             t->test_rows);
  const canvas c = plan(d, title);
  const double bottom = bottom_of(t);
  crd__report_svg_open(d->out, &c.page);
  crd__report_figure_heading(d, MARGIN, below);
  for (size_t i = 0; i < t->count; i++)
    if (&t->candidates[i] == t->chosen)
      crd__report_svg_rect(
          d->out, "chosen",
          (crd__report_box){ MARGIN / 2.0, row_at(i) - ROW / 2.0, c.page.width - MARGIN, ROW });
  add_axes(&c, bottom);
  for (size_t i = 0; i < t->count; i++) add_candidate(&c, &t->candidates[i], row_at(i));
  add_legend(&c, bottom + LEGEND);
  crd__report_svg_close(d->out);
}

/* A terminal is too coarse for dots: print the table instead. */
static void comparison_print(const crd__report_drawing *d, const crd_report_options *options) {
  crd__report_contest_text(d->contest, options, d->out);
}

const crd__report_figure crd__report_figure_comparison = {
  .info = { .name = "comparison",
            .summary = "calibration methods side by side: ECE, NLL and AUROC with their intervals",
            .source = CRD_FIGURE_OF_CONTEST,
            .metrics = "accuracy,ece,nll,auroc" },
  .draw = comparison_draw,
  .print = comparison_print,
};
