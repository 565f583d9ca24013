/*
 * neighbours.h -- the nearest rows of a matrix and how far they are, by comparison with all of
 * them.
 *
 * Products of matrices say roughly how far apart rows are, |a|^2 + |b|^2 - 2 a b, which loses all
 * digits where rows are nearly the same. So they only sort out what cannot be near; what remains is
 * measured as the sum of (a - b)^2. The result is that of measuring all: it depends neither on the
 * rows around nor on the instruction set.
 */
#ifndef CRD_MATH_NEIGHBOURS_H
#define CRD_MATH_NEIGHBOURS_H

#include <stddef.h>

/*
 * For each of `count` queries, the squared distances of the `wanted` (at least 1) nearest rows of
 * `bank`, ascending; infinity where it has too few. Both are matrices of `width` finite columns.
 * out: count x wanted. which (may be NULL): the same of the numbers of these rows, of equally near
 * ones the first; undefined where there are too few.
 */
void crd__math_neighbours(const double *queries, size_t count, const double *bank, size_t rows,
                          size_t width, size_t wanted, double *out, size_t *which);

#endif
