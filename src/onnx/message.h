/* message.h -- read protocol buffers in place, field by field. */
#ifndef CRD_ONNX_MESSAGE_H
#define CRD_ONNX_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Borrowed bytes. */
typedef struct {
  const unsigned char *bytes;
  size_t length;
} crd__onnx_span;

/* The unread rest of a message. */
typedef struct {
  const unsigned char *at, *end;
  bool broken; /* the field at `at` is invalid, or exceeds the end */
} crd__onnx_message;

typedef struct {
  uint64_t number;
  bool is_bytes;         /* else a number */
  unsigned fixed;        /* size of a fixed-width number, 4 or 8; 0: a varint */
  uint64_t value;        /* a number's bits */
  crd__onnx_span inside; /* the payload of bytes: a string, or another message */
  crd__onnx_span whole;  /* the field with its key and length */
} crd__onnx_field;

static inline crd__onnx_message crd__onnx_message_of(crd__onnx_span span) {
  return (crd__onnx_message){ .at = span.bytes, .end = span.bytes + span.length };
}
/* Reads the next field; false at the end, and if the message is broken. */
bool crd__onnx_message_next(crd__onnx_message *message, crd__onnx_field *out);

/* The numbers of a repeated field: one, or many packed into bytes. */
typedef struct {
  crd__onnx_message packed;
  unsigned width; /* bytes of each; 0: varints */
  bool alone;     /* the field is one number: */
  uint64_t value;
} crd__onnx_values;

/* Begins to read numbers of a field; false if it has none of this width. */
bool crd__onnx_values_of(const crd__onnx_field *field, unsigned width, crd__onnx_values *out);
/* Reads the next one; false at the end, and if `packed` is broken. */
bool crd__onnx_values_next(crd__onnx_values *values, uint64_t *out);

bool crd__onnx_span_is(crd__onnx_span span, const char *text);

#endif
