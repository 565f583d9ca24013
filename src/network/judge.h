/*
 * judge.h -- the verdict of a gradient check, from all of its directions.
 *
 * With e the error along a direction and s its standard deviation if gradients are right, e^2 - s^2
 * estimates the squared error of the gradients. A gradient that is wrong is wrong along nearly all
 * directions by the same share, while noise and kinks differ: the weighted mean E of e^2 - s^2 over
 * the directions is known better than any of them. Its variance is the sum of 2 s^4 + 4 s^2 E, with
 * squared weights. A single direction is evidence by itself if its error is above the tolerance and
 * far beyond its doubt.
 */
#ifndef CRD_NETWORK_JUDGE_H
#define CRD_NETWORK_JUDGE_H

#include "credence/network.h"

/* Sets all members of a check that depend on its directions, except `crossed`. */
void crd__network_judge(double tolerance, crd_check *check);

#endif
