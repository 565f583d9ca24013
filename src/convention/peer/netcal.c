/*
 * netcal.c -- netcal/metrics/Miscalibration.py: confidences clipped to [eps, 1 - eps] of their
 * precision, bins [a, b) by numpy.histogramdd and scipy's binned_statistic_dd. For two classes it
 * always uses the probability of class 1; at most two distinct labels count as two classes.
 */
#include "convention/convention.h"
#include "convention/quantile.h"

#include <float.h>
#include <math.h>

static double netcal_adjust(const crd__convention_input *h, double confidence) {
  const double epsilon = h->single ? (double)FLT_EPSILON : DBL_EPSILON;
  return fmin(fmax(confidence, epsilon), 1 - epsilon);
}

/* Rows are counted between exact edges, but scipy rounds the edges to the precision of the
 * confidences before it computes the means: a value on an edge may be counted in one bin and
 * contribute to the mean of its neighbour. A bin that is empty either way has means of 0. */
static crd__metric_answer error(crd__convention_input *h, crd__convention_norm norm) {
  const crd__convention_samples top = crd__convention_input_top(h);
  const crd__convention_binning cutting = {
    .edges = h->edges, .cells = h->bins, .left = true, .outsiders = true
  };
  crd__convention_cell *const means = h->cells + h->bins;
  if (h->classes > 2 && h->labels <= 2)
    return crd__metric_answer_undefined(
        "netcal fails: it takes at most two distinct labels for two classes");
  crd__convention_cells_fill(&top, &cutting, h->cells);
  for (size_t i = 0; i <= h->bins; i++) h->edges[i] = crd__convention_input_round(h, h->edges[i]);
  for (size_t i = 0; i < h->bins; i++)
    if (h->edges[i] == h->edges[i + 1])
      return crd__metric_answer_undefined(
          "netcal fails if edges are equal: too many equal confidences");
  crd__convention_cells_fill(&top, &cutting, means);
  for (size_t m = 0; m < h->bins; m++) {
    const bool empty = !(h->cells[m].count > 0);
    h->cells[m].confidence = empty ? 0 : means[m].confidence;
    h->cells[m].accuracy = empty ? 0 : means[m].accuracy;
  }
  return crd__metric_answer_value(crd__convention_cells_error(h->cells, h->bins, h->rows, norm));
}

static crd__metric_answer same_width(crd__convention_input *h, crd__convention_norm norm) {
  crd__convention_edges_numpy(h->edges, h->bins);
  return error(h, norm);
}

static crd__metric_answer netcal_ece(crd__convention_input *h) {
  return same_width(h, CRD__NORM_L1);
}
static crd__metric_answer netcal_mce(crd__convention_input *h) {
  return same_width(h, CRD__NORM_MAX);
}
static crd__metric_answer netcal_ace(crd__convention_input *h) {
  return same_width(h, CRD__NORM_MEAN);
}

static crd__metric_answer netcal_aece(crd__convention_input *h) {
  crd__convention_edges_numpy(h->edges, h->bins);
  crd__convention_edges_quantile(h, h->edges);
  h->edges[0] = 0;
  h->edges[h->bins] = 1;
  return error(h, CRD__NORM_L1);
}

#define HOW                                                                                        \
  "probabilities are not normalised but clipped to [eps, 1 - eps], two classes use the "           \
  "probability of class 1, and "

#define ME &crd__convention_peer_netcal.info

static const crd__convention rows[] = {
  { { ME, "ece", "ECE(M).measure(p, y)", HOW "bins are [a, b)" }, netcal_ece },
  { { ME, "mce", "MCE(M).measure(p, y)", HOW "bins are [a, b)" }, netcal_mce },
  { { ME, "ace", "ACE(M).measure(p, y)",
      HOW "bins are [a, b); ACE is the average over bins here, not the adaptive error" },
    netcal_ace },
  { { ME, "aece", "ECE(M, equal_intervals=False).measure(p, y)",
      HOW "bins [a, b) lie between interpolated quantiles, and equal confidences stay together" },
    netcal_aece },
};

const crd__convention_peer crd__convention_peer_netcal = {
  .info = { .name = "netcal",
            .package = "netcal 1.4.0",
            .summary = "[a, b), confidences clipped, class 1 of two, quantile edges",
            .bins = 10 },
  .weights = "netcal takes no weights: it counts every row once",
  .custom = { .event = CRD__EVENT_POSITIVE, .adjust = netcal_adjust },
  .count = sizeof rows / sizeof *rows,
  .rows = rows,
};
