/* severity.h -- metrics over the severity of a shift, as panels of a chart. */
#ifndef CRD_REPORT_SEVERITY_H
#define CRD_REPORT_SEVERITY_H

#include "report/chart.h"

enum { CRD__SEVERITY_PANELS = 4, CRD__SEVERITY_LINES = CRD__SERIES_MAX };

/* A metric of a panel. */
typedef struct {
  const char *metric, *name;
  bool loose;   /* its axis need not begin at 0 */
  bool spreads; /* its axis is logarithmic if its values differ by a large factor */
} crd__report_severity_metric;

/* Points that are still free in the drawing's scratch buffer. */
typedef struct {
  crd_point *next;
  size_t line; /* of the panel, from 0 */
} crd__report_severity_pen;

/* Begins a line; adds a point to it, unless it is NaN. */
crd_point *crd__report_severity_begin(crd__report_severity_pen *pen);
void crd__report_severity_add(crd__report_severity_pen *pen, double severity, double value);
/* Sorts the points of the line by severity, and adds it to the panel. */
void crd__report_severity_end(crd__report_severity_pen *pen, crd_point *from,
                              crd__report_panel *panel, const char *words, bool listed);
/* Sets the ranges of a panel with lines, and keeps it in the chart; panels without values are
 * dropped. */
void crd__report_severity_keep(crd__report_chart *chart, const crd__report_severity_metric *metric,
                               double severest);
/* Labels the last panel's axis, or says that there is nothing to draw. */
void crd__report_severity_finish(crd__report_chart *chart);

#endif
