/*
 * f32.h -- what is done to singles most often, compiled once for each instruction set.
 *
 * Every set gives the same bits: products that are added are fused where the source says so and
 * nowhere else, and sums run over 16 lanes, which one fixed tree adds up. In-place use is allowed
 * (y == x); other overlaps are not.
 */
#ifndef CRD_ENGINE_KERNEL_F32_H
#define CRD_ENGINE_KERNEL_F32_H

#include <stdbool.h>
#include <stddef.h>

/* One row per function of one number x, with up to two parameters a and b. */
#define CRD__UNARY_LIST(X)                                                                         \
  X(CLIP, clip)                                                                                    \
  X(ERF, erf)                                                                                      \
  X(EXP, exp)                                                                                      \
  X(GELU, gelu)                                                                                    \
  X(GELU_TANH, gelu_tanh)                                                                          \
  X(HARD_SIGMOID, hard_sigmoid)                                                                    \
  X(HARD_SWISH, hard_swish)                                                                        \
  X(LEAKY_RELU, leaky_relu)                                                                        \
  X(LOG, log)                                                                                      \
  X(NEG, neg)                                                                                      \
  X(RELU, relu)                                                                                    \
  X(SIGMOID, sigmoid)                                                                              \
  X(SQRT, sqrt)                                                                                    \
  X(TANH, tanh)

/* Those whose slope follows from y = f(x), too: x may be gone by then. Of a clip, y does not tell a
 * bound from what was cut, and of leaky_relu it tells the side where a > 0 only. */
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

/* One row per function of two. */
#define CRD__PAIR_LIST(X)                                                                          \
  X(ADD, add)                                                                                      \
  X(SUB, sub)                                                                                      \
  X(MUL, mul)                                                                                      \
  X(DIV, div)                                                                                      \
  X(MAX, max)                                                                                      \
  X(MIN, min)                                                                                      \
  X(POW, pow)

typedef enum {
#define X(id, name) CRD__UNARY_##id,
  CRD__UNARY_LIST(X)
#undef X
      CRD__UNARY_COUNT
} crd__kernel_unary_id;

typedef enum {
#define X(id, name) CRD__PAIR_##id,
  CRD__PAIR_LIST(X)
#undef X
      CRD__PAIR_COUNT
} crd__kernel_pair_id;

typedef void crd__kernel_f32_map(size_t n, const float *x, float *y, float a, float b);
/* dx = dy f'(x), from x or from y = f(x). */
typedef void crd__kernel_f32_slope(size_t n, const float *given, const float *dy, float *dx,
                                   float a, float b);
typedef void crd__kernel_f32_pair(size_t n, const float *x, const float *y, float *z);

/* Which of x and y is an array; the other is one number. */
typedef enum { CRD__BOTH, CRD__FIRST, CRD__SECOND, CRD__SIDES } crd__kernel_f32_sides;

/* Of sixteen channels side by side, or of fewer that repeat: number i belongs to channel i % 16. */
enum { CRD__F32_LANES = 16 };
typedef struct {
  float mean[CRD__F32_LANES], factor[CRD__F32_LANES], shift[CRD__F32_LANES]; /* there, */
  float tilt[CRD__F32_LANES], level[CRD__F32_LANES];                         /* and back */
  bool relu;
} crd__kernel_f32_channels;

typedef struct {
  const char *name; /* as the row kernels call the instruction set */
  crd__kernel_f32_map *unary[CRD__UNARY_COUNT];
  crd__kernel_f32_slope *slope_x[CRD__UNARY_COUNT],
      *slope_y[CRD__UNARY_COUNT]; /* NULL: y does not tell */
  crd__kernel_f32_pair *binary[CRD__PAIR_COUNT][CRD__SIDES];
  double (*sum)(size_t n, const float *x);
  double (*squares)(size_t n, const float *x, float centre);             /* sum (x - centre)^2 */
  double (*dot)(size_t n, const float *x, float centre, const float *y); /* sum (x - centre) y */
  /* A NaN among them is the answer. n > 0. */
  float (*max)(size_t n, const float *x);
  float (*min)(size_t n, const float *x);
  void (*add_to)(size_t n, const float *x, double *sums); /* sums[i] += x[i] */
  /* y = (x - mean) / sqrt(variance + epsilon) scale + shift; shift may be NULL. */
  void (*normalise)(size_t n, const float *x, float epsilon, const float *scale, const float *shift,
                    float *y, float *mean, float *inverse);
  void (*moments)(size_t n, const float *x, float epsilon, float *mean, float *inverse);
  /* y = s y + k (x - centre) + c: what comes back through a normalisation. */
  void (*bend)(size_t n, const float *x, float centre, float k, float s, float c, float *y);
  /* Of each channel, sum += x - centre, square += (x - centre)^2. */
  void (*channel_moments)(size_t n, const float *x, const float *centre, double *sum,
                          double *square);
  /* y = (x - mean) factor + shift + addend, and where it is below 0 with `relu`, 0. The addend may
   * be NULL, or y. */
  void (*channel_normalise)(size_t n, const crd__kernel_f32_channels *p, const float *x,
                            const float *addend, float *y);
  /* sum += g, product += g (x - mean), where g is dy; with `relu`, 0 where y is not above 0:
   * without an addend x tells, and y is NULL. This g goes to dz unless that is NULL; dz may be dy.
   */
  void (*channel_sums)(size_t n, const crd__kernel_f32_channels *p, const float *x, const float *y,
                       const float *dy, float *dz, double *sum, double *product);
  /* dx = g factor + (x - mean) tilt + level, with the same g. dx may be dy. */
  void (*channel_bend)(size_t n, const crd__kernel_f32_channels *p, const float *x, const float *y,
                       const float *dy, float *dx);
} crd__kernel_f32_kernels;

const crd__kernel_f32_kernels *
crd__kernel_f32_kernels_at(size_t i); /* fastest first; NULL past the end */
const crd__kernel_f32_kernels *
crd__kernel_f32_kernels_best(void); /* the first that the processor can run */

#endif
