/* scales.h -- scale and zero point of quantised tensors, for the operators that read them. */
#ifndef CRD_GRAPH_OP_SCALES_H
#define CRD_GRAPH_OP_SCALES_H

#include "engine/kernel/composite/quantize.h"
#include "graph/op.h"

#define CRD__MICROSOFT "com.microsoft."

/* True for the types of quantised tensors: integers of 8 and 16 bits. */
bool crd__graph_is_quantized(crd_dtype dtype);

/* Describe how the scales of a tensor are laid out: one, one for each index along `axis`, or (with
 * `block`) one for each block of that many indices along it. Fails if the shapes do not fit.
 * `index` is the node's input with the scales. */
crd_status crd__graph_scales_of(crd_context *ctx, const crd__graph *net,
                                const crd__graph_node *node, const crd__engine_tensor *x,
                                size_t index, int64_t axis, int64_t block, crd__kernel_scales *out);

#endif
