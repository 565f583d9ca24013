/*
 * risk_coverage.c -- the risk-coverage curve of selective prediction (Geifman, El-Yaniv 2017): the
 * error rate among the most confident rows, against their share of all rows. The dashed line is the
 * best possible curve: every correct row more confident than all incorrect ones. Operating points
 * are marked where they were measured: on other rows than all, they lie near the curve.
 */
#include "credence/operating.h"
#include "report/chart.h"

#include <math.h>

static const crd__report_fact facts[] = {
  { "aurc", "AURC", true },
  { "e-aurc", "E-AURC", true },
  { "accuracy", "accuracy", false },
};

/* The first points, as many as there is space for beside the last point of the curve. */
static void mark_points(crd__report_panel *panel, const crd_operating_table *t) {
  for (size_t i = 0; t && i < t->count && panel->spot_count < CRD__SPOTS_MAX; i++) {
    const crd_operating_point *const p = &t->items[i];
    const crd_point at = { p->coverage.value, p->risk.value };
    if (isnan(at.y)) continue;
    panel->up.high = fmax(panel->up.high, 1.1 * at.y);
    crd__report_panel_spot(panel, at,
                           p->target.kind == CRD_TARGET_RISK ? "target risk" : "target coverage",
                           p->target.value);
  }
}

static crd__report_chart risk_coverage_plan(const crd__report_drawing *d) {
  const crd_profile *const p = d->result->profile;
  crd__report_chart chart = {
    .what = "Risk and coverage",
    .shows = "Error rate against the share of rows kept, the most confident first",
    .nothing = p->risk_coverage.count ? NULL : "No curve for these rows.",
    .panels = { { .x = "coverage: share of rows kept",
                  .y = "risk: error rate",
                  .across = { .high = 1 },
                  .height = 260 } },
    .count = 1,
    .facts = facts,
    .fact_count = sizeof facts / sizeof *facts,
  };
  crd__report_panel *const panel = &chart.panels[0];
  crd__report_panel_curve(panel, CRD__PEN_SECOND, &p->risk_coverage_best, "best possible");
  crd__report_panel_curve(panel, CRD__PEN_FIRST, &p->risk_coverage, "these predictions");
  crd__report_panel_fit(panel, false);
  if (chart.nothing) return chart;
  const crd_point last = p->risk_coverage.points[p->risk_coverage.count - 1];
  panel->up.high *= 1.1; /* space for the label above the highest point */
  crd__report_panel_spot(panel, last, "all rows:", last.y);
  mark_points(panel, d->result->operating);
  return chart;
}

const crd__report_figure crd__report_figure_risk_coverage = {
  .info = { .name = "risk-coverage",
            .summary = "risk-coverage curve: error rate when only the most confident rows are kept",
            .source = CRD_FIGURE_OF_PROFILE,
            .metrics = "aurc,e-aurc,accuracy",
            .profile = CRD_PROFILE_CURVES },
  .ordinal = true,
  .plan = risk_coverage_plan,
};
