/*
 * confidence.c -- histogram of confidence, split into correct and incorrect predictions.
 *
 * A bar is the share of rows in a bin: correct rows at the bottom, incorrect ones striped on top.
 * Lines mark accuracy and mean confidence, which coincide for a calibrated model (Guo et al. 2017,
 * figure 1).
 */
#include "report/decimal.h"
#include "report/figure.h"

#include <math.h>
#include <stdio.h>

enum { WIDTH = 620, HEIGHT = 360, LEFT = 60, RIGHT = 420, TOP = 56, BOTTOM = 316, BESIDE = 440 };

static crd__report_box bar(const crd__report_scale *x, const crd__report_scale *y,
                           const crd_reliability_bin *bin, double low, double high) {
  const double left = crd__report_scale_at(x, bin->low), right = crd__report_scale_at(x, bin->high);
  const double top = crd__report_scale_at(y, high), bottom = crd__report_scale_at(y, low);
  return (crd__report_box){ left + 1, top, right - left - 2, bottom - top };
}

static void add_bin(const crd__report_drawing *d, const crd__report_svg_page *page,
                    const crd__report_scale *x, const crd__report_scale *y,
                    const crd_reliability_bin *bin) {
  char low[CRD__NUMBER_SIZE], high[CRD__NUMBER_SIZE], words[128];
  const double correct = bin->weight * bin->accuracy;
  if (!(bin->weight > 0)) return;
  snprintf(words, sizeof words, "(%s, %s]: %zu rows", crd__report_decimal_format(low, bin->low, 2),
           crd__report_decimal_format(high, bin->high, 2), bin->rows);
  crd__report_svg_group(d->out, words);
  crd__report_svg_rect(d->out, "bar", bar(x, y, bin, 0, correct));
  crd__report_svg_rect_striped(d->out, page, "over", bar(x, y, bin, correct, bin->weight));
  crd__report_svg_group_end(d->out);
}

static void add_legend(const crd__report_drawing *d, const crd__report_svg_page *page) {
  const crd__report_terms *const terms = crd__report_figure_terms(d->result);
  const crd__report_legend_row rows[] = {
    { CRD__MARK_BOX, "bar", terms->right },
    { CRD__MARK_STRIPES, "over", terms->wrong },
    { CRD__MARK_LINE, "accuracy", terms->accuracy },
    { CRD__MARK_LINE, "confidence", terms->mean },
  };
  const size_t count = sizeof rows / sizeof *rows;
  const double y = BOTTOM - (double)(count - 1) * CRD__LEGEND_STEP;
  crd__report_legend_add(d->out, page, BESIDE, y, rows, count);
}

static const crd__report_fact facts[] = {
  { "accuracy", "accuracy", true },
  { "confidence", "mean confidence", true },
};

static void confidence_draw(const crd__report_drawing *d) {
  char title[256], desc[256], metrics[128];
  const crd_result *const r = d->result;
  const double fullest = crd__report_figure_fullest(d);
  snprintf(title, sizeof title, "Confidence histogram of %.200s", d->title);
  snprintf(desc, sizeof desc, "Share of %zu rows in each of %zu bins of confidence: %s.", r->rows,
           r->bin_count, crd__report_figure_values(metrics, sizeof metrics, r, facts, 2));
  const crd__report_svg_page page = { WIDTH, HEIGHT, d->id, title, desc };
  const crd__report_axis x = { crd__report_figure_terms(r)->confidence,
                               { 0, 1, LEFT, RIGHT, false },
                               crd__report_ticks_linear(0, 1, 5),
                               false };
  const crd__report_axis y = { "share of rows",
                               { 0, fullest, BOTTOM, TOP, false },
                               crd__report_ticks_linear(0, fullest, 5),
                               false };
  crd__report_svg_open(d->out, &page);
  crd__report_figure_heading_bins(d, LEFT);
  crd__report_axis_left(d->out, &y, LEFT, RIGHT);
  crd__report_axis_bottom(d->out, &x, BOTTOM, TOP);
  for (size_t i = 0; i < r->bin_count; i++) add_bin(d, &page, &x.scale, &y.scale, &r->bins[i]);
  crd__report_figure_means(d, &x.scale, BOTTOM, TOP);
  crd__report_figure_facts(d, facts, 2,
                           &(crd__report_box){ BESIDE, TOP + 8, WIDTH - 16 - BESIDE, 0 });
  add_legend(d, &page);
  crd__report_svg_close(d->out);
}

/* "(0.40, 0.47]  0.031  ###..": correct rows, then incorrect ones; the fullest bin has the full
 * width. */
static void print_bin(const crd__report_drawing *d, const crd_report_options *options,
                      const crd_reliability_bin *bin, double scale) {
  char low[CRD__NUMBER_SIZE], high[CRD__NUMBER_SIZE], share[CRD__NUMBER_SIZE];
  const double accuracy = bin->weight > 0 ? bin->accuracy : 0;
  const size_t all = (size_t)rint(scale * bin->weight);
  const size_t correct = (size_t)rint(scale * bin->weight * accuracy);
  crd__text_addf(d->out, "  (%s, %s]  %s%s", crd__report_decimal_format(low, bin->low, 2),
                 crd__report_decimal_format(high, bin->high, 2),
                 crd__report_decimal_format(share, bin->weight, 3), all ? "  " : "");
  for (size_t i = 0; i < correct; i++) crd__text_add(d->out, options->ascii ? "#" : "█");
  for (size_t i = correct; i < all; i++) crd__text_add(d->out, options->ascii ? "." : "░");
  crd__text_add(d->out, "\n");
}

static void confidence_print(const crd__report_drawing *d, const crd_report_options *options) {
  enum { BAR = 54 };
  const crd_result *const r = d->result;
  const double fullest = crd__report_figure_fullest(d);
  char metrics[128];
  crd__report_figure_print_heading(d, options);
  crd__text_add(d->out, "\n  bin           share\n");
  for (size_t i = 0; i < r->bin_count; i++)
    print_bin(d, options, &r->bins[i], fullest > 0 ? BAR / fullest : 0);
  crd__text_addf(d->out, "\n  %s correct   %s incorrect   %s\n", options->ascii ? "#" : "█",
                 options->ascii ? "." : "░",
                 crd__report_figure_values(metrics, sizeof metrics, r, facts, 2));
}

const crd__report_figure crd__report_figure_confidence = {
  .info = { .name = "confidence",
            .summary = "histogram of confidence, split into correct and incorrect predictions",
            .source = CRD_FIGURE_OF_RESULT,
            .metrics = "accuracy,confidence" },
  .draw = confidence_draw,
  .print = confidence_print,
};
