/*
 * principal.h -- projection onto the first two principal components.
 *
 * Orthogonal iteration: two vectors are multiplied by X'X and made orthonormal repeatedly; they
 * converge to the eigenvectors of the two largest eigenvalues. If eigenvalues are nearly equal this
 * is slow and is stopped early: the plane is then nearly as good as the best. Golub, Van Loan:
 * Matrix computations (2013), 8.2.4.
 */
#ifndef CRD_MATH_PRINCIPAL_H
#define CRD_MATH_PRINCIPAL_H

#include "base/context.h"

/* Sets out, rows x 2, to the coordinates of each row of x (rows x width, centred columns) along the
 * first and second component; 0 if the rows do not differ. The largest element of a component is
 * positive. */
crd_status crd__math_principal_plane(crd_context *ctx, const double *x, size_t rows, size_t width,
                                     double *out);

#endif
