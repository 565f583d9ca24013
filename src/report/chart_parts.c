/* chart_parts.c -- building a chart: series, highlighted points, axis ranges. */
#include "report/chart.h"
#include "report/form.h"

#include "report/decimal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

crd_point crd__report_series_at(const crd__report_series *s, size_t index) {
  return s->at ? s->at(s->items, index) : s->ends[index];
}

static crd_point curve_point(const void *items, size_t index) {
  return ((const crd_point *)items)[index];
}

crd__report_series *crd__report_panel_series(crd__report_panel *panel, crd__report_pen pen,
                                             const void *items, size_t count,
                                             crd_point (*at)(const void *items, size_t index),
                                             const char *words) {
  crd__report_series *const s = &panel->series[panel->count++];
  *s = (crd__report_series){ .pen = pen, .words = words, .count = count, .items = items, .at = at };
  return s;
}

crd__report_series *crd__report_panel_look(crd__report_panel *panel, size_t look, const void *items,
                                           size_t count,
                                           crd_point (*at)(const void *items, size_t index),
                                           const char *words) {
  crd__report_series *const s =
      crd__report_panel_series(panel, CRD__PEN_FIRST, items, count, at, words);
  s->look = look + 1;
  return s;
}

crd__report_series *crd__report_panel_curve(crd__report_panel *panel, crd__report_pen pen,
                                            const crd_curve *curve, const char *words) {
  return crd__report_panel_series(panel, pen, curve->points, curve->count, curve_point, words);
}

void crd__report_panel_straight(crd__report_panel *panel, crd__report_pen pen, crd_point from,
                                crd_point to, const char *words) {
  crd__report_series *const s = crd__report_panel_series(panel, pen, NULL, 2, NULL, words);
  s->ends[0] = from;
  s->ends[1] = to;
}

void crd__report_panel_means(crd__report_panel *panel, const crd_result *result) {
  const double low = panel->up.low, high = panel->up.high;
  const double accuracy = crd__report_figure_accuracy(result);
  const double confidence = crd__report_figure_number(result, "confidence");
  if (!isnan(accuracy))
    crd__report_panel_straight(panel, CRD__PEN_ACCURACY, (crd_point){ accuracy, low },
                               (crd_point){ accuracy, high },
                               crd__report_figure_terms(result)->accuracy);
  if (!isnan(confidence))
    crd__report_panel_straight(panel, CRD__PEN_CONFIDENCE, (crd_point){ confidence, low },
                               (crd_point){ confidence, high },
                               crd__report_figure_terms(result)->mean);
}

void crd__report_panel_spot(crd__report_panel *panel, crd_point at, const char *name,
                            double value) {
  char number[CRD__NUMBER_SIZE];
  crd__report_spot *const spot = &panel->spots[panel->spot_count++];
  spot->at = at;
  snprintf(spot->words, sizeof spot->words, "%.20s %s", name, crd__number_brief(number, value, 3));
}

void crd__report_panel_fit(crd__report_panel *panel, bool loose) {
  double low = (double)INFINITY, high = -(double)INFINITY;
  for (size_t i = 0; i < panel->count; i++)
    for (size_t k = 0; k < panel->series[i].count; k++) {
      const double y = crd__report_series_at(&panel->series[i], k).y;
      if (!isfinite(y)) continue;
      low = fmin(low, y);
      high = fmax(high, y);
    }
  if (!(low <= high)) low = high = 0;
  if (!loose) low = fmin(low, 0);
  const double margin = high > low ? 0.05 * (high - low) : high > 0 ? 0.05 * high : 1;
  panel->up.low = low < 0 || loose ? low - margin : low;
  panel->up.high = high + margin;
}

/* Straight lines from edge to edge reach the new edges. */
static void stretch(crd__report_panel *panel, double low, double high) {
  for (size_t i = 0; i < panel->count; i++)
    for (size_t k = 0; k < 2 && !panel->series[i].at; k++) {
      double *const y = &panel->series[i].ends[k].y;
      if (*y == panel->up.low) *y = low;
      else if (*y == panel->up.high) *y = high;
    }
}

void crd__report_panel_join(crd__report_panel *panel, const crd__report_panel *other) {
  const double low = fmin(panel->up.low, other->up.low),
               high = fmax(panel->up.high, other->up.high);
  if (panel->across.low == panel->across.high || other->across.low == other->across.high) return;
  panel->across.low = fmin(panel->across.low, other->across.low);
  panel->across.high = fmax(panel->across.high, other->across.high);
  stretch(panel, low, high);
  panel->up.low = low;
  panel->up.high = high;
}

crd__report_ticks crd__report_panel_ticks(const crd__report_panel *panel) {
  const double width = panel->across.high - panel->across.low;
  size_t wanted = 5;
  if (panel->counted && width < (double)wanted) wanted = width < 2 ? 1 : (size_t)width;
  return crd__report_scale_ticks(&panel->across, wanted);
}

static bool is_power_of_ten(double value) {
  const double exponent = log10(value);
  return fabs(exponent - rint(exponent)) < 1e-9;
}

crd__report_ticks crd__report_panel_levels(const crd__report_panel *panel, size_t wanted) {
  crd__report_ticks ticks = crd__report_scale_ticks(&panel->up, wanted);
  if (ticks.count < 2) return crd__report_scale_ticks(&panel->up, wanted + 2);
  if (!panel->up.logarithmic || ticks.count <= 3 * wanted) return ticks;
  const size_t count = ticks.count;
  ticks.count = 0;
  for (size_t i = 0; i < count; i++)
    if (is_power_of_ten(ticks.at[i])) ticks.at[ticks.count++] = ticks.at[i];
  return ticks;
}

void crd__report_chart_extra(crd__report_chart *chart, const char *name, double value) {
  chart->extras[chart->extra_count++] = (crd__report_extra){ name, value };
}

double crd__report_figure_number(const crd_result *result, const char *metric) {
  const crd_metric_value *const v = crd__report_finite_value(result, metric);
  return v ? v->value : (double)NAN;
}

void crd__report_chart_values(const crd__report_chart *chart, const crd_result *result, char *text,
                              size_t size) {
  char number[CRD__NUMBER_SIZE];
  crd__report_figure_values(text, size, result, chart->facts, chart->fact_count);
  bool first = !*text;
  if (*chart->heading) snprintf(text + strlen(text), size - strlen(text), "%s: ", chart->heading);
  for (size_t i = 0; i < chart->extra_count; i++) {
    const size_t at = strlen(text);
    if (isnan(chart->extras[i].value)) continue;
    snprintf(text + at, size - at, "%s%s %s", first ? "" : ", ", chart->extras[i].name,
             crd__report_decimal_format(number, chart->extras[i].value, 4));
    first = false;
  }
}
