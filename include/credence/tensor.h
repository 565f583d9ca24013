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

/** Type and shape of a model's input or output. */
typedef struct {
  const char *name;
  crd_dtype dtype;
  int known; /* non-zero: the file tells the rank */
  size_t rank;
  int64_t dims[CRD_RANK_MAX];          /* -1: open */
  const char *dim_names[CRD_RANK_MAX]; /* of open dimensions; NULL: none */
} crd_port;

/** Elements of a tensor. */
CRD_API size_t crd_tensor_count(const crd_tensor *tensor);

#ifdef __cplusplus
}
#endif
#endif
