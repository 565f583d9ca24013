/*
 * relation.c -- whether labels are related to the predictions: by accuracy, and by the probability
 * of the true class.
 */
#include "doctor/examine.h"

#include <math.h>

/* Accuracy within this many standard errors counts as chance. */
static const double errors = 4;

crd__doctor_chance crd__doctor_chance_of(const crd__doctor_examination *x) {
  const double n = (double)x->usable;
  crd__doctor_chance c = { .accuracy = (double)x->hits / n };
  for (size_t k = 0; k < x->classes; k++)
    c.expected += (double)x->labelled[k] / n * ((double)x->predicted[k] / n);
  c.slack = errors * sqrt(fmax(c.expected * (1 - c.expected), 0) / n);
  return c;
}

bool crd__doctor_at_chance(const crd__doctor_examination *x) {
  if (x->classes == 0 || x->usable < CRD__CHANCE_ROWS) return false;
  const crd__doctor_chance c = crd__doctor_chance_of(x);
  return c.accuracy <= c.expected + c.slack && c.expected < 1;
}

void crd__doctor_relate_row(crd__doctor_relating *sums, const double *p, size_t classes,
                            size_t label) {
  sums->own += p[label];
  for (size_t k = 0; k < classes; k++) {
    sums->mean[k] += p[k];
    sums->square[k] += p[k] * p[k];
    sums->claimed += p[k] * p[k];
  }
}

crd__doctor_relation crd__doctor_relate(const crd__doctor_examination *x,
                                        const crd__doctor_relating *sums) {
  const double n = (double)x->usable;
  crd__doctor_relation r = { .known = true, .own = sums->own / n, .claimed = sums->claimed / n };
  double variance = 0;
  for (size_t k = 0; k < x->classes; k++) {
    const double share = (double)x->labelled[k] / n, mean = sums->mean[k] / n;
    r.expected += share * mean;
    variance += share * fmax(sums->square[k] / n - mean * mean, 0);
  }
  r.error = sqrt(variance / n);
  return r;
}
