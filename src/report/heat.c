/* heat.c -- colours of values around 0. */
#include "report/heat.h"

#include <math.h>

const char *crd__report_heat_kind(double value) { return value < 0 ? "cold" : "hot"; }

void crd__report_heat_bar(crd__text *out, double x, double y, double most, const char *label) {
  const double step = CRD__HEAT_BAR / (2.0 * CRD__HEAT_LEVELS + 1);
  const crd__report_ticks three = crd__report_ticks_linear(-most, most, 3);
  const crd__report_axis axis = { label,
                                  { -most, most, x, x + CRD__HEAT_BAR, false },
                                  /* long numbers need space */
                                  three.decimals > 2 ? crd__report_ticks_linear(-most, most, 2)
                                                     : three,
                                  false };
  for (int level = -CRD__HEAT_LEVELS; level <= CRD__HEAT_LEVELS; level++)
    crd__report_svg_rect_deep(out, crd__report_heat_kind(level),
                              (crd__report_box){ x + (double)(level + CRD__HEAT_LEVELS) * step,
                                                 y - CRD__HEAT_BAR_HEIGHT, step,
                                                 CRD__HEAT_BAR_HEIGHT },
                              fabs((double)level) / CRD__HEAT_LEVELS);
  crd__report_axis_bottom(out, &axis, y, y);
}
