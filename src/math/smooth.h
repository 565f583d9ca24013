/*
 * smooth.h -- sums of kernels around many points, without visiting every pair of point and place.
 */
#ifndef CRD_MATH_SMOOTH_H
#define CRD_MATH_SMOOTH_H

#include <stddef.h>

/*
 * Masses at points of [0, 1], smoothed by a Gaussian that is reflected at 0 and 1. As a cosine
 * series, smoothing is a factor for each wave:
 *   f_s(t) = a_0 + 2 sum_k a_k exp(-(k pi s)^2 / 2) cos(k pi t),  a_k = sum_i mass_i cos(k pi c_i).
 * The first waves are enough for a width s that is not too small.
 */
enum { CRD__WAVES_MAX = 2752, CRD__WAVES_STEP = 64 }; /* for widths from 1e-3 on */

typedef struct {
  double amplitude[CRD__WAVES_MAX];
  size_t count; /* a multiple of the step */
} crd__math_waves;

/* Add points to the waves from .. count - 1, from being a multiple of the step. */
void crd__math_waves_add(crd__math_waves *waves, size_t from, const double *points,
                         const double *masses, size_t count);
/* How many waves a width needs. */
size_t crd__math_waves_for(double width);
/* The narrowest width that these waves can show. */
double crd__math_waves_width(const crd__math_waves *waves);
/* The integral of |f_s| over [0, 1]. Signs that change twice within s / 16 are not seen. */
double crd__math_waves_area(const crd__math_waves *waves, double width);

/* The same kernel at one place, the sum over the images of c: exp(ease - (t - image)^2 / (2 s^2)),
 * where terms below e^-37 count as 0. With an ease of 0 its area over t is s sqrt(2 pi). */
double crd__math_reflected_gaussian(double t, double c, double width, double ease);

/*
 * Masses under a triweight kernel (1 - u^2)^3, |u| < 1, that moves over them: u is a point's
 * distance from the middle in units of the radius. The moments of u are enough to move the middle.
 */
typedef struct {
  double moment[7];
} crd__math_triweight;

void crd__math_triweight_add(crd__math_triweight *kernel, double u, double mass);
/* Take the step from every u. */
void crd__math_triweight_move(crd__math_triweight *kernel, double step);
/* The sum of mass * (1 - u^2)^3. */
double crd__math_triweight_value(const crd__math_triweight *kernel);

#endif
