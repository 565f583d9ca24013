/* message.c -- parse fields of the wire format (proto.c) from untrusted bytes. */
#include "onnx/message.h"

#include <string.h>

enum { VARINT, EIGHT_BYTES, BYTES, FOUR_BYTES = 5 };

static bool read_varint(crd__onnx_message *m, uint64_t *out) {
  *out = 0;
  for (unsigned shift = 0; shift < 64 && m->at < m->end; shift += 7) {
    const unsigned char byte = *m->at++;
    *out |= (uint64_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80)) return true;
  }
  return false;
}

/* Little-endian. */
static bool read_fixed(crd__onnx_message *m, unsigned width, uint64_t *out) {
  *out = 0;
  if (width > (size_t)(m->end - m->at)) return false;
  for (unsigned i = 0; i < width; i++) *out |= (uint64_t)*m->at++ << 8 * i;
  return true;
}

static bool skip(crd__onnx_message *m, uint64_t count) {
  if (count > (size_t)(m->end - m->at)) return false;
  m->at += count;
  return true;
}

static bool read_field(crd__onnx_message *m, crd__onnx_field *out) {
  uint64_t key;
  *out = (crd__onnx_field){ .inside = { .bytes = m->at }, .whole = { .bytes = m->at } };
  if (!read_varint(m, &key) || key >> 3 == 0) return false;
  out->number = key >> 3;
  out->is_bytes = (key & 7) == BYTES;
  out->fixed = (key & 7) == EIGHT_BYTES ? 8 : (key & 7) == FOUR_BYTES ? 4 : 0;
  if (out->fixed) return read_fixed(m, out->fixed, &out->value);
  if (((key & 7) != VARINT && !out->is_bytes) || !read_varint(m, &out->value)) return false;
  if (!out->is_bytes) return true;
  out->inside = (crd__onnx_span){ .bytes = m->at, .length = (size_t)out->value };
  return skip(m, out->value);
}

bool crd__onnx_message_next(crd__onnx_message *message, crd__onnx_field *out) {
  const unsigned char *const begin = message->at;
  if (message->broken || begin == message->end) return false;
  if (!read_field(message, out)) {
    message->at = begin;
    message->broken = true;
    return false;
  }
  out->whole.length = (size_t)(message->at - begin);
  return true;
}

bool crd__onnx_values_of(const crd__onnx_field *field, unsigned width, crd__onnx_values *out) {
  *out = (crd__onnx_values){ crd__onnx_message_of(field->inside), width, !field->is_bytes,
                             field->value };
  return field->is_bytes || field->fixed == width;
}

bool crd__onnx_values_next(crd__onnx_values *values, uint64_t *out) {
  crd__onnx_message *const m = &values->packed;
  if (values->alone) {
    values->alone = false;
    *out = values->value;
    return true;
  }
  if (m->broken || m->at == m->end) return false;
  m->broken = !(values->width ? read_fixed(m, values->width, out) : read_varint(m, out));
  return !m->broken;
}

bool crd__onnx_span_is(crd__onnx_span span, const char *text) {
  return span.length == strlen(text) && memcmp(span.bytes, text, span.length) == 0;
}
