/* log_loss.h -- the binary cross-entropy of a probability, and KL divergences of bins. */
#ifndef CRD_METRIC_LOG_LOSS_H
#define CRD_METRIC_LOG_LOSS_H

#include "metric/top_bins.h"

/*
 * Returns -share log(chance) - (1 - share) log(1 - chance), the cross-entropy of two Bernoulli
 * distributions; for a share of 0 or 1, the log loss of one row. With chance = share it is the
 * entropy of the share; the excess over that, nonnegative up to rounding, is the KL divergence.
 *
 * A chance that was rounded to 1 hides up to 2^-54, so 1 - chance is at least that; a chance of 0
 * counts as 1e-300, as in nll.
 */
double crd__metric_log_loss(double chance, double share);

/* Returns the mean over all rows of KL(A_m || C_m), A_m and C_m the accuracy and mean confidence of
 * the row's bin, or, with `overall`, of KL(A_m || A), A the overall accuracy. */
double crd__metric_top_divergence(const crd__metric_facts *facts, bool overall);

#endif
