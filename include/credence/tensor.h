/* credence/tensor.h -- borrowed arrays of any rank, C-contiguous. */
#ifndef CREDENCE_TENSOR_H
#define CREDENCE_TENSOR_H

#include "credence/view.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CRD_RANK_MAX = 8 };

/** A borrowed array of any rank: C-contiguous, native byte order. */
typedef struct {
  const void *data; /* NULL: type and shape only */
  crd_dtype dtype;
  size_t rank;
  int64_t dims[CRD_RANK_MAX];
} crd_tensor;

/** An input or output of a model. */
typedef struct {
  const char *name;
  crd_dtype dtype;
  int known; /* non-zero: the file gives the rank */
  size_t rank;
  int64_t dims[CRD_RANK_MAX];          /* -1: free */
  const char *dim_names[CRD_RANK_MAX]; /* of free dimensions; NULL: unnamed */
} crd_port;

/** Returns the number of elements. */
CRD_API size_t crd_tensor_count(const crd_tensor *tensor);

#ifdef __cplusplus
}
#endif
#endif
