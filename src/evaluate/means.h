/* means.h -- mean confidence and accuracy of a result. */
#ifndef CRD_EVALUATE_MEANS_H
#define CRD_EVALUATE_MEANS_H

#include "credence/evaluate.h"

typedef struct {
  double confidence, accuracy;
} crd__evaluate_means;

/* Returns the means over the bins of the reliability diagram, so that they are right for the
 * predicted class and for the probability of class 1 alike; NaN without bins. */
crd__evaluate_means crd__evaluate_bin_means(const crd_result *result);

#endif
