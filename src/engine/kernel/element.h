/*
 * element.h -- numbers of any type, a block at a time, in the widest type of their kind.
 *
 * Halves, singles and doubles are carried as doubles, integers and truth values as 64 bits with or
 * without a sign: three versions of an operator instead of twelve. Sums, differences, products,
 * quotients and square roots of singles and halves that are rounded to double and then to their own
 * type are rounded as if once, the double having more than twice their digits.
 */
#ifndef CRD_ENGINE_KERNEL_ELEMENT_H
#define CRD_ENGINE_KERNEL_ELEMENT_H

#include "credence/view.h"

enum { CRD__BLOCK = 256 };

typedef enum { CRD__REAL, CRD__SIGNED, CRD__UNSIGNED } crd__kernel_carrier;

typedef union {
  double real[CRD__BLOCK];
  int64_t whole[CRD__BLOCK];
  uint64_t natural[CRD__BLOCK];
} crd__kernel_block;

/* Truth values are carried as SIGNED. */
crd__kernel_carrier crd__kernel_carrier_of(crd_dtype dtype);

/* n <= CRD__BLOCK elements, `step` elements apart. */
void crd__kernel_block_load(crd_dtype dtype, size_t n, const void *from, ptrdiff_t step,
                            crd__kernel_block *to);

/* `from` holds what carries `dtype`. Integers lose their upper bits, truth is not being 0. */
void crd__kernel_block_store(crd_dtype dtype, size_t n, const crd__kernel_block *from, void *to,
                             ptrdiff_t step);

/* What carries `from` becomes what carries `to`. Fractions are cut off; what is beyond the integers
 * of type `to` becomes the last of them, and a NaN becomes 0. Truth is not being 0. */
void crd__kernel_block_convert(crd_dtype from, crd_dtype to, size_t n, crd__kernel_block *b);

/* n numbers that lie together, to another type: halves are rounded to nearest, ties to even. */
void crd__kernel_cast(unsigned threads, crd_dtype from, crd_dtype to, size_t n, const void *x,
                      void *y);

#endif
