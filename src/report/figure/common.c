/* common.c -- parts that figures share. */
#include "report/figure.h"

#include <math.h>
#include <string.h>

const crd_metric_value *crd__figure_value(const crd_result *result, const char *metric) {
  for (size_t i = 0; i < result->value_count; i++) {
    const crd_metric_value *const v = &result->values[i];
    if (strcmp(v->metric->name, metric) == 0) return isfinite(v->value) ? v : NULL;
  }
  return NULL;
}

double crd__figure_fullest(const crd_result *result) {
  double fullest = 0;
  for (size_t i = 0; i < result->bin_count; i++) fullest = fmax(fullest, result->bins[i].weight);
  return fullest;
}

void crd__figure_heading(const crd__drawing *d, double x, const char *below) {
  crd__svg_text(d->out, "text title", (crd__svg_place){ x, 24, CRD__SVG_START, 60 }, d->title);
  crd__svg_text(d->out, "dim small", (crd__svg_place){ x, 40, CRD__SVG_START, 0 }, below);
}

void crd__figure_means(const crd__drawing *d, const crd__scale *x, double y, double top) {
  static const char *const names[] = { "accuracy", "confidence" }; /* classes of svg.c too */
  for (size_t i = 0; i < 2; i++) {
    const crd_metric_value *const v = crd__figure_value(d->result, names[i]);
    if (!v) continue;
    const double at = crd__scale_within(x, v->value);
    crd__svg_line(d->out, names[i], at, y, at, top);
  }
}
