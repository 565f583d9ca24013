/* severity.c -- metrics over the severity of a shift, as panels of a chart. */
#include "report/severity.h"
#include "report/palette.h"

#include <math.h>

enum { HEIGHT = 116 };

crd_point *crd__report_severity_begin(crd__report_severity_pen *pen) { return pen->next; }

void crd__report_severity_add(crd__report_severity_pen *pen, double severity, double value) {
  if (isfinite(value)) *pen->next++ = (crd_point){ severity, value };
}

static crd_point point_at(const void *items, size_t index) {
  return ((const crd_point *)items)[index];
}

/* A few points: sorted by insertion, which keeps the order of equal ones. */
static void sort(crd_point *points, size_t count) {
  for (size_t i = 1; i < count; i++) {
    const crd_point p = points[i];
    size_t k = i;
    for (; k > 0 && points[k - 1].x > p.x; k--) points[k] = points[k - 1];
    points[k] = p;
  }
}

void crd__report_severity_end(crd__report_severity_pen *pen, crd_point *from,
                              crd__report_panel *panel, const char *words, bool listed) {
  const size_t count = (size_t)(pen->next - from), line = pen->line++;
  sort(from, count);
  if (count == 0) return;
  crd__report_panel_look(panel, crd__report_palette_look(line), from, count, point_at, words)
      ->unlisted = !listed;
}

static bool is_counted(const crd__report_panel *panel) {
  for (size_t i = 0; i < panel->count; i++)
    for (size_t k = 0; k < panel->series[i].count; k++) {
      const double x = crd__report_series_at(&panel->series[i], k).x;
      if (x != rint(x)) return false;
    }
  return true;
}

/* One method with an infinite or huge loss must not flatten the lines of the others. */
static void spread(crd__report_panel *panel) {
  static const double times = 20;
  double low = (double)INFINITY, high = 0;
  for (size_t i = 0; i < panel->count; i++)
    for (size_t k = 0; k < panel->series[i].count; k++) {
      const double y = crd__report_series_at(&panel->series[i], k).y;
      low = fmin(low, y);
      high = fmax(high, y);
    }
  if (low > 0 && high > times * low)
    panel->up = (crd__report_scale){ .low = low / 1.5, .high = high * 1.5, .logarithmic = true };
}

void crd__report_severity_keep(crd__report_chart *chart, const crd__report_severity_metric *metric,
                               double severest) {
  crd__report_panel *const panel = &chart->panels[chart->count];
  const double margin = 0.04 * severest;
  if (panel->count == 0) return;
  panel->y = metric->name;
  panel->height = HEIGHT;
  panel->counted = is_counted(panel);
  crd__report_panel_fit(panel, metric->loose);
  if (metric->spreads) spread(panel);
  panel->across = (crd__report_scale){ .low = -margin, .high = severest + margin };
  chart->count++;
}

void crd__report_severity_finish(crd__report_chart *chart) {
  if (chart->count) chart->panels[chart->count - 1].x = "severity (0: original)";
  else chart->nothing = "No metric has a value on these data.";
}
