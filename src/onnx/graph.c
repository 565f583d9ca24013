/*
 * graph.c -- the messages of onnx.proto that a model of operators needs (ONNX 1.12: IR version 8,
 * operator set 17). Fields of a message may stand in any order, so that a graph is written while it
 * grows.
 */
#include "onnx/graph.h"
#include "base/memory.h"
#include "onnx/fields.h"
#include "onnx/proto.h"

#include <stdio.h>
#include <string.h>

void crd__graph_init(crd__graph *graph, const crd_allocator *alloc) {
  *graph = (crd__graph){ .alloc = alloc, .prefix = "", .opset = CRD__ONNX_OPSET };
  crd__text_init(&graph->body, alloc);
}

void crd__graph_clear(crd__graph *graph) { crd__text_clear(&graph->body); }

static crd__value new_value(crd__graph *graph) {
  crd__value value;
  snprintf(value.name, sizeof value.name, "%sv%zu", graph->prefix, graph->values++);
  return value;
}

/* Append `inner` to `outer`, and release it. */
static void close_message(crd__text *outer, unsigned field, crd__text *inner) {
  crd__proto_message(outer, field, inner);
  crd__text_clear(inner);
}

static void add_rows(const crd__graph *graph, crd__text *shape) {
  crd__text dim;
  crd__text_init(&dim, shape->alloc);
  if (graph->rows.bytes)
    crd__text_add_bytes(&dim, (const char *)graph->rows.bytes, graph->rows.length);
  else crd__proto_string(&dim, DIM_NAME, "rows");
  close_message(shape, SHAPE_DIM, &dim);
}

static void add_columns(crd__text *shape, size_t columns) {
  crd__text dim;
  crd__text_init(&dim, shape->alloc);
  crd__proto_int(&dim, DIM_VALUE, (int64_t)columns);
  close_message(shape, SHAPE_DIM, &dim);
}

static void add_info(crd__graph *graph, unsigned field, const char *name, int type,
                     size_t columns) {
  crd__text info, outer, tensor, shape;
  crd__text *const all[] = { &info, &outer, &tensor, &shape };
  for (size_t i = 0; i < 4; i++) crd__text_init(all[i], graph->alloc);
  add_rows(graph, &shape);
  if (columns) add_columns(&shape, columns);
  crd__proto_int(&tensor, TENSOR_ELEMENT, type);
  close_message(&tensor, TENSOR_SHAPE, &shape);
  close_message(&outer, TYPE_TENSOR, &tensor);
  crd__proto_string(&info, VALUE_NAME, name);
  close_message(&info, VALUE_TYPE, &outer);
  close_message(&graph->body, field, &info);
}

crd__value crd__graph_input(crd__graph *graph, const char *name, int type, size_t columns) {
  crd__value value;
  snprintf(value.name, sizeof value.name, "%s", name);
  add_info(graph, GRAPH_INPUT, name, type, columns);
  return value;
}

/* A node whose inputs are in `node`. */
static void close_node(crd__graph *graph, crd__text *node, const char *op, const char *output,
                       const crd__attribute *attributes) {
  crd__proto_string(node, NODE_OUTPUT, output);
  crd__proto_string(node, NODE_NAME, output);
  crd__proto_string(node, NODE_OP, op);
  for (const crd__attribute *a = attributes; a && a->name; a++) {
    crd__text attribute;
    crd__text_init(&attribute, graph->alloc);
    crd__proto_string(&attribute, ATTRIBUTE_NAME, a->name);
    crd__proto_int(&attribute, a->list ? ATTRIBUTE_INTS : ATTRIBUTE_INT, a->value);
    crd__proto_int(&attribute, ATTRIBUTE_TYPE, a->list ? TYPE_INTS : TYPE_INT);
    close_message(node, NODE_ATTRIBUTE, &attribute);
  }
  close_message(&graph->body, GRAPH_NODE, node);
}

static void add_node(crd__graph *graph, const char *op, const crd__value *inputs, size_t count,
                     const char *output, const crd__attribute *attributes) {
  crd__text node;
  crd__text_init(&node, graph->alloc);
  for (size_t i = 0; i < count; i++) crd__proto_string(&node, NODE_INPUT, inputs[i].name);
  close_node(graph, &node, op, output, attributes);
}

crd__value crd__graph_foreign(crd__graph *graph, crd__span name, int type) {
  const crd__attribute to[] = { { "to", type, false }, { .name = NULL } };
  const crd__value value = new_value(graph);
  crd__text node;
  crd__text_init(&node, graph->alloc);
  crd__proto_bytes(&node, NODE_INPUT, name.bytes, name.length);
  close_node(graph, &node, "Cast", value.name, to);
  return value;
}

crd__value crd__graph_node(crd__graph *graph, const char *op, const crd__value *inputs,
                           size_t count, const crd__attribute *attributes) {
  const crd__value value = new_value(graph);
  add_node(graph, op, inputs, count, value.name, attributes);
  return value;
}

void crd__graph_output(crd__graph *graph, crd__value value, const char *name, int type,
                       size_t columns) {
  const crd__attribute to[] = { { "to", type, false }, { .name = NULL } };
  add_node(graph, "Cast", &value, 1, name, to);
  add_info(graph, GRAPH_OUTPUT, name, type, columns);
}

/* Eight bytes for each element, the lowest first. */
static crd__value add_tensor(crd__graph *graph, int type, const void *values, const size_t *dims,
                             size_t rank) {
  const crd__value value = new_value(graph);
  size_t count = 1;
  crd__text tensor, raw;
  crd__text_init(&tensor, graph->alloc);
  crd__text_init(&raw, graph->alloc);
  for (size_t i = 0; i < rank; i++) {
    crd__proto_int(&tensor, TENSOR_DIM, (int64_t)dims[i]);
    count *= dims[i];
  }
  for (size_t i = 0; i < count; i++) {
    uint64_t bits;
    char bytes[8];
    memcpy(&bits, (const char *)values + 8 * i, 8);
    for (int b = 0; b < 8; b++) bytes[b] = (char)(bits >> 8 * b & 0xff);
    crd__text_add_bytes(&raw, bytes, 8);
  }
  crd__proto_int(&tensor, TENSOR_TYPE, type);
  crd__proto_string(&tensor, TENSOR_NAME, value.name);
  close_message(&tensor, TENSOR_RAW, &raw);
  close_message(&graph->body, GRAPH_INITIALIZER, &tensor);
  return value;
}

crd__value crd__graph_doubles(crd__graph *graph, const double *values, size_t rows,
                              size_t columns) {
  const size_t dims[] = { rows, columns };
  const size_t rank = rows ? 2 : columns ? 1 : 0;
  return add_tensor(graph, CRD__ONNX_DOUBLE, values, dims + 2 - (rank ? rank : 2), rank);
}

crd__value crd__graph_int64s(crd__graph *graph, const int64_t *values, size_t count) {
  return add_tensor(graph, CRD__ONNX_INT64, values, &count, 1);
}

crd_status crd__graph_finish(crd_context *ctx, const crd__graph *graph, const char *name,
                             const char *about, crd__text *out) {
  crd__text body, opset;
  crd__text_init(&body, graph->alloc);
  crd__text_init(&opset, graph->alloc);
  crd__proto_string(&body, GRAPH_NAME, name);
  if (graph->body.length) crd__text_add_bytes(&body, graph->body.bytes, graph->body.length);
  body.failed |= graph->body.failed;
  crd__proto_int(&opset, OPSET_VERSION, CRD__ONNX_OPSET);
  crd__proto_int(out, MODEL_IR, CRD__ONNX_IR);
  crd__proto_string(out, MODEL_PRODUCER, "credence");
  crd__proto_string(out, MODEL_PRODUCER_VERSION, crd_version());
  crd__proto_string(out, MODEL_DOC, about);
  close_message(out, MODEL_GRAPH, &body);
  close_message(out, MODEL_OPSET, &opset);
  return crd__text_status(ctx, out);
}
