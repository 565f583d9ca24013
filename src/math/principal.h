/*
 * principal.h -- the two directions along which the rows of a matrix differ most.
 *
 * Orthogonal iteration: two vectors are multiplied with X'X and made orthonormal again and again;
 * they turn to the two largest eigenvectors. Where eigenvalues are nearly the same this takes long
 * and is given up: the plane is then nearly as good as the best. Golub, Van Loan: Matrix
 * computations (2013), 8.2.4.
 */
#ifndef CRD_MATH_PRINCIPAL_H
#define CRD_MATH_PRINCIPAL_H

#include "base/context.h"

/* x: rows x width, each column with mean 0. out: rows x 2, the coordinates of each row along the
 * first direction and the second; 0 where the rows do not differ. The largest element of a
 * direction is positive. */
crd_status crd__math_principal_plane(crd_context *ctx, const double *x, size_t rows, size_t width,
                                     double *out);

#endif
