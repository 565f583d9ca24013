/*
 * temperature.c -- NLL (above) and ECE (below) after temperature scaling, against the temperature
 * T, each with its minimum over the grid of temperatures.
 *
 * The two minima seldom agree (Guo et al. 2017 minimise NLL, since ECE is a step function). The
 * panel of NLL is cut off somewhat above its value at T = 1, where the curve is of no interest.
 */
#include "report/chart.h"

#include <math.h>

static const crd_temperature_point *item(const void *items, size_t index) {
  return (const crd_temperature_point *)items + index;
}

static crd_point nll(const void *items, size_t index) {
  return (crd_point){ item(items, index)->temperature, item(items, index)->nll };
}

static crd_point ece(const void *items, size_t index) {
  return (crd_point){ item(items, index)->temperature, item(items, index)->ece };
}

/* Confidences alone have no NLL of classes. */
static const crd__report_fact whole[] = { { "nll", "NLL", true }, { "ece", "ECE", true } };
static const crd__report_fact top[] = { { "nll-top1", "top-1 NLL", true }, { "ece", "ECE", true } };

/* Returns the point with the lowest y; NaN if no y is finite. */
static crd_point lowest(const crd__report_series *s) {
  crd_point best = { (double)NAN, (double)NAN };
  for (size_t i = 0; i < s->count; i++) {
    const crd_point p = crd__report_series_at(s, i);
    if (isfinite(p.y) && !(p.y >= best.y)) best = p;
  }
  return best;
}

/* Returns y at the first T >= 1 of the grid. */
static double unscaled(const crd__report_series *s) {
  for (size_t i = 0; i < s->count; i++)
    if (crd__report_series_at(s, i).x >= 1) return crd__report_series_at(s, i).y;
  return (double)NAN;
}

static double add_line(crd__report_panel *panel, const crd_profile *p,
                       crd_point (*at)(const void *items, size_t index)) {
  const size_t count = p->temperature_count;
  panel->across = (crd__report_scale){ .low = p->temperatures[0].temperature,
                                       .high = p->temperatures[count - 1].temperature,
                                       .logarithmic = true };
  const crd__report_series *const line =
      crd__report_panel_series(panel, CRD__PEN_FIRST, p->temperatures, count, at, NULL);
  const crd_point best = lowest(line);
  crd__report_panel_fit(panel, false);
  if (isnan(best.y)) return best.x;
  crd__report_panel_spot(panel, best, "T =", best.x);
  return best.x;
}

/* Cuts the panel off at the minimum plus three times the height of T = 1 above it. */
static void limit(crd__report_panel *panel) {
  const double best = lowest(&panel->series[0]).y, now = unscaled(&panel->series[0]);
  const double high = fmin(panel->up.high, best + 3 * fmax(now - best, 0.5 * fabs(best)));
  if (isnan(best) || isnan(now)) return;
  const double margin = 0.08 * (high - best);
  panel->up.low = fmax(best - margin, 0);
  panel->up.high = high;
}

static void mark_one(crd__report_panel *panel, const char *words) {
  if (panel->across.low < 1 && panel->across.high > 1)
    crd__report_panel_straight(panel, CRD__PEN_IDEAL, (crd_point){ 1, panel->up.low },
                               (crd_point){ 1, panel->up.high }, words);
}

static crd__report_chart temperature_plan(const crd__report_drawing *d) {
  const crd_profile *const p = d->result->profile;
  const bool pairs = d->result->input == CRD_INPUT_PAIRS;
  crd__report_chart chart = {
    .what = "Temperature scaling",
    .shows = "NLL and ECE with logits divided by a temperature",
    .nothing = p->temperature_count > 1 ? NULL : "No logits to divide by a temperature.",
    .panels = { { .y = pairs ? top[0].name : whole[0].name, .height = 200 },
                { .x = "temperature", .y = "ECE", .height = 200 } },
    .count = 2,
    .facts = pairs ? top : whole,
    .fact_count = sizeof whole / sizeof *whole,
  };
  if (chart.nothing) return chart;
  crd__report_chart_extra(&chart, "T with the lowest NLL", add_line(&chart.panels[0], p, nll));
  crd__report_chart_extra(&chart, "T with the lowest ECE", add_line(&chart.panels[1], p, ece));
  limit(&chart.panels[0]);
  mark_one(&chart.panels[0], NULL);
  mark_one(&chart.panels[1], "T = 1 (uncalibrated)");
  return chart;
}

const crd__report_figure crd__report_figure_temperature = {
  .info = { .name = "temperature",
            .summary = "NLL and ECE after temperature scaling, against the temperature",
            .source = CRD_FIGURE_OF_PROFILE,
            .metrics = "nll,nll-top1,ece",
            .profile = CRD_PROFILE_TEMPERATURES },
  .plan = temperature_plan,
};
