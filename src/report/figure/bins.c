/*
 * bins.c -- calibration errors against the number of bins (Kumar et al. 2019; Nixon et al. 2019).
 *
 * ECE grows with the number of bins even for a perfectly calibrated model; the grey area ends at
 * that noise floor. The debiased estimate should not grow: where ECE and AECE are far above it, the
 * rest is noise.
 */
#include "report/chart.h"

static const crd_bins_point *item(const void *items, size_t index) {
  return (const crd_bins_point *)items + index;
}

static crd_point ece(const void *items, size_t index) {
  return (crd_point){ item(items, index)->bins, item(items, index)->ece };
}

static crd_point debiased(const void *items, size_t index) {
  return (crd_point){ item(items, index)->bins, item(items, index)->ece_debiased };
}

static crd_point aece(const void *items, size_t index) {
  return (crd_point){ item(items, index)->bins, item(items, index)->aece };
}

static crd_point noise(const void *items, size_t index) {
  return (crd_point){ item(items, index)->bins, item(items, index)->noise_floor };
}

static const crd__report_fact facts[] = {
  { "ece", "ECE", true },
  { "ece-debiased", "debiased ECE", true },
  { "aece", "AECE", true },
};

static void add_lines(crd__report_panel *panel, const crd_profile *p) {
  const crd_bins_point *const items = p->by_bins;
  const size_t count = p->by_bins_count;
  panel->across = (crd__report_scale){ .low = items[0].bins, .high = items[count - 1].bins };
  panel->across.logarithmic = items[0].bins > 0 && count > 1;
  if (count == 1) panel->across.high = panel->across.low + 1;
  crd__report_panel_series(panel, CRD__PEN_BAND, items, count, noise,
                           "up to the noise floor of ECE")
      ->shape = CRD__SHAPE_BAND;
  crd__report_panel_series(panel, CRD__PEN_THIRD, items, count, aece, "AECE");
  crd__report_panel_series(panel, CRD__PEN_SECOND, items, count, debiased, "debiased ECE");
  crd__report_panel_series(panel, CRD__PEN_FIRST, items, count, ece, "ECE");
  crd__report_panel_fit(panel, false);
}

static crd__report_chart bins_plan(const crd__report_drawing *d) {
  const crd_profile *const p = d->result->profile;
  crd__report_chart chart = {
    .what = "Calibration error by number of bins",
    .shows = "ECE, debiased ECE and AECE against the number of bins",
    .nothing = p->by_bins_count ? NULL : "No bins for these rows.",
    .panels = { { .x = "number of bins", .y = "error", .height = 260 } },
    .count = 1,
    .facts = facts,
    .fact_count = sizeof facts / sizeof *facts,
  };
  if (!chart.nothing) add_lines(&chart.panels[0], p);
  return chart;
}

const crd__report_figure crd__report_figure_bins = {
  .info = { .name = "bins",
            .summary = "ECE, debiased ECE and AECE against the number of bins",
            .source = CRD_FIGURE_OF_PROFILE,
            .metrics = "ece,ece-debiased,aece",
            .profile = CRD_PROFILE_CURVES },
  .plan = bins_plan,
};
