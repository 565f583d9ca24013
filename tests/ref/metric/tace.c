#include "ref/metrics.h"

#include <stdlib.h>

static double gap(ref_bin b, double n) {
  (void)n;
  return ref_gap(b);
}

static double one(ref_bin b, double n) {
  (void)b;
  (void)n;
  return 1;
}

/* The pairs of class k with p > 0.001, as if they were rows. */
static ref_table pairs_of(const ref_table *t, size_t k) {
  ref_table pairs = { .bins = t->bins };
  pairs.weight = calloc(t->n, sizeof(double));
  pairs.confidence = calloc(t->n, sizeof(double));
  pairs.correct = calloc(t->n, sizeof(int));
  for (size_t i = 0; i < t->n; i++) {
    if (t->p[i * t->k + k] <= 0.001) continue;
    pairs.weight[pairs.n] = t->weight[i];
    pairs.confidence[pairs.n] = t->p[i * t->k + k];
    pairs.correct[pairs.n++] = (size_t)t->label[i] == k;
    pairs.total += t->weight[i];
  }
  return pairs;
}

double ref_tace(const ref_table *t) {
  double sum = 0;
  for (size_t k = 0; k < t->k; k++) {
    ref_table pairs = pairs_of(t, k);
    if (pairs.total > 0) sum += ref_over_mass_bins(&pairs, gap) / ref_over_mass_bins(&pairs, one);
    free(pairs.weight);
    free(pairs.confidence);
    free(pairs.correct);
  }
  return sum / (double)t->k;
}
