/* view.h -- read views of any element type, strides, byte order and alignment. */
#ifndef CRD_DATA_VIEW_H
#define CRD_DATA_VIEW_H

#include "credence/view.h"
#include "math/rows.h"

#include <stdbool.h>

/* Returns element (i, j) as a double; integers beyond 2^53 are rounded. */
double crd__data_view_number(const crd_view *view, size_t i, size_t j);
/* Sets *out to element (i, j) exactly; false if it is not an integer or does not fit. */
bool crd__data_view_integer(const crd_view *view, size_t i, size_t j, int64_t *out);
/* Returns whether elements are stored as integers or booleans. */
bool crd__data_view_is_integral(const crd_view *view);

/* Returns whether rows are contiguous floating-point values in native byte order, which the kernels
 * can read in place. */
bool crd__data_view_is_direct(const crd_view *view);
/*
 * Returns rows in a type that the kernels read: a pointer into the view if it is direct, else
 * `scratch` (count x cols), filled. Fills column by column if columns are contiguous, so that a
 * Fortran-ordered file is read sequentially.
 */
const void *crd__data_view_rows(const crd_view *view, size_t from, size_t count, double *scratch,
                                crd__math_row_type *type);

#endif
