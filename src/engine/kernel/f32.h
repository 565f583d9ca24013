/*
 * f32.h -- the float32 kernels worth vectorizing, compiled once for each instruction set.
 *
 * Every set gives the same bits: multiply-add is fused where the source has fmaf and nowhere else,
 * and sums run over 16 lanes, which are added in one fixed tree. In-place use is allowed (y == x);
 * other overlaps are not.
 */
#ifndef CRD_ENGINE_KERNEL_F32_H
#define CRD_ENGINE_KERNEL_F32_H

#include <stdbool.h>
#include <stddef.h>

/* One entry per unary function of x, with up to two parameters a and b. */
#define CRD__UNARY_LIST(X)                                                                         \
  X(ABS, abs)                                                                                      \
  X(CEIL, ceil)                                                                                    \
  X(CELU, celu)                                                                                    \
  X(CLIP, clip)                                                                                    \
  X(ELU, elu)                                                                                      \
  X(ERF, erf)                                                                                      \
  X(EXP, exp)                                                                                      \
  X(FLOOR, floor)                                                                                  \
  X(GELU, gelu)                                                                                    \
  X(GELU_TANH, gelu_tanh)                                                                          \
  X(HARD_SIGMOID, hard_sigmoid)                                                                    \
  X(HARD_SWISH, hard_swish)                                                                        \
  X(LEAKY_RELU, leaky_relu)                                                                        \
  X(LOG, log)                                                                                      \
  X(MISH, mish)                                                                                    \
  X(NEG, neg)                                                                                      \
  X(RECIPROCAL, reciprocal)                                                                        \
  X(RELU, relu)                                                                                    \
  X(ROUND, round)                                                                                  \
  X(SELU, selu)                                                                                    \
  X(SHRINK, shrink)                                                                                \
  X(SIGMOID, sigmoid)                                                                              \
  X(SIGN, sign)                                                                                    \
  X(SOFTPLUS, softplus)                                                                            \
  X(SOFTSIGN, softsign)                                                                            \
  X(SQRT, sqrt)                                                                                    \
  X(SWISH, swish)                                                                                  \
  X(TANH, tanh)                                                                                    \
  X(THRESHOLDED_RELU, thresholded_relu)

/* Functions that networks hardly spend time in: computed in float64, also for float32. */
#define CRD__UNARY_RARE_LIST(X)                                                                    \
  X(ACOS, acos)                                                                                    \
  X(ACOSH, acosh)                                                                                  \
  X(ASIN, asin)                                                                                    \
  X(ASINH, asinh)                                                                                  \
  X(ATAN, atan)                                                                                    \
  X(ATANH, atanh)                                                                                  \
  X(COS, cos)                                                                                      \
  X(COSH, cosh)                                                                                    \
  X(SIN, sin)                                                                                      \
  X(SINH, sinh)                                                                                    \
  X(TAN, tan)

/* Functions whose derivative can also be computed from y = f(x), when x is no longer available. For
 * clip, y does not distinguish a bound from a clipped value; for leaky_relu it has the sign of x
 * only if a > 0. */
#define CRD__UNARY_Y_LIST(X)                                                                       \
  X(CLIP, clip)                                                                                    \
  X(EXP, exp)                                                                                      \
  X(HARD_SIGMOID, hard_sigmoid)                                                                    \
  X(LEAKY_RELU, leaky_relu)                                                                        \
  X(NEG, neg)                                                                                      \
  X(RELU, relu)                                                                                    \
  X(SIGMOID, sigmoid)                                                                              \
  X(SQRT, sqrt)                                                                                    \
  X(TANH, tanh)

/* One entry per binary function. */
#define CRD__PAIR_LIST(X)                                                                          \
  X(ADD, add)                                                                                      \
  X(SUB, sub)                                                                                      \
  X(MUL, mul)                                                                                      \
  X(DIV, div)                                                                                      \
  X(MAX, max)                                                                                      \
  X(MIN, min)                                                                                      \
  X(POW, pow)

/* Binary functions without a float32 kernel: remainders with the sign of the divisor (mod) and of
 * the dividend (fmod), and functions of the bits of integers. */
#define CRD__PAIR_RARE_LIST(X)                                                                     \
  X(MOD, mod)                                                                                      \
  X(FMOD, fmod)                                                                                    \
  X(BIT_AND, bit_and)                                                                              \
  X(BIT_OR, bit_or)                                                                                \
  X(BIT_XOR, bit_xor)                                                                              \
  X(SHIFT_LEFT, shift_left)                                                                        \
  X(SHIFT_RIGHT, shift_right)

typedef enum {
#define X(id, name) CRD__UNARY_##id,
  CRD__UNARY_LIST(X) CRD__UNARY_RARE_LIST(X)
#undef X
      CRD__UNARY_COUNT
} crd__kernel_unary_id;

typedef enum {
#define X(id, name) CRD__PAIR_##id,
  CRD__PAIR_LIST(X) CRD__PAIR_RARE_LIST(X)
#undef X
      CRD__PAIR_COUNT = CRD__PAIR_MOD /* the number of functions with a float32 kernel */
} crd__kernel_pair_id;

typedef void crd__kernel_f32_map(size_t n, const float *x, float *y, float a, float b);
/* dx = dy f'(x), from x or from y = f(x). */
typedef void crd__kernel_f32_slope(size_t n, const float *given, const float *dy, float *dx,
                                   float a, float b);
typedef void crd__kernel_f32_pair(size_t n, const float *x, const float *y, float *z);

/* Which of x and y is an array; the other is a scalar. */
typedef enum { CRD__BOTH, CRD__FIRST, CRD__SECOND, CRD__SIDES } crd__kernel_f32_sides;

/* Parameters of sixteen interleaved channels, or of fewer that repeat: element i belongs to channel
 * i % 16. */
enum { CRD__F32_LANES = 16 };
/* Columns of a packed matrix that are stored side by side (recurrent/panels.h). */
enum { CRD__F32_PANEL = 32 };
typedef struct {
  float mean[CRD__F32_LANES], factor[CRD__F32_LANES], shift[CRD__F32_LANES]; /* forward pass */
  float tilt[CRD__F32_LANES], level[CRD__F32_LANES];                         /* backward pass */
  bool relu;
} crd__kernel_f32_channels;

typedef struct {
  const char *name; /* the instruction set, named as by the row kernels */
  crd__kernel_f32_map *unary[CRD__UNARY_COUNT]; /* NULL: of the rare list, as in slope_x */
  crd__kernel_f32_slope *slope_x[CRD__UNARY_COUNT],
      *slope_y[CRD__UNARY_COUNT]; /* NULL: not computable from y */
  crd__kernel_f32_pair *binary[CRD__PAIR_COUNT][CRD__SIDES];
  double (*sum)(size_t n, const float *x);
  double (*squares)(size_t n, const float *x, float centre);             /* sum (x - centre)^2 */
  double (*dot)(size_t n, const float *x, float centre, const float *y); /* sum (x - centre) y */
  /* NaN if any element is NaN. n > 0. */
  float (*max)(size_t n, const float *x);
  float (*min)(size_t n, const float *x);
  void (*add_to)(size_t n, const float *x, double *sums); /* sums[i] += x[i] */
  /* y = (x - mean) / sqrt(variance + epsilon) scale + shift; shift may be NULL. */
  void (*normalise)(size_t n, const float *x, float epsilon, const float *scale, const float *shift,
                    float *y, float *mean, float *inverse);
  void (*moments)(size_t n, const float *x, float epsilon, float *mean, float *inverse);
  /* y = s y + k (x - centre) + c: the gradient of a normalization. */
  void (*bend)(size_t n, const float *x, float centre, float k, float s, float c, float *y);
  /* For each channel, sum += x - centre, square += (x - centre)^2. */
  void (*channel_moments)(size_t n, const float *x, const float *centre, double *sum,
                          double *square);
  /* y = (x - mean) factor + shift + addend, with `relu` max(y, 0). The addend may be NULL, or y. */
  void (*channel_normalise)(size_t n, const crd__kernel_f32_channels *p, const float *x,
                            const float *addend, float *y);
  /* sum += g, product += g (x - mean), where g is dy; with `relu`, 0 where y <= 0. Without an
   * addend the sign of y is computed from x, and y is NULL. g is stored to dz unless that is NULL;
   * dz may be dy. */
  void (*channel_sums)(size_t n, const crd__kernel_f32_channels *p, const float *x, const float *y,
                       const float *dy, float *dz, double *sum, double *product);
  /* dx = g factor + (x - mean) tilt + level, with the same g. dx may be dy. */
  void (*channel_bend)(size_t n, const crd__kernel_f32_channels *p, const float *x, const float *y,
                       const float *dy, float *dx);
  /* c += a b, with rows x depth times depth x columns: element (i, k) of a is a[i * row + k *
   * column], b is packed (recurrent/panels.h), and rows of c are `step` elements apart. */
  void (*product)(size_t rows, size_t columns, size_t depth, const float *a, size_t row,
                  size_t column, const float *panels, float *c, size_t step);
} crd__kernel_f32_kernels;

const crd__kernel_f32_kernels *
crd__kernel_f32_kernels_at(size_t i); /* fastest first; NULL past the end */
const crd__kernel_f32_kernels *
crd__kernel_f32_kernels_best(void); /* the fastest that the processor supports */

#endif
