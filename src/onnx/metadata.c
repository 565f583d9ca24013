/*
 * metadata.c -- metadata of a model: pairs of strings, in fields of the model itself.
 *
 * A changed key moves to the end, in the order of the changes: so the bytes depend on the changes
 * alone, not on earlier values.
 */
#include "onnx/fields.h"
#include "onnx/proto.h"
#include "onnx/update.h"

#include <string.h>

/* ---- Reading. */

static crd_status read_pair(const crd__onnx_reader *r, const crd__onnx_field *field,
                            crd_metadata *out) {
  *out = (crd_metadata){ "", "" };
  CRD_TRY(crd__onnx_reader_expect(r, field, true, "an entry of the metadata"));
  crd__onnx_message m = crd__onnx_message_of(field->inside);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);) {
    if (f.number == ENTRY_KEY)
      CRD_TRY(crd__onnx_reader_string(r, f.inside, "a key of the metadata", &out->key));
    if (f.number == ENTRY_VALUE)
      CRD_TRY(crd__onnx_reader_string(r, f.inside, "a value of the metadata", &out->value));
  }
  return m.broken ? crd__onnx_reader_fail(r, "an entry of the metadata is truncated") : CRD_OK;
}

crd_status crd__onnx_reader_metadata(const crd__onnx_reader *r, crd__onnx_span model,
                                     crd__onnx_file *file) {
  size_t count = 0;
  crd__onnx_message m = crd__onnx_message_of(model);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);) count += f.number == MODEL_METADATA;
  CRD_TRY(crd__onnx_arena_new(r->ctx, r->arena, count, sizeof *file->metadata, &file->metadata));
  m = crd__onnx_message_of(model);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);)
    if (f.number == MODEL_METADATA)
      CRD_TRY(read_pair(r, &f, &file->metadata[file->metadata_count++]));
  return CRD_OK;
}

const char *crd__onnx_file_metadata(const crd__onnx_file *file, const char *key) {
  for (size_t i = file->metadata_count; i-- > 0;)
    if (strcmp(file->metadata[i].key, key) == 0) return file->metadata[i].value;
  return NULL;
}

/* ---- Writing. */

static crd__onnx_span key_of(crd__onnx_span entry) {
  crd__onnx_span key = { .bytes = entry.bytes };
  crd__onnx_message m = crd__onnx_message_of(entry);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);)
    if (f.number == ENTRY_KEY) key = f.inside;
  return key;
}

crd_status crd__onnx_metadata_field(const crd__onnx_metadata_edit *edit, crd__onnx_kind outer,
                                    const crd__onnx_field *field, bool *done) {
  if (outer != CRD__ONNX_MODEL || field->number != MODEL_METADATA) return CRD_OK;
  const crd__onnx_span key = key_of(field->inside);
  for (size_t i = 0; i < edit->count; i++) *done |= crd__onnx_span_is(key, edit->items[i].key);
  return CRD_OK;
}

/* Of equal keys in the changes the last one counts, as in files. */
static bool is_last(const crd__onnx_metadata_edit *edit, size_t index) {
  for (size_t i = index + 1; i < edit->count; i++)
    if (strcmp(edit->items[i].key, edit->items[index].key) == 0) return false;
  return true;
}

crd_status crd__onnx_metadata_end(const crd__onnx_metadata_edit *edit, crd__onnx_writer *writer,
                                  crd__onnx_kind outer) {
  for (size_t i = 0; outer == CRD__ONNX_MODEL && i < edit->count; i++) {
    crd__text pair, field;
    if (!edit->items[i].value || !is_last(edit, i)) continue;
    crd__text_init(&pair, &writer->r->ctx->alloc);
    crd__text_init(&field, &writer->r->ctx->alloc);
    crd__onnx_proto_string(&pair, ENTRY_KEY, edit->items[i].key);
    crd__onnx_proto_string(&pair, ENTRY_VALUE, edit->items[i].value);
    crd__onnx_proto_message(&field, MODEL_METADATA, &pair);
    crd__text_clear(&pair);
    CRD_TRY(crd__onnx_writer_put_text(writer, &field));
  }
  return CRD_OK;
}
