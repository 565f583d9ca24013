/*
 * local_logistic.h -- local logistic regression around a point t:
 *   P(success | x) ~ sigmoid(level + slope u),  u = (x - t) / radius,
 * fitted by maximum likelihood with tricube weights (1 - |u|^3)^3, in a nearest-neighbour window
 * that holds a given mass of the data, so that it is wide where data is sparse.
 *
 * With x the log-odds of a confidence, this is exact, for any window, if the miscalibration is a
 * temperature and an offset; a local constant, or a line in the confidence itself, is not.
 * One pseudo-observation, half a success, at the kernel-weighted centre of the window's data keeps
 * the level finite if all outcomes agree.
 *
 * Loader 1999, Local regression and likelihood; Fan, Heckman, Wand 1995, Local polynomial kernel
 * regression for generalized linear models and quasi-likelihood functions.
 */
#ifndef CRD_MATH_LOCAL_LOGISTIC_H
#define CRD_MATH_LOCAL_LOGISTIC_H

#include <stddef.h>

/* Observations at one x: weights of successes and failures, and the sum of squared weights. */
typedef struct {
  double x, successes, failures, squares;
} crd__math_trials;

/* Cells from .. to - 1 have |x - middle| < radius. */
typedef struct {
  double middle, radius;
  size_t from, to;
} crd__math_window;

/* Returns the window around t with 1.25 times the radius that holds `mass`, and at least radius
 * `least`. Cells are in ascending order of x. */
crd__math_window crd__math_window_around(const crd__math_trials *cells, size_t count, double t,
                                         double mass, double least);

/* One cell of a window: u, its kernel weight, and that weight times p and times p (1 - p). */
typedef struct {
  double u, kernel, fitted, information;
} crd__math_local_term;

typedef struct {
  double level, slope; /* log-odds at t, and their slope per radius */
  double centre;       /* position of the pseudo-observation: the kernel-weighted mean of u */
  double variance; /* of the level, for independent observations with the fitted probabilities */
} crd__math_local_fit;

/* Fits the window. Fills `terms`, one per cell of the window, for crd__math_local_logistic_step. */
crd__math_local_fit crd__math_local_logistic(const crd__math_trials *cells, crd__math_window window,
                                             crd__math_local_term *terms);

/* Returns the level after one Newton step from a fit, for other weights of the same cells:
 * successes[i] and failures[i] belong to terms[i]. A first-order bootstrap replicate. */
double crd__math_local_logistic_step(const crd__math_local_fit *fit,
                                     const crd__math_local_term *terms, size_t count,
                                     const double *successes, const double *failures);

#endif
