/*
 * roc.c -- the ROC curve of confidence as a detector of correct predictions (Hendrycks, Gimpel
 * 2017): for each threshold the share of correct predictions at or above it, against the share of
 * incorrect ones. Chance is the diagonal.
 */
#include "report/chart.h"
#include "report/form.h"

static const crd__report_fact facts[] = {
  { "auroc", "AUROC", true },
  { "accuracy", "accuracy", false },
};

static crd__report_chart roc_plan(const crd__report_drawing *d) {
  const crd_profile *const p = d->result->profile;
  const bool of_class_1 = crd__report_judges_class_1(d->result);
  crd__report_chart chart = {
    .what = "ROC curve of correctness",
    .shows = "Share of correct against share of incorrect predictions above each threshold",
    .nothing = p->roc.count ? NULL : CRD__NEEDS_BOTH,
    .panels = { { .x = of_class_1 ? "false positive rate (class 0)"
                                  : "false positive rate (incorrect predictions)",
                  .y = of_class_1 ? "true positive rate (class 1)"
                                  : "true positive rate (correct predictions)",
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
            .summary = "ROC curve of confidence as a detector of correct predictions",
            .source = CRD_FIGURE_OF_PROFILE,
            .metrics = "auroc,accuracy",
            .profile = CRD_PROFILE_CURVES },
  .ordinal = true,
  .plan = roc_plan,
};
