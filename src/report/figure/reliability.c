/*
 * reliability.c -- the reliability diagram (DeGroot, Fienberg 1983; Niculescu-Mizil, Caruana 2005).
 *
 * A bar is the accuracy of a bin; stripes fill the gap to its mean confidence, rising where the
 * model is overconfident, falling where it is underconfident. Darker bars have more rows. A whisker
 * is the 95 % interval of accuracy; the grey band holds a calibrated model's accuracy in 95 % of
 * samples, so a bar that ends inside it is no evidence of miscalibration. An empty bin is a dashed
 * outline. The histogram below has the share of rows in each bin.
 */
#include "report/decimal.h"
#include "report/diagram.h"
#include "report/figure.h"

#include <math.h>
#include <stdio.h>

enum {
  WIDTH = 620,
  HEIGHT = 560,
  LEFT = 60,
  RIGHT = 420,
  TOP = 56,
  BOTTOM = 416,
  COUNTS_TOP = 434,
  COUNTS_BOTTOM = 514,
  BESIDE = 440
};

typedef struct {
  const crd__report_drawing *d;
  crd__report_svg_page page;
  crd__report_scale x, y, counts;
  double fullest;
} canvas;

/* Returns the box of a bin between two values of a scale. */
static crd__report_box box_of(const canvas *c, const crd_reliability_bin *bin,
                              const crd__report_scale *y, double low, double high) {
  const double left = crd__report_scale_at(&c->x, bin->low),
               right = crd__report_scale_at(&c->x, bin->high);
  const double top = crd__report_scale_within(y, high), bottom = crd__report_scale_within(y, low);
  return (crd__report_box){ left, top, right - left, bottom - top };
}

/* A little narrower, so that neighbours do not touch. */
static crd__report_box inset(crd__report_box box) {
  return (crd__report_box){ box.x + 1, box.y, box.width - 2, box.height };
}

static double centre(crd__report_box box) { return box.x + box.width / 2; }

/* Opacity of a bar: bins with few rows stay visible, the square root separates the others. */
static double depth(const canvas *c, const crd_reliability_bin *bin) {
  return 0.2 + 0.7 * sqrt(bin->weight / c->fullest);
}

static void add_whisker(const canvas *c, crd__report_box box, double low, double high) {
  const double x = centre(box), cap = fmin(box.width / 6, 4);
  const double top = crd__report_scale_within(&c->y, high),
               bottom = crd__report_scale_within(&c->y, low);
  crd__report_svg_polyline(c->d->out, "whisker",
                           (const double[]){ x - cap, bottom, x + cap, bottom, x, bottom, x, top,
                                             x - cap, top, x + cap, top },
                           6);
}

/* "(0.40, 0.47]: 312 rows, confidence 0.435, accuracy 0.391" */
static const char *describe(char text[static 160], const crd_reliability_bin *bin,
                            const crd__report_terms *terms) {
  char low[CRD__NUMBER_SIZE], high[CRD__NUMBER_SIZE], confidence[CRD__NUMBER_SIZE],
      accuracy[CRD__NUMBER_SIZE];
  crd__report_decimal_format(low, bin->low, 2);
  crd__report_decimal_format(high, bin->high, 2);
  if (isnan(bin->confidence)) {
    snprintf(text, 160, "(%s, %s]: empty", low, high);
    return text;
  }
  snprintf(text, 160, "(%s, %s]: %zu rows, %s %s, %s %s", low, high, bin->rows, terms->confidence,
           crd__report_decimal_format(confidence, bin->confidence, 3), terms->accuracy,
           crd__report_decimal_format(accuracy, bin->accuracy, 3));
  return text;
}

static void add_bin(const canvas *c, const crd_reliability_bin *bin) {
  crd__text *const out = c->d->out;
  char words[160];
  crd__report_svg_group(out, describe(words, bin, crd__report_figure_terms(c->d->result)));
  if (isnan(bin->confidence)) {
    crd__report_svg_rect(out, "frame", inset(box_of(c, bin, &c->y, 0, 1)));
    crd__report_svg_group_end(out);
    return;
  }
  const bool over = bin->confidence > bin->accuracy;
  const crd__report_box bar = box_of(c, bin, &c->y, 0, bin->accuracy);
  const crd__report_box gap = box_of(c, bin, &c->y, fmin(bin->accuracy, bin->confidence),
                                     fmax(bin->accuracy, bin->confidence));
  crd__report_box band = box_of(c, bin, &c->y, bin->calibrated_low, bin->calibrated_high);
  band.x += band.width / 4;
  band.width /= 2;
  crd__report_svg_rect_deep(out, "bar", bar, depth(c, bin));
  crd__report_svg_rect(out, "edge", bar);
  crd__report_svg_rect_striped(out, &c->page, over ? "over" : "under", gap);
  if (!isnan(bin->calibrated_low)) crd__report_svg_rect(out, "band", band);
  if (!isnan(bin->accuracy_low)) add_whisker(c, bar, bin->accuracy_low, bin->accuracy_high);
  crd__report_svg_group_end(out);
}

static void add_counts(const canvas *c) {
  const crd_result *const r = c->d->result;
  const crd__report_axis y = { "share of rows", c->counts,
                               crd__report_ticks_linear(0, c->fullest, 2), false };
  const crd__report_axis x = { crd__report_figure_terms(r)->confidence, c->x,
                               crd__report_ticks_linear(0, 1, 5), false };
  crd__report_axis_left(c->d->out, &y, LEFT, RIGHT);
  crd__report_axis_bottom(c->d->out, &x, COUNTS_BOTTOM, COUNTS_TOP);
  for (size_t i = 0; i < r->bin_count; i++)
    if (r->bins[i].weight > 0)
      crd__report_svg_rect_deep(c->d->out, "bar",
                                inset(box_of(c, &r->bins[i], &c->counts, 0, r->bins[i].weight)),
                                depth(c, &r->bins[i]));
  crd__report_figure_means(c->d, &c->x, COUNTS_BOTTOM, COUNTS_TOP);
}

static void add_diagram(const canvas *c) {
  crd__text *const out = c->d->out;
  const crd__report_axis y = { crd__report_figure_terms(c->d->result)->accuracy, c->y,
                               crd__report_ticks_linear(0, 1, 5), false };
  const crd__report_axis x = { NULL, c->x, y.ticks, true };
  crd__report_axis_left(out, &y, LEFT, RIGHT);
  crd__report_axis_bottom(out, &x, BOTTOM, TOP);
  for (size_t i = 0; i < c->d->result->bin_count; i++) add_bin(c, &c->d->result->bins[i]);
  crd__report_svg_line(out, "ideal", LEFT, BOTTOM, RIGHT, TOP);
}

static void add_legend(const canvas *c) {
  const crd__report_terms *const terms = crd__report_figure_terms(c->d->result);
  const crd__report_legend_row rows[] = {
    { CRD__MARK_BOX, "bar", terms->many },
    { CRD__MARK_STRIPES, "over", "overconfident" },
    { CRD__MARK_STRIPES, "under", "underconfident" },
    { CRD__MARK_LINE, "whisker", "95 % interval" },
    { CRD__MARK_BOX, "band", "95 % if calibrated" },
    { CRD__MARK_BOX, "frame", "empty bin" },
    { CRD__MARK_LINE, "ideal", "calibrated" },
  };
  const crd__report_legend_row lines[] = {
    { CRD__MARK_LINE, "accuracy", terms->accuracy },
    { CRD__MARK_LINE, "confidence", terms->mean },
  };
  const size_t count = sizeof rows / sizeof *rows;
  crd__report_legend_add(c->d->out, &c->page, BESIDE,
                         BOTTOM - (double)(count - 1) * CRD__LEGEND_STEP, rows, count);
  crd__report_legend_add(c->d->out, &c->page, BESIDE, COUNTS_BOTTOM - CRD__LEGEND_STEP, lines, 2);
}

static const crd__report_fact facts[] = {
  { "accuracy", "accuracy", false },
  { "confidence", "mean confidence", false },
  { "ece", "ECE", true },
};
enum { FACTS = sizeof facts / sizeof *facts };

static void reliability_draw(const crd__report_drawing *d) {
  char desc[256], title[256], metrics[128];
  const double fullest = crd__report_figure_fullest(d);
  snprintf(title, sizeof title, "Reliability diagram of %.200s", d->title);
  snprintf(desc, sizeof desc, "Accuracy against confidence of %zu rows in %zu bins: %s.",
           d->result->rows, d->result->bin_count,
           crd__report_figure_values(metrics, sizeof metrics, d->result, facts, FACTS));
  const canvas c = {
    .d = d,
    .page = { WIDTH, HEIGHT, d->id, title, desc },
    .x = { 0, 1, LEFT, RIGHT, false },
    .y = { 0, 1, BOTTOM, TOP, false },
    .counts = { 0, fullest, COUNTS_BOTTOM, COUNTS_TOP, false },
    .fullest = fullest,
  };
  crd__report_svg_open(d->out, &c.page);
  crd__report_figure_heading_bins(d, LEFT);
  add_diagram(&c);
  add_counts(&c);
  crd__report_figure_facts(d, facts, FACTS,
                           &(crd__report_box){ BESIDE, TOP + 8, WIDTH - 16 - BESIDE, 0 });
  add_legend(&c);
  crd__report_svg_close(d->out);
}

static void reliability_print(const crd__report_drawing *d, const crd_report_options *options) {
  char metrics[128];
  crd__report_figure_print_heading(d, options);
  crd__report_diagram_add(d->out, d->result, options);
  crd__text_addf(d->out, "\n  %s\n",
                 crd__report_figure_values(metrics, sizeof metrics, d->result, facts, FACTS));
}

const crd__report_figure crd__report_figure_reliability = {
  .info = { .name = "reliability",
            .summary = "reliability diagram: accuracy against confidence, bin by bin",
            .source = CRD_FIGURE_OF_RESULT,
            .metrics = "accuracy,confidence,ece" },
  .draw = reliability_draw,
  .print = reliability_print,
};
