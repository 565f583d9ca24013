/*
 * brownian.h -- how far a walk of many small independent steps goes: Brownian motion B on [0, 1],
 * begun at 0, with B(1) standard normal.
 */
#ifndef CRD_MATH_BROWNIAN_H
#define CRD_MATH_BROWNIAN_H

double crd__math_normal_p(double z);             /* P(|B(1)| >= |z|) */
double crd__math_brownian_peak_p(double peak);   /* P(max |B| >= peak) */
double crd__math_brownian_range_p(double range); /* P(max B - min B >= range) */

#endif
