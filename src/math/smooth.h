/*
 * smooth.h -- kernel smoothing without visiting every pair of point and location.
 */
#ifndef CRD_MATH_SMOOTH_H
#define CRD_MATH_SMOOTH_H

#include <stddef.h>

/*
 * Masses at points of [0, 1], smoothed by a Gaussian that is reflected at 0 and 1. For a cosine
 * series, smoothing is one factor per wave:
 *   f_s(t) = a_0 + 2 sum_k a_k exp(-(k pi s)^2 / 2) cos(k pi t),  a_k = sum_i mass_i cos(k pi c_i).
 * A few waves are enough unless the width s is very small.
 */
enum { CRD__WAVES_MAX = 2752, CRD__WAVES_STEP = 64 }; /* for widths from 1e-3 on */

typedef struct {
  double amplitude[CRD__WAVES_MAX];
  size_t count; /* a multiple of the step */
} crd__math_waves;

/* Adds points to the waves from .. count - 1, with `from` a multiple of the step. */
void crd__math_waves_add(crd__math_waves *waves, size_t from, const double *points,
                         const double *masses, size_t count);
/* Returns the number of waves that a width needs. */
size_t crd__math_waves_for(double width);
/* Returns the narrowest width that these waves resolve. */
double crd__math_waves_width(const crd__math_waves *waves);
/* Returns the integral of |f_s| over [0, 1]. Signs that change twice within s / 16 are missed. */
double crd__math_waves_area(const crd__math_waves *waves, double width);

/* Returns the same kernel at one point, the sum over the images of c of
 * exp(offset - (t - image)^2 / (2 s^2)), where terms below e^-37 count as 0. With `offset` 0 its
 * integral over t is s sqrt(2 pi). */
double crd__math_reflected_gaussian(double t, double c, double width, double offset);

/*
 * Masses under a sliding triweight kernel (1 - u^2)^3, |u| < 1: u is a point's distance from the
 * centre in units of the radius. The moments of u suffice to move the centre.
 */
typedef struct {
  double moment[7];
} crd__math_triweight;

void crd__math_triweight_add(crd__math_triweight *kernel, double u, double mass);
/* Subtracts the step from every u. */
void crd__math_triweight_move(crd__math_triweight *kernel, double step);
/* Returns the sum of mass * (1 - u^2)^3. */
double crd__math_triweight_value(const crd__math_triweight *kernel);

#endif
