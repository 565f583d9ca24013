/* common.c -- helpers of figures. */
#include "report/figure.h"

#include "evaluate/means.h"
#include "report/decimal.h"
#include "report/form.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

const crd__report_terms *crd__report_figure_terms(const crd_result *result) {
  static const crd__report_terms predicted = { "confidence",          "accuracy",
                                               "mean confidence",     "accuracy (dark: many rows)",
                                               "correct predictions", "incorrect predictions",
                                               "accuracy, smoothed" };
  static const crd__report_terms positive = {
    "probability of class 1",      "frequency of class 1", "mean probability",
    "frequency (dark: many rows)", "rows of class 1",      "rows of class 0",
    "frequency, smoothed"
  };
  return crd__report_judges_class_1(result) ? &positive : &predicted;
}

double crd__report_figure_accuracy(const crd_result *result) {
  if (crd__report_judges_class_1(result)) return crd__evaluate_bin_means(result).accuracy;
  const crd_metric_value *const v = crd__report_finite_value(result, "accuracy");
  return v ? v->value : (double)NAN;
}

void crd__report_figure_means(const crd__report_drawing *d, const crd__report_scale *x, double y,
                              double top) {
  const crd_metric_value *const confidence = crd__report_finite_value(d->result, "confidence");
  const struct {
    const char *kind; /* class of svg.c */
    double value;
  } lines[] = { { "accuracy", crd__report_figure_accuracy(d->result) },
                { "confidence", confidence ? confidence->value : (double)NAN } };
  for (size_t i = 0; i < 2; i++) {
    if (isnan(lines[i].value)) continue;
    const double at = crd__report_scale_within(x, lines[i].value);
    crd__report_svg_line(d->out, lines[i].kind, at, y, at, top);
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

/* Gets the name and value of a fact; of class 1, the frequency instead of the accuracy. Returns
 * false if it was not measured. */
static bool find_fact(const crd_result *r, const crd__report_fact *fact, const char **name,
                      crd_metric_value *out) {
  const crd_metric_value *const v = crd__report_finite_value(r, fact->metric);
  *name = fact->name;
  if (!v) return false;
  *out = *v;
  if (!crd__report_judges_class_1(r)) return true;
  if (strcmp(fact->metric, "confidence") == 0) *name = crd__report_figure_terms(r)->mean;
  if (strcmp(fact->metric, "accuracy") != 0) return true;
  *name = "frequency";
  out->value = crd__report_figure_accuracy(r);
  out->low = out->high = (double)NAN;
  return !isnan(out->value);
}

void crd__report_figure_facts(const crd__report_drawing *d, const crd__report_fact *facts,
                              size_t count, crd__report_box *at) {
  char low[CRD__NUMBER_SIZE], high[CRD__NUMBER_SIZE], both[2 * CRD__NUMBER_SIZE + 8];
  for (size_t i = 0; i < count; i++) {
    const char *name;
    crd_metric_value v;
    if (!find_fact(d->result, &facts[i], &name, &v)) continue;
    crd__report_figure_fact(d, at, name, crd__report_decimal_format(low, v.value, DECIMALS));
    if (facts[i].full && !isnan(v.low)) {
      snprintf(both, sizeof both, "%s \xe2\x80\x93 %s",
               crd__report_decimal_format(low, v.low, DECIMALS),
               crd__report_decimal_format(high, v.high, DECIMALS));
      crd__report_figure_fact(d, at, "95 % CI", both);
    }
    if (facts[i].full && !isnan(v.noise_floor))
      crd__report_figure_fact(d, at, "noise floor",
                              crd__report_decimal_format(low, v.noise_floor, DECIMALS));
  }
}

const char *crd__report_figure_values(char *text, size_t size, const crd_result *result,
                                      const crd__report_fact *facts, size_t count) {
  char number[CRD__NUMBER_SIZE];
  size_t at = 0;
  *text = '\0';
  for (size_t i = 0; i < count && at < size; i++) {
    const char *name;
    crd_metric_value v;
    if (find_fact(result, &facts[i], &name, &v))
      at += (size_t)snprintf(text + at, size - at, "%s%s %s", at ? ", " : "", name,
                             crd__report_decimal_format(number, v.value, DECIMALS));
  }
  return text;
}
