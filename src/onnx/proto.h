/* proto.h -- protocol buffers, as far as writing needs them: fields appended to a message. */
#ifndef CRD_ONNX_PROTO_H
#define CRD_ONNX_PROTO_H

#include "base/text.h"

void crd__onnx_proto_int(crd__text *message, unsigned field, int64_t value);
void crd__onnx_proto_float(crd__text *message, unsigned field, float value);
void crd__onnx_proto_bytes(crd__text *message, unsigned field, const void *bytes, size_t count);
void crd__onnx_proto_string(crd__text *message, unsigned field, const char *string);
/* What comes before `count` bytes that are written elsewhere. */
void crd__onnx_proto_head(crd__text *message, unsigned field, size_t count);
/* A message inside another; its failure is the other's. */
void crd__onnx_proto_message(crd__text *message, unsigned field, const crd__text *inner);

#endif
