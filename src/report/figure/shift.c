/*
 * shift.c -- accuracy, ECE, Brier score and AUROC over the severity of a shift: one line for each
 * corruption, from the original at severity 0 on (as in Ovadia et al. 2019).
 */
#include "credence/shift.h"
#include "report/severity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const crd__report_severity_metric metrics[CRD__SEVERITY_PANELS] = {
  { "accuracy", "accuracy", true, false },
  { "ece", "ECE", false, false },
  { "brier", "Brier score", false, false },
  { "auroc", "AUROC", true, false },
};

static bool is_first(const crd_shift_table *s, size_t index) {
  for (size_t i = 0; i < index; i++)
    if (strcmp(s->items[i].family, s->items[index].family) == 0) return false;
  return true;
}

static size_t count_families(const crd_shift_table *s) {
  size_t count = 0;
  for (size_t i = 0; i < s->count; i++) count += is_first(s, i);
  return count;
}

static crd_status shift_check(crd_context *ctx, const crd_figure_data *data, bool terminal) {
  const size_t families = count_families(data->result->shift);
  (void)terminal;
  if (families <= CRD__SEVERITY_LINES) return CRD_OK;
  return crd__fail(ctx, CRD_EUSAGE,
                   "%zu kinds of shift are too many lines to draw, allowed are up to %d", families,
                   CRD__SEVERITY_LINES);
}

/* Each line has its sets, and the original. */
static size_t shift_points(const crd__report_drawing *d) {
  return d->result->shift->count * 2 * CRD__SEVERITY_PANELS;
}

static void add_line(const crd_result *r, size_t first, const char *metric,
                     crd__report_severity_pen *pen, crd__report_panel *panel, bool listed) {
  const crd_shift_table *const s = r->shift;
  crd_point *const from = crd__report_severity_begin(pen);
  crd__report_severity_add(pen, 0, crd__report_figure_number(r, metric));
  for (size_t i = first; i < s->count; i++)
    if (strcmp(s->items[i].family, s->items[first].family) == 0)
      crd__report_severity_add(pen, s->items[i].severity,
                               crd__report_figure_number(s->items[i].result, metric));
  crd__report_severity_end(pen, from, panel, s->items[first].family, listed);
}

static crd__report_chart shift_plan(const crd__report_drawing *d) {
  const crd_shift_table *const s = d->result->shift;
  crd__report_chart chart = { .what = "Shift",
                              .shows = "Metrics over the severity of a shift of the data",
                              .legend_first = true };
  crd__report_severity_pen pen = { .next = d->points };
  double severest = 0;
  for (size_t i = 0; i < s->count; i++) severest = fmax(severest, s->items[i].severity);
  if (!(severest > 0)) severest = 1;
  for (size_t m = 0; m < CRD__SEVERITY_PANELS; m++) {
    pen.line = 0;
    for (size_t i = 0; i < s->count; i++)
      if (is_first(s, i))
        add_line(d->result, i, metrics[m].metric, &pen, &chart.panels[chart.count],
                 chart.count == 0);
    crd__report_severity_keep(&chart, &metrics[m], severest);
  }
  crd__report_severity_finish(&chart);
  return chart;
}

const crd__report_figure crd__report_figure_shift = {
  .info = { .name = "shift",
            .summary = "accuracy, ECE, Brier score and AUROC over the severity of a shift",
            .source = CRD_FIGURE_OF_SHIFT,
            .metrics = "accuracy,ece,brier,auroc" },
  .plan = shift_plan,
  .points = shift_points,
  .check = shift_check,
};
