/* credence/tensor.h -- borrowed arrays of any rank. */
#ifndef CREDENCE_TENSOR_H
#define CREDENCE_TENSOR_H

#include "credence/view.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CRD_RANK_MAX = 8 };

/** An array of any rank that somebody else owns: C order, native bytes. */
typedef struct {
  const void *data; /* NULL where only type and shape count */
  crd_dtype dtype;
  size_t rank;
  int64_t dims[CRD_RANK_MAX];
} crd_tensor;

/** Elements of a tensor. */
CRD_API size_t crd_tensor_count(const crd_tensor *tensor);

#ifdef __cplusplus
}
#endif
#endif
