/* binomial.h -- tails of the binomial distribution, and the exact interval of a proportion. */
#ifndef CRD_MATH_BINOMIAL_H
#define CRD_MATH_BINOMIAL_H

/* P(X <= count) for X binomial with `trials` > 0 and 0 <= p <= 1. Counts and trials need not be
 * integers: effective numbers of weighted or clustered rows are not. */
double crd__math_binomial_at_most(double count, double trials, double p);

/* Sets the ends of the two-sided Clopper-Pearson interval of this level, 0 .. 1, for `count` of
 * `trials` > 0. */
void crd__math_clopper_pearson(double count, double trials, double level, double *low,
                               double *high);

#endif
