/*
 * binary.h -- functions of two numbers over arrays that NumPy's rules bring to one shape: f32.h has
 * their names. Strides are in elements, NULL is C order (walk.h: crd__kernel_strides_broadcast).
 */
#ifndef CRD_ENGINE_KERNEL_BINARY_H
#define CRD_ENGINE_KERNEL_BINARY_H

#include "credence/tensor.h"
#include "engine/kernel/element.h"
#include "engine/kernel/f32.h"

typedef enum {
  CRD__EQUAL,
  CRD__LESS,
  CRD__LESS_OR_EQUAL,
  CRD__GREATER,
  CRD__GREATER_OR_EQUAL
} crd__kernel_compare_id;

/* One operand: its numbers, and where they stand in the common shape. */
typedef struct {
  const void *data;
  crd_dtype dtype;
  const int64_t *strides;
} crd__kernel_operand;

/* z, in C order, has the type of x; only pow may have a y of another. Integers wrap round, and
 * their quotients are cut towards 0; divided by 0 they are 0, for C says nothing and ONNX neither.
 * An integer to the power of a negative one is 0, but for 1 and -1. A NaN is larger and smaller
 * than anything. */
void crd__kernel_binary(unsigned threads, crd__kernel_pair_id id, size_t rank, const int64_t *dims,
                        void *z, crd__kernel_operand x, crd__kernel_operand y);

/* x = f(x, y), number by number, of n <= CRD__BLOCK numbers that are carried so. */
void crd__kernel_block_pair(crd__kernel_pair_id id, crd__kernel_carrier carrier, size_t n,
                            crd__kernel_block *x, const crd__kernel_block *y);

/* z holds truth values; x and y have one type. */
void crd__kernel_compare(unsigned threads, crd__kernel_compare_id id, size_t rank,
                         const int64_t *dims, void *z, crd__kernel_operand x,
                         crd__kernel_operand y);

/* z = c ? x : y, elements of `size` bytes; c holds truth values. */
void crd__kernel_where(unsigned threads, size_t size, size_t rank, const int64_t *dims, void *z,
                       crd__kernel_operand c, crd__kernel_operand x, crd__kernel_operand y);

#endif
