/*
 * verified.c -- uncertainty-calibration (Kumar, Liang, Ma 2019), module calibration: bins (a, b]
 * with edges i / M, or at the midpoints between groups of equal size, where equal edges are merged.
 * get_calibration_error first checks whether the values are discrete: fewer distinct values than a
 * quarter of the rows, in every class; then each value has its own bin.
 */
#include "convention/convention.h"
#include "metric/mass_bins.h"

#include <math.h>

/* Appends an edge unless it equals the last one; edges[0] is below all values. Returns the number
 * of bins. */
static size_t add_edge(double *edges, size_t cells, double edge) {
  if (edges[cells] != edge) edges[++cells] = edge;
  return cells;
}

/* The midpoint of sorted rows i - 1 and i, in the precision of the confidences. */
static double midpoint(const crd__convention_input *h, size_t i) {
  const double sum = crd__metric_ranking_confidence(&h->ranking, i - 1) +
                     crd__metric_ranking_confidence(&h->ranking, i);
  return crd__convention_input_round(h, sum) / 2;
}

/* Each sets the edges, and returns the number of bins. */

static size_t same_width(const crd__convention_input *h, double *edges) {
  edges[0] = -1;
  for (size_t i = 1; i <= h->bins; i++) edges[i] = (double)i / (double)h->bins;
  return h->bins;
}

static size_t same_mass(const crd__convention_input *h, double *edges) {
  const size_t parts = h->bins < h->rows ? h->bins : h->rows;
  const size_t size = h->rows / parts, longer = h->rows % parts;
  size_t cells = 0;
  edges[0] = -1;
  for (size_t part = 1; part < parts; part++)
    cells = add_edge(edges, cells, midpoint(h, part * size + (part < longer ? part : longer)));
  return add_edge(edges, cells, 1);
}

static size_t each_value(const crd__convention_input *h, double *edges) {
  size_t cells = 0;
  edges[0] = -1;
  for (size_t i = 1; i < h->rows; i++)
    if (crd__metric_ranking_confidence(&h->ranking, i) !=
        crd__metric_ranking_confidence(&h->ranking, i - 1))
      edges[++cells] = midpoint(h, i);
  edges[++cells] = 1;
  return cells;
}

static bool is_discrete(crd__convention_input *h) {
  const size_t columns = h->classes && !h->positive ? h->classes : 1;
  for (size_t k = 0; k < columns; k++) {
    const double *const values =
        columns == 1 ? h->confidence : crd__convention_input_class(h, k).value;
    if (!((double)crd__convention_input_distinct(h, values) < (double)h->rows / 4)) return false;
  }
  return true;
}

static void fill(crd__convention_input *h, const crd__convention_samples *samples, size_t cells) {
  crd__convention_cells_fill(
      samples, &(crd__convention_binning){ .edges = h->edges, .cells = cells, .outsiders = true },
      h->cells);
}

static void fill_top(crd__convention_input *h, size_t cells) {
  const crd__convention_samples top = crd__convention_input_top(h);
  fill(h, &top, cells);
}

static crd__metric_answer top_error(crd__convention_input *h, size_t cells,
                                    crd__convention_norm norm) {
  fill_top(h, cells);
  return crd__metric_answer_value(crd__convention_cells_error(h->cells, cells, h->rows, norm));
}

static crd__metric_answer verified_ece(crd__convention_input *h) {
  return top_error(h, same_width(h, h->edges), CRD__NORM_L1);
}

static crd__metric_answer verified_aece(crd__convention_input *h) {
  return top_error(h, same_mass(h, h->edges), CRD__NORM_L1);
}

static size_t chosen(crd__convention_input *h) {
  return is_discrete(h) ? each_value(h, h->edges) : same_mass(h, h->edges);
}

static crd__metric_answer verified_rmsce(crd__convention_input *h) {
  return top_error(h, chosen(h), CRD__NORM_L2);
}

static crd__metric_answer verified_rmsce_debiased(crd__convention_input *h) {
  const size_t cells = chosen(h);
  double sum = 0;
  fill_top(h, cells);
  for (size_t m = 0; m < cells; m++) {
    const crd__convention_cell *const c = &h->cells[m];
    const double gap = c->confidence - c->accuracy;
    if (c->count < 2) continue;
    sum += c->count * (gap * gap - c->accuracy * (1 - c->accuracy) / (c->count - 1));
  }
  return crd__metric_answer_value(sqrt(fmax(sum / (double)h->rows, 0)));
}

static crd__metric_answer verified_ece_debiased(crd__convention_input *h) {
  const size_t cells = same_mass(h, h->edges);
  double sum = 0;
  fill_top(h, cells);
  for (size_t m = 0; m < cells; m++) {
    const crd__convention_cell *const c = &h->cells[m];
    const double gap = c->confidence - c->accuracy;
    if (c->count < 2)
      return crd__metric_answer_undefined("it fails: every bin needs at least 2 rows");
    sum += c->count * (2 * fabs(gap) -
                       crd__metric_mean_distance(gap, c->accuracy * (1 - c->accuracy) / c->count));
  }
  return crd__metric_answer_value(sum / (double)h->rows);
}

static crd__metric_answer verified_sce(crd__convention_input *h) {
  double sum = 0;
  if (h->classes == 0) return crd__convention_needs_classes();
  const size_t cells = same_width(h, h->edges);
  for (size_t k = 0; k < h->classes; k++) {
    const crd__convention_samples samples = crd__convention_input_class(h, k);
    fill(h, &samples, cells);
    sum += crd__convention_cells_error(h->cells, cells, h->rows, CRD__NORM_L1);
  }
  return crd__metric_answer_value(sum / (double)h->classes);
}

static crd__metric_answer verified_brier(crd__convention_input *h) {
  double sum = 0;
  if (h->classes == 0) return crd__convention_needs_classes();
  for (size_t k = 0; k < h->classes; k++) {
    const crd__convention_samples samples = crd__convention_input_class(h, k);
    for (size_t i = 0; i < h->rows; i++)
      sum += (samples.value[i] - samples.is[i]) * (samples.value[i] - samples.is[i]);
  }
  return crd__metric_answer_value(sum / (double)h->rows / 2);
}

static crd__metric_answer verified_brier_top1(crd__convention_input *h) {
  double sum = 0;
  if (h->classes == 0) return crd__convention_needs_classes();
  if (h->positive)
    return crd__metric_answer_undefined("it is not defined for the probability of class 1");
  for (size_t i = 0; i < h->rows; i++)
    sum += (h->confidence[i] - h->correct[i]) * (h->confidence[i] - h->correct[i]);
  return crd__metric_answer_value(sum / (double)h->rows);
}

#define MASS "edges are midpoints between groups of equal size, equal edges are merged, so that "
#define CHOICE                                                                                     \
  "bins of equal mass (M is 15 there), or one per value if there are fewer than N / 4 values"

#define ME &crd__convention_peer_verified.info

static const crd__convention rows[] = {
  { { ME, "ece", "get_ece(p, y, num_bins=M)",
      "probabilities are not normalised; otherwise the same" },
    verified_ece },
  { { ME, "rmsce", "get_top_calibration_error(p, y, p=2, debias=False)",
      CHOICE "; ours has bins of equal width" },
    verified_rmsce },
  { { ME, "aece", "get_ece_em(p, y, num_bins=M)",
      MASS "equal confidences stay together and bins become fewer" },
    verified_aece },
  { { ME, "sce", "get_ece(p, y, num_bins=M, mode='marginal')",
      "probabilities are not normalised; otherwise the same" },
    verified_sce },
  { { ME, "ece-debiased", "get_ece_em(p, y, debias=True, num_bins=M)",
      MASS "equal confidences stay together; it draws 1000 random samples, this is their "
           "expectation" },
    verified_ece_debiased },
  { { ME, "rmsce-debiased", "get_top_calibration_error(p, y, p=2, debias=True)",
      CHOICE "; bins of fewer than 2 rows count 0" },
    verified_rmsce_debiased },
  { { ME, "brier", "eval_marginal_mse(p, p, y)", "half of the sum over classes" }, verified_brier },
  { { ME, "brier-top1", "eval_top_mse(c, p, y)",
      "probabilities are not normalised; otherwise the same" },
    verified_brier_top1 },
};

const crd__convention_peer crd__convention_peer_verified = {
  .info = { .name = "verified",
            .package = "uncertainty-calibration 0.1.4",
            .summary = "(a, b], midpoint edges that merge, debiased errors",
            .bins = 15 },
  .weights = "verified takes no weights: it counts every row once",
  .count = sizeof rows / sizeof *rows,
  .rows = rows,
};
