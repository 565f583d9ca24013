/*
 * proto.c -- the wire format of protocol buffers.
 *
 * A field is a key (its number and a wire type: 0 for varints, 2 for bytes preceded by their
 * length, 5 for four bytes) and a value. A varint has seven bits in each byte, lowest first; the
 * eighth means that more follow. Negative numbers are 64-bit two's complement.
 */
#include "onnx/proto.h"

#include <string.h>

static void add_varint(crd__text *message, uint64_t value) {
  char bytes[10];
  size_t count = 0;
  do {
    bytes[count++] = (char)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
    value >>= 7;
  } while (value);
  crd__text_add_bytes(message, bytes, count);
}

void crd__onnx_proto_int(crd__text *message, unsigned field, int64_t value) {
  add_varint(message, (uint64_t)field << 3);
  add_varint(message, (uint64_t)value);
}

void crd__onnx_proto_float(crd__text *message, unsigned field, float value) {
  uint32_t bits;
  char bytes[4];
  memcpy(&bits, &value, sizeof bits);
  for (int b = 0; b < 4; b++) bytes[b] = (char)(bits >> 8 * b & 0xff);
  add_varint(message, (uint64_t)field << 3 | 5);
  crd__text_add_bytes(message, bytes, sizeof bytes);
}

void crd__onnx_proto_head(crd__text *message, unsigned field, size_t count) {
  add_varint(message, (uint64_t)field << 3 | 2);
  add_varint(message, count);
}

void crd__onnx_proto_bytes(crd__text *message, unsigned field, const void *bytes, size_t count) {
  crd__onnx_proto_head(message, field, count);
  crd__text_add_bytes(message, bytes, count);
}

void crd__onnx_proto_string(crd__text *message, unsigned field, const char *string) {
  crd__onnx_proto_bytes(message, field, string, strlen(string));
}

void crd__onnx_proto_message(crd__text *message, unsigned field, const crd__text *inner) {
  crd__onnx_proto_bytes(message, field, inner->length ? inner->bytes : "", inner->length);
  message->failed |= inner->failed;
}
