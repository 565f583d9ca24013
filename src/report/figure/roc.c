/*
 * roc.c -- how well confidence tells right rows from wrong ones (Hendrycks, Gimpel 2017): going
 * down the ranking, the share of right rows met against the share of wrong ones. Chance is the
 * diagonal.
 */
#include "report/chart.h"

static const crd__report_fact facts[] = {
  { "auroc", "AUROC", true },
  { "accuracy", "accuracy", false },
};

static crd__report_chart roc_plan(const crd__report_drawing *d) {
  const crd_profile *const p = d->result->profile;
  crd__report_chart chart = {
    .what = "ROC curve of correctness",
    .shows = "Share of right rows against share of wrong rows that are at least so confident",
    .nothing = p->roc.count ? NULL : CRD__NEEDS_BOTH,
    .panels = { { .x = "share of wrong rows at least so confident",
                  .y = "share of right rows",
                  .across = { .high = 1 },
                  .up = { .high = 1 },
                  .height = 350 } },
    .count = 1,
    .facts = facts,
    .fact_count = sizeof facts / sizeof *facts,
  };
  crd__report_panel_straight(&chart.panels[0], CRD__PEN_IDEAL, (crd_point){ 0, 0 },
                             (crd_point){ 1, 1 }, "chance");
  crd__report_panel_curve(&chart.panels[0], CRD__PEN_FIRST, &p->roc, "these predictions");
  return chart;
}

const crd__report_figure crd__report_figure_roc = {
  .info = { .name = "roc",
            .summary = "how well confidence tells right rows from wrong ones",
            .source = CRD_FIGURE_OF_PROFILE,
            .metrics = "auroc,accuracy",
            .profile = CRD_PROFILE_CURVES },
  .plan = roc_plan,
};
