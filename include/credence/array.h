/* credence/array.h -- element types, and borrowed arrays of any type, rank, strides and byte order.
 */
#ifndef CREDENCE_ARRAY_H
#define CREDENCE_ARRAY_H

#include "credence/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One entry per element type: constant, name, bytes, letter of NumPy's type codes
 * ('v': NumPy has none). */
#define CRD_DTYPE_LIST(X)                                                                          \
  X(F16, "f16", 2, 'f')                                                                            \
  X(F32, "f32", 4, 'f')                                                                            \
  X(F64, "f64", 8, 'f')                                                                            \
  X(I8, "i8", 1, 'i')                                                                              \
  X(I16, "i16", 2, 'i')                                                                            \
  X(I32, "i32", 4, 'i')                                                                            \
  X(I64, "i64", 8, 'i')                                                                            \
  X(U8, "u8", 1, 'u')                                                                              \
  X(U16, "u16", 2, 'u')                                                                            \
  X(U32, "u32", 4, 'u')                                                                            \
  X(U64, "u64", 8, 'u')                                                                            \
  X(BOOL, "bool", 1, 'b')                                                                          \
  X(BF16, "bf16", 2, 'v')

typedef enum {
#define X(id, name, bytes, letter) CRD_##id,
  CRD_DTYPE_LIST(X)
#undef X
} crd_dtype;

/** Returns the size of one element, in bytes. */
CRD_API size_t crd_dtype_size(crd_dtype dtype);
/** Returns the name of a type: "f32", "i64", ...; a static string, NULL outside the list. */
CRD_API const char *crd_dtype_name(crd_dtype dtype);

enum { CRD_RANK_MAX = 8 };

/**
 * A borrowed array. Element (i, j, ...) is at
 * (const char *)data + i * strides[0] + j * strides[1] + ...; where all strides are 0 the array is
 * C-contiguous. Functions that take a matrix read a vector as one column.
 * The library reads it during the call only, unless the call's comment says otherwise.
 */
typedef struct {
  const void *data; /* NULL: type and shape only */
  crd_dtype dtype;
  size_t rank;
  int64_t dims[CRD_RANK_MAX];
  ptrdiff_t strides[CRD_RANK_MAX]; /* in bytes; all 0: C-contiguous */
  int swapped;                     /* non-zero: elements have the other byte order */
} crd_array;

/** Returns a C-contiguous rows x cols matrix in native byte order. */
CRD_API crd_array crd_array_matrix(const void *data, crd_dtype dtype, size_t rows, size_t cols);
/** Returns elements from .. to-1 of the first dimension: rows of a matrix. */
CRD_API crd_array crd_array_slice(crd_array array, size_t from, size_t to);
/** Returns the number of elements. */
CRD_API size_t crd_array_count(const crd_array *array);

#ifdef __cplusplus
}
#endif
#endif
