/*
 * density.c -- densities of confidence among correct and among incorrect predictions, each of area
 * 1. Where they overlap, confidence does not separate the two (Hendrycks, Gimpel 2017). The numbers
 * beside the chart give the accuracy, which densities of equal area do not show.
 *
 * Networks are often so confident in correct predictions that their peak would flatten the rest of
 * the chart: the axis ends at twice the lower of the two peaks, and both heights are given as
 * numbers.
 */
#include "report/chart.h"

#include <math.h>

static const crd__report_fact facts[] = {
  { "accuracy", "accuracy", false },
  { "confidence", "mean confidence", false },
  { "auroc", "AUROC", true },
};

static double peak(const crd_curve *curve) {
  double highest = 0;
  for (size_t i = 0; i < curve->count; i++) highest = fmax(highest, curve->points[i].y);
  return highest;
}

/* Cuts the axis and adds both peaks as numbers, if one is more than twice the other. */
static void limit(crd__report_chart *chart, const crd_profile *p) {
  static const double most = 2;
  const double correct = peak(&p->density_right), incorrect = peak(&p->density_wrong);
  const double lower = fmin(correct, incorrect);
  if (!(lower > 0) || fmax(correct, incorrect) <= most * lower) return;
  chart->panels[0].up.high = most * lower;
  crd__report_chart_extra(chart, "peak (correct)", correct);
  crd__report_chart_extra(chart, "peak (incorrect)", incorrect);
}

static crd__report_chart density_plan(const crd__report_drawing *d) {
  const crd_profile *const p = d->result->profile;
  const bool has_right = p->density_right.count > 0, has_wrong = p->density_wrong.count > 0;
  crd__report_chart chart = {
    .what = "Densities of confidence",
    .shows = "Densities of confidence of correct and incorrect predictions",
    .nothing = has_right || has_wrong ? NULL : "No density for these rows.",
    .panels = { { .x = crd__report_figure_terms(d->result)->confidence,
                  .y = "density",
                  .across = { .high = 1 },
                  .height = 260 } },
    .count = 1,
    .facts = facts,
    .fact_count = sizeof facts / sizeof *facts,
  };
  crd__report_panel *const panel = &chart.panels[0];
  crd__report_panel_curve(panel, CRD__PEN_FIRST, &p->density_right,
                          crd__report_figure_terms(d->result)->right)
      ->shape = CRD__SHAPE_AREA;
  crd__report_panel_curve(panel, CRD__PEN_SECOND, &p->density_wrong,
                          crd__report_figure_terms(d->result)->wrong)
      ->shape = CRD__SHAPE_AREA;
  crd__report_panel_fit(panel, false);
  limit(&chart, p);
  return chart;
}

const crd__report_figure crd__report_figure_density = {
  .info = { .name = "density",
            .summary = "densities of confidence of correct and of incorrect predictions",
            .source = CRD_FIGURE_OF_PROFILE,
            .metrics = "accuracy,confidence,auroc",
            .profile = CRD_PROFILE_CURVES },
  .plan = density_plan,
};
