/*
 * logspace.h -- functions of probabilities near 0 and 1, from logits, without computing 1 - p.
 */
#ifndef CRD_MATH_LOGSPACE_H
#define CRD_MATH_LOGSPACE_H

#include <stddef.h>

double crd__math_softplus(double x); /* log(1 + exp(x)) */
double crd__math_sigmoid(double x);  /* 1 / (1 + exp(-x)) */

/* For all classes of a row of finite logits, in O(classes); `out` may be `logits`.
 * With a single class the log-odds are infinite and the log of the complement is -infinity. */
void crd__math_log_odds(const double *logits, size_t classes, double *out); /* log(p / (1 - p)) */
void crd__math_log_complement(const double *logits, size_t classes, double *out); /* log(1 - p) */

#endif
