/* array.h -- read arrays of any element type, strides, byte order and alignment. */
#ifndef CRD_DATA_ARRAY_H
#define CRD_DATA_ARRAY_H

#include "credence/array.h"
#include "math/rows.h"

#include <stdbool.h>

/* Returns the array with explicit strides. */
crd_array crd__data_array_strided(crd_array array);
/* Returns whether elements are C-contiguous and in native byte order. */
bool crd__data_array_is_contiguous(const crd_array *array);

/* ---- Matrices: arrays of rank 2 with explicit strides, which all functions below take. */

/* Makes a matrix of a user's array: a vector becomes one column; an array without data stays.
 * EINPUT if it has other than one or two dimensions, or a negative one. */
crd_status crd__data_matrix(crd_context *ctx, const char *file, const char *what, crd_array *array);

static inline size_t crd__data_rows_of(const crd_array *matrix) { return (size_t)matrix->dims[0]; }
static inline size_t crd__data_cols(const crd_array *matrix) { return (size_t)matrix->dims[1]; }

/* Returns element (i, j) as a double; integers beyond 2^53 are rounded. */
double crd__data_array_number(const crd_array *matrix, size_t i, size_t j);
/* Sets *out to element (i, j) exactly; false if it is not an integer or does not fit. */
bool crd__data_array_integer(const crd_array *matrix, size_t i, size_t j, int64_t *out);
/* Returns whether elements are stored as integers or booleans. */
bool crd__data_array_is_integral(const crd_array *array);

/* Returns whether rows are contiguous floating-point values in native byte order, which the kernels
 * can read in place. */
bool crd__data_array_is_direct(const crd_array *matrix);
/*
 * Returns rows in a type that the kernels read: a pointer into the matrix if it is direct, else
 * `scratch` (count x cols), filled. Fills column by column if columns are contiguous, so that a
 * Fortran-ordered file is read sequentially.
 */
const void *crd__data_array_rows(const crd_array *matrix, size_t from, size_t count,
                                 double *scratch, crd__math_row_type *type);

#endif
