/*
 * smece.c -- smooth ECE: the s at which smECE_s = s, where
 *   smECE_s = integral over t in [0, 1] of |(1/N) sum_i (c_i - a_i) K_s(t, c_i)|
 * and K_s is a Gaussian of width s, reflected at 0 and 1. smECE_s does not increase with s, so
 * there is one such s.
 *
 * The residuals are held as a cosine series (math/smooth.h) with as many terms as needed: while
 * smECE_s < s at the narrowest width that the series resolves, more terms are added, up to those
 * that resolve a width of smECE_s, a lower bound of the result. Widths below 1e-3 are not searched:
 * the result is then smECE at that width.
 */
#include "math/smooth.h"
#include "metric/metric.h"

#include <math.h>

enum { BATCH = 256, STEPS = 60, GROWTH = 4 };

static const double narrowest = 1e-3, precision = 1e-13;

/* Returns the contribution of a run of equal confidences to mean(confidence - correctness). */
static double residual(const crd__metric_facts *facts, crd__metric_ties t) {
  return (t.confidence * (t.right + t.wrong) - t.right) / facts->weight;
}

/* Adds all rows to the terms from .. count - 1 of the series. */
static void gather(const crd__metric_facts *facts, crd__math_waves *waves, size_t from) {
  const crd__metric_ranking *const r = facts->ranking;
  double points[BATCH], masses[BATCH];
  size_t filled = 0;
  for (crd__metric_ties t = crd__metric_ties_lowest(r); t.count; t = crd__metric_ties_next(r, t)) {
    if (t.right + t.wrong == 0) continue;
    points[filled] = t.confidence;
    masses[filled++] = residual(facts, t);
    if (filled < BATCH) continue;
    crd__math_waves_add(waves, from, points, masses, filled);
    filled = 0;
  }
  crd__math_waves_add(waves, from, points, masses, filled);
}

/* Returns the s above `low` with area(s) = s, given area(low) = above, by the Illinois variant of
 * regula falsi. */
static double balance(const crd__math_waves *waves, double low, double above) {
  double high = above, left = above - low, right = crd__math_waves_area(waves, high) - high;
  int side = 0;
  if (fabs(right) <= precision) return high;
  for (int step = 0; step < STEPS && high - low > precision; step++) {
    const double middle = low + (high - low) * (left / (left - right));
    const double rest = crd__math_waves_area(waves, middle) - middle;
    if (fabs(rest) <= precision) return middle;
    if (rest > 0) {
      low = middle;
      left = rest;
      if (side > 0) right /= 2;
      side = 1;
    } else {
      high = middle;
      right = rest;
      if (side < 0) left /= 2;
      side = -1;
    }
  }
  return (low + high) / 2;
}

/* Returns whether residuals of both signs occur. If not, smoothing changes no sign, and smECE_s is
 * the absolute mean residual for every s, which *mean is set to. */
static bool two_sided(const crd__metric_facts *facts, double *mean) {
  const crd__metric_ranking *const r = facts->ranking;
  double high = 0, low = 0;
  for (crd__metric_ties t = crd__metric_ties_lowest(r); t.count; t = crd__metric_ties_next(r, t)) {
    const double term = residual(facts, t);
    high += fmax(term, 0);
    low += fmax(-term, 0);
  }
  *mean = high + low;
  return high > 0 && low > 0;
}

static crd__metric_answer smece_finish(const crd__metric_facts *facts) {
  double mean;
  if (!two_sided(facts, &mean)) return crd__metric_answer_value(mean);
  crd__math_waves waves = { .count = CRD__WAVES_STEP };
  size_t from = 0;
  for (;;) {
    gather(facts, &waves, from);
    const double width = fmax(crd__math_waves_width(&waves), narrowest);
    const double area = crd__math_waves_area(&waves, width);
    if (area >= width) return crd__metric_answer_value(balance(&waves, width, area));
    if (width <= narrowest) return crd__metric_answer_value(area);
    const size_t most = crd__math_waves_for(fmax(area, narrowest));
    from = waves.count;
    waves.count = GROWTH * from < most ? GROWTH * from : most;
    if (waves.count <= from) waves.count = from + CRD__WAVES_STEP; /* rounding at the limit */
  }
}

const crd__metric crd__metric_smece = {
  .info = { .name = "smece",
            .title = "smECE",
            .summary = "smooth ECE, without bins",
            .meaning = "Like ece, with a smooth kernel instead of bins, whose width equals the "
                       "resulting error: no number of bins to choose, and small changes of the "
                       "confidences change it little.",
            .reference = "Blasiok, Nakkiran 2023, Smooth ECE: principled reliability diagrams via "
                         "kernel smoothing",
            .low = 0,
            .high = 1,
            .direction = CRD_LOWER_IS_BETTER },
  .ranked = true,
  .finish = smece_finish,
};
