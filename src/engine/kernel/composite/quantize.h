/*
 * quantize.h -- linear quantisation, as ONNX defines it (QuantizeLinear, DequantizeLinear):
 *
 *   q = saturate(round(x / scale) + zero),   x = (q - zero) scale
 *
 * with scale and zero point for the whole array, for each index along an axis, or for each block of
 * indices along it. Ties are rounded to even. Quotients and products are those of the type `work`:
 * float32, or float16 where both operands are.
 */
#ifndef CRD_ENGINE_KERNEL_QUANTIZE_H
#define CRD_ENGINE_KERNEL_QUANTIZE_H

#include "credence/array.h"

/* An array of outer x length x inner elements. Element (o, k, i) has the scale at index
 * o steps[0] + k / block steps[1] + i steps[2]; all are 0 if there is one scale. */
typedef struct {
  size_t outer, length, inner, block;
  size_t steps[3];
} crd__kernel_scales;

/* Return those of an array of `count` elements with one scale. */
crd__kernel_scales crd__kernel_scales_one(size_t count);

/* Which part of q - zero is the result: all of it, or the quotient or remainder of its division by
 * 16, rounded down. Sums of products of the parts are exact in float32 where those of the whole are
 * not. */
typedef enum { CRD__PART_ALL, CRD__PART_HIGH, CRD__PART_LOW } crd__kernel_part;
enum { CRD__PART_BASE = 16 };

typedef struct {
  crd__kernel_scales scales;
  crd_dtype from, to;   /* types of the array and of the result */
  crd_dtype scale_type; /* */
  crd_dtype zero_type;  /* */
  crd_dtype work;
  const void *scale, *zero; /* NULL: 1 and 0 */
  crd__kernel_part part;    /* of dequantised integers */
} crd__kernel_quantization;

/* Quantise: `to` is an integer type, whose range saturates; NaN becomes its number nearest to 0. */
void crd__kernel_quantize(unsigned threads, const crd__kernel_quantization *q, const void *x,
                          void *y);
/* Dequantise integers: `to` is a floating-point type. */
void crd__kernel_dequantize(unsigned threads, const crd__kernel_quantization *q, const void *x,
                            void *y);

/* Choose scale and zero point for uint8 from the range of the elements and 0, and quantise. */
void crd__kernel_quantize_dynamic(unsigned threads, size_t n, const float *x, uint8_t *y,
                                  float *scale, uint8_t *zero);

/* Quantise the sums of products of quantised factors: y = saturate(round(x m) + zero), with
 * m = alpha a b / scale in float32, where b has a value for each of `channels` or one. */
typedef struct {
  size_t outer, channels, inner; /* of the array */
  float alpha;
  crd_dtype scale_type;      /* of these: */
  const void *a, *b, *scale; /* scale NULL: the result is x m, of float32 */
  size_t b_step;             /* 0: b has one value */
  crd_dtype to;
  const void *zero; /* of type `to`; NULL: 0 */
} crd__kernel_requantization;
void crd__kernel_requantize(unsigned threads, const crd__kernel_requantization *r, const float *x,
                            void *y);

#endif
