/*
 * ece_debiased.c -- debiased adaptive calibration error, aece minus an estimate of its bias:
 *   sum_m (n_m / N) (2 |mu| - E|X|), X normal with mean mu = C_m - A_m and variance
 *   s^2 = A_m (1 - A_m) / n_m,  E|X| = s sqrt(2 / pi) exp(-mu^2 / (2 s^2)) + mu erf(mu / (s sqrt
 * 2)). Kumar et al. sample X; its mean has this closed form. With weights, n_m is the bin's
 * weight in units of the mean weight of rows of positive weight.
 */
#include "math/special.h"
#include "metric/mass_bins.h"

#include <math.h>

double crd__metric_mean_distance(double mean, double variance) {
  static const double pi = 3.14159265358979323846;
  if (!(variance > 0)) return fabs(mean);
  const double z = mean / sqrt(2 * variance);
  return sqrt(2 * variance / pi) * exp(-z * z) + mean * crd__math_erf(z);
}

static crd__metric_answer ece_debiased_finish(const crd__metric_facts *facts) {
  double error = 0;
  for (crd__metric_mass_bin b = crd__metric_mass_first(facts); b.weight > 0;
       b = crd__metric_mass_next(facts, b)) {
    const double gap = b.gap / b.weight, accuracy = b.right / b.weight;
    error += b.weight *
             (2 * fabs(gap) - crd__metric_mean_distance(gap, accuracy * (1 - accuracy) / b.size));
  }
  return crd__metric_answer_value(error / facts->weight);
}

const crd__metric crd__metric_ece_debiased = {
  .info = { .name = "ece-debiased",
            .title = "ECE (debiased)",
            .summary = "debiased adaptive calibration error, equal-mass bins",
            .meaning = "aece minus an estimate of its bias from sampling noise, so that a "
                       "calibrated model is near 0 on few rows too; noise may make it negative.",
            .reference = "Kumar, Liang, Ma 2019, Verified uncertainty calibration; Broecker 2012",
            .low = -0.4,
            .high = 1,
            .direction = CRD_LOWER_IS_BETTER },
  .ranked = true,
  .finish = ece_debiased_finish,
};
