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
} crd__span;

/* A message that is being read; what remains of it. */
typedef struct {
  const unsigned char *at, *end;
  bool broken; /* the field at `at` is none, or goes beyond the end */
} crd__message;

typedef struct {
  uint64_t number;
  bool is_bytes;    /* else a number */
  uint64_t value;   /* a number's, as far as it is a varint */
  crd__span inside; /* of bytes: a string, or another message */
  crd__span whole;  /* key, length and all */
} crd__field;

static inline crd__message crd__message_of(crd__span span) {
  return (crd__message){ .at = span.bytes, .end = span.bytes + span.length };
}
/* The next field; false at the end, and where the message is broken. */
bool crd__message_next(crd__message *message, crd__field *out);

bool crd__span_is(crd__span span, const char *text);

#endif
