/*
 * external.c -- external data: weights in files beside the model.
 *
 * Entries give the file (`location`, relative to the folder of the model), the first byte
 * (`offset`, default 0) and the number of bytes (`length`, default: as the tensor needs).
 */
#include "onnx/fields.h"
#include "onnx/reader.h"

#include "base/number.h"

#include <string.h>

typedef struct {
  const char *location;
  int64_t offset, length; /* -1: not given */
} place;

static crd_status read_number(const crd__onnx_reader *r, crd__onnx_span text, const char *name,
                              const char *key, int64_t *out) {
  if (crd__integer_parse((const char *)text.bytes, text.length, out) && *out >= 0) return CRD_OK;
  return crd__onnx_reader_fail(
      r,
      "tensor '%.60s': the %s of its external data is '%.*s', expected a number "
      "of bytes",
      name, key, (int)(text.length < 60 ? text.length : 60), (const char *)text.bytes);
}

static crd_status read_entry(const crd__onnx_reader *r, crd__onnx_span span, const char *name,
                             place *out) {
  crd__onnx_span key = { span.bytes, 0 }, value = key;
  crd__onnx_message m = crd__onnx_message_of(span);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);) {
    if (f.number == ENTRY_KEY) key = f.inside;
    if (f.number == ENTRY_VALUE) value = f.inside;
  }
  if (m.broken)
    return crd__onnx_reader_fail(r, "tensor '%.60s': an entry of its external data is truncated",
                                 name);
  if (crd__onnx_span_is(key, "location"))
    return crd__onnx_reader_name(r, value, "a file with weights", &out->location);
  if (crd__onnx_span_is(key, "offset")) return read_number(r, value, name, "offset", &out->offset);
  if (crd__onnx_span_is(key, "length")) return read_number(r, value, name, "length", &out->length);
  return CRD_OK;
}

/* Finds a file that is already open, or opens it. */
static crd_status find_file(const crd__onnx_reader *r, const char *location, const char *name,
                            const crd__blob **out) {
  crd__onnx_external *e = *r->externals;
  while (e && strcmp(e->location, location) != 0) e = e->next;
  if (!e) {
    crd__blob blob;
    CRD_TRY(crd__onnx_arena_new(r->ctx, r->arena, 1, sizeof *e, &e));
    const crd_status status = crd__blob_open_beside(r->ctx, r->path, location, &blob);
    if (status == CRD_EINPUT)
      (void)crd__onnx_reader_fail(r, "the file with the weights of tensor '%.60s': %.600s", name,
                                  crd_context_message(r->ctx));
    CRD_TRY(status);
    *e = (crd__onnx_external){ *r->externals, location, blob };
    *r->externals = e;
  }
  *out = &e->blob;
  return CRD_OK;
}

crd_status crd__onnx_reader_external(const crd__onnx_reader *r, crd__onnx_span tensor,
                                     const char *name, size_t need, const unsigned char **out) {
  place at = { .location = NULL, .offset = 0, .length = -1 };
  const crd__blob *blob = NULL;
  crd__onnx_message m = crd__onnx_message_of(tensor);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);) {
    if (f.number != TENSOR_EXTERNAL) continue;
    CRD_TRY(crd__onnx_reader_expect(r, &f, true, "an entry of external data"));
    CRD_TRY(read_entry(r, f.inside, name, &at));
  }
  if (!r->externals)
    return crd__onnx_reader_fail(r, "tensor '%.60s' has external data, which is not allowed here",
                                 name);
  if (!at.location)
    return crd__onnx_reader_fail(r, "tensor '%.60s' has external data without a location", name);
  if (at.length >= 0 && (size_t)at.length != need)
    return crd__onnx_reader_fail(
        r,
        "tensor '%.60s' has %lld bytes in '%.60s', its type and dimensions "
        "need %zu",
        name, (long long)at.length, at.location, need);
  CRD_TRY(find_file(r, at.location, name, &blob));
  if ((size_t)at.offset > blob->length || need > blob->length - (size_t)at.offset)
    return crd__onnx_reader_fail(
        r,
        "tensor '%.60s' needs %zu bytes from byte %lld of '%.60s', which has "
        "%zu",
        name, need, (long long)at.offset, at.location, blob->length);
  *out = blob->bytes + at.offset;
  return CRD_OK;
}
