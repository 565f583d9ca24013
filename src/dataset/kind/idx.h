/* idx.h -- MNIST's format, for the kinds that use it. */
#ifndef CRD_DATASET_KIND_IDX_H
#define CRD_DATASET_KIND_IDX_H

#include "dataset/kind.h"

/* Sets *out to the array of an IDX file, which points into `bytes`. Fails with EINPUT, without the
 * file's name, if the header is invalid or the file has another length than the header states. */
crd_status crd__dataset_idx_parse(crd_context *ctx, const unsigned char *bytes, size_t length,
                                  crd_array *out);

/* Opens a folder of MNIST's files, or one file of images, as the samples of a store. `names` are
 * those of the classes; NULL: numbers. */
crd_status crd__dataset_idx_open(crd_context *ctx, const crd__dataset_request *request,
                                 const char *path, const char *const *names, size_t name_count,
                                 crd__dataset_store *store);

#endif
