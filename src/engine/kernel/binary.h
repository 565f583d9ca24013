/*
 * binary.h -- binary elementwise functions with NumPy broadcasting; f32.h lists them. Strides are
 * in elements, NULL is C order (walk.h: crd__kernel_strides_broadcast).
 */
#ifndef CRD_ENGINE_KERNEL_BINARY_H
#define CRD_ENGINE_KERNEL_BINARY_H

#include "credence/array.h"
#include "engine/kernel/element.h"
#include "engine/kernel/f32.h"

typedef enum {
  CRD__EQUAL,
  CRD__LESS,
  CRD__LESS_OR_EQUAL,
  CRD__GREATER,
  CRD__GREATER_OR_EQUAL
} crd__kernel_compare_id;

/* An operand: its elements, and its strides in the common shape. */
typedef struct {
  const void *data;
  crd_dtype dtype;
  const int64_t *strides;
} crd__kernel_operand;

/* Compute z, in C order, of the type of x; only pow may have a y of another. Integers wrap, and
 * their quotients are truncated; divided by 0 they are 0, which neither C nor ONNX defines. An
 * integer to a negative power is 0, except for bases 1 and -1. max and min of NaN are NaN. Integers
 * modulo 0 are 0, and so is an integer shifted by all its bits; bits are those of integers only. */
void crd__kernel_binary(unsigned threads, crd__kernel_pair_id id, size_t rank, const int64_t *dims,
                        void *z, crd__kernel_operand x, crd__kernel_operand y);

/* Compute x = f(x, y) elementwise for n <= CRD__BLOCK elements of this carrier. */
void crd__kernel_block_pair(crd__kernel_pair_id id, crd__kernel_carrier carrier, size_t n,
                            crd__kernel_block *x, const crd__kernel_block *y);

/* Compute bool z; x and y have one type. */
void crd__kernel_compare(unsigned threads, crd__kernel_compare_id id, size_t rank,
                         const int64_t *dims, void *z, crd__kernel_operand x,
                         crd__kernel_operand y);

/* Compute z = c ? x : y for elements of `size` bytes; c is bool. */
void crd__kernel_where(unsigned threads, size_t size, size_t rank, const int64_t *dims, void *z,
                       crd__kernel_operand c, crd__kernel_operand x, crd__kernel_operand y);

#endif
