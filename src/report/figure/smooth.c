/*
 * smooth.c -- the reliability diagram without bins: accuracy as a function of confidence, by local
 * logistic regression (profile/part/smooth.c), with its pointwise 95 % band.
 *
 * The density of rows is drawn below it, since the curve does not show how many rows support it.
 */
#include "report/chart.h"

#include <math.h>

static crd_point accuracy(const void *items, size_t index) {
  const crd_smooth_point *const p = (const crd_smooth_point *)items + index;
  return (crd_point){ p->confidence, p->accuracy };
}

static crd_point high(const void *items, size_t index) {
  const crd_smooth_point *const p = (const crd_smooth_point *)items + index;
  return (crd_point){ p->confidence, p->high };
}

static double low(const void *items, size_t index) {
  return ((const crd_smooth_point *)items)[index].low;
}

static crd_point density(const void *items, size_t index) {
  const crd_smooth_point *const p = (const crd_smooth_point *)items + index;
  return (crd_point){ p->confidence, p->density };
}

static const crd__report_fact facts[] = {
  { "accuracy", "accuracy", false },
  { "confidence", "mean confidence", false },
  { "smece", "smooth ECE", true },
};

static void add_curve(crd__report_panel *panel, const crd__report_drawing *d) {
  const crd_profile *const p = d->result->profile;
  crd__report_panel_straight(panel, CRD__PEN_IDEAL, (crd_point){ 0, 0 }, (crd_point){ 1, 1 },
                             "calibrated");
  if (p->smooth_count && !isnan(p->smooth[0].low)) {
    crd__report_series *const band = crd__report_panel_series(panel, CRD__PEN_BAND, p->smooth,
                                                              p->smooth_count, high, "95 % band");
    band->shape = CRD__SHAPE_BAND;
    band->foot = low;
  }
  crd__report_panel_series(panel, CRD__PEN_FIRST, p->smooth, p->smooth_count, accuracy,
                           crd__report_figure_terms(d->result)->smoothed);
}

static void add_density(crd__report_panel *panel, const crd__report_drawing *d) {
  const crd_profile *const p = d->result->profile;
  crd__report_panel_series(panel, CRD__PEN_THIRD, p->smooth, p->smooth_count, density,
                           "density of rows")
      ->shape = CRD__SHAPE_AREA;
  crd__report_panel_fit(panel, false);
  crd__report_panel_means(panel, d->result);
}

static crd__report_chart smooth_plan(const crd__report_drawing *d) {
  const crd_profile *const p = d->result->profile;
  crd__report_chart chart = {
    .what = "Smooth reliability curve",
    .shows = "Smoothed accuracy against confidence, and the density of rows",
    .nothing = p->smooth_count ? NULL : "No curve for these rows.",
    .panels = { { .y = crd__report_figure_terms(d->result)->accuracy,
                  .across = { .high = 1 },
                  .up = { .high = 1 },
                  .height = 350 },
                { .x = crd__report_figure_terms(d->result)->confidence,
                  .y = "density",
                  .across = { .high = 1 },
                  .height = 80 } },
    .count = 2,
    .facts = facts,
    .fact_count = sizeof facts / sizeof *facts,
  };
  if (chart.nothing) return chart;
  add_curve(&chart.panels[0], d);
  add_density(&chart.panels[1], d);
  crd__report_chart_extra(&chart, "rows per window", p->smooth_bandwidth);
  return chart;
}

const crd__report_figure crd__report_figure_smooth = {
  .info = { .name = "smooth",
            .summary = "reliability curve without bins, with its 95 % band and the density of rows",
            .source = CRD_FIGURE_OF_PROFILE,
            .metrics = "accuracy,confidence,smece",
            .profile = CRD_PROFILE_SMOOTH },
  .plan = smooth_plan,
};
