/*
 * shift_methods.c -- ECE, Brier score, NLL and AUROC of calibration methods over the severity of a
 * shift: one line for each method, the mean over the corruptions of the same severity (as in Ovadia
 * et al. 2019). Severity 0 is the test rows.
 */
#include "report/severity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const crd__report_severity_metric metrics[CRD__SEVERITY_PANELS] = {
  { "ece", "ECE", false, false },
  { "brier", "Brier score", false, false },
  { "nll", "NLL", false, true },
  { "auroc", "AUROC", true, false },
};

static crd_status shift_methods_check(crd_context *ctx, const crd_figure_data *data,
                                      bool terminal) {
  (void)terminal;
  if (data->contest->count <= CRD__SEVERITY_LINES) return CRD_OK;
  return crd__fail(ctx, CRD_EUSAGE, "%zu methods are too many lines to draw, allowed are up to %d",
                   data->contest->count, CRD__SEVERITY_LINES);
}

static size_t shift_methods_points(const crd__report_drawing *d) {
  return CRD__SEVERITY_PANELS * d->contest->count * (d->contest->shift_count + 1);
}

/* Whether no set before has the same severity. */
static bool is_first(const crd_contest *c, size_t index) {
  for (size_t s = 0; s < index; s++)
    if (c->shift[s].severity == c->shift[index].severity) return false;
  return true;
}

/* The mean of a method over the sets of the same severity; NaN if one has no value. */
static double mean_of(const crd_contest *c, size_t method, double severity, const char *metric) {
  double sum = 0, count = 0;
  for (size_t s = 0; s < c->shift_count; s++) {
    if (c->shift[s].severity != severity) continue;
    sum += crd__report_figure_number(c->shift[s].candidates[method].result, metric);
    count++;
  }
  return sum / count;
}

static void add_line(const crd_contest *c, size_t method, const char *metric,
                     crd__report_severity_pen *pen, crd__report_panel *panel, bool listed) {
  crd_point *const from = crd__report_severity_begin(pen);
  crd__report_severity_add(pen, 0, crd__report_figure_number(c->candidates[method].result, metric));
  for (size_t s = 0; s < c->shift_count; s++)
    if (is_first(c, s) && c->shift[s].severity != 0)
      crd__report_severity_add(pen, c->shift[s].severity,
                               mean_of(c, method, c->shift[s].severity, metric));
  crd__report_severity_end(pen, from, panel, c->candidates[method].name, listed);
}

static crd__report_chart shift_methods_plan(const crd__report_drawing *d) {
  const crd_contest *const c = d->contest;
  crd__report_chart chart = { .what = "Methods under shift",
                              .shows = "Metrics of calibration methods over the severity of a "
                                       "shift of the data",
                              .legend_first = true };
  crd__report_severity_pen pen = { .next = d->points };
  double severest = 0;
  snprintf(chart.about, sizeof chart.about,
           "%zu shifted set%s; calibrators fitted on the original, applied unchanged",
           c->shift_count, c->shift_count == 1 ? "" : "s");
  for (size_t s = 0; s < c->shift_count; s++) severest = fmax(severest, c->shift[s].severity);
  if (!(severest > 0)) severest = 1;
  for (size_t m = 0; m < CRD__SEVERITY_PANELS; m++) {
    pen.line = 0;
    for (size_t i = 0; i < c->count; i++)
      add_line(c, i, metrics[m].metric, &pen, &chart.panels[chart.count], chart.count == 0);
    crd__report_severity_keep(&chart, &metrics[m], severest);
  }
  crd__report_severity_finish(&chart);
  return chart;
}

const crd__report_figure crd__report_figure_shift_methods = {
  .info = { .name = "shift-methods",
            .summary = "ECE, Brier score, NLL and AUROC of calibration methods over the severity "
                       "of a shift",
            .source = CRD_FIGURE_OF_SHIFTED_CONTEST,
            .metrics = "ece,brier,nll,auroc" },
  .plan = shift_methods_plan,
  .points = shift_methods_points,
  .check = shift_methods_check,
};
