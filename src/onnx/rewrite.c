/*
 * rewrite.c -- copy a model with all weights embedded.
 *
 * Only tensors with external data change, and the lengths of the messages around them; every other
 * field is copied, known or not. A message is walked twice, for its length and for its bytes, so
 * that nothing large is assembled in memory.
 */
#include "base/memory.h"
#include "onnx/fields.h"
#include "onnx/graph.h"
#include "onnx/proto.h"
#include "onnx/reader.h"

enum { DEPTH_MAX = 128 };

typedef enum { PLAIN, MODEL, GRAPH, NODE, ATTRIBUTE, SPARSE, FUNCTION, TRAINING, TENSOR } kind;

/* Nested messages, as far as they can contain tensors. */
static const struct {
  kind outer;
  unsigned field;
  kind inner;
} insides[] = {
  { MODEL, MODEL_GRAPH, GRAPH },
  { MODEL, MODEL_FUNCTION, FUNCTION },
  { MODEL, MODEL_TRAINING, TRAINING },
  { TRAINING, TRAINING_FIRST, GRAPH },
  { TRAINING, TRAINING_STEP, GRAPH },
  { FUNCTION, FUNCTION_NODE, NODE },
  { FUNCTION, FUNCTION_ATTRIBUTE, ATTRIBUTE },
  { GRAPH, GRAPH_NODE, NODE },
  { GRAPH, GRAPH_INITIALIZER, TENSOR },
  { GRAPH, GRAPH_SPARSE, SPARSE },
  { NODE, NODE_ATTRIBUTE, ATTRIBUTE },
  { ATTRIBUTE, ATTRIBUTE_TENSOR, TENSOR },
  { ATTRIBUTE, ATTRIBUTE_TENSORS, TENSOR },
  { ATTRIBUTE, ATTRIBUTE_GRAPH, GRAPH },
  { ATTRIBUTE, ATTRIBUTE_GRAPHS, GRAPH },
  { ATTRIBUTE, ATTRIBUTE_SPARSE, SPARSE },
  { ATTRIBUTE, ATTRIBUTE_SPARSES, SPARSE },
  { SPARSE, SPARSE_VALUES, TENSOR },
  { SPARSE, SPARSE_INDICES, TENSOR },
};

static kind kind_inside(kind outer, const crd__onnx_field *field) {
  for (size_t i = 0; field->is_bytes && i < sizeof insides / sizeof *insides; i++)
    if (insides[i].outer == outer && insides[i].field == field->number) return insides[i].inner;
  return PLAIN;
}

typedef struct {
  const crd__onnx_reader *r;
  crd_output *output; /* NULL: bytes are only counted */
  size_t bytes;
  bool changed; /* something differs from the original */
  bool strict;  /* it will be written: data that cannot be embedded is an error */
  unsigned depth;
} writer;

static crd_status put(writer *w, const void *bytes, size_t count) {
  if (!crd__size_add(w->bytes, count, &w->bytes))
    return crd__onnx_reader_fail(w->r, "the model is too large");
  return w->output ? crd_output_write(w->r->ctx, w->output, bytes, count) : CRD_OK;
}

/* Writes and frees a text made by proto.c. */
static crd_status put_text(writer *w, crd__text *text) {
  crd_status status = crd__text_status(w->r->ctx, text);
  if (status == CRD_OK) status = put(w, text->bytes, text->length);
  crd__text_clear(text);
  w->changed = true;
  return status;
}

static crd_status put_head(writer *w, unsigned field, size_t count) {
  crd__text head;
  crd__text_init(&head, &w->r->ctx->alloc);
  crd__onnx_proto_head(&head, field, count);
  return put_text(w, &head);
}

/* ---- Tensors. */

static bool is_external(crd__onnx_span tensor) {
  bool external = false;
  crd__onnx_message m = crd__onnx_message_of(tensor);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);)
    if (f.number == TENSOR_LOCATION) external = f.value == LOCATION_EXTERNAL;
  return external;
}

static crd_status put_tensor(writer *w, crd__onnx_span span) {
  crd__onnx_tensor tensor;
  if (!is_external(span)) return put(w, span.bytes, span.length);
  CRD_TRY(crd__onnx_reader_tensor(w->r, span, &tensor));
  if (!tensor.numbers && !w->strict) return put(w, span.bytes, span.length);
  if (!tensor.numbers)
    return crd__onnx_reader_fail(w->r,
                                 "tensor '%.60s' has external data of type %d, which cannot be "
                                 "embedded",
                                 tensor.name, tensor.type);
  crd__onnx_message m = crd__onnx_message_of(span);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);)
    if (f.number != TENSOR_EXTERNAL && f.number != TENSOR_LOCATION && f.number != TENSOR_RAW)
      CRD_TRY(put(w, f.whole.bytes, f.whole.length));
  const size_t count = tensor.count * crd_dtype_size(tensor.dtype);
  const unsigned char *bytes; /* in the file's byte order */
  CRD_TRY(crd__onnx_reader_external(w->r, span, tensor.name, count, &bytes));
  CRD_TRY(put_head(w, TENSOR_RAW, count));
  return put(w, bytes, count);
}

/* ---- Enclosing messages. */

static crd_status put_message(writer *w, kind what, crd__onnx_span span);

static crd_status put_inner(writer *w, kind what, const crd__onnx_field *field) {
  writer measure = { .r = w->r, .strict = w->strict, .depth = w->depth };
  CRD_TRY(put_message(&measure, what, field->inside));
  if (!measure.changed) return put(w, field->whole.bytes, field->whole.length);
  CRD_TRY(put_head(w, (unsigned)field->number, measure.bytes));
  if (w->output) return put_message(w, what, field->inside);
  return put(w, NULL, measure.bytes);
}

static crd_status put_ir(writer *w, int64_t ir) {
  crd__text field;
  crd__text_init(&field, &w->r->ctx->alloc);
  crd__onnx_proto_int(&field, MODEL_IR, ir < CRD__ONNX_IR ? CRD__ONNX_IR : ir);
  return put_text(w, &field);
}

static crd_status put_fields(writer *w, kind what, crd__onnx_span span) {
  crd__onnx_message m = crd__onnx_message_of(span);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);) {
    const kind inner = kind_inside(what, &f);
    if (inner != PLAIN) CRD_TRY(put_inner(w, inner, &f));
    else if (what == MODEL && f.number == MODEL_IR) CRD_TRY(put_ir(w, (int64_t)f.value));
    else CRD_TRY(put(w, f.whole.bytes, f.whole.length));
    crd__blob_drop_behind(w->r->blob, f.whole.bytes, f.whole.length);
  }
  if (!m.broken) return CRD_OK;
  return crd__onnx_reader_fail(w->r, "invalid field after %zu bytes of a message",
                               (size_t)(m.at - span.bytes));
}

static crd_status put_message(writer *w, kind what, crd__onnx_span span) {
  if (what == TENSOR) return put_tensor(w, span);
  if (++w->depth > DEPTH_MAX)
    return crd__onnx_reader_fail(w->r, "messages are nested more than %d deep", DEPTH_MAX);
  const crd_status status = put_fields(w, what, span);
  w->depth--;
  return status;
}

crd_status crd__onnx_reader_rewrite(const crd__onnx_reader *reader, crd__onnx_span model,
                                    crd_output *output, size_t *bytes) {
  writer w = { .r = reader, .output = output, .strict = output != NULL };
  const crd_status status = put_message(&w, MODEL, model);
  *bytes = w.bytes;
  return status;
}
