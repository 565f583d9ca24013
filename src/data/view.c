/* view.c -- read elements of views: one loader per element type, in a table. */
#include "data/view.h"
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
const char *crd_dtype_name(crd_dtype dtype) { return types[dtype].name; }

crd_view crd_view_make(const void *data, crd_dtype dtype, size_t rows, size_t cols) {
  const ptrdiff_t size = (ptrdiff_t)crd_dtype_size(dtype);
  return (crd_view){ .data = data,
                     .rows = rows,
                     .cols = cols,
                     .row_stride = size * (ptrdiff_t)cols,
                     .col_stride = size,
                     .dtype = dtype };
}

static const unsigned char *element(const crd_view *view, size_t i, size_t j) {
  return (const unsigned char *)view->data + (ptrdiff_t)i * view->row_stride +
         (ptrdiff_t)j * view->col_stride;
}

crd_view crd_view_slice(crd_view view, size_t from, size_t to) {
  if (view.data) view.data = element(&view, from, 0);
  view.rows = to - from;
  return view;
}

/* Returns the element's bytes in native order, in `swapped` if it must be reversed. */
static const unsigned char *native(const crd_view *view, const unsigned char *at,
                                   unsigned char swapped[8]) {
  if (!view->swapped) return at;
  const size_t size = types[view->dtype].size;
  for (size_t b = 0; b < size; b++) swapped[b] = at[size - 1 - b];
  return swapped;
}

double crd__data_view_number(const crd_view *view, size_t i, size_t j) {
  unsigned char swapped[8];
  return types[view->dtype].number(native(view, element(view, i, j), swapped));
}

bool crd__data_view_is_integral(const crd_view *view) { return types[view->dtype].letter != 'f'; }

bool crd__data_view_integer(const crd_view *view, size_t i, size_t j, int64_t *out) {
  if (types[view->dtype].size == 8 && crd__data_view_is_integral(view)) {
    unsigned char swapped[8]; /* doubles are exact only up to 2^53 */
    memcpy(out, native(view, element(view, i, j), swapped), sizeof *out);
    return types[view->dtype].letter == 'i' || *out >= 0;
  }
  const double number = crd__data_view_number(view, i, j);
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

bool crd__data_view_is_direct(const crd_view *view) {
  crd__math_row_type type;
  const ptrdiff_t size = (ptrdiff_t)types[view->dtype].size;
  return !view->swapped && row_type(view->dtype, &type) && view->col_stride == size &&
         view->row_stride == size * (ptrdiff_t)view->cols;
}

const void *crd__data_view_rows(const crd_view *view, size_t from, size_t count, double *scratch,
                                crd__math_row_type *type) {
  if (crd__data_view_is_direct(view)) {
    row_type(view->dtype, type);
    return element(view, from, 0);
  }
  const bool by_column = view->row_stride < view->col_stride;
  const size_t outer = by_column ? view->cols : count, inner = by_column ? count : view->cols;
  for (size_t a = 0; a < outer; a++)
    for (size_t b = 0; b < inner; b++) {
      const size_t i = by_column ? b : a, j = by_column ? a : b;
      scratch[i * view->cols + j] = crd__data_view_number(view, from + i, j);
    }
  *type = CRD__ROW_F64;
  return scratch;
}
