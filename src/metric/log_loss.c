/* log_loss.c -- the binary cross-entropy of a probability, and KL divergences of bins. */
#include "metric/log_loss.h"

double crd__metric_log_loss(double chance, double share) {
  const double right = share > 0 ? share * log(fmax(chance, CRD__LEAST_PROBABILITY)) : 0;
  const double wrong = share < 1 ? (1 - share) * log(fmax(1 - chance, 0x1p-54)) : 0;
  return -right - wrong;
}

double crd__metric_top_divergence(const crd__metric_facts *facts, bool overall) {
  const double accuracy = crd__metric_top_accuracy(facts);
  double sum = 0;
  for (size_t m = 0; m < facts->shape.bins; m++) {
    const crd__metric_top_bin bin = crd__metric_top_bin_at(facts->cells, m);
    if (!(bin.weight > 0)) continue;
    const double from = overall ? accuracy : bin.confidence;
    sum += bin.weight * (crd__metric_log_loss(from, bin.accuracy) -
                         crd__metric_log_loss(bin.accuracy, bin.accuracy));
  }
  return sum / facts->weight;
}
