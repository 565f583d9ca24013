/*
 * precision_recall.c -- confidence as a detector: of right rows, from the most confident on, and of
 * wrong rows, from the least confident on. Chance is the share of rows of that kind, at any recall.
 */
#include "report/chart.h"

#include <math.h>

static const crd__report_fact facts[] = {
  { "aupr-success", "AUPR, right rows", true },
  { "aupr-error", "AUPR, wrong rows", true },
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
  const double right = crd__report_figure_number(d->result, "accuracy");
  crd__report_chart chart = {
    .what = "Precision and recall",
    .shows = "Precision against recall of finding right rows and of finding wrong rows by "
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
  add_chance(panel, &p->precision_right, right, "chance");
  add_chance(panel, &p->precision_wrong, 1 - right, p->precision_right.count ? NULL : "chance");
  crd__report_panel_curve(panel, CRD__PEN_FIRST, &p->precision_right, "finding right rows");
  crd__report_panel_curve(panel, CRD__PEN_SECOND, &p->precision_wrong, "finding wrong rows");
  return chart;
}

const crd__report_figure crd__report_figure_precision_recall = {
  .info = { .name = "precision-recall",
            .summary = "precision and recall of finding right rows, and of finding wrong ones",
            .source = CRD_FIGURE_OF_PROFILE,
            .metrics = "aupr-success,aupr-error,accuracy",
            .profile = CRD_PROFILE_CURVES },
  .plan = precision_recall_plan,
};
