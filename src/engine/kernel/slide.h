/*
 * slide.h -- windows that slide over maps of any rank: convolution and pooling for what oneDNN
 * does not do (other types than singles, more dimensions, dilated pooling, places of maxima).
 *
 * They work on pieces of output rows: for each tap of the window, the numbers under it in the input
 * are equally spaced, and those beyond the edges are at either end.
 */
#ifndef CRD_ENGINE_KERNEL_SLIDE_H
#define CRD_ENGINE_KERNEL_SLIDE_H

#include "credence/tensor.h"

#include <stdbool.h>

enum { CRD__SLIDE_MAX = CRD_RANK_MAX - 2 };

typedef struct {
  size_t spatial;                                                        /* at least 1 */
  int64_t in[CRD__SLIDE_MAX], out[CRD__SLIDE_MAX], size[CRD__SLIDE_MAX]; /* of the window */
  int64_t stride[CRD__SLIDE_MAX], dilation[CRD__SLIDE_MAX];
  int64_t before[CRD__SLIDE_MAX], after[CRD__SLIDE_MAX]; /* padding */
} crd__kernel_slide;

/* y = bias + sum of w x: batch x groups * inputs -> batch x groups * outputs maps of real numbers.
 */
typedef struct {
  crd_dtype dtype;
  size_t batch, groups, inputs, outputs; /* inputs and outputs of one group */
  crd__kernel_slide window;
  const void *weights, *bias; /* bias may be NULL */
} crd__kernel_conv;

void crd__kernel_conv_run(unsigned threads, const crd__kernel_conv *c, const void *x, void *y);

/* The largest number or the mean under the window, for each of `maps` maps. */
typedef struct {
  crd_dtype dtype; /* means: real */
  size_t maps;
  crd__kernel_slide window;
  bool mean, count_padding; /* padding counts as zeros of a mean */
  bool column_major;        /* how places are counted within a map */
} crd__kernel_pool;

/* places (of largest numbers, counted over all maps; -1 where a window is empty) may be NULL. */
void crd__kernel_pool_run(unsigned threads, const crd__kernel_pool *p, const void *x, void *y,
                          int64_t *places);
/* Back, of singles: a maximum's goes to the first of the largest, a mean's to all under the window.
 * x is for maxima only. */
void crd__kernel_pool_back(unsigned threads, const crd__kernel_pool *p, const float *x,
                           const float *dy, float *dx);

/* ---- For those who slide. */

size_t crd__kernel_slide_taps(const crd__kernel_slide *w);
size_t
crd__kernel_slide_rows(const crd__kernel_slide *w); /* of the output: all but the last dimension */
size_t crd__kernel_slide_map(const int64_t *dims, size_t spatial); /* numbers in a map */

/* Numbers from..to-1 of a piece have something under them. */
typedef struct {
  size_t from, to;
  int64_t at, step; /* in the input map, of number `from`, and from one to the next */
} crd__kernel_under;

/* Under tap `tap`, for the n numbers from `first` on of output row `row`. With `padded`, the
 * padding counts too, and `at` means nothing. false: nothing is. */
bool crd__kernel_slide_under(const crd__kernel_slide *w, size_t row, size_t tap, size_t first,
                             size_t n, bool padded, crd__kernel_under *out);

#endif
