/*
 * resolution.c -- the error of row sums that rounding of the values explains.
 *
 * Values rounded to multiples of r have errors of at most r/2, and the sum of K of them K r/2: 0.05
 * for 100 classes with three decimals. r is the coarsest decimal unit of which all values are
 * multiples, or else the smallest positive value, if all others are multiples of it (frequencies
 * k/n, steps of 1/255). Values that are not on such a grid were not rounded to decimals, and get
 * 0.01: float64 would have to hit the grid in every cell by chance, float16 does so only if its
 * steps are below any r that matters. A few values may be multiples of 0.1, or of the smallest of
 * them, for other reasons: a unit above 0.01, or one that is not decimal, takes MANY of them.
 */
#include "data/resolution.h"
#include "data/array.h"
#include "data/rows.h"

#include <math.h>

enum { DECIMALS_MAX = 8, MANY = 50 };
static const double fine = 0.01; /* for this unit or a finer one, few values are enough */

/* The tolerance allows for decimals that were stored as float32. */
static bool is_multiple(double value, double unit) {
  const double n = value / unit;
  return fabs(n - rint(n)) <= 0x1p-22 * n + 1e-9;
}

typedef struct {
  double least;    /* the smallest positive value */
  size_t inside;   /* values strictly between 0 and 1 */
  bool plausible;  /* none is far outside [0, 1] */
  bool on_decimal; /* all are multiples of `unit` */
  bool on_least;   /* all are multiples of `smallest` */
} sight;

/* Scans all cells. Ends when neither grid fits, which in files without rounding is the first row.
 */
static sight look(const crd_predictions *p, double unit, double smallest, double *scratch) {
  sight s = {
    .least = INFINITY, .plausible = true, .on_decimal = unit > 0, .on_least = smallest > 0
  };
  for (size_t i = 0; i < p->rows; i++) {
    crd__math_row_type type;
    const void *const row = crd__data_score_rows(p, i, 1, scratch, &type);
    for (size_t k = 0; k < p->classes; k++) {
      const double value = crd__math_row_score(row, type, k);
      s.plausible =
          s.plausible && value >= -CRD__PROBABILITY_SLACK && value <= 1 + CRD__PROBABILITY_SLACK;
      if (value > 0) s.least = fmin(s.least, value);
      s.inside += value > 0 && value < 1;
      s.on_decimal = s.on_decimal && value >= 0 && is_multiple(value, unit);
      s.on_least = s.on_least && value >= 0 && is_multiple(value, smallest);
    }
    if (!s.plausible || (smallest > 0 && !s.on_least)) break;
  }
  return s;
}

double crd__data_resolution_tolerance(const crd_predictions *p, double *scratch) {
  const double half = (double)p->classes / 2;
  int decimals = 0;
  if (crd__data_cols(&p->parts.scores) < 2) return CRD__PROBABILITY_SLACK;
  /* The finest unit that would matter, then coarser ones. */
  while (decimals < DECIMALS_MAX && half * pow(10, -decimals - 1) > CRD__PROBABILITY_SLACK)
    decimals++;
  const sight first = look(p, decimals ? pow(10, -decimals) : 0, 0, scratch);
  if (!first.plausible || !isfinite(first.least)) return CRD__PROBABILITY_SLACK;
  double r = 0;
  if (first.on_decimal) {
    r = pow(10, -decimals);
    while (decimals > 1 && look(p, pow(10, 1 - decimals), 0, scratch).on_decimal)
      r = pow(10, -(--decimals));
    if (r > fine && first.inside < MANY) r = 0;
  } else if (first.inside >= MANY && first.least <= 0.1 &&
             half * first.least > CRD__PROBABILITY_SLACK &&
             look(p, 0, first.least, scratch).on_least)
    r = first.least;
  return fmax(CRD__PROBABILITY_SLACK, half * r);
}
