/*
 * focal.c -- Metrics/metrics.py of torrvision/focal_calibration, in two dialects. The losses (for
 * logits) compare with the edges of torch.linspace in single precision, (a, b], and lose what is
 * not above the lowest edge; their K is the largest label plus one. The functions on lists find the
 * bin as ceil(M c - 1). Where probabilities are given they stand for its softmax.
 */
#include "convention/convention.h"

#include <math.h>
#include <string.h>

/* ---- The losses. */

static double loss(crd__handed *h, const crd__samples *samples) {
  const crd__cutting cutting = { .edges = h->edges, .cells = h->bins };
  crd__cells_fill(samples, &cutting, h->cells);
  return crd__cells_error(h->cells, h->bins, h->rows, CRD__NORM_L1);
}

static crd__answer ece(crd__handed *h) {
  const crd__samples top = crd__handed_top(h);
  if (h->classes == 0) return crd__needs_classes();
  crd__edges_torch(h->edges, h->bins, true);
  return crd__is(loss(h, &top));
}

/* numpy.interp(numpy.linspace(0, n, bins + 1), numpy.arange(n), sorted confidences) */
static double rank_edge(const crd__handed *h, size_t m) {
  const double at = (double)m * ((double)h->rows / (double)h->bins), whole = floor(at);
  if (at >= (double)(h->rows - 1)) return crd__ranking_confidence(&h->ranking, h->rows - 1);
  const double a = crd__ranking_confidence(&h->ranking, (size_t)whole);
  const double b = crd__ranking_confidence(&h->ranking, (size_t)whole + 1);
  return (b - a) * (at - whole) + a;
}

static crd__answer aece(crd__handed *h) {
  const crd__samples top = crd__handed_top(h);
  if (h->classes == 0) return crd__needs_classes();
  for (size_t m = 0; m <= h->bins; m++) h->edges[m] = crd__handed_round(h, rank_edge(h, m));
  return crd__is(loss(h, &top));
}

static crd__answer sce(crd__handed *h) {
  double sum = 0;
  if (h->classes == 0) return crd__needs_classes();
  crd__edges_torch(h->edges, h->bins, true);
  for (size_t k = 0; k < h->beyond; k++) {
    const crd__samples samples = crd__handed_class(h, k);
    sum += loss(h, &samples);
  }
  return crd__is(sum / (double)h->beyond);
}

/* ---- The functions on lists. */

static crd__answer listed(crd__handed *h, crd__norm norm) {
  memset(h->cells, 0, h->bins * sizeof *h->cells);
  for (size_t i = 0; i < h->rows; i++) {
    const double bin = ceil((double)h->bins * h->confidence[i] - 1);
    if (!(bin >= 0 && bin < (double)h->bins))
      return crd__none("its lists have no bin for a confidence of 0 or above 1, and it stops");
    crd__cell *const cell = &h->cells[(size_t)bin];
    cell->count++;
    cell->confidence += h->confidence[i];
    cell->accuracy += h->correct[i];
  }
  crd__cells_divide(h->cells, h->bins);
  return crd__is(crd__cells_error(h->cells, h->bins, h->rows, norm));
}

static crd__answer mce(crd__handed *h) { return listed(h, CRD__NORM_MAX); }
static crd__answer ace(crd__handed *h) { return listed(h, CRD__NORM_MEAN); }
static crd__answer rmsce(crd__handed *h) { return listed(h, CRD__NORM_L2); }

#define LIST                                                                                       \
  "probabilities are not normalised, and the bin is ceil(M c - 1) with a product that rounds "     \
  "across edges; "

#define ME &crd__peer_focal.info

static const crd__convention rows[] = {
  { { ME, "ece", "ECELoss(n_bins=M)(logits, y)",
      "probabilities are not normalised, edges are in single precision, and a confidence of 0 is "
      "in no bin but counts in N" },
    ece },
  { { ME, "mce", "maximum_calibration_error(c, predicted, y, num_bins=M)",
      LIST "it stops at a confidence of 0" },
    mce },
  { { ME, "rmsce", "l2_error(c, predicted, y, num_bins=M)", LIST "it stops at a confidence of 0" },
    rmsce },
  { { ME, "ace", "average_calibration_error(c, predicted, y, num_bins=M)",
      LIST "it stops at a confidence of 0" },
    ace },
  { { ME, "aece", "AdaptiveECELoss(n_bins=M)(logits, y)",
      "(a, b] between interpolated ranks: the least confident rows are in no bin but count in N, "
      "and equal confidences stay together" },
    aece },
  { { ME, "sce", "ClasswiseECELoss(n_bins=M)(logits, y)",
      "K is the largest label plus 1, so absent last classes do not count, and a probability of 0 "
      "is in no bin" },
    sce },
};

const crd__peer crd__peer_focal = {
  .info = { .name = "focal",
            .package = "torrvision/focal_calibration 475422a",
            .summary = "(a, b], the lowest edge belongs to no bin, K from the labels",
            .bins = 15 },
  .weights = "focal takes no weights: it counts every row once",
  .custom = { .torch = true, .event = CRD__EVENT_TOP },
  .count = sizeof rows / sizeof *rows,
  .rows = rows,
};
