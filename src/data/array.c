/* array.c -- read elements of arrays: one loader per element type, in a table. */
#include "data/array.h"

#include "base/context.h"
#include "math/half.h"

#include <math.h>
#include <string.h>

/* Defines a loader, which reads one element in native byte order at any alignment. */
#define LOADER(name, type, expression)                                                             \
  static double number_##name(const void *bytes) {                                                 \
    type value;                                                                                    \
    memcpy(&value, bytes, sizeof value);                                                           \
    return expression;                                                                             \
  }
LOADER(F16, uint16_t, crd__math_half_to_double(value))
LOADER(F32, float, (double)value)
LOADER(F64, double, value)
LOADER(I8, int8_t, (double)value)
LOADER(I16, int16_t, (double)value)
LOADER(I32, int32_t, (double)value)
LOADER(I64, int64_t, (double)value)
LOADER(U8, uint8_t, (double)value)
LOADER(U16, uint16_t, (double)value)
LOADER(U32, uint32_t, (double)value)
LOADER(U64, uint64_t, (double)value)
LOADER(BOOL, uint8_t, (double)(value != 0))
LOADER(BF16, uint16_t, crd__math_bfloat_to_double(value))
#undef LOADER

static const struct {
  const char *name;
  size_t size;
  char letter;
  double (*number)(const void *bytes);
} types[] = {
#define X(id, text, bytes, code) [CRD_##id] = { text, bytes, code, number_##id },
  CRD_DTYPE_LIST(X)
#undef X
};

size_t crd_dtype_size(crd_dtype dtype) { return types[dtype].size; }
const char *crd_dtype_name(crd_dtype dtype) {
  return (size_t)dtype < sizeof types / sizeof *types ? types[dtype].name : NULL;
}

crd_array crd_array_matrix(const void *data, crd_dtype dtype, size_t rows, size_t cols) {
  const ptrdiff_t size = (ptrdiff_t)crd_dtype_size(dtype);
  return (crd_array){ .data = data,
                      .dtype = dtype,
                      .rank = 2,
                      .dims = { (int64_t)rows, (int64_t)cols },
                      .strides = { size * (ptrdiff_t)cols, size } };
}

size_t crd_array_count(const crd_array *array) {
  size_t count = 1;
  for (size_t i = 0; i < array->rank; i++) count *= (size_t)array->dims[i];
  return count;
}

crd_array crd__data_array_strided(crd_array array) {
  for (size_t i = 0; i < array.rank; i++)
    if (array.strides[i]) return array;
  ptrdiff_t stride = (ptrdiff_t)crd_dtype_size(array.dtype);
  for (size_t i = array.rank; i-- > 0; stride *= (ptrdiff_t)array.dims[i])
    array.strides[i] = stride;
  return array;
}

crd_array crd_array_slice(crd_array array, size_t from, size_t to) {
  array = crd__data_array_strided(array);
  if (array.data) array.data = (const char *)array.data + (ptrdiff_t)from * array.strides[0];
  array.dims[0] = (int64_t)(to - from);
  return array;
}

bool crd__data_array_is_contiguous(const crd_array *array) {
  const crd_array strided = crd__data_array_strided(*array);
  ptrdiff_t expected = (ptrdiff_t)crd_dtype_size(array->dtype);
  for (size_t i = array->rank; i-- > 0; expected *= (ptrdiff_t)array->dims[i])
    if (array->dims[i] > 1 && strided.strides[i] != expected) return false;
  return !array->swapped;
}

crd_status crd__data_matrix(crd_context *ctx, const char *file, const char *what,
                            crd_array *array) {
  if (!array->data) return CRD_OK;
  if (array->rank < 1 || array->rank > 2)
    return crd__fail(ctx, CRD_EINPUT, "%s: %s have %zu dimensions, expected 1 or 2", file, what,
                     array->rank);
  for (size_t i = 0; i < array->rank; i++)
    if (array->dims[i] < 0)
      return crd__fail(ctx, CRD_EINPUT, "%s: dimension %zu of %s is %lld, expected at least 0",
                       file, i, what, (long long)array->dims[i]);
  *array = crd__data_array_strided(*array);
  if (array->rank == 2) return CRD_OK;
  array->rank = 2;
  array->dims[1] = 1;
  array->strides[1] = (ptrdiff_t)crd_dtype_size(array->dtype);
  return CRD_OK;
}

static const unsigned char *element(const crd_array *matrix, size_t i, size_t j) {
  return (const unsigned char *)matrix->data + (ptrdiff_t)i * matrix->strides[0] +
         (ptrdiff_t)j * matrix->strides[1];
}

/* Returns the element's bytes in native order, in `swapped` if it must be reversed. */
static const unsigned char *native(const crd_array *array, const unsigned char *at,
                                   unsigned char swapped[8]) {
  if (!array->swapped) return at;
  const size_t size = types[array->dtype].size;
  for (size_t b = 0; b < size; b++) swapped[b] = at[size - 1 - b];
  return swapped;
}

double crd__data_array_number(const crd_array *matrix, size_t i, size_t j) {
  unsigned char swapped[8];
  return types[matrix->dtype].number(native(matrix, element(matrix, i, j), swapped));
}

bool crd__data_array_is_integral(const crd_array *array) {
  const char letter = types[array->dtype].letter;
  return letter != 'f' && letter != 'v'; /* called for every label, so without a function call */
}

bool crd__data_array_integer(const crd_array *matrix, size_t i, size_t j, int64_t *out) {
  if (types[matrix->dtype].size == 8 && crd__data_array_is_integral(matrix)) {
    unsigned char swapped[8]; /* doubles are exact only up to 2^53 */
    memcpy(out, native(matrix, element(matrix, i, j), swapped), sizeof *out);
    return types[matrix->dtype].letter == 'i' || *out >= 0;
  }
  const double number = crd__data_array_number(matrix, i, j);
  if (!(fabs(number) <= 0x1p53) || number != floor(number)) return false;
  *out = (int64_t)number;
  return true;
}

/* The element types that kernels read directly. */
static const crd_dtype row_dtypes[] = {
  [CRD__ROW_F16] = CRD_F16, [CRD__ROW_F32] = CRD_F32, [CRD__ROW_F64] = CRD_F64
};

static bool row_type(crd_dtype dtype, crd__math_row_type *out) {
  for (size_t i = 0; i < sizeof row_dtypes / sizeof *row_dtypes; i++) {
    if (row_dtypes[i] != dtype) continue;
    *out = (crd__math_row_type)i;
    return true;
  }
  return false;
}

bool crd__data_array_is_direct(const crd_array *matrix) {
  crd__math_row_type type;
  const ptrdiff_t size = (ptrdiff_t)types[matrix->dtype].size;
  return !matrix->swapped && row_type(matrix->dtype, &type) && matrix->strides[1] == size &&
         matrix->strides[0] == size * (ptrdiff_t)crd__data_cols(matrix);
}

const void *crd__data_array_rows(const crd_array *matrix, size_t from, size_t count,
                                 double *scratch, crd__math_row_type *type) {
  if (crd__data_array_is_direct(matrix)) {
    row_type(matrix->dtype, type);
    return element(matrix, from, 0);
  }
  const bool by_column = matrix->strides[0] < matrix->strides[1];
  const size_t outer = by_column ? crd__data_cols(matrix) : count,
               inner = by_column ? count : crd__data_cols(matrix);
  for (size_t a = 0; a < outer; a++)
    for (size_t b = 0; b < inner; b++) {
      const size_t i = by_column ? b : a, j = by_column ? a : b;
      scratch[i * crd__data_cols(matrix) + j] = crd__data_array_number(matrix, from + i, j);
    }
  *type = CRD__ROW_F64;
  return scratch;
}
