/*
 * axes.c -- scales, ticks, axes and legends.
 *
 * Ticks are integer multiples of 1, 2 or 5 times a power of ten, computed by multiplications and
 * one division, without logarithms, so that a tick at 0.3 is the same double on every machine.
 */
#include "report/axes.h"

#include <math.h>
#include <string.h>

static double measure(const crd__report_scale *scale, double value) {
  return scale->logarithmic ? log(value) : value;
}

double crd__report_scale_at(const crd__report_scale *scale, double value) {
  const double low = measure(scale, scale->low), high = measure(scale, scale->high);
  return scale->from + (scale->to - scale->from) * ((measure(scale, value) - low) / (high - low));
}

double crd__report_scale_within(const crd__report_scale *scale, double value) {
  return crd__report_scale_at(scale, fmin(fmax(value, scale->low), scale->high));
}

/* A power of ten as a factor or a divisor: both are exact. */
typedef struct {
  double times, over;
  unsigned decimals;
} power;

static double scaled(const power *p, double value) { return value * p->times / p->over; }

/* The largest power of ten that is not above `size`. */
static power power_below(double size) {
  power p = { 1, 1, 0 };
  while (scaled(&p, 10) <= size) p.times *= 10;
  while (scaled(&p, 1) > size && p.decimals < 18) {
    p.over *= 10;
    p.decimals++;
  }
  return p;
}

static void add_tick(crd__report_ticks *ticks, double value) {
  if (ticks->count < CRD__TICKS_MAX) ticks->at[ticks->count++] = value;
}

crd__report_ticks crd__report_ticks_linear(double low, double high, size_t wanted) {
  crd__report_ticks ticks = { .count = 0 };
  if (!(low < high) || !isfinite(high - low) || high - low < 1e-15) return ticks;
  const double rough = (high - low) / (double)wanted;
  const power p = power_below(rough);
  const double times = rough / scaled(&p, 1);
  const double factor = times < 1.5 ? 1 : times < 3.5 ? 2 : times < 7.5 ? 5 : 10;
  const double step = scaled(&p, factor), slack = 1e-9;
  ticks.decimals = factor == 10 && p.decimals ? p.decimals - 1 : p.decimals;
  /* Far from zero k + 1 may round to k, so the count must bound the loop. */
  for (double k = ceil(low / step - slack);
       k <= high / step + slack && ticks.count < CRD__TICKS_MAX; k++)
    add_tick(&ticks, scaled(&p, k * factor));
  return ticks;
}

crd__report_ticks crd__report_ticks_logarithmic(double low, double high) {
  static const double factors[] = { 1, 2, 5 };
  crd__report_ticks ticks = { .count = 0 };
  if (!(low > 0 && low < high && isfinite(high))) return ticks;
  const size_t each = high / low < 1000 ? 3 : 1;
  const double slack = 1e-9;
  for (power p = power_below(low); scaled(&p, 1) <= high * (1 + slack);) {
    for (size_t i = 0; i < each; i++) {
      const double at = scaled(&p, factors[i]);
      if (at < low * (1 - slack) || at > high * (1 + slack)) continue;
      add_tick(&ticks, at);
      if (p.decimals > ticks.decimals) ticks.decimals = p.decimals;
    }
    if (p.decimals) {
      p.over /= 10;
      p.decimals--;
    } else p.times *= 10;
  }
  return ticks;
}

crd__report_ticks crd__report_scale_ticks(const crd__report_scale *scale, size_t wanted) {
  return scale->logarithmic ? crd__report_ticks_logarithmic(scale->low, scale->high)
                            : crd__report_ticks_linear(scale->low, scale->high, wanted);
}

/* ---- Axes. */

enum { TICK = 4 };
static const double letter = 6.2; /* approximate width of a digit */

/* Ticks of a logarithmic scale differ too much to share a number of decimals. */
const char *crd__report_axis_number(char text[CRD__NUMBER_SIZE], const crd__report_axis *axis,
                                    double value) {
  if (axis->scale.logarithmic) return crd__number_brief(text, value, 3);
  return crd__report_decimal_format(text, value,
                                    axis->ticks.decimals < 9 ? axis->ticks.decimals : 9);
}

void crd__report_axis_bottom(crd__text *out, const crd__report_axis *axis, double y, double top) {
  char number[CRD__NUMBER_SIZE];
  const crd__report_scale *const s = &axis->scale;
  for (size_t i = 0; i < axis->ticks.count; i++) {
    const double x = crd__report_scale_at(s, axis->ticks.at[i]);
    crd__report_svg_line(out, "grid", x, y, x, top);
    crd__report_svg_line(out, "axis", x, y, x, y + TICK);
    if (!axis->bare)
      crd__report_svg_text(out, "text small",
                           (crd__report_svg_place){ x, y + 15, CRD__SVG_MIDDLE, 0 },
                           crd__report_axis_number(number, axis, axis->ticks.at[i]));
  }
  crd__report_svg_line(out, "axis", s->from, y, s->to, y);
  if (!axis->bare)
    crd__report_svg_text(
        out, "text", (crd__report_svg_place){ (s->from + s->to) / 2, y + 32, CRD__SVG_MIDDLE, 0 },
        axis->label);
}

void crd__report_axis_left(crd__text *out, const crd__report_axis *axis, double x, double right) {
  char number[CRD__NUMBER_SIZE];
  const crd__report_scale *const s = &axis->scale;
  double away = 38; /* distance of the label from the axis */
  for (size_t i = 0; i < axis->ticks.count; i++) {
    const double y = crd__report_scale_at(s, axis->ticks.at[i]);
    crd__report_svg_line(out, "grid", x, y, right, y);
    crd__report_svg_line(out, "axis", x - TICK, y, x, y);
    if (axis->bare) continue;
    crd__report_axis_number(number, axis, axis->ticks.at[i]);
    crd__report_svg_text(out, "text small",
                         (crd__report_svg_place){ x - TICK - 3, y + 3.5, CRD__SVG_END, 0 }, number);
    away = fmax(away, 13 + letter * (double)strlen(number));
  }
  crd__report_svg_line(out, "axis", x, s->from, x, s->to);
  if (!axis->bare)
    crd__report_svg_text_up(out, "text", x - away, (s->from + s->to) / 2, axis->label);
}

/* ---- Legends. */

enum { SWATCH = CRD__LEGEND_SWATCH, SWATCH_HEIGHT = 10, WORDS_MOST = 28 };

static void add_mark(crd__text *out, const crd__report_svg_page *page, double x, double y,
                     const crd__report_legend_row *row) {
  const crd__report_box box = { x, y - SWATCH_HEIGHT / 2.0, SWATCH, SWATCH_HEIGHT };
  switch (row->mark) {
  case CRD__MARK_BOX:
    crd__report_svg_rect(out, row->kind, box);
    break;
  case CRD__MARK_STRIPES:
    crd__report_svg_rect_striped(out, page, row->kind, box);
    break;
  case CRD__MARK_LINE:
    crd__report_svg_line(out, row->kind, x, y, x + SWATCH, y);
    break;
  case CRD__MARK_DOT:
    crd__report_svg_circle(out, row->kind, x + SWATCH / 2.0, y, 4);
    break;
  }
}

void crd__report_legend_add(crd__text *out, const crd__report_svg_page *page, double x, double y,
                            const crd__report_legend_row *rows, size_t count) {
  for (size_t i = 0; i < count; i++, y += CRD__LEGEND_STEP) {
    add_mark(out, page, x, y, &rows[i]);
    crd__report_svg_text(
        out, "text small",
        (crd__report_svg_place){ x + SWATCH + 6, y + 3.5, CRD__SVG_START, WORDS_MOST },
        rows[i].words);
  }
}
