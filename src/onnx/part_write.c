/*
 * part_write.c -- write a part of a graph as a model: its nodes, the constants they read, and the
 * declarations of its values. Everything else of the model stays, except information for training,
 * which names values.
 */
#include "onnx/fields.h"
#include "onnx/part.h"
#include "onnx/proto.h"

#include <string.h>

/* ---- Declarations. */

static void close_message(crd__text *outer, unsigned field, crd__text *inner) {
  crd__onnx_proto_message(outer, field, inner);
  crd__text_clear(inner);
}

static void add_shape(crd__text *tensor, const crd_port *port) {
  crd__text shape, dim;
  crd__text_init(&shape, tensor->alloc);
  for (size_t i = 0; i < port->rank; i++) {
    crd__text_init(&dim, tensor->alloc);
    if (port->dims[i] >= 0) crd__onnx_proto_int(&dim, DIM_VALUE, port->dims[i]);
    else if (port->dim_names[i]) crd__onnx_proto_string(&dim, DIM_NAME, port->dim_names[i]);
    close_message(&shape, SHAPE_DIM, &dim);
  }
  close_message(tensor, TENSOR_SHAPE, &shape);
}

crd_status crd__onnx_writer_port(crd__onnx_writer *w, unsigned field, const char *name,
                                 const crd_port *port) {
  crd__text out, info, type, tensor;
  crd__text *const all[] = { &out, &info, &type, &tensor };
  for (size_t i = 0; i < 4; i++) crd__text_init(all[i], &w->r->ctx->alloc);
  crd__onnx_proto_string(&info, VALUE_NAME, name);
  if (port) {
    crd__onnx_proto_int(&tensor, TENSOR_ELEMENT, crd__onnx_type_of(port->dtype));
    if (port->known) add_shape(&tensor, port);
    close_message(&type, TYPE_TENSOR, &tensor);
    close_message(&info, VALUE_TYPE, &type);
  }
  close_message(&out, field, &info);
  return crd__onnx_writer_put_text(w, &out);
}

/* ---- Nodes. */

static crd_status put_inputs(crd__onnx_writer *w, crd__onnx_span node,
                             const crd__onnx_renaming *names, size_t count) {
  crd__onnx_message m = crd__onnx_message_of(node);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);) {
    const char *name = NULL;
    for (size_t i = 0; i < count && f.number == NODE_INPUT; i++)
      if (crd__onnx_span_is(f.inside, names[i].from)) name = names[i].to;
    if (!name) {
      CRD_TRY(crd__onnx_writer_put(w, f.whole.bytes, f.whole.length));
      continue;
    }
    CRD_TRY(crd__onnx_writer_head(w, NODE_INPUT, strlen(name)));
    CRD_TRY(crd__onnx_writer_put(w, name, strlen(name)));
  }
  return CRD_OK;
}

crd_status crd__onnx_writer_node(crd__onnx_writer *w, crd__onnx_span node,
                                 const crd__onnx_renaming *names, size_t count) {
  crd__onnx_writer measure = { .r = w->r };
  CRD_TRY(put_inputs(&measure, node, names, count));
  CRD_TRY(crd__onnx_writer_head(w, GRAPH_NODE, measure.bytes));
  return put_inputs(w, node, names, count);
}

/* ---- Fields that stay. */

int crd__onnx_names_edge(const crd__words *names, crd__onnx_span message, unsigned field) {
  crd__onnx_span name = { .bytes = message.bytes };
  size_t number;
  crd__onnx_message m = crd__onnx_message_of(message);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);)
    if (f.number == field && f.inside.length) name = f.inside;
  const bool found = crd__words_find(names, (const char *)name.bytes, name.length, &number);
  return found ? (int)number : CRD__ONNX_NONE;
}

/* Returns the index of a node, by one of its outputs; NONE: it has none. */
static int find_node(const crd__onnx_part *part, crd__onnx_span node) {
  const int edge = crd__onnx_names_edge(&part->names, node, NODE_OUTPUT);
  return edge == CRD__ONNX_NONE ? CRD__ONNX_NONE : part->file->edges[edge].producer;
}

static bool keeps_node(const crd__onnx_part *part, crd__onnx_span span) {
  const int node = find_node(part, span);
  return node != CRD__ONNX_NONE && part->nodes[node];
}

static bool is_output(const crd__onnx_part *part, int edge) {
  for (size_t i = 0; i < part->output_count; i++)
    if (part->outputs[i] == edge) return true;
  return false;
}

static bool keeps_value(const crd__onnx_part *part, const crd__onnx_field *field) {
  const int edge = crd__onnx_names_edge(&part->names, field->inside, VALUE_NAME);
  if (edge == CRD__ONNX_NONE || !part->edges[edge]) return false;
  if (field->number == GRAPH_OUTPUT) return is_output(part, edge);
  return field->number == GRAPH_INPUT || (edge != part->input && !is_output(part, edge));
}

static bool keeps_field(const crd__onnx_part *part, const crd__onnx_field *field) {
  if (field->number == GRAPH_NODE) return keeps_node(part, field->inside);
  if (field->number == GRAPH_INITIALIZER) {
    const int edge = crd__onnx_names_edge(&part->names, field->inside, TENSOR_NAME);
    return edge != CRD__ONNX_NONE && part->edges[edge];
  }
  if (field->number >= GRAPH_INPUT && field->number <= GRAPH_VALUE) return keeps_value(part, field);
  return field->number != GRAPH_QUANTIZATION;
}

crd_status crd__onnx_part_field(const crd__onnx_part *part, crd__onnx_writer *w,
                                crd__onnx_kind outer, const crd__onnx_field *field, bool *done) {
  CRD_TRY(crd__onnx_metadata_field(&part->metadata, outer, field, done));
  if (outer == CRD__ONNX_MODEL) *done |= field->number == MODEL_TRAINING;
  if (!crd__onnx_writer_in_graph(w, outer)) return CRD_OK;
  *done |= !keeps_field(part, field);
  const int node = field->number == GRAPH_NODE ? find_node(part, field->inside) : CRD__ONNX_NONE;
  if (*done || node == CRD__ONNX_NONE || !part->follows[node]) return CRD_OK;
  const crd__onnx_edge *const edges = part->file->edges;
  const crd__onnx_renaming name = { edges[part->file->nodes[node].inputs[0]].name,
                                    edges[part->input].name };
  *done = true;
  return crd__onnx_writer_node(w, field->inside, &name, 1);
}

/* ---- Fields that are new. */

static bool is_declared(const int *edges, size_t count, int edge) {
  for (size_t i = 0; i < count; i++)
    if (edges[i] == edge) return true;
  return false;
}

crd_status crd__onnx_part_end(const crd__onnx_part *part, crd__onnx_writer *w,
                              crd__onnx_kind outer) {
  const crd__onnx_file *const file = part->file;
  CRD_TRY(crd__onnx_metadata_end(&part->metadata, w, outer));
  if (!crd__onnx_writer_in_graph(w, outer)) return CRD_OK;
  if (part->input != CRD__ONNX_NONE && !is_declared(file->inputs, file->input_count, part->input))
    CRD_TRY(crd__onnx_writer_port(w, GRAPH_INPUT, file->edges[part->input].name, part->port));
  for (size_t i = 0; i < part->output_count; i++)
    if (!is_declared(file->outputs, file->output_count, part->outputs[i]))
      CRD_TRY(crd__onnx_writer_port(w, GRAPH_OUTPUT, file->edges[part->outputs[i]].name,
                                    part->ports[i]));
  return CRD_OK;
}

/* ---- The model. */

static crd_status part_field(void *self, crd__onnx_writer *w, crd__onnx_kind outer,
                             const crd__onnx_field *field, bool *done) {
  return crd__onnx_part_field(self, w, outer, field, done);
}

static crd_status part_end(void *self, crd__onnx_writer *w, crd__onnx_kind outer) {
  return crd__onnx_part_end(self, w, outer);
}

crd_status crd__onnx_part_write(crd_context *ctx, const crd__onnx_part *part, crd__text *out) {
  crd__onnx_part copy = *part;
  const crd__onnx_edit edit = { part_field, part_end, &copy };
  return crd__onnx_file_rewrite(ctx, part->file, &edit, out);
}
