/*
 * judge.h -- the verdict of a gradient check, from all of its directions.
 *
 * With e the error along a direction and s its standard deviation if gradients are right, e^2 - s^2
 * estimates the squared error of the gradients. A gradient that is wrong is wrong along nearly all
 * directions by the same share, while noise and kinks differ: the weighted mean E of e^2 - s^2 over
 * the directions is known better than any of them. Its variance is the sum of 2 s^4 + 4 s^2 E, with
 * squared weights. A single direction is evidence by itself if its error is above the tolerance and
 * far beyond its doubt.
 *
 * Doubts assume that slopes change between points by jumps or bends: twice the points then halve
 * the deviation of their mean. Where slopes have peaks narrower than the distance of two points,
 * each closer look finds peaks that the one before missed, and deviations grow instead: they were
 * underestimates, whatever the verdict, and no number of points makes it clear. So behave deep
 * networks whose batch norms see two values, which they turn into almost +1 and -1, except where
 * the two happen to be equal.
 */
#ifndef CRD_NETWORK_JUDGE_H
#define CRD_NETWORK_JUDGE_H

#include "credence/network.h"

#include <stdbool.h>

/* A check in the making, in its arena. */
typedef struct {
  crd_check shown;
  crd_check_direction *directions;
} crd__network_check;

/* Sets all members of a check that depend on its directions, except `crossed`. */
void crd__network_judge(double tolerance, crd__network_check *check);

/* Returns the typical derivative along a direction, at most `typical`, that of a single point: such
 * that half of the directions have a derivative of at least half of it. At a narrow peak the
 * gradient is far above those elsewhere, and errors relative to it would be too small. */
double crd__network_typical(const crd__network_check *check, double typical);

/* Directions that were looked at again with twice the points, and those of them whose mean slope is
 * then known clearly less well than before; of the last round, and of all. */
typedef struct {
  size_t looked, rougher, ever;
} crd__network_peaks;

/* Counts a direction by the deviations of its mean slope before and after. */
void crd__network_peaks_see(double deviation, double closer, crd__network_peaks *peaks);
/* Returns whether slopes have narrow peaks along several directions of the last round. */
bool crd__network_peaks_prevail(const crd__network_peaks *peaks);
/* Returns whether the verdict is wrong, and stands: a peak that no point met makes a direction look
 * wrong, so more directions must fail than had peaks. */
bool crd__network_is_wrong(const crd__network_peaks *peaks, const crd__network_check *check);
/* Sets the verdict to undecided, with infinite doubts, if peaks prevail or it is wrong and does not
 * stand. */
void crd__network_judge_peaks(const crd__network_peaks *peaks, crd__network_check *check);

#endif
