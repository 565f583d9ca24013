/*
 * file.c -- open and parse ONNX files.
 *
 * The walk of model.c comes first: it finds all structural errors, so that the parsers after it can
 * rely on messages being well-formed.
 */
#include "onnx/file.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "onnx/fields.h"
#include "onnx/rewrite.h"

#include <stdio.h>
#include <string.h>

typedef struct {
  crd__onnx_file file; /* first: the public struct is at the same address */
  crd__onnx_resources inside;
} whole_file;

/* ---- Functions of crd__onnx_reader that all parsers share. */

crd_status crd__onnx_reader_fail(const crd__onnx_reader *r, const char *format, ...) {
  char text[900], safe[900];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  crd__utf8_brief(text, safe, sizeof safe);
  char node[80] = "", name[64];
  if (r->node)
    snprintf(node, sizeof node, "node '%s': ", crd__utf8_brief(r->node, name, sizeof name));
  return crd__fail(r->ctx, CRD_EINPUT, "%s: %s%s", r->path, node, safe);
}

static crd_status read_string(const crd__onnx_reader *r, crd__onnx_span span, const char *part,
                              const char *what, const char **out) {
  char *copy;
  *out = "";
  if (span.length == 0) return CRD_OK;
  CRD_TRY(crd__onnx_arena_new(r->ctx, r->arena, span.length + 1, 1, &copy));
  memcpy(copy, span.bytes, span.length);
  size_t length = 0;
  while (length < span.length && copy[length]) {
    const size_t step = crd__utf8_length(copy + length);
    if (step == 0) break;
    length += step;
  }
  if (length != span.length)
    return crd__onnx_reader_fail(r, "%s%s, '%.60s', is not UTF-8: byte %zu is 0x%02x", part, what,
                                 copy, length, (unsigned)span.bytes[length]);
  *out = copy;
  return CRD_OK;
}

crd_status crd__onnx_reader_name(const crd__onnx_reader *r, crd__onnx_span span, const char *what,
                                 const char **out) {
  return read_string(r, span, "the name of ", what, out);
}

crd_status crd__onnx_reader_string(const crd__onnx_reader *r, crd__onnx_span span, const char *what,
                                   const char **out) {
  return read_string(r, span, "", what, out);
}

crd_status crd__onnx_reader_expect(const crd__onnx_reader *r, const crd__onnx_field *field,
                                   bool bytes, const char *what) {
  if (bytes ? field->is_bytes : !field->is_bytes && !field->fixed) return CRD_OK;
  return crd__onnx_reader_fail(r, "%s has the wrong wire type, expected %s", what,
                               bytes ? "bytes" : "an integer");
}

/* ---- Parsing. */

/* Joins name and version of the producer: "pytorch 1.13.1". */
static crd_status read_producer(const crd__onnx_reader *r, crd__onnx_span all, const char **out) {
  const char *name = "", *version = "";
  char *both;
  crd__onnx_message m = crd__onnx_message_of(all);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);) {
    if (f.number == MODEL_PRODUCER)
      CRD_TRY(crd__onnx_reader_name(r, f.inside, "the producer", &name));
    if (f.number == MODEL_PRODUCER_VERSION)
      CRD_TRY(crd__onnx_reader_name(r, f.inside, "the producer's version", &version));
  }
  const size_t room = strlen(name) + strlen(version) + 2;
  CRD_TRY(crd__onnx_arena_new(r->ctx, r->arena, room, 1, &both));
  snprintf(both, room, "%s%s%s", name, *name && *version ? " " : "", version);
  *out = both;
  return CRD_OK;
}

static crd_status read_file(crd_context *ctx, const char *path, crd__onnx_span bytes,
                            crd__onnx_file *file) {
  crd__onnx_resources *const inside = file->inside;
  const crd__blob *const blob = inside->blob.bytes ? &inside->blob : NULL;
  const size_t room = strlen(path) + 1;
  char *copy;
  CRD_TRY(crd__onnx_arena_new(ctx, &inside->arena, room, 1, &copy));
  memcpy(copy, path, room);
  file->path = copy;
  const crd__onnx_reader reader = {
    .ctx = ctx,
    .path = copy,
    .arena = &inside->arena,
    .externals = &inside->externals,
    .blob = blob,
  };
  CRD_TRY(crd__onnx_read(ctx, file->path, bytes, blob, &inside->model));
  file->ir = inside->model.ir;
  file->opset = inside->model.opset;
  CRD_TRY(read_producer(&reader, bytes, &file->producer));
  CRD_TRY(crd__onnx_reader_domains(&reader, bytes, file));
  CRD_TRY(crd__onnx_reader_metadata(&reader, bytes, file));
  CRD_TRY(crd__onnx_reader_graph(&reader, inside->model.graph, file));
  return crd__onnx_reader_measure(&reader, bytes, &inside->saved);
}

static crd_status new_file(crd_context *ctx, whole_file **out) {
  CRD_TRY(crd__new(ctx, 1, sizeof **out, "a model", out));
  (*out)->file.inside = &(*out)->inside;
  (*out)->inside.arena.alloc = ctx->alloc;
  return CRD_OK;
}

static crd_status finish(crd_status status, whole_file *whole, crd__onnx_file **out) {
  if (status == CRD_OK) *out = &whole->file;
  else crd__onnx_file_destroy(&whole->file);
  return status;
}

crd_status crd__onnx_file_open(crd_context *ctx, const char *path, crd__onnx_file **out) {
  whole_file *whole;
  *out = NULL;
  CRD_TRY(new_file(ctx, &whole));
  crd__blob *const blob = &whole->inside.blob;
  crd_status status = crd__blob_open(ctx, path, blob);
  if (status == CRD_OK)
    status = read_file(ctx, path, (crd__onnx_span){ blob->bytes, blob->length }, &whole->file);
  crd__blob_drop_pages(blob);
  return finish(status, whole, out);
}

crd_status crd__onnx_file_read(crd_context *ctx, const char *path, crd__onnx_span bytes,
                               crd__onnx_file **out) {
  whole_file *whole;
  *out = NULL;
  CRD_TRY(new_file(ctx, &whole));
  return finish(read_file(ctx, path, bytes, &whole->file), whole, out);
}

void crd__onnx_file_destroy(crd__onnx_file *file) {
  if (!file) return;
  crd__onnx_resources *const inside = file->inside;
  const crd_allocator alloc = inside->arena.alloc;
  for (crd__onnx_external *e = inside->externals; e; e = e->next) crd__blob_close(&alloc, &e->blob);
  crd__blob_close(&alloc, &inside->blob);
  crd__onnx_arena_clear(&inside->arena);
  crd__free(&alloc, file);
}
