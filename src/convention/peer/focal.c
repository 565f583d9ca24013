/*
 * focal.c -- Metrics/metrics.py of torrvision/focal_calibration, which has two variants. The losses
 * (for logits) use bins (a, b] with the edges of torch.linspace in float32, and ignore values not
 * above the lowest edge; their K is the largest label plus one. The functions on lists use the bin
 * ceil(M c - 1). Given probabilities are used in place of its softmax.
 */
#include "convention/convention.h"

#include <math.h>
#include <string.h>

/* ---- The losses. */

static double loss(crd__convention_input *h, const crd__convention_samples *samples) {
  const crd__convention_binning cutting = { .edges = h->edges, .cells = h->bins };
  crd__convention_cells_fill(samples, &cutting, h->cells);
  return crd__convention_cells_error(h->cells, h->bins, h->rows, CRD__NORM_L1);
}

static crd__metric_answer focal_ece(crd__convention_input *h) {
  const crd__convention_samples top = crd__convention_input_top(h);
  if (h->classes == 0) return crd__convention_needs_classes();
  crd__convention_edges_torch(h->edges, h->bins, true);
  return crd__metric_answer_value(loss(h, &top));
}

/* numpy.interp(numpy.linspace(0, n, bins + 1), numpy.arange(n), sorted confidences) */
static double rank_edge(const crd__convention_input *h, size_t m) {
  const double at = (double)m * ((double)h->rows / (double)h->bins), whole = floor(at);
  if (at >= (double)(h->rows - 1)) return crd__metric_ranking_confidence(&h->ranking, h->rows - 1);
  const double a = crd__metric_ranking_confidence(&h->ranking, (size_t)whole);
  const double b = crd__metric_ranking_confidence(&h->ranking, (size_t)whole + 1);
  return (b - a) * (at - whole) + a;
}

static crd__metric_answer focal_aece(crd__convention_input *h) {
  const crd__convention_samples top = crd__convention_input_top(h);
  if (h->classes == 0) return crd__convention_needs_classes();
  for (size_t m = 0; m <= h->bins; m++)
    h->edges[m] = crd__convention_input_round(h, rank_edge(h, m));
  return crd__metric_answer_value(loss(h, &top));
}

static crd__metric_answer focal_sce(crd__convention_input *h) {
  double sum = 0;
  if (h->classes == 0) return crd__convention_needs_classes();
  crd__convention_edges_torch(h->edges, h->bins, true);
  for (size_t k = 0; k < h->beyond; k++) {
    const crd__convention_samples samples = crd__convention_input_class(h, k);
    sum += loss(h, &samples);
  }
  return crd__metric_answer_value(sum / (double)h->beyond);
}

/* ---- The functions on lists. */

static crd__metric_answer listed(crd__convention_input *h, crd__convention_norm norm) {
  memset(h->cells, 0, h->bins * sizeof *h->cells);
  for (size_t i = 0; i < h->rows; i++) {
    const double bin = ceil((double)h->bins * h->confidence[i] - 1);
    if (!(bin >= 0 && bin < (double)h->bins))
      return crd__metric_answer_undefined(
          "it fails: its lists have no bin for a confidence of 0 or above 1");
    crd__convention_cell *const cell = &h->cells[(size_t)bin];
    cell->count++;
    cell->confidence += h->confidence[i];
    cell->accuracy += h->correct[i];
  }
  crd__convention_cells_divide(h->cells, h->bins);
  return crd__metric_answer_value(crd__convention_cells_error(h->cells, h->bins, h->rows, norm));
}

static crd__metric_answer focal_mce(crd__convention_input *h) { return listed(h, CRD__NORM_MAX); }
static crd__metric_answer focal_ace(crd__convention_input *h) { return listed(h, CRD__NORM_MEAN); }
static crd__metric_answer focal_rmsce(crd__convention_input *h) { return listed(h, CRD__NORM_L2); }

#define LIST                                                                                       \
  "probabilities are not normalised, and the bin is ceil(M c - 1) with a product that rounds "     \
  "across edges; "

#define ME &crd__convention_peer_focal.info

static const crd__convention rows[] = {
  { { ME, "ece", "ECELoss(n_bins=M)(logits, y)",
      "probabilities are not normalised, edges are float32, and a confidence of 0 is in no bin but "
      "counts in N" },
    focal_ece },
  { { ME, "mce", "maximum_calibration_error(c, predicted, y, num_bins=M)",
      LIST "it fails at a confidence of 0" },
    focal_mce },
  { { ME, "rmsce", "l2_error(c, predicted, y, num_bins=M)", LIST "it fails at a confidence of 0" },
    focal_rmsce },
  { { ME, "ace", "average_calibration_error(c, predicted, y, num_bins=M)",
      LIST "it fails at a confidence of 0" },
    focal_ace },
  { { ME, "aece", "AdaptiveECELoss(n_bins=M)(logits, y)",
      "(a, b] between interpolated ranks: the least confident rows are in no bin but count in N, "
      "and equal confidences stay together" },
    focal_aece },
  { { ME, "sce", "ClasswiseECELoss(n_bins=M)(logits, y)",
      "K is the largest label plus 1, so absent last classes do not count, and a probability of 0 "
      "is in no bin" },
    focal_sce },
};

const crd__convention_peer crd__convention_peer_focal = {
  .info = { .name = "focal",
            .package = "torrvision/focal_calibration 475422a",
            .summary = "(a, b], the lowest edge belongs to no bin, K from the labels",
            .bins = 15 },
  .weights = "focal takes no weights: it counts every row once",
  .custom = { .torch = true, .event = CRD__EVENT_TOP },
  .count = sizeof rows / sizeof *rows,
  .rows = rows,
};
