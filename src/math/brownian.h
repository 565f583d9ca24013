/*
 * brownian.h -- tail probabilities of Brownian motion B on [0, 1], with B(0) = 0 and B(1) standard
 * normal: the limit of a random walk of many small independent steps.
 */
#ifndef CRD_MATH_BROWNIAN_H
#define CRD_MATH_BROWNIAN_H

double crd__math_normal_p(double z);             /* P(|B(1)| >= |z|) */
double crd__math_brownian_peak_p(double peak);   /* P(max |B| >= peak) */
double crd__math_brownian_range_p(double range); /* P(max B - min B >= range) */

#endif
