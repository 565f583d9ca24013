#include "ref/metrics.h"

#include <math.h>

/* Density (or, integrated, distribution) at x of the Gaussian around c and all its mirror images.
 */
static double kernel(double x, double c, double s, int integrated) {
  double sum = 0;
  for (int m = -6; m <= 6; m++)
    for (int side = -1; side <= 1; side += 2) {
      const double z = (x - 2 * m - side * c) / s;
      if (integrated) sum += (erf(z / sqrt(2)) + 1) / 2;
      else if (fabs(z) < 9) sum += exp(-z * z / 2) / (s * sqrt(2 * 3.14159265358979323846));
    }
  return sum;
}

static double residual(const ref_table *t, double x, double s, int integrated) {
  double sum = 0;
  for (size_t i = 0; i < t->n; i++)
    if (t->weight[i] > 0 && t->confidence[i] != t->correct[i])
      sum += t->weight[i] * (t->confidence[i] - t->correct[i]) *
             kernel(x, t->confidence[i], s, integrated);
  return sum / t->total;
}

/* The integral of |residual|, between its sign changes. */
static double area(const ref_table *t, double s) {
  const int cells = (int)(11 / s) + 7;
  double sum = 0, last = residual(t, 0, s, 0), before = residual(t, 0, s, 1);
  for (int g = 1; g <= cells; g++) {
    const double here = residual(t, (double)g / cells, s, 0);
    if ((here < 0) != (last < 0) && fmax(fabs(here), fabs(last)) > 1e-13) {
      double low = (double)(g - 1) / cells, high = (double)g / cells;
      for (int pass = 0; pass < 20; pass++) {
        const double middle = (low + high) / 2;
        if ((residual(t, middle, s, 0) < 0) == (last < 0)) low = middle;
        else high = middle;
      }
      const double now = residual(t, low, s, 1);
      sum += fabs(now - before);
      before = now;
    }
    last = here;
  }
  return sum + fabs(residual(t, 1, s, 1) - before);
}

/* Solves area(s) = s by the secant method. */
double ref_smece(const ref_table *t) {
  double s = 0.3, last = 0.5, rest = area(t, last) - last;
  for (int step = 0; step < 40 && fabs(s - last) > 1e-13; step++) {
    const double here = area(t, s) - s;
    const double next = s - here * (s - last) / (here - rest);
    last = s;
    rest = here;
    s = next < 0.001 ? 0.001 : next;
  }
  return s > 0.001 ? s : area(t, s);
}
