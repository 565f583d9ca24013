/* join.h -- two models in a row, as one. */
#ifndef CRD_ONNX_JOIN_H
#define CRD_ONNX_JOIN_H

#include "onnx/part.h"

/* Writes a part, whose only output feeds the only input of `second`, as one model with the outputs
 * of `second`. Names of `second` that occur in the part get a prefix. The model has this version of
 * the standard operators, and the part's changes of the metadata. The caller has checked types and
 * shapes. CRD_EINPUT if versions of other operators differ, and if both have functions of their
 * own. */
crd_status crd__onnx_join_write(crd_context *ctx, const crd__onnx_part *first,
                                const crd__onnx_file *second, int64_t opset, crd__text *out);

#endif
