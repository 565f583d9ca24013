/*
 * laplace.h -- the root of a quadratic form of all pairs of rows, for mmce and mmce-weighted.
 *
 *   L = sqrt(M + 1e-12),  M = sum_ij u_i u_j k_ij,  k_ij = exp(-|c_i - c_j| / h)
 *   dM/dc_i = 2 u'_i sum_j u_j k_ij - 2 u_i / h sum_j u_j k_ij sign(c_i - c_j)
 *
 * u_i is a row's own and depends on its confidence alone. Neither sum needs pairs: in the order of
 * confidences, what lies below a row is what lies below the one before it, and that one, times one
 * factor. Rows of equal confidence are one block, in which sign is 0.
 */
#ifndef CRD_LOSS_LAPLACE_H
#define CRD_LOSS_LAPLACE_H

#include "loss/term.h"

typedef struct {
  double value, slope; /* u and du/dc */
} crd__loss_laplace_row;

/* The setting of such a loss: h. */
extern const crd_setting_info crd__loss_laplace_bandwidth;

enum { CRD__LAPLACE_SCRATCH = 5 }; /* numbers a row that the term must keep */

/*
 * `parts` is handed on to `one`, which is asked for each row that counts; u must be of rows in
 * shares of the whole (1/N, not 1).
 */
double crd__loss_laplace_measure(const crd__loss_term *term, const crd__loss_batch *batch,
                                 const crd__loss_slopes *slopes,
                                 crd__loss_laplace_row (*one)(const crd__loss_batch *batch,
                                                              size_t row, const double *parts),
                                 const double *parts);

#endif
