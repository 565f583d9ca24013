/* common.c -- helpers of figures. */
#include "report/figure.h"

#include "report/decimal.h"
#include "report/form.h"

#include <math.h>
#include <stdio.h>

static double fullest_of(const crd_result *result) {
  double fullest = 0;
  for (size_t i = 0; i < result->bin_count; i++) fullest = fmax(fullest, result->bins[i].weight);
  return fullest;
}

double crd__report_figure_fullest(const crd__report_drawing *d) {
  return d->beside ? fmax(fullest_of(d->result), fullest_of(d->beside)) : fullest_of(d->result);
}

void crd__report_figure_heading(const crd__report_drawing *d, double x, const char *below) {
  crd__report_svg_text(d->out, "text title", (crd__report_svg_place){ x, 24, CRD__SVG_START, 60 },
                       d->title);
  crd__report_svg_text(d->out, "dim small", (crd__report_svg_place){ x, 40, CRD__SVG_START, 100 },
                       below);
}

void crd__report_figure_heading_bins(const crd__report_drawing *d, double x) {
  char below[64];
  const size_t rows = d->result->rows, bins = d->result->bin_count;
  snprintf(below, sizeof below, "%zu row%s, %zu bin%s", rows, rows == 1 ? "" : "s", bins,
           bins == 1 ? "" : "s");
  crd__report_figure_heading(d, x, below);
}

void crd__report_figure_nothing(const crd__report_drawing *d, crd__report_box box,
                                const char *sentence) {
  const double x = box.x + box.width / 2, y = box.y + box.height / 2;
  crd__report_svg_rect(d->out, "frame", box);
  crd__report_svg_text(d->out, "text", (crd__report_svg_place){ x, y, CRD__SVG_MIDDLE, 0 },
                       sentence);
}

void crd__report_figure_print_heading(const crd__report_drawing *d,
                                      const crd_report_options *options) {
  const crd_result *const r = d->result;
  crd__report_heading_add(d->out, options, r->name,
                          &(crd__report_shown){ r->rows, r->classes, r->input });
  crd__text_add(d->out, "\n");
}

void crd__report_figure_means(const crd__report_drawing *d, const crd__report_scale *x, double y,
                              double top) {
  static const char *const names[] = { "accuracy", "confidence" }; /* classes of svg.c too */
  for (size_t i = 0; i < 2; i++) {
    const crd_metric_value *const v = crd__report_finite_value(d->result, names[i]);
    if (!v) continue;
    const double at = crd__report_scale_within(x, v->value);
    crd__report_svg_line(d->out, names[i], at, y, at, top);
  }
}

enum { FACT_STEP = 16, DECIMALS = 4 };

void crd__report_figure_fact(const crd__report_drawing *d, crd__report_box *at, const char *name,
                             const char *value) {
  const crd__report_svg_place left = { at->x, at->y, CRD__SVG_START, 0 };
  const crd__report_svg_place right = { at->x + at->width, at->y, CRD__SVG_END, 0 };
  crd__report_svg_text(d->out, "text small", left, name);
  crd__report_svg_text(d->out, "text small strong", right, value);
  at->y += FACT_STEP;
}

void crd__report_figure_facts(const crd__report_drawing *d, const crd__report_fact *facts,
                              size_t count, crd__report_box *at) {
  char low[CRD__NUMBER_SIZE], high[CRD__NUMBER_SIZE], both[2 * CRD__NUMBER_SIZE + 8];
  for (size_t i = 0; i < count; i++) {
    const crd_metric_value *const v = crd__report_finite_value(d->result, facts[i].metric);
    if (!v) continue;
    crd__report_figure_fact(d, at, facts[i].name,
                            crd__report_decimal_format(low, v->value, DECIMALS));
    if (facts[i].full && !isnan(v->low)) {
      snprintf(both, sizeof both, "%s \xe2\x80\x93 %s",
               crd__report_decimal_format(low, v->low, DECIMALS),
               crd__report_decimal_format(high, v->high, DECIMALS));
      crd__report_figure_fact(d, at, "95 % CI", both);
    }
    if (facts[i].full && !isnan(v->noise_floor))
      crd__report_figure_fact(d, at, "noise floor",
                              crd__report_decimal_format(low, v->noise_floor, DECIMALS));
  }
}

const char *crd__report_figure_values(char *text, size_t size, const crd_result *result,
                                      const crd__report_fact *facts, size_t count) {
  char number[CRD__NUMBER_SIZE];
  size_t at = 0;
  *text = '\0';
  for (size_t i = 0; i < count && at < size; i++) {
    const crd_metric_value *const v = crd__report_finite_value(result, facts[i].metric);
    if (v)
      at += (size_t)snprintf(text + at, size - at, "%s%s %s", at ? ", " : "", facts[i].name,
                             crd__report_decimal_format(number, v->value, DECIMALS));
  }
  return text;
}
