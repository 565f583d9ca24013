/*
 * sklearn.c -- scikit-learn: scores of sklearn.metrics, which take weights, and calibration_curve,
 * which does not. The curve has no calibration error of its own; errors are computed here from its
 * points. Its bins are (a, b] with 0 in the first, between the edges of numpy.linspace or
 * numpy.percentile.
 */
#include "convention/convention.h"
#include "convention/quantile.h"
#include "metric/pairs.h"
#include "metric/precision.h"

#include <float.h>
#include <math.h>

/* ---- The curve. */

static crd__metric_answer curve(crd__convention_input *h, crd__convention_norm norm) {
  const crd__convention_samples top = crd__convention_input_top(h);
  if (h->above) return crd__metric_answer_undefined("sklearn fails for probabilities above 1");
  crd__convention_cells_fill(
      &top, &(crd__convention_binning){ .edges = h->edges, .cells = h->bins, .outsiders = true },
      h->cells);
  return crd__metric_answer_value(crd__convention_cells_error(h->cells, h->bins, h->rows, norm));
}

static crd__metric_answer uniform(crd__convention_input *h, crd__convention_norm norm) {
  crd__convention_edges_numpy(h->edges, h->bins);
  return curve(h, norm);
}

static crd__metric_answer sklearn_ece(crd__convention_input *h) { return uniform(h, CRD__NORM_L1); }
static crd__metric_answer sklearn_mce(crd__convention_input *h) {
  return uniform(h, CRD__NORM_MAX);
}
static crd__metric_answer sklearn_ace(crd__convention_input *h) {
  return uniform(h, CRD__NORM_MEAN);
}

static crd__metric_answer sklearn_aece(crd__convention_input *h) {
  crd__convention_edges_numpy(h->edges, h->bins);
  for (size_t i = 0; i <= h->bins; i++) h->edges[i] = h->edges[i] * 100 / 100; /* in percent */
  crd__convention_edges_quantile(h, h->edges);
  return curve(h, CRD__NORM_L1);
}

/* ---- Scores of all classes. */

static double brier_of_row(const crd__convention_input *h, size_t i) {
  double sum = 0;
  for (size_t k = 0; k < h->classes; k++) {
    const double gap = crd__convention_input_probability(h, i, k) - (h->label[i] == k);
    sum += gap * gap;
  }
  return h->classes == 2 ? sum / 2 : sum;
}

static double nll_of_row(const crd__convention_input *h, size_t i) {
  const double epsilon = h->single ? (double)FLT_EPSILON : DBL_EPSILON;
  const double p = crd__convention_input_probability(h, i, h->label[i]);
  return -log(fmin(fmax(p, epsilon), 1 - epsilon));
}

static crd__metric_answer mean(const crd__convention_input *h,
                               double (*of_row)(const crd__convention_input *h, size_t i)) {
  double sum = 0, weight = 0;
  if (h->classes == 0) return crd__convention_needs_classes();
  if (h->above) return crd__metric_answer_undefined("sklearn fails for probabilities above 1");
  for (size_t i = 0; i < h->rows; i++) {
    sum += h->weight[i] * of_row(h, i);
    weight += h->weight[i];
  }
  return crd__metric_answer_value(sum / weight);
}

static crd__metric_answer sklearn_brier(crd__convention_input *h) { return mean(h, brier_of_row); }
static crd__metric_answer sklearn_nll(crd__convention_input *h) { return mean(h, nll_of_row); }

/* ---- Ranking metrics. */

static crd__metric_answer sklearn_auroc(crd__convention_input *h) {
  const crd__metric_ties all = crd__metric_ties_total(&h->ranking);
  if (!(all.right > 0 && all.wrong > 0))
    return crd__metric_answer_undefined(
        "sklearn has no value if all predictions are correct, or all incorrect");
  return crd__metric_answer_value(crd__metric_ordered_pairs(&h->ranking) / all.right / all.wrong);
}

static crd__metric_answer precision(const crd__convention_input *h, bool correct) {
  const crd__metric_ties all = crd__metric_ties_total(&h->ranking);
  if (!((correct ? all.right : all.wrong) > 0)) return crd__metric_answer_value(0);
  return crd__metric_average_precision(&h->ranking, correct);
}

static crd__metric_answer sklearn_aupr_success(crd__convention_input *h) {
  return precision(h, true);
}
static crd__metric_answer sklearn_aupr_error(crd__convention_input *h) {
  return precision(h, false);
}

#define CURVE                                                                                      \
  "probabilities are not normalised, it takes no weights, and edges are i * (1 / M), ours i / M"
#define TIES "probabilities are not normalised, so that other confidences may be tied"

#define ME &crd__convention_peer_sklearn.info

static const crd__convention rows[] = {
  { { ME, "ece", "calibration_curve(correct, c, n_bins=M), gaps weighted by the bins' rows",
      CURVE },
    sklearn_ece },
  { { ME, "mce", "np.abs(np.subtract(*calibration_curve(correct, c, n_bins=M))).max()", CURVE },
    sklearn_mce },
  { { ME, "ace", "np.abs(np.subtract(*calibration_curve(correct, c, n_bins=M))).mean()", CURVE },
    sklearn_ace },
  { { ME, "aece",
      "calibration_curve(correct, c, n_bins=M, strategy='quantile'), gaps weighted by the bins' "
      "rows",
      "bins (a, b] lie between interpolated quantiles, so that equal confidences stay together" },
    sklearn_aece },
  { { ME, "brier", "brier_score_loss(y, p, labels=range(K))",
      "for two classes it is halved: the squared error of class 1 only; for more it is the sum, "
      "like ours" },
    sklearn_brier },
  { { ME, "nll", "log_loss(y, p, labels=range(K))",
      "probabilities are clipped to [eps, 1 - eps] of their precision: 1.2e-7 in float32, 2.2e-16 "
      "in float64" },
    sklearn_nll },
  { { ME, "auroc", "roc_auc_score(correct, c)", TIES }, sklearn_auroc },
  { { ME, "aupr-success", "average_precision_score(correct, c)",
      TIES "; 0 if there are no positives" },
    sklearn_aupr_success },
  { { ME, "aupr-error", "average_precision_score(~correct, -c)",
      TIES "; 0 if there are no positives" },
    sklearn_aupr_error },
};

const crd__convention_peer crd__convention_peer_sklearn = {
  .info = { .name = "sklearn",
            .package = "scikit-learn 1.9.1",
            .summary = "(a, b], Brier halved for two classes, clipped logarithms",
            .bins = 5 },
  .weights =
      "scikit-learn weights brier, nll, auroc and aupr; calibration_curve counts every row once",
  .count = sizeof rows / sizeof *rows,
  .rows = rows,
};
