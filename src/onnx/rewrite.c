/*
 * rewrite.c -- copy a model with all weights embedded.
 *
 * Only tensors with external data change, fields that an edit replaces, and the lengths of the
 * messages around them; every other field is copied, known or not. A message is walked twice, for
 * its length and for its bytes, so that nothing large is assembled in memory.
 */
#include "onnx/rewrite.h"
#include "base/memory.h"
#include "onnx/fields.h"
#include "onnx/graph.h"
#include "onnx/proto.h"

enum { DEPTH_MAX = 128 };
enum { SAVE_MAX = INT32_MAX }; /* the largest message of protocol buffers, in bytes */

/* Nested messages, as far as they can contain tensors or names. */
static const struct {
  crd__onnx_kind outer;
  unsigned field;
  crd__onnx_kind inner;
} insides[] = {
  { CRD__ONNX_MODEL, MODEL_GRAPH, CRD__ONNX_GRAPH },
  { CRD__ONNX_MODEL, MODEL_FUNCTION, CRD__ONNX_FUNCTION },
  { CRD__ONNX_MODEL, MODEL_TRAINING, CRD__ONNX_TRAINING },
  { CRD__ONNX_TRAINING, TRAINING_FIRST, CRD__ONNX_GRAPH },
  { CRD__ONNX_TRAINING, TRAINING_STEP, CRD__ONNX_GRAPH },
  { CRD__ONNX_FUNCTION, FUNCTION_NODE, CRD__ONNX_NODE },
  { CRD__ONNX_FUNCTION, FUNCTION_ATTRIBUTE, CRD__ONNX_ATTRIBUTE },
  { CRD__ONNX_GRAPH, GRAPH_NODE, CRD__ONNX_NODE },
  { CRD__ONNX_GRAPH, GRAPH_INITIALIZER, CRD__ONNX_TENSOR },
  { CRD__ONNX_GRAPH, GRAPH_INPUT, CRD__ONNX_VALUE },
  { CRD__ONNX_GRAPH, GRAPH_OUTPUT, CRD__ONNX_VALUE },
  { CRD__ONNX_GRAPH, GRAPH_VALUE, CRD__ONNX_VALUE },
  { CRD__ONNX_GRAPH, GRAPH_SPARSE, CRD__ONNX_SPARSE },
  { CRD__ONNX_NODE, NODE_ATTRIBUTE, CRD__ONNX_ATTRIBUTE },
  { CRD__ONNX_ATTRIBUTE, ATTRIBUTE_TENSOR, CRD__ONNX_TENSOR },
  { CRD__ONNX_ATTRIBUTE, ATTRIBUTE_TENSORS, CRD__ONNX_TENSOR },
  { CRD__ONNX_ATTRIBUTE, ATTRIBUTE_GRAPH, CRD__ONNX_GRAPH },
  { CRD__ONNX_ATTRIBUTE, ATTRIBUTE_GRAPHS, CRD__ONNX_GRAPH },
  { CRD__ONNX_ATTRIBUTE, ATTRIBUTE_SPARSE, CRD__ONNX_SPARSE },
  { CRD__ONNX_ATTRIBUTE, ATTRIBUTE_SPARSES, CRD__ONNX_SPARSE },
  { CRD__ONNX_SPARSE, SPARSE_VALUES, CRD__ONNX_TENSOR },
  { CRD__ONNX_SPARSE, SPARSE_INDICES, CRD__ONNX_TENSOR },
};

/* Values have names alone, which only edits change. */
static crd__onnx_kind kind_inside(const crd__onnx_writer *w, crd__onnx_kind outer,
                                  const crd__onnx_field *field) {
  for (size_t i = 0; field->is_bytes && i < sizeof insides / sizeof *insides; i++)
    if (insides[i].outer == outer && insides[i].field == field->number)
      return insides[i].inner == CRD__ONNX_VALUE && !w->edit ? CRD__ONNX_PLAIN : insides[i].inner;
  return CRD__ONNX_PLAIN;
}

/* ---- Bytes. */

/* `bytes` NULL: they are only counted. */
static crd_status put(crd__onnx_writer *w, const void *bytes, size_t count) {
  if (!crd__size_add(w->bytes, count, &w->bytes))
    return crd__onnx_reader_fail(w->r, "the model is too large");
  if (count == 0 || !bytes) return CRD_OK;
  if (w->text) crd__text_add_bytes(w->text, bytes, count);
  return w->output ? crd_output_write(w->r->ctx, w->output, bytes, count) : CRD_OK;
}

crd_status crd__onnx_writer_put(crd__onnx_writer *w, const void *bytes, size_t count) {
  w->changed = true;
  return put(w, bytes, count);
}

crd_status crd__onnx_writer_put_text(crd__onnx_writer *w, crd__text *text) {
  crd_status status = crd__text_status(w->r->ctx, text);
  if (status == CRD_OK) status = crd__onnx_writer_put(w, text->bytes, text->length);
  crd__text_clear(text);
  return status;
}

crd_status crd__onnx_writer_head(crd__onnx_writer *w, uint64_t field, size_t count) {
  crd__text head;
  crd__text_init(&head, &w->r->ctx->alloc);
  crd__onnx_proto_head(&head, (unsigned)field, count);
  return crd__onnx_writer_put_text(w, &head);
}

/* ---- Edits. */

static crd_status edit_field(crd__onnx_writer *w, crd__onnx_kind outer,
                             const crd__onnx_field *field, bool *done) {
  *done = false;
  if (!w->edit || !w->edit->field) return CRD_OK;
  CRD_TRY(w->edit->field(w->edit->self, w, outer, field, done));
  w->changed |= *done;
  return CRD_OK;
}

static crd_status edit_end(crd__onnx_writer *w, crd__onnx_kind outer) {
  return w->edit && w->edit->end ? w->edit->end(w->edit->self, w, outer) : CRD_OK;
}

/* ---- Tensors. */

static bool is_external(crd__onnx_span tensor) {
  bool external = false;
  crd__onnx_message m = crd__onnx_message_of(tensor);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);)
    if (f.number == TENSOR_LOCATION) external = f.value == LOCATION_EXTERNAL;
  return external;
}

static crd_status put_fields(crd__onnx_writer *w, crd__onnx_kind what, crd__onnx_span span);

static crd_status put_tensor(crd__onnx_writer *w, crd__onnx_span span) {
  crd__onnx_tensor tensor;
  if (!is_external(span) && !w->edit) return put(w, span.bytes, span.length);
  if (!is_external(span)) return put_fields(w, CRD__ONNX_TENSOR, span);
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
      CRD_TRY(crd__onnx_writer_field(w, CRD__ONNX_TENSOR, &f));
  const size_t count = tensor.count * crd_dtype_size(tensor.dtype);
  const unsigned char *bytes; /* in the file's byte order */
  CRD_TRY(crd__onnx_reader_external(w->r, span, tensor.name, count, &bytes));
  CRD_TRY(crd__onnx_writer_head(w, TENSOR_RAW, count));
  return put(w, bytes, count);
}

/* ---- Enclosing messages. */

static crd_status put_inner(crd__onnx_writer *w, crd__onnx_kind what,
                            const crd__onnx_field *field) {
  crd__onnx_writer measure = { .r = w->r, .edit = w->edit, .strict = w->strict, .depth = w->depth };
  CRD_TRY(crd__onnx_writer_message(&measure, what, field->inside));
  if (!measure.changed) return put(w, field->whole.bytes, field->whole.length);
  CRD_TRY(crd__onnx_writer_head(w, field->number, measure.bytes));
  if (!crd__onnx_writer_counts(w)) return crd__onnx_writer_message(w, what, field->inside);
  return put(w, NULL, measure.bytes);
}

static crd_status put_ir(crd__onnx_writer *w, int64_t ir) {
  crd__text field;
  crd__text_init(&field, &w->r->ctx->alloc);
  crd__onnx_proto_int(&field, MODEL_IR, ir < CRD__ONNX_IR ? CRD__ONNX_IR : ir);
  return crd__onnx_writer_put_text(w, &field);
}

crd_status crd__onnx_writer_field(crd__onnx_writer *w, crd__onnx_kind outer,
                                  const crd__onnx_field *field) {
  const crd__onnx_kind inner = kind_inside(w, outer, field);
  bool done;
  CRD_TRY(edit_field(w, outer, field, &done));
  if (done) return CRD_OK;
  if (inner != CRD__ONNX_PLAIN) return put_inner(w, inner, field);
  if (outer == CRD__ONNX_MODEL && field->number == MODEL_IR)
    return put_ir(w, (int64_t)field->value);
  return put(w, field->whole.bytes, field->whole.length);
}

static crd_status put_fields(crd__onnx_writer *w, crd__onnx_kind what, crd__onnx_span span) {
  crd__onnx_message m = crd__onnx_message_of(span);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);) {
    CRD_TRY(crd__onnx_writer_field(w, what, &f));
    crd__blob_drop_behind(w->r->blob, f.whole.bytes, f.whole.length);
  }
  if (!m.broken) return edit_end(w, what);
  return crd__onnx_reader_fail(w->r, "invalid field after %zu bytes of a message",
                               (size_t)(m.at - span.bytes));
}

crd_status crd__onnx_writer_message(crd__onnx_writer *w, crd__onnx_kind what, crd__onnx_span span) {
  if (what == CRD__ONNX_TENSOR) return put_tensor(w, span);
  if (++w->depth > DEPTH_MAX)
    return crd__onnx_reader_fail(w->r, "messages are nested more than %d deep", DEPTH_MAX);
  const crd_status status = put_fields(w, what, span);
  w->depth--;
  return status;
}

/* ---- Models. */

crd_status crd__onnx_reader_measure(const crd__onnx_reader *reader, crd__onnx_span model,
                                    size_t *bytes) {
  crd__onnx_writer w = { .r = reader };
  const crd_status status = crd__onnx_writer_message(&w, CRD__ONNX_MODEL, model);
  *bytes = w.bytes;
  return status;
}

static crd_status check_size(const crd__onnx_reader *r, size_t bytes) {
  if (bytes <= SAVE_MAX) return CRD_OK;
  return crd__onnx_reader_fail(r,
                               "with all weights embedded the model has %zu bytes, allowed are at "
                               "most %d",
                               bytes, SAVE_MAX);
}

static crd_status write_file(const crd__onnx_reader *r, crd__onnx_span all, const char *path) {
  crd_output *output;
  CRD_TRY(crd_output_open(r->ctx, path, &output));
  crd__onnx_writer w = { .r = r, .output = output, .strict = true };
  const crd_status status = crd__onnx_writer_message(&w, CRD__ONNX_MODEL, all);
  return crd_output_finish(r->ctx, output, status);
}

/* Both may run concurrently on one file: data that must be read again goes into this call's arena,
 * and files of external data were all opened with the model. */
crd_status crd__onnx_file_save(crd_context *ctx, const crd__onnx_file *file, const char *path) {
  const crd__onnx_resources *const inside = file->inside;
  crd__onnx_arena arena = { .alloc = ctx->alloc };
  crd__onnx_external *externals = inside->externals;
  const crd__onnx_reader reader = {
    .ctx = ctx, .path = file->path, .arena = &arena, .externals = &externals
  };
  crd_status status = check_size(&reader, inside->saved);
  if (status == CRD_OK) status = write_file(&reader, inside->model.all, path);
  crd__onnx_arena_clear(&arena);
  return status;
}

crd_status crd__onnx_file_rewrite(crd_context *ctx, const crd__onnx_file *file,
                                  const crd__onnx_edit *edit, crd__text *out) {
  const crd__onnx_resources *const inside = file->inside;
  crd__onnx_arena arena = { .alloc = ctx->alloc };
  crd__onnx_external *externals = inside->externals;
  const crd__onnx_reader reader = {
    .ctx = ctx, .path = file->path, .arena = &arena, .externals = &externals
  };
  crd__onnx_writer measure = { .r = &reader, .edit = edit, .strict = true };
  crd__onnx_writer w = { .r = &reader, .edit = edit, .text = out, .strict = true };
  crd_status status = crd__onnx_writer_message(&measure, CRD__ONNX_MODEL, inside->model.all);
  if (status == CRD_OK) status = check_size(&reader, measure.bytes);
  if (status == CRD_OK) crd__text_reserve(out, measure.bytes);
  if (status == CRD_OK) status = crd__onnx_writer_message(&w, CRD__ONNX_MODEL, inside->model.all);
  if (status == CRD_OK) status = crd__text_status(ctx, out);
  crd__onnx_arena_clear(&arena);
  return status;
}
