/*
 * local_logistic.h -- logistic regression around a point:
 *   P(success | x) ~ sigmoid(level + slope u),  u = (x - t) / radius,
 * fitted by the likelihood that a tricube kernel (1 - |u|^3)^3 weights, within a window that holds
 * a given mass of the data (nearest neighbours), so that it is wide where data are thin.
 *
 * With x the log-odds of a confidence, this is exact, whatever the window, for every curve that a
 * temperature and an offset can undo; a local constant or a line in the confidence itself is not.
 * One pseudo-observation, half a success, in the middle of the window's data keeps the level finite
 * where all outcomes agree.
 *
 * Loader 1999, Local regression and likelihood; Fan, Heckman, Wand 1995, Local polynomial kernel
 * regression for generalized linear models and quasi-likelihood functions.
 */
#ifndef CRD_MATH_LOCAL_LOGISTIC_H
#define CRD_MATH_LOCAL_LOGISTIC_H

#include <stddef.h>

/* Observations of one x: weights of successes and of failures, and the sum of squared weights. */
typedef struct {
  double x, successes, failures, squares;
} crd__math_trials;

/* Cells from .. to - 1 have |x - middle| < radius. */
typedef struct {
  double middle, radius;
  size_t from, to;
} crd__math_window;

/* The window around t with 1.25 times the radius that holds `mass`, and at least radius `least`.
 * Cells are in ascending order of x. */
crd__math_window crd__math_window_around(const crd__math_trials *cells, size_t count, double t,
                                         double mass, double least);

/* Of one cell of a window: u, and its kernel weight alone, times p, and times p (1 - p). */
typedef struct {
  double u, kernel, fitted, information;
} crd__math_local_term;

typedef struct {
  double level, slope; /* log-odds at t, and their slope per radius */
  double centre;       /* kernel-weighted mean of u, where the pseudo-observation lies */
  double variance;     /* of the level, for independent observations of the fitted probabilities */
} crd__math_local_fit;

/* `terms`: room for as many as the window has cells, filled in for crd__math_local_logistic_step.
 */
crd__math_local_fit crd__math_local_logistic(const crd__math_trials *cells, crd__math_window window,
                                             crd__math_local_term *terms);

/* The level after one Newton step from a fit, on other weights of the same cells: successes[i] and
 * failures[i] belong to terms[i]. The bootstrap's estimate, to first order. */
double crd__math_local_logistic_step(const crd__math_local_fit *fit,
                                     const crd__math_local_term *terms, size_t count,
                                     const double *successes, const double *failures);

#endif
