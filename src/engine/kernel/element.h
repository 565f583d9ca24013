/*
 * element.h -- elements of any type, a block at a time, in the widest type of their kind.
 *
 * float16, float32 and float64 are carried as double, integers and bool as 64-bit signed or
 * unsigned: three versions of an operator instead of twelve. Sums, differences, products, quotients
 * and square roots of float32 and float16, rounded to double and then to their own type, are as if
 * rounded once, since double has more than twice their digits.
 */
#ifndef CRD_ENGINE_KERNEL_ELEMENT_H
#define CRD_ENGINE_KERNEL_ELEMENT_H

#include "credence/array.h"

enum { CRD__BLOCK = 256 };

typedef enum { CRD__REAL, CRD__SIGNED, CRD__UNSIGNED } crd__kernel_carrier;

typedef union {
  double real[CRD__BLOCK];
  int64_t whole[CRD__BLOCK];
  uint64_t natural[CRD__BLOCK];
} crd__kernel_block;

/* Return the carrier of a type; that of bool is SIGNED. */
crd__kernel_carrier crd__kernel_carrier_of(crd_dtype dtype);

/* Load n <= CRD__BLOCK elements, `step` elements apart. */
void crd__kernel_block_load(crd_dtype dtype, size_t n, const void *from, ptrdiff_t step,
                            crd__kernel_block *to);

/* Store elements of the carrier of `dtype`. Integers lose their upper bits; bool is x != 0. */
void crd__kernel_block_store(crd_dtype dtype, size_t n, const crd__kernel_block *from, void *to,
                             ptrdiff_t step);

/* Convert from the carrier of `from` to that of `to`. Floating-point values are truncated to
 * integers and saturate to the range of `to`; NaN becomes 0, bool is x != 0. */
void crd__kernel_block_convert(crd_dtype from, crd_dtype to, size_t n, crd__kernel_block *b);

/* Convert n contiguous elements to another type: float16 is rounded to nearest, ties to even. */
void crd__kernel_cast(unsigned threads, crd_dtype from, crd_dtype to, size_t n, const void *x,
                      void *y);

#endif
