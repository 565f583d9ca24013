/* view.h -- reading views of any element type, order and byte order. Data may be unaligned. */
#ifndef CRD_DATA_VIEW_H
#define CRD_DATA_VIEW_H

#include "credence/view.h"
#include "math/rows.h"

#include <stdbool.h>

/* Element (i, j) as a double; whole numbers beyond 2^53 are rounded. */
double crd__data_view_number(const crd_view *view, size_t i, size_t j);
/* Element (i, j) as a whole number, exactly; false when it is none or does not fit. */
bool crd__data_view_integer(const crd_view *view, size_t i, size_t j, int64_t *out);
/* Is element (i, j) stored as a whole number or truth value? */
bool crd__data_view_is_integral(const crd_view *view);

/* Are rows from .. from+count-1 contiguous floating-point numbers in native byte order? Then the
 * kernels can read them where they are. */
bool crd__data_view_is_direct(const crd_view *view);
/*
 * Rows as the kernels want them: a pointer into the view where it is direct, else `scratch`
 * (count x cols doubles), filled. Fills column by column when the columns are contiguous, so that a
 * Fortran-ordered file is read along its grain.
 */
const void *crd__data_view_rows(const crd_view *view, size_t from, size_t count, double *scratch,
                                crd__math_row_type *type);

#endif
