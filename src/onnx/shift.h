/* shift.h -- a constant added to a value of a graph. */
#ifndef CRD_ONNX_SHIFT_H
#define CRD_ONNX_SHIFT_H

#include "onnx/update.h"

/* A float32 constant, broadcast over the first dimension of the value. */
typedef struct {
  const char *value; /* an input, or what a node computes */
  const float *values;
  const float *low, *high; /* of each element: where the sum is projected to; NULL: it is not */
  size_t rank;
  int64_t dims[CRD_RANK_MAX];
  crd__onnx_metadata_edit metadata;
} crd__onnx_shift;

/* Writes the model with all readers of the value reading its sum with the constant instead, perhaps
 * projected: new nodes in front of the first of them. Everything else is copied unchanged.
 * CRD_EUSAGE if there is no such value, or nothing reads it, or it has another type or shape;
 * CRD_EINPUT if a graph inside a node might, or if the operator set has no broadcasting. */
crd_status crd__onnx_shift_write(crd_context *ctx, const crd__onnx_file *file,
                                 const crd__onnx_shift *shift, crd__text *out);

#endif
