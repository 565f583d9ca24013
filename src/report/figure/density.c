/*
 * density.c -- how confident right and wrong rows are: a density of each, both of area 1.
 *
 * What they share is where confidence cannot tell right from wrong (Hendrycks, Gimpel 2017). How
 * many rows are of either kind does not show; the numbers beside it say it.
 *
 * Networks are often so sure of most right rows that this peak would press all else to the ground:
 * the axis ends at twice the lower of the two peaks, and the numbers say how high the other
 * goes on.
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

/* Both peaks, where one does not fit with the other. */
static void limit(crd__report_chart *chart, const crd_profile *p) {
  static const double most = 2;
  const double right = peak(&p->density_right), wrong = peak(&p->density_wrong);
  const double lower = fmin(right, wrong);
  if (!(lower > 0) || fmax(right, wrong) <= most * lower) return;
  chart->panels[0].up.high = most * lower;
  crd__report_chart_extra(chart, "peak of right rows", right);
  crd__report_chart_extra(chart, "peak of wrong rows", wrong);
}

static crd__report_chart density_plan(const crd__report_drawing *d) {
  const crd_profile *const p = d->result->profile;
  const bool has_right = p->density_right.count > 0, has_wrong = p->density_wrong.count > 0;
  crd__report_chart chart = {
    .what = "Densities of confidence",
    .shows = "How confident right rows and wrong rows are",
    .nothing = has_right || has_wrong ? NULL : "There is no density of these rows.",
    .panels = { { .x = "confidence", .y = "density", .across = { .high = 1 }, .height = 260 } },
    .count = 1,
    .facts = facts,
    .fact_count = sizeof facts / sizeof *facts,
  };
  crd__report_panel *const panel = &chart.panels[0];
  crd__report_panel_curve(panel, CRD__PEN_FIRST, &p->density_right, "right rows")->shape =
      CRD__SHAPE_AREA;
  crd__report_panel_curve(panel, CRD__PEN_SECOND, &p->density_wrong, "wrong rows")->shape =
      CRD__SHAPE_AREA;
  crd__report_panel_fit(panel, false);
  limit(&chart, p);
  return chart;
}

const crd__report_figure crd__report_figure_density = {
  .info = { .name = "density",
            .summary = "how confident right rows are, and how confident wrong ones",
            .source = CRD_FIGURE_OF_PROFILE,
            .metrics = "accuracy,confidence,auroc",
            .profile = CRD_PROFILE_CURVES },
  .plan = density_plan,
};
