/*
 * slide.h -- convolution and pooling in any number of dimensions, where oneDNN has none (types
 * other than float32, more dimensions, dilated pooling, indices of maxima).
 *
 * They work on pieces of output rows: for each tap of the window, its elements of the input are
 * equally spaced, and those in the padding are at either end of the piece.
 */
#ifndef CRD_ENGINE_KERNEL_SLIDE_H
#define CRD_ENGINE_KERNEL_SLIDE_H

#include "credence/array.h"

#include <stdbool.h>

enum { CRD__SLIDE_MAX = CRD_RANK_MAX - 2 };

typedef struct {
  size_t spatial;                                                        /* at least 1 */
  int64_t in[CRD__SLIDE_MAX], out[CRD__SLIDE_MAX], size[CRD__SLIDE_MAX]; /* size: of the window */
  int64_t stride[CRD__SLIDE_MAX], dilation[CRD__SLIDE_MAX];
  int64_t before[CRD__SLIDE_MAX], after[CRD__SLIDE_MAX]; /* padding */
} crd__kernel_slide;

/* y = bias + sum of w x: batch x groups * inputs -> batch x groups * outputs maps of a
 * floating-point type. */
typedef struct {
  crd_dtype dtype;
  size_t batch, groups, inputs, outputs; /* inputs and outputs of one group */
  crd__kernel_slide window;
  const void *weights, *bias; /* bias may be NULL */
} crd__kernel_conv;

void crd__kernel_conv_run(unsigned threads, const crd__kernel_conv *c, const void *x, void *y);

/* The transposed convolution: y has the shape of the input `window.in` of a convolution whose
 * result has that of x, `window.out`. Weights: (groups * inputs, outputs, size ...); x has groups *
 * inputs maps, y groups * outputs. */
void crd__kernel_conv_transpose_run(unsigned threads, const crd__kernel_conv *c, const void *x,
                                    void *y);

/* The maximum or the mean over the window, for each of `maps` maps. */
typedef struct {
  crd_dtype dtype; /* of means: floating-point */
  size_t maps;
  crd__kernel_slide window;
  bool mean, count_padding; /* the mean counts padding as zeros */
  bool column_major;        /* how indices are counted within a map */
} crd__kernel_pool;

/* Pool. `places` (indices of the maxima, counted over all maps; -1 for an empty window) may be
 * NULL. */
void crd__kernel_pool_run(unsigned threads, const crd__kernel_pool *p, const void *x, void *y,
                          int64_t *places);
/* Compute the gradient, in float32: that of a maximum goes to its first occurrence, that of a mean
 * to the whole window. x is for maxima only. */
void crd__kernel_pool_back(unsigned threads, const crd__kernel_pool *p, const float *x,
                           const float *dy, float *dx);

/* ---- For implementations. */

size_t crd__kernel_slide_taps(const crd__kernel_slide *w);
/* The same for a convolution: none without input channels, however large its window is. */
size_t crd__kernel_conv_taps(const crd__kernel_conv *c);
size_t crd__kernel_slide_rows(
    const crd__kernel_slide *w); /* number of output rows: all dimensions but the last */
size_t crd__kernel_slide_map(const int64_t *dims, size_t spatial); /* number of elements of a map */

/* Elements from..to-1 of a piece have an input element under the tap. */
typedef struct {
  size_t from, to;
  int64_t at, step; /* in the input map: index for element `from`, and stride */
} crd__kernel_under;

/* Find the input under tap `tap` for the n elements from `first` on of output row `row`; false:
 * none. With `padded`, padding counts too, and `at` is undefined. */
bool crd__kernel_slide_under(const crd__kernel_slide *w, size_t row, size_t tap, size_t first,
                             size_t n, bool padded, crd__kernel_under *out);

#endif
