/* statistics.h -- mean and standard deviation of the channels or columns of samples. */
#ifndef CRD_DATASET_STATISTICS_H
#define CRD_DATASET_STATISTICS_H

#include "dataset/dataset.h"

/* Returns the length of mean and std: channels of images, columns of vectors; 0: texts. */
size_t crd__dataset_channels(const crd_dataset *dataset);

/* Sets mean[k] and std[k] over all samples; a std of 0 becomes 1. The same bits for any number of
 * threads. CRD_EINPUT names a sample that holds NaN or an infinity. */
crd_status crd__dataset_statistics(crd_context *ctx, const crd_dataset *dataset, double *mean,
                                   double *std);

#endif
