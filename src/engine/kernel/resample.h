/*
 * resample.h -- resampling along one axis: nearest neighbour, linear and cubic interpolation.
 *
 *   y[o][j][i] = sum over t of weight[j][t] x[o][index[j][t]][i]
 *
 * Output position j is at x(j) of the input. Its taps are the neighbours of x(j), with weights
 * f(scale (tap - x(j))), where scale is 1, or with antialiasing the factor of a reduction. Taps
 * outside the array repeat its edge, or are excluded.
 */
#ifndef CRD_ENGINE_KERNEL_RESAMPLE_H
#define CRD_ENGINE_KERNEL_RESAMPLE_H

#include "credence/array.h"

#include <stdbool.h>

typedef enum { CRD__SAMPLE_NEAREST, CRD__SAMPLE_LINEAR, CRD__SAMPLE_CUBIC } crd__kernel_sample_id;

/* How an output position j is mapped to x(j). */
typedef enum {
  CRD__HALF_PIXEL,           /* (j + 1/2) / factor - 1/2 */
  CRD__HALF_PIXEL_SYMMETRIC, /* the same around the centre, if factor * length is not an integer */
  CRD__PYTORCH_HALF_PIXEL,   /* the same, but 0 if the result has length 1 */
  CRD__ALIGN_CORNERS,        /* j (in - 1) / (out - 1) */
  CRD__ASYMMETRIC,           /* j / factor */
  CRD__TF_HALF_PIXEL,        /* (j + 1/2) / factor */
  CRD__COORDINATES
} crd__kernel_coordinate_id;

/* How x(j) is rounded to the nearest neighbour; halves down or up. */
typedef enum {
  CRD__ROUND_PREFER_FLOOR,
  CRD__ROUND_PREFER_CEIL,
  CRD__ROUND_FLOOR,
  CRD__ROUND_CEIL,
  CRD__ROUNDINGS
} crd__kernel_rounding_id;

typedef struct {
  crd__kernel_sample_id mode;
  crd__kernel_coordinate_id coordinate;
  crd__kernel_rounding_id rounding; /* of nearest neighbours */
  double cubic;                     /* the coefficient a of cubic interpolation */
  bool exclude_outside, antialias;
} crd__kernel_sampling;

/* Return the number of taps of each output position. */
size_t crd__kernel_resample_taps(const crd__kernel_sampling *s, float factor);
/* Compute taps and weights, out x taps each. Positions are computed in float32, as other
 * implementations do: their roundings decide between neighbours. `in` must not be 0. */
void crd__kernel_resample_table(const crd__kernel_sampling *s, size_t in, size_t out, float factor,
                                int32_t *index, double *weight);

typedef struct {
  crd_dtype from, to; /* float16, float32, float64; int8 or uint8, truncated */
  size_t outer, in, out, inner, taps;
  const int32_t *index;
  const double *weight;
} crd__kernel_resample;

void crd__kernel_resample_run(unsigned threads, const crd__kernel_resample *r, const void *x,
                              void *y);
/* Compute dx from dy, in float32. */
void crd__kernel_resample_back(unsigned threads, const crd__kernel_resample *r, const float *dy,
                               float *dx);

#endif
