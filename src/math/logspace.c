/*
 * logspace.c -- log-odds and log(1 - p) of a softmax.
 *
 * With m the largest logit, at `top`, and S = sum exp(z - m): for any other class k the remaining
 * mass, S - exp(z_k - m), still contains the 1 of the maximum, so nothing cancels. Only for the
 * maximum itself the rest must be summed separately, scaled by the second largest logit:
 * log(S - 1) = rest, which is also accurate if S - 1 rounds to 0.
 */
#include "math/logspace.h"

#include <math.h>

double crd__math_softplus(double x) { return fmax(x, 0) + log1p(exp(-fabs(x))); }

double crd__math_sigmoid(double x) {
  const double e = exp(-fabs(x));
  return (x >= 0 ? 1 : e) / (1 + e);
}

typedef struct {
  size_t top;
  double max;
  double mass; /* S */
  double rest; /* log(S - 1) */
} row_parts;

static row_parts take_apart(const double *logits, size_t classes) {
  row_parts row = { 0, logits[0], 1, -INFINITY };
  for (size_t k = 1; k < classes; k++)
    if (logits[k] > row.max) row.max = logits[row.top = k];
  double second = -INFINITY, others = 0;
  for (size_t k = 0; k < classes; k++)
    if (k != row.top) second = fmax(second, logits[k]);
  for (size_t k = 0; k < classes; k++)
    if (k != row.top) others += exp(logits[k] - second);
  if (classes > 1) row.rest = second - row.max + log(others);
  row.mass += exp(row.rest);
  return row;
}

void crd__math_log_odds(const double *logits, size_t classes, double *out) {
  if (classes == 2) { /* nothing to sum */
    const double first = logits[0] - logits[1];
    out[0] = first;
    out[1] = -first;
    return;
  }
  const row_parts row = take_apart(logits, classes);
  for (size_t k = 0; k < classes; k++) {
    const double d = logits[k] - row.max;
    out[k] = k == row.top ? -row.rest : d - log(row.mass - exp(d));
  }
}

void crd__math_log_complement(const double *logits, size_t classes, double *out) {
  const row_parts row = take_apart(logits, classes);
  /* Either form is accurate to a few ulp where it is used: log1p while p <= 1/2. */
  const double top = row.mass >= 2 ? log1p(-1 / row.mass) : row.rest - log1p(exp(row.rest));
  for (size_t k = 0; k < classes; k++)
    out[k] = k == row.top ? top : log1p(-exp(logits[k] - row.max) / row.mass);
}
