/*
 * settle.c -- models that were exported for training, as models for inference.
 *
 * From operator set 14 on, BatchNormalization with training_mode uses the statistics of the batch,
 * and has moved running statistics as further outputs; from 12 on, the third input of Dropout turns
 * it on. Both are taken away. A network compiled for training trains such nodes all the same.
 */
#include "onnx/settle.h"
#include "base/memory.h"
#include "onnx/fields.h"
#include "onnx/part.h"

#include <string.h>

typedef struct {
  crd_context *ctx;
  const crd__onnx_file *file;
  crd__words names;
  bool *gone; /* values that no longer exist */
} settling;

/* ---- Nodes to change. */

static bool is_op(const crd__onnx_node *node, const char *op) {
  return !node->domain[0] && strcmp(node->op, op) == 0;
}

static bool is_norm(const settling *s, const crd__onnx_node *node) {
  const crd__onnx_attribute *const mode = crd__onnx_attribute_find(node, "training_mode");
  return s->file->opset >= 14 && is_op(node, "BatchNormalization") && mode && mode->i;
}

static bool is_dropout(const settling *s, const crd__onnx_node *node) {
  return s->file->opset >= 12 && is_op(node, "Dropout") && node->input_count > 2;
}

/* Finds the values that disappear. */
static crd_status find_gone(settling *s) {
  const crd__onnx_file *const file = s->file;
  CRD_TRY(crd__new(s->ctx, file->edge_count, sizeof *s->gone, "values", &s->gone));
  for (size_t n = 0; n < file->node_count; n++)
    for (size_t i = 1; i < file->nodes[n].output_count && is_norm(s, &file->nodes[n]); i++)
      if (file->nodes[n].outputs[i] != CRD__ONNX_NONE) s->gone[file->nodes[n].outputs[i]] = true;
  return CRD_OK;
}

static crd_status refuse(const settling *s, int edge) {
  return crd__fail(s->ctx, CRD_EINPUT,
                   "%s: '%.60s', the running statistic after a batch, is read: the model cannot be "
                   "used for inference",
                   s->file->path, s->file->edges[edge].name);
}

static crd_status check_readers(const settling *s) {
  const crd__onnx_file *const file = s->file;
  for (size_t n = 0; n < file->node_count; n++)
    for (size_t i = 0; i < file->nodes[n].input_count; i++) {
      const int edge = file->nodes[n].inputs[i];
      if (edge != CRD__ONNX_NONE && s->gone[edge]) return refuse(s, edge);
    }
  for (size_t i = 0; i < file->output_count; i++)
    if (s->gone[file->outputs[i]]) return refuse(s, file->outputs[i]);
  return CRD_OK;
}

/* ---- Writing. */

static bool is_mode(crd__onnx_span attribute) {
  crd__onnx_message m = crd__onnx_message_of(attribute);
  bool mode = false;
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);)
    if (f.number == ATTRIBUTE_NAME) mode = crd__onnx_span_is(f.inside, "training_mode");
  return mode;
}

/* Writes a node with its first inputs and outputs, and without its mode. */
static crd_status put_node(crd__onnx_writer *w, crd__onnx_span node, size_t inputs,
                           size_t outputs) {
  size_t read = 0, made = 0;
  crd__onnx_message m = crd__onnx_message_of(node);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);) {
    read += f.number == NODE_INPUT;
    made += f.number == NODE_OUTPUT;
    const bool left_out = (f.number == NODE_INPUT && read > inputs) ||
                          (f.number == NODE_OUTPUT && made > outputs) ||
                          (f.number == NODE_ATTRIBUTE && is_mode(f.inside));
    if (!left_out) CRD_TRY(crd__onnx_writer_put(w, f.whole.bytes, f.whole.length));
  }
  return CRD_OK;
}

static crd_status settle_node(const settling *s, crd__onnx_writer *w, crd__onnx_span span,
                              bool *done) {
  const int edge = crd__onnx_names_edge(&s->names, span, NODE_OUTPUT);
  const int producer = edge == CRD__ONNX_NONE ? CRD__ONNX_NONE : s->file->edges[edge].producer;
  if (producer == CRD__ONNX_NONE) return CRD_OK;
  const crd__onnx_node *const node = &s->file->nodes[producer];
  const bool norm = is_norm(s, node);
  if (!norm && !is_dropout(s, node)) return CRD_OK;
  const size_t inputs = norm ? node->input_count : 2, outputs = norm ? 1 : node->output_count;
  crd__onnx_writer measure = { .r = w->r };
  *done = true;
  CRD_TRY(put_node(&measure, span, inputs, outputs));
  CRD_TRY(crd__onnx_writer_head(w, GRAPH_NODE, measure.bytes));
  return put_node(w, span, inputs, outputs);
}

static crd_status settle_field(void *self, crd__onnx_writer *w, crd__onnx_kind outer,
                               const crd__onnx_field *field, bool *done) {
  const settling *const s = self;
  if (!crd__onnx_writer_in_graph(w, outer)) return CRD_OK;
  if (field->number == GRAPH_NODE) return settle_node(s, w, field->inside, done);
  if (field->number != GRAPH_VALUE) return CRD_OK;
  const int edge = crd__onnx_names_edge(&s->names, field->inside, VALUE_NAME);
  *done = edge != CRD__ONNX_NONE && s->gone[edge];
  return CRD_OK;
}

crd_status crd__onnx_settle_write(crd_context *ctx, const crd__onnx_file *file, crd__text *out) {
  settling s = { .ctx = ctx, .file = file };
  const crd__onnx_edit edit = { settle_field, NULL, &s };
  crd_status status = find_gone(&s);
  if (status == CRD_OK) status = check_readers(&s);
  if (status == CRD_OK) status = crd__onnx_names_of(ctx, file, &s.names);
  if (status == CRD_OK) status = crd__onnx_file_rewrite(ctx, file, &edit, out);
  crd__words_clear(&ctx->alloc, &s.names);
  crd__free(&ctx->alloc, s.gone);
  return status;
}
