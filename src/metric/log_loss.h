/* log_loss.h -- the log loss of a chance against how often the event came true. */
#ifndef CRD_METRIC_LOG_LOSS_H
#define CRD_METRIC_LOG_LOSS_H

#include "metric/top_bins.h"

/*
 * -share log(chance) - (1 - share) log(1 - chance), the cross entropy of two Bernoulli
 * distributions; for a share of 0 or 1, the loss of one row. With chance = share it is the entropy
 * of the share, and the rest, never below 0 but for rounding, is Kullback and Leibler's divergence.
 *
 * A confidence that was rounded to 1 hides up to 2^-54, which is what 1 - chance is taken for then;
 * a chance of 0 counts as 1e-300, as in nll.
 */
double crd__metric_log_loss(double chance, double share);

/* Means over all rows of the divergence between the accuracy A_m of the row's bin and the bin's
 * mean confidence, or, with `overall`, the accuracy of all rows. */
double crd__metric_top_divergence(const crd__metric_facts *facts, bool overall);

#endif
