/*
 * calibration_size.c -- ECE after post-hoc methods against the number of calibration rows: a panel
 * for each post-hoc method, a line for each training method.
 *
 * Temperature scaling needs few rows, histogram binning many: Wang et al. (2021), figure 3.
 */
#include "report/chart.h"

#include <math.h>
#include <stdio.h>

enum { HEIGHT = 150, TRAININGS_MAX = 16 };

static crd_status calibration_size_check(crd_context *ctx, const crd_figure_data *data,
                                         bool terminal) {
  const crd_calibratability *const r = data->calibratability;
  (void)terminal;
  if (r->method_count > CRD__PANELS_MAX || r->count > TRAININGS_MAX)
    return crd__fail(ctx, CRD_EUSAGE,
                     "%zu post-hoc and %zu training methods are too many to draw, allowed are up "
                     "to %d and %d",
                     r->method_count, r->count, CRD__PANELS_MAX, TRAININGS_MAX);
  return CRD_OK;
}

static crd_point size_point(const void *items, size_t index) {
  const crd_sized *const sized = &((const crd_sized *)items)[index];
  return (crd_point){ (double)sized->rows, sized->ece.mean };
}

/* Sizes may be in any order; one alone has a decade around it. */
static crd__report_scale range_of(const crd_calibratability *r) {
  crd__report_scale scale = { .low = (double)INFINITY, .high = 0, .logarithmic = true };
  for (size_t s = 0; s < r->size_count; s++) {
    scale.low = fmin(scale.low, (double)r->items[0].sized[s].rows);
    scale.high = fmax(scale.high, (double)r->items[0].sized[s].rows);
  }
  const double margin = scale.high > scale.low ? pow(scale.high / scale.low, 0.03) : 3;
  scale.low /= margin;
  scale.high *= margin;
  return scale;
}

/* Returns the name of the ECE after a method: "after temperature". */
static const char *name_of(const crd_calibratability *r, size_t method) {
  for (size_t k = 0; k < r->column_count; k++)
    if (r->columns[k].kind == CRD_CALIBRATABILITY_AFTER && method-- == 0) return r->columns[k].name;
  return "";
}

static crd__report_chart calibration_size_plan(const crd__report_drawing *d) {
  const crd_calibratability *const r = d->calibratability;
  crd__report_chart chart = {
    .what = "ECE by calibration rows",
    .shows = "ECE after post-hoc calibration against the number of calibration rows",
    .nothing = r->size_count && r->method_count ? NULL : "No sizes of the calibration set.",
    .legend_first = true,
  };
  snprintf(chart.about, sizeof chart.about, "ECE with %u bins, %u draw%s of each size", r->bins,
           r->draws, r->draws == 1 ? "" : "s");
  if (chart.nothing) return chart;
  for (size_t m = 0; m < r->method_count; m++) {
    crd__report_panel *const panel = &chart.panels[chart.count++];
    panel->y = name_of(r, m);
    panel->height = HEIGHT;
    panel->across = range_of(r);
    for (size_t i = 0; i < r->count; i++)
      crd__report_panel_look(panel, i, r->items[i].sized + m * r->size_count, r->size_count,
                             size_point, r->items[i].name)
          ->unlisted = m > 0;
    crd__report_panel_fit(panel, false);
  }
  chart.panels[chart.count - 1].x = "calibration rows";
  return chart;
}

const crd__report_figure crd__report_figure_calibration_size = {
  .info = { .name = "calibration-size",
            .summary = "ECE after post-hoc methods, against the number of calibration rows",
            .source = CRD_FIGURE_OF_CALIBRATABILITY,
            .metrics = "" },
  .plan = calibration_size_plan,
  .check = calibration_size_check,
};
