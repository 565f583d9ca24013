/* figures_data.h -- a fixed profile that exercises every figure. */
#ifndef GOLDEN_FIGURES_DATA_H
#define GOLDEN_FIGURES_DATA_H

#include "credence/report.h"

#include <math.h>

#define NO ((double)NAN)
#define COUNT(items) (sizeof(items) / sizeof *(items))
#define CURVE(items)                                                                               \
  { COUNT(items), items }

static const crd_point roc[] = {
  { 0, 0 }, { 0, 0.25 }, { 0.125, 0.625 }, { 0.5, 0.875 }, { 1, 1 }
};
static const crd_point found_right[] = { { 0, 1 }, { 0.25, 1 }, { 0.625, 0.9375 }, { 1, 0.78 } };
static const crd_point found_wrong[] = { { 0, 0.75 }, { 0.25, 0.5 }, { 0.75, 0.375 }, { 1, 0.22 } };
static const crd_point risk[] = { { 0, 0 }, { 0.25, 0.0625 }, { 0.5, 0.09375 }, { 1, 0.22 } };
static const crd_point best[] = { { 0, 0 }, { 0.78, 0 }, { 0.875, 0.1 }, { 1, 0.22 } };
static const crd_point right[] = { { 0, 0 }, { 0.5, 0.5 }, { 0.75, 1 }, { 0.9375, 8 }, { 1, 3.5 } };
static const crd_point wrong[] = {
  { 0, 0 }, { 0.25, 0.5 }, { 0.5, 2.5 }, { 0.75, 1 }, { 1, 0.25 }
};

static const crd_smooth_point smooth[] = {
  { 0, 0.125, 0, 0.5, 0.0625 },         { 0.25, 0.25, 0.125, 0.4375, 0.125 },
  { 0.5, 0.4375, 0.375, 0.5, 0.5 },     { 0.75, 0.6875, 0.65625, 0.71875, 1.5 },
  { 1, 0.9375, 0.921875, 0.953125, 4 },
};

/* The debiased estimate is undefined for some, and may be negative. */
static const crd_bins_point by_bins[] = {
  { 1, 0.06, NO, 0.06, 0.01 },        { 5, 0.061, -0.02, 0.0605, 0.012 },
  { 15, 0.0625, 0.055, 0.06, 0.015 }, { 50, 0.075, 0.0575, 0.07, 0.03 },
  { 100, 0.09, 0.056, 0.085, 0.045 },
};

/* The first NLL is outside the panel. */
static const crd_temperature_point temperatures[] = {
  { 0.25, 6, 0.4, 0.2, 0.98, { 300, 0, NULL } },   { 0.5, 1.5, 0.35, 0.15, 0.94, { 300, 0, NULL } },
  { 1, 0.7, 0.3, 0.0625, 0.84, { 300, 0, NULL } }, { 2, 0.6, 0.28, 0.02, 0.79, { 300, 0, NULL } },
  { 4, 0.9, 0.4, 0.3, 0.5, { 300, 0, NULL } },
};

static const crd_fine_bin fine_a[] = { { 0, 600, 600, 12, 6 },
                                       { 5, 40, 40, 4, 2 },
                                       { 31, 100, 100, 52.5, 70 },
                                       { 59, 260, 260, 255, 240 } };
static const crd_fine_bin fine_b[] = { { 3, 900, 900, 54, 45 }, { 54, 100, 100, 91, 95 } };
static const crd_class_profile classes[] = {
  { 2,
    "<script>\"\xc3\xa4\" & a name that goes on",
    318,
    0.318,
    0.3235,
    0.0375,
    { 60, 4, fine_a } },
  { 0, NULL, 140, 0.14, 0.145, 0.013, { 60, 2, fine_b } },
  { 1, "empty", 0, 0, 0, 0, { 60, 0, NULL } },
};

static const crd_profile profile = {
  .parts = CRD_PROFILE_ALL,
  .roc = CURVE(roc),
  .precision_right = CURVE(found_right),
  .precision_wrong = CURVE(found_wrong),
  .risk_coverage = CURVE(risk),
  .risk_coverage_best = CURVE(best),
  .density_right = CURVE(right),
  .density_wrong = CURVE(wrong),
  .by_bins_count = COUNT(by_bins),
  .by_bins = by_bins,
  .smooth_count = COUNT(smooth),
  .smooth = smooth,
  .smooth_bandwidth = 0.0625,
  .temperature_count = COUNT(temperatures),
  .temperatures = temperatures,
  .class_count = COUNT(classes),
  .classes = classes,
};

#endif
