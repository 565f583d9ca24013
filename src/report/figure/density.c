/*
 * density.c -- how confident right and wrong rows are: a density of each, both of area 1.
 *
 * What they share is where confidence cannot tell right from wrong (Hendrycks, Gimpel 2017). How
 * many rows are of either kind does not show; the numbers beside it say it.
 */
#include "report/chart.h"

static const crd__fact facts[] = {
  { "accuracy", "accuracy", false },
  { "confidence", "mean confidence", false },
  { "auroc", "AUROC", true },
};

static crd__chart plan(const crd__drawing *d) {
  const crd_profile *const p = d->result->profile;
  const bool has_right = p->density_right.count > 0, has_wrong = p->density_wrong.count > 0;
  crd__chart chart = {
    .what = "Densities of confidence",
    .shows = "How confident right rows and wrong rows are",
    .nothing = has_right || has_wrong ? NULL : "There is no density of these rows.",
    .panels = { { .x = "confidence", .y = "density", .across = { .high = 1 }, .height = 260 } },
    .count = 1,
    .facts = facts,
    .fact_count = sizeof facts / sizeof *facts,
  };
  crd__panel *const panel = &chart.panels[0];
  crd__panel_curve(panel, CRD__PEN_FIRST, &p->density_right, "right rows")->shape = CRD__SHAPE_AREA;
  crd__panel_curve(panel, CRD__PEN_SECOND, &p->density_wrong, "wrong rows")->shape =
      CRD__SHAPE_AREA;
  crd__panel_fit(panel, false);
  return chart;
}

const crd__figure crd__figure_density = {
  .info = { .name = "density",
            .summary = "how confident right rows are, and how confident wrong ones",
            .source = CRD_FIGURE_OF_PROFILE,
            .metrics = "accuracy,confidence,auroc",
            .profile = CRD_PROFILE_CURVES },
  .plan = plan,
};
