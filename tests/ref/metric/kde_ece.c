#include "ref/metrics.h"

#include <math.h>

static double kernel(double u) { return fabs(u) < 1 ? pow(1 - u * u, 3) : 0; }

/* The sum over each row and its mirror images, at 4097 points. */
double ref_kde_ece(const ref_table *t) {
  const double right = ref_side(t, 1);
  double mean = 0, variance = 0, rows = 0, error = 0, mass = 0;
  for (size_t i = 0; i < t->n; i++) {
    rows += t->weight[i] > 0;
    mean += t->correct[i] ? t->weight[i] * t->confidence[i] / right : 0;
  }
  for (size_t i = 0; i < t->n; i++)
    variance += t->correct[i] ? t->weight[i] * pow(t->confidence[i] - mean, 2) / right : 0;
  const double radius = 3 * sqrt(variance) / pow(2 * rows, 0.2);
  if (!(radius >= 1.0 / 4096)) return ref_ece(t);
  for (int g = 0; g <= 4096; g++) {
    const double x = g / 4096.0;
    double all = 0, correct = 0;
    for (size_t i = 0; i < t->n; i++) {
      const double c = t->confidence[i];
      if (fabs(x - c) >= radius && x + c >= radius && 2 - c - x >= radius) continue;
      const double k =
          kernel((x - c) / radius) + kernel((x + c) / radius) + kernel((x - 2 + c) / radius);
      all += t->weight[i] * k;
      correct += t->correct[i] ? t->weight[i] * k : 0;
    }
    if (!(all > 0)) continue;
    const double share = g == 0 || g == 4096 ? 0.5 : 1;
    error += share * fabs(x - correct / all) * all;
    mass += share * all;
  }
  return error / mass;
}
