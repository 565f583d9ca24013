/* encoding.h -- copies encodings, learned from data (encode.c) or read from a model's metadata. */
#ifndef CRD_DATASET_ENCODING_H
#define CRD_DATASET_ENCODING_H

#include "base/context.h"
#include "credence/dataset.h"

/* Makes a deep copy with the context's allocator. A reader of another source fills a crd_encoding
 * and copies it. Names may be NULL where their count is 0. Release with crd_encoding_destroy. */
crd_status crd__dataset_encoding_copy(crd_context *ctx, const crd_encoding *from,
                                      crd_encoding **out);

#endif
