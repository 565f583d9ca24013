/*
 * join.c -- two models in a row, as one.
 *
 * The first model is copied; at the end of its graph follow the fields of the second graph. Every
 * name of the second is mapped in the same way wherever it is: the input to the value that
 * feeds it, a name of the first to itself with a prefix that nothing else begins with.
 */
#include "onnx/join.h"
#include "base/memory.h"
#include "onnx/fields.h"
#include "onnx/graph.h"
#include "onnx/proto.h"

#include <stdio.h>
#include <string.h>

enum { PREFIX_MAX = 32, GRAPH_DOC = 10 };

typedef struct {
  const crd__onnx_part *first;
  const crd__onnx_file *second;
  int64_t opset;
  crd__words taken; /* names of the first model */
  char prefix[PREFIX_MAX];
  const char *input, *fed; /* the input of the second, and what feeds it */
  crd__onnx_reader reader; /* of the second */
} join;

static const crd__onnx_model *model_of(const crd__onnx_file *file) {
  return &((const crd__onnx_resources *)file->inside)->model;
}

/* ---- Names of the second model. */

static crd_status take_names(crd_context *ctx, join *j) {
  const crd__onnx_file *const file = j->first->file;
  size_t number;
  for (size_t i = 0; i < file->edge_count; i++) {
    const char *const name = file->edges[i].name;
    if (j->first->edges[i]) CRD_TRY(crd__words_add(ctx, &j->taken, name, strlen(name), &number));
  }
  for (size_t i = 0; i < file->node_count; i++) {
    const char *const name = file->nodes[i].name;
    if (j->first->nodes[i]) CRD_TRY(crd__words_add(ctx, &j->taken, name, strlen(name), &number));
  }
  return CRD_OK;
}

static void choose_prefix(join *j) {
  snprintf(j->prefix, sizeof j->prefix, "second_");
  for (unsigned i = 2; crd__onnx_has_name(model_of(j->first->file), j->prefix, false) ||
                       crd__onnx_has_name(model_of(j->second), j->prefix, false);
       i++)
    snprintf(j->prefix, sizeof j->prefix, "second%u_", i);
}

static crd_status put_name(const join *j, crd__onnx_writer *w, const crd__onnx_field *field,
                           bool *done) {
  const crd__onnx_span name = field->inside;
  size_t number;
  if (crd__onnx_span_is(name, j->input)) {
    *done = true;
    CRD_TRY(crd__onnx_writer_head(w, field->number, strlen(j->fed)));
    return crd__onnx_writer_put(w, j->fed, strlen(j->fed));
  }
  if (name.length == 0 ||
      !crd__words_find(&j->taken, (const char *)name.bytes, name.length, &number))
    return CRD_OK;
  *done = true;
  CRD_TRY(crd__onnx_writer_head(w, field->number, strlen(j->prefix) + name.length));
  CRD_TRY(crd__onnx_writer_put(w, j->prefix, strlen(j->prefix)));
  return crd__onnx_writer_put(w, name.bytes, name.length);
}

static bool is_name(crd__onnx_kind outer, uint64_t field) {
  return (outer == CRD__ONNX_NODE &&
          (field == NODE_INPUT || field == NODE_OUTPUT || field == NODE_NAME)) ||
         (outer == CRD__ONNX_VALUE && field == VALUE_NAME) ||
         (outer == CRD__ONNX_TENSOR && field == TENSOR_NAME);
}

static bool is_input(const join *j, crd__onnx_span value) {
  crd__onnx_span name = { .bytes = value.bytes };
  crd__onnx_message m = crd__onnx_message_of(value);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);)
    if (f.number == VALUE_NAME) name = f.inside;
  return crd__onnx_span_is(name, j->input);
}

static crd_status second_field(void *self, crd__onnx_writer *w, crd__onnx_kind outer,
                               const crd__onnx_field *field, bool *done) {
  const join *const j = self;
  if (crd__onnx_writer_in_graph(w, outer))
    *done = field->number == GRAPH_NAME || field->number == GRAPH_DOC ||
            field->number == GRAPH_QUANTIZATION ||
            ((field->number == GRAPH_INPUT || field->number == GRAPH_VALUE) &&
             is_input(j, field->inside));
  return !*done && is_name(outer, field->number) ? put_name(j, w, field, done) : CRD_OK;
}

/* Writes the fields of the second graph at the end of the first. */
static crd_status put_second(join *j, crd__onnx_writer *w) {
  const crd__onnx_edit edit = { second_field, NULL, j };
  const crd__onnx_writer before = *w;
  w->r = &j->reader;
  w->edit = &edit;
  w->depth = 1;
  w->changed = true;
  const crd_status status =
      crd__onnx_writer_message(w, CRD__ONNX_GRAPH, model_of(j->second)->graph);
  w->r = before.r;
  w->edit = before.edit;
  w->depth = before.depth;
  return status;
}

/* ---- The model around the graphs. */

typedef struct {
  crd__onnx_span domain;
  int64_t version;
} imported;

/* Reads an OperatorSetIdProto; the standard operators have the domain "". */
static imported read_import(crd__onnx_span span) {
  imported out = { .domain = { .bytes = span.bytes } };
  crd__onnx_message m = crd__onnx_message_of(span);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);) {
    if (f.number == OPSET_DOMAIN) out.domain = f.inside;
    if (f.number == OPSET_VERSION) out.version = (int64_t)f.value;
  }
  if (crd__onnx_span_is(out.domain, "ai.onnx")) out.domain.length = 0;
  return out;
}

/* Returns the version of a domain's operators; 0: not imported. */
static int64_t find_version(const crd__onnx_model *model, crd__onnx_span domain) {
  crd__onnx_message m = crd__onnx_message_of(model->all);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);) {
    if (f.number != MODEL_OPSET) continue;
    const imported other = read_import(f.inside);
    if (other.domain.length == domain.length &&
        memcmp(other.domain.bytes, domain.bytes, domain.length) == 0)
      return other.version;
  }
  return 0;
}

static bool has_field(const crd__onnx_model *model, unsigned field) {
  crd__onnx_message m = crd__onnx_message_of(model->all);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);)
    if (f.number == field) return true;
  return false;
}

static crd_status check(crd_context *ctx, const join *j) {
  const crd__onnx_model *const first = model_of(j->first->file), *const second =
                                                                     model_of(j->second);
  if (has_field(first, MODEL_FUNCTION) && has_field(second, MODEL_FUNCTION))
    return crd__fail(ctx, CRD_EINPUT, "%s and %s both have functions of their own", first->path,
                     second->path);
  crd__onnx_message m = crd__onnx_message_of(second->all);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);) {
    if (f.number != MODEL_OPSET) continue;
    const imported here = read_import(f.inside);
    const int64_t there = find_version(first, here.domain);
    if (here.domain.length && there && there != here.version)
      return crd__fail(
          ctx, CRD_EINPUT, "the operators '%.*s' have version %lld in %s, but %lld in %s",
          (int)(here.domain.length < 60 ? here.domain.length : 60), (const char *)here.domain.bytes,
          (long long)there, first->path, (long long)here.version, second->path);
  }
  return CRD_OK;
}

static crd_status put_opset(const join *j, crd__onnx_writer *w) {
  crd__text opset, field;
  crd__text_init(&opset, &w->r->ctx->alloc);
  crd__text_init(&field, &w->r->ctx->alloc);
  crd__onnx_proto_int(&opset, OPSET_VERSION, j->opset);
  crd__onnx_proto_message(&field, MODEL_OPSET, &opset);
  crd__text_clear(&opset);
  return crd__onnx_writer_put_text(w, &field);
}

static crd_status put_ir(const join *j, crd__onnx_writer *w) {
  const int64_t a = j->first->file->ir, b = j->second->ir, ir = a < b ? b : a;
  crd__text field;
  crd__text_init(&field, &w->r->ctx->alloc);
  crd__onnx_proto_int(&field, MODEL_IR, ir < CRD__ONNX_IR ? CRD__ONNX_IR : ir);
  return crd__onnx_writer_put_text(w, &field);
}

/* Standard operators and the version of the format come at the end. */
static crd_status join_field(void *self, crd__onnx_writer *w, crd__onnx_kind outer,
                             const crd__onnx_field *field, bool *done) {
  const join *const j = self;
  CRD_TRY(crd__onnx_part_field(j->first, w, outer, field, done));
  if (crd__onnx_writer_in_graph(w, outer)) *done |= field->number == GRAPH_OUTPUT;
  if (outer != CRD__ONNX_MODEL) return CRD_OK;
  *done |= field->number == MODEL_IR;
  *done |= field->number == MODEL_OPSET && read_import(field->inside).domain.length == 0;
  return CRD_OK;
}

/* Writes functions of the second model, and its operators that the first does not have. */
static crd_status put_rest(join *j, crd__onnx_writer *w) {
  const crd__onnx_model *const first = model_of(j->first->file), *const second =
                                                                     model_of(j->second);
  crd__onnx_message m = crd__onnx_message_of(second->all);
  CRD_TRY(put_ir(j, w));
  CRD_TRY(put_opset(j, w));
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);) {
    const crd__onnx_span domain = read_import(f.inside).domain;
    if (f.number == MODEL_FUNCTION ||
        (f.number == MODEL_OPSET && domain.length && !find_version(first, domain)))
      CRD_TRY(crd__onnx_writer_put(w, f.whole.bytes, f.whole.length));
  }
  return crd__onnx_metadata_end(&j->first->metadata, w, CRD__ONNX_MODEL);
}

static crd_status join_end(void *self, crd__onnx_writer *w, crd__onnx_kind outer) {
  join *const j = self;
  if (outer == CRD__ONNX_MODEL) return put_rest(j, w);
  return crd__onnx_writer_in_graph(w, outer) ? put_second(j, w) : CRD_OK;
}

crd_status crd__onnx_join_write(crd_context *ctx, const crd__onnx_part *first,
                                const crd__onnx_file *second, int64_t opset, crd__text *out) {
  crd__onnx_arena arena = { .alloc = ctx->alloc };
  crd__onnx_external *externals = ((const crd__onnx_resources *)second->inside)->externals;
  join j = { .first = first, .second = second, .opset = opset };
  const crd__onnx_edit edit = { join_field, join_end, &j };
  j.input = second->edges[second->inputs[0]].name;
  j.fed = first->file->edges[first->outputs[0]].name;
  j.reader = (crd__onnx_reader){
    .ctx = ctx, .path = second->path, .arena = &arena, .externals = &externals
  };
  crd_status status = check(ctx, &j);
  if (status == CRD_OK) status = take_names(ctx, &j);
  if (status == CRD_OK) {
    choose_prefix(&j);
    status = crd__onnx_file_rewrite(ctx, first->file, &edit, out);
  }
  crd__words_clear(&ctx->alloc, &j.taken);
  crd__onnx_arena_clear(&arena);
  return status;
}
