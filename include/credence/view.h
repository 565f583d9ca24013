/* credence/view.h -- element types, and borrowed matrices of any type, strides and byte order. */
#ifndef CREDENCE_VIEW_H
#define CREDENCE_VIEW_H

#include "credence/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One entry per element type: constant, name, bytes, letter of NumPy's type codes. */
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
  X(BOOL, "bool", 1, 'b')

typedef enum {
#define X(id, name, bytes, letter) CRD_##id,
  CRD_DTYPE_LIST(X)
#undef X
} crd_dtype;

/** Returns the size of one element, in bytes. */
CRD_API size_t crd_dtype_size(crd_dtype dtype);
/** Returns the name of a type: "f32", "i64", ...; a static string. */
CRD_API const char *crd_dtype_name(crd_dtype dtype);

/**
 * A borrowed matrix. Element (i, j) is at
 * (const char *)data + i * row_stride + j * col_stride; a vector has cols == 1.
 * The library reads it during the call only, unless the call's comment says otherwise.
 */
typedef struct {
  const void *data;
  size_t rows, cols;
  ptrdiff_t row_stride, col_stride; /* in bytes */
  crd_dtype dtype;
  int swapped; /* non-zero: elements have the other byte order */
} crd_view;

/** Returns a view of a C-contiguous rows x cols matrix in native byte order. */
CRD_API crd_view crd_view_make(const void *data, crd_dtype dtype, size_t rows, size_t cols);
/** Returns a view of rows from .. to-1. */
CRD_API crd_view crd_view_slice(crd_view view, size_t from, size_t to);

#ifdef __cplusplus
}
#endif
#endif
