/* proto.h -- write protocol buffers: append fields to a message. */
#ifndef CRD_ONNX_PROTO_H
#define CRD_ONNX_PROTO_H

#include "base/text.h"

void crd__onnx_proto_int(crd__text *message, unsigned field, int64_t value);
void crd__onnx_proto_float(crd__text *message, unsigned field, float value);
void crd__onnx_proto_bytes(crd__text *message, unsigned field, const void *bytes, size_t count);
void crd__onnx_proto_string(crd__text *message, unsigned field, const char *string);
/* Appends the key and length that precede `count` bytes written elsewhere. */
void crd__onnx_proto_head(crd__text *message, unsigned field, size_t count);
/* Appends a nested message; a failure of `inner` becomes one of `message`. */
void crd__onnx_proto_message(crd__text *message, unsigned field, const crd__text *inner);

#endif
