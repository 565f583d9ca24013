/*
 * entropy.c -- confidence penalty: the term is -H, H = -sum p_k log p_k.
 *
 *   d(-H)/dz_k = p_k (log p_k + H), which is 0 at the uniform distribution
 *
 * ce + 0.1*entropy is CE - 0.1 H: uncertain predictions are rewarded. Not convex. Classes with
 * p_k = 0 count 0. Targets do not matter.
 * Pereyra et al.: Regularizing neural networks by penalizing confident output distributions (ICLR
 * 2017 workshop).
 */
#include "loss/term.h"

static double entropy_measure(const crd__loss_term *term, const crd__loss_batch *batch,
                              const crd__loss_slopes *slopes) {
  double sum = 0;
  for (size_t i = 0; i < batch->rows; i++) {
    sum += batch->weight[i] * batch->entropy[i];
    slopes->entropy[i] -= term->scale * batch->weight[i] / batch->total;
  }
  return -sum / batch->total;
}

const crd__loss crd__loss_entropy = {
  .info = { .name = "entropy",
            .summary = "confidence penalty: minus the entropy of the probabilities",
            .meaning = "Rewards uncertain predictions, which lowers confidences whether or not "
                       "they are too high.",
            .reference = "Pereyra et al.: Regularizing neural networks by penalizing confident "
                         "output distributions (ICLR 2017 workshop)",
            .auxiliary = 1,
            .soft_targets = 1,
            .grid = "factor .1" },
  .measure = entropy_measure,
};
