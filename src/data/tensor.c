/* tensor.c -- arrays of any rank. */
#include "credence/tensor.h"

size_t crd_tensor_count(const crd_tensor *tensor) {
  size_t count = 1;
  for (size_t i = 0; i < tensor->rank; i++) count *= (size_t)tensor->dims[i];
  return count;
}
