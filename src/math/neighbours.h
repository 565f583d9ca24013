/*
 * neighbours.h -- exact brute-force nearest neighbours.
 *
 * A matrix product gives approximate squared distances |a|^2 + |b|^2 - 2 a b, which lose all digits
 * if rows are nearly equal. So they only exclude rows that cannot be near; the distances of the
 * rest are computed as the sum of (a - b)^2. The result is the same as computing all of them so: it
 * depends neither on other rows nor on the instruction set.
 */
#ifndef CRD_MATH_NEIGHBOURS_H
#define CRD_MATH_NEIGHBOURS_H

#include <stddef.h>

/*
 * For each of `count` queries, sets `out` (count x wanted) to the squared distances of the `wanted`
 * (at least 1) nearest rows of `bank`, ascending; infinity if it has too few. Both are matrices of
 * `width` finite columns. `which` (may be NULL): the indices of these rows, of equally near ones
 * the first; undefined if there are too few.
 */
void crd__math_neighbours(const double *queries, size_t count, const double *bank, size_t rows,
                          size_t width, size_t wanted, double *out, size_t *which);

#endif
