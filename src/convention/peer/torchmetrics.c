/*
 * torchmetrics.c -- functional/classification/calibration_error.py: bins [a, b) by torch.bucketize
 * on the edges of torch.linspace, one more for values equal to the last edge, and sums by
 * scatter_add_, row by row in the precision of the confidences. With several classes these are cast
 * to float32, whatever the input was.
 */
#include "convention/convention.h"

#include <string.h>

static bool is_single(const crd__convention_input *h) {
  return h->single || (h->classes && !h->positive);
}

static double torchmetrics_adjust(const crd__convention_input *h, double confidence) {
  return is_single(h) ? crd__convention_single(confidence) : confidence;
}

/* a + b in the precision of the sums. */
static double plus(bool single, double a, double b) {
  return single ? crd__convention_single((float)a + (float)b) : a + b;
}

static crd__metric_answer error(crd__convention_input *h, crd__convention_norm norm) {
  const bool single = is_single(h);
  const size_t cells = h->bins + 1;
  crd__convention_edges_torch(h->edges, h->bins, single);
  memset(h->cells, 0, cells * sizeof *h->cells);
  for (size_t i = 0; i < h->rows; i++) {
    const size_t below = crd__convention_edges_below(h->edges, cells, h->confidence[i], true);
    crd__convention_cell *const cell = &h->cells[below - 1]; /* edge 0 is 0, no value is below it */
    cell->count = plus(single, cell->count, 1);
    cell->confidence = plus(single, cell->confidence, h->confidence[i]);
    cell->accuracy = plus(single, cell->accuracy, h->correct[i]);
  }
  crd__convention_cells_divide(h->cells, cells);
  for (size_t m = 0; m < cells; m++) {
    h->cells[m].confidence = torchmetrics_adjust(h, h->cells[m].confidence);
    h->cells[m].accuracy = torchmetrics_adjust(h, h->cells[m].accuracy);
  }
  return crd__metric_answer_value(crd__convention_cells_error(h->cells, cells, h->rows, norm));
}

static crd__metric_answer torchmetrics_ece(crd__convention_input *h) {
  return error(h, CRD__NORM_L1);
}
static crd__metric_answer torchmetrics_rmsce(crd__convention_input *h) {
  return error(h, CRD__NORM_L2);
}
static crd__metric_answer torchmetrics_mce(crd__convention_input *h) {
  return error(h, CRD__NORM_MAX);
}

#define BINS                                                                                       \
  "probabilities are not normalised, bins are [a, b) with float32 edges, confidences of exactly "  \
  "1 have "

#define ME &crd__convention_peer_torchmetrics.info

static const crd__convention rows[] = {
  { { ME, "ece", "MulticlassCalibrationError(K, n_bins=M, norm='l1'); Binary... with binary pos",
      BINS "their own bin, and sums are float32" },
    torchmetrics_ece },
  { { ME, "mce", "MulticlassCalibrationError(K, n_bins=M, norm='max'); Binary... with binary pos",
      BINS "their own bin, which may be the worst one" },
    torchmetrics_mce },
  { { ME, "rmsce", "MulticlassCalibrationError(K, n_bins=M, norm='l2'); Binary... with binary pos",
      BINS "their own bin, and sums are float32" },
    torchmetrics_rmsce },
};

const crd__convention_peer crd__convention_peer_torchmetrics = {
  .info = { .name = "torchmetrics",
            .package = "torchmetrics 1.9.0, torch 2.15.0",
            .summary = "[a, b), 1.0 in its own bin, float32",
            .bins = 15 },
  .weights = "torchmetrics takes no weights: it counts every row once",
  .custom = { .torch = true, .guesses = true, .adjust = torchmetrics_adjust },
  .count = sizeof rows / sizeof *rows,
  .rows = rows,
};
