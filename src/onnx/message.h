/* message.h -- protocol buffers, read field by field where they lie; nothing is copied. */
#ifndef CRD_ONNX_MESSAGE_H
#define CRD_ONNX_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of someone else. */
typedef struct {
  const unsigned char *bytes;
  size_t length;
} crd__onnx_span;

/* A message that is being read; what remains of it. */
typedef struct {
  const unsigned char *at, *end;
  bool broken; /* the field at `at` is none, or goes beyond the end */
} crd__onnx_message;

typedef struct {
  uint64_t number;
  bool is_bytes;         /* else a number */
  unsigned fixed;        /* bytes of a number that is no varint: 4 or 8; else 0 */
  uint64_t value;        /* a number's bits */
  crd__onnx_span inside; /* of bytes: a string, or another message */
  crd__onnx_span whole;  /* key, length and all */
} crd__onnx_field;

static inline crd__onnx_message crd__onnx_message_of(crd__onnx_span span) {
  return (crd__onnx_message){ .at = span.bytes, .end = span.bytes + span.length };
}
/* The next field; false at the end, and where the message is broken. */
bool crd__onnx_message_next(crd__onnx_message *message, crd__onnx_field *out);

/* The numbers of a repeated field: one, or many packed into bytes. */
typedef struct {
  crd__onnx_message packed;
  unsigned width; /* bytes of each; 0: varints */
  bool alone;     /* the field is one number: */
  uint64_t value;
} crd__onnx_values;

/* False: the field has no such numbers. */
bool crd__onnx_values_of(const crd__onnx_field *field, unsigned width, crd__onnx_values *out);
/* The next one; false at the end, and where `packed` is broken. */
bool crd__onnx_values_next(crd__onnx_values *values, uint64_t *out);

bool crd__onnx_span_is(crd__onnx_span span, const char *text);

#endif
