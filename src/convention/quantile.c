/*
 * quantile.c -- numpy.quantile(c, q), method "linear": between the values at floor((n - 1) q) and
 * the next, from the nearer one. The difference of the two is rounded to the precision of the
 * confidences, the rest is float64. The last digit decides whether an edge lies above or on a
 * confidence, and thus the bin of all confidences equal to it.
 */
#include "convention/quantile.h"

#include <math.h>

static double quantile(const crd__convention_input *h, double share) {
  const double at = (double)(h->rows - 1) * share, whole = floor(at), part = at - whole;
  if (at >= (double)(h->rows - 1)) return crd__metric_ranking_confidence(&h->ranking, h->rows - 1);
  const double a = crd__metric_ranking_confidence(&h->ranking, (size_t)whole);
  const double b = crd__metric_ranking_confidence(&h->ranking, (size_t)whole + 1);
  const double step = crd__convention_input_round(h, b - a);
  return part < 0.5 ? a + step * part : b - step * (1 - part);
}

void crd__convention_edges_quantile(const crd__convention_input *h, double *edges) {
  for (size_t i = 0; i <= h->bins; i++) edges[i] = quantile(h, edges[i]);
}
