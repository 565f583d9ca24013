/*
 * precision_recall.c -- precision-recall curves of confidence as a detector: of correct predictions
 * (the most confident first) and of incorrect ones (the least confident first). A random ranking
 * has the share of such rows as its precision at every recall.
 */
#include "report/chart.h"

#include <math.h>

static const crd__report_fact facts[] = {
  { "aupr-success", "AUPR (correct)", true },
  { "aupr-error", "AUPR (incorrect)", true },
  { "accuracy", "accuracy", false },
};

static void add_chance(crd__report_panel *panel, const crd_curve *curve, double rate,
                       const char *words) {
  if (curve->count > 0 && !isnan(rate))
    crd__report_panel_straight(panel, CRD__PEN_IDEAL, (crd_point){ 0, rate },
                               (crd_point){ 1, rate }, words);
}

static crd__report_chart precision_recall_plan(const crd__report_drawing *d) {
  const crd_profile *const p = d->result->profile;
  const double accuracy = crd__report_figure_accuracy(d->result);
  crd__report_chart chart = {
    .what = "Precision and recall",
    .shows = "Precision against recall of detecting correct and incorrect predictions by "
             "confidence",
    .nothing = p->precision_right.count || p->precision_wrong.count ? NULL : CRD__NEEDS_BOTH,
    .panels = { { .x = "recall",
                  .y = "precision",
                  .across = { .high = 1 },
                  .up = { .high = 1 },
                  .height = 350 } },
    .count = 1,
    .facts = facts,
    .fact_count = sizeof facts / sizeof *facts,
  };
  crd__report_panel *const panel = &chart.panels[0];
  add_chance(panel, &p->precision_right, accuracy, "chance");
  add_chance(panel, &p->precision_wrong, 1 - accuracy, p->precision_right.count ? NULL : "chance");
  crd__report_panel_curve(panel, CRD__PEN_FIRST, &p->precision_right,
                          crd__report_figure_terms(d->result)->right);
  crd__report_panel_curve(panel, CRD__PEN_SECOND, &p->precision_wrong,
                          crd__report_figure_terms(d->result)->wrong);
  return chart;
}

const crd__report_figure crd__report_figure_precision_recall = {
  .info = { .name = "precision-recall",
            .summary = "precision-recall curves of detecting correct and incorrect predictions",
            .source = CRD_FIGURE_OF_PROFILE,
            .metrics = "aupr-success,aupr-error,accuracy",
            .profile = CRD_PROFILE_CURVES },
  .ordinal = true,
  .plan = precision_recall_plan,
};
