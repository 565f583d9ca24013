/* settle.h -- models that were exported for training, as models for inference. */
#ifndef CRD_ONNX_SETTLE_H
#define CRD_ONNX_SETTLE_H

#include "onnx/update.h"

/* Writes a model in which BatchNormalization uses its running statistics, and Dropout drops
 * nothing. CRD_EINPUT if something reads the statistics of a batch. */
crd_status crd__onnx_settle_write(crd_context *ctx, const crd__onnx_file *file, crd__text *out);

#endif
