/* layer.h -- the last, fully connected layer of a classifier. */
#ifndef CRD_ONNX_LAYER_H
#define CRD_ONNX_LAYER_H

#include "onnx/update.h"

/* Writes a model whose last layer is new: it has `classes` outputs, and random weights that the
 * context's seed determines. CRD_EINPUT if the first output is not that of such a layer. */
crd_status crd__onnx_layer_replace(crd_context *ctx, const crd__onnx_file *file, size_t classes,
                                   crd__onnx_metadata_edit metadata, crd__text *out);

#endif
