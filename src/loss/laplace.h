/*
 * laplace.h -- sums of a Laplacian kernel over all pairs of rows, for mmce and mmce-weighted.
 *
 *   L = sqrt(M + 1e-12),  M = sum_ij u_i u_j k_ij,  k_ij = exp(-|c_i - c_j| / h)
 *   dM/dc_i = 2 u'_i sum_j u_j k_ij - 2 u_i / h sum_j u_j k_ij sign(c_i - c_j)
 *
 * u_i depends on row i and its confidence alone. Neither sum needs a loop over pairs: sorted by
 * confidence, the kernel sum over the rows below is that of the row before, plus that row, times
 * one factor. Rows of equal confidence form a block, within which sign is 0.
 */
#ifndef CRD_LOSS_LAPLACE_H
#define CRD_LOSS_LAPLACE_H

#include "loss/term.h"

typedef struct {
  double value, slope; /* u and du/dc */
} crd__loss_laplace_row;

/* The setting h of both losses. */
extern const crd_setting_info crd__loss_laplace_bandwidth;

enum { CRD__LAPLACE_SCRATCH = 5 }; /* doubles per row of the scratch buffer (crd__loss.scratch) */

/*
 * Returns L and adds its derivatives to `slopes`. `one` returns u and du/dc of a row of positive
 * weight, normalised by the total weight (1/N, not 1); it receives `parts`.
 */
double crd__loss_laplace_measure(const crd__loss_term *term, const crd__loss_batch *batch,
                                 const crd__loss_slopes *slopes,
                                 crd__loss_laplace_row (*one)(const crd__loss_batch *batch,
                                                              size_t row, const double *parts),
                                 const double *parts);

#endif
