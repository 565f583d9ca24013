/*
 * graph.c -- the messages of onnx.proto that a model needs (ONNX 1.12: IR version 8, operator sets
 * up to 17). Fields of a message may be in any order, so a graph is written while it grows.
 */
#include "onnx/graph.h"
#include "base/memory.h"
#include "onnx/fields.h"
#include "onnx/proto.h"

#include <stdio.h>
#include <string.h>

void crd__onnx_graph_init(crd__onnx_graph *graph, const crd_allocator *alloc) {
  *graph = (crd__onnx_graph){ .alloc = alloc, .prefix = "", .opset = CRD__ONNX_OPSET };
  crd__text_init(&graph->body, alloc);
}

void crd__onnx_graph_clear(crd__onnx_graph *graph) { crd__text_clear(&graph->body); }

static crd__onnx_graph_value new_value(crd__onnx_graph *graph) {
  crd__onnx_graph_value value;
  snprintf(value.name, sizeof value.name, "%sv%zu", graph->prefix, graph->values++);
  return value;
}

/* Appends `inner` to `outer`, and frees it. */
static void close_message(crd__text *outer, unsigned field, crd__text *inner) {
  crd__onnx_proto_message(outer, field, inner);
  crd__text_clear(inner);
}

static void add_rows(const crd__onnx_graph *graph, crd__text *shape) {
  crd__text dim;
  crd__text_init(&dim, shape->alloc);
  if (graph->rows.bytes)
    crd__text_add_bytes(&dim, (const char *)graph->rows.bytes, graph->rows.length);
  else crd__onnx_proto_string(&dim, DIM_NAME, "rows");
  close_message(shape, SHAPE_DIM, &dim);
}

static void add_dim(crd__text *shape, int64_t size) {
  crd__text dim;
  crd__text_init(&dim, shape->alloc);
  crd__onnx_proto_int(&dim, DIM_VALUE, size);
  close_message(shape, SHAPE_DIM, &dim);
}

static void add_info(crd__onnx_graph *graph, unsigned field, const char *name, int type,
                     const int64_t *dims, size_t rank) {
  crd__text info, outer, tensor, shape;
  crd__text *const all[] = { &info, &outer, &tensor, &shape };
  for (size_t i = 0; i < 4; i++) crd__text_init(all[i], graph->alloc);
  for (size_t i = 0; i < rank; i++) {
    if (dims[i] < 0) add_rows(graph, &shape);
    else add_dim(&shape, dims[i]);
  }
  crd__onnx_proto_int(&tensor, TENSOR_ELEMENT, type);
  close_message(&tensor, TENSOR_SHAPE, &shape);
  close_message(&outer, TYPE_TENSOR, &tensor);
  crd__onnx_proto_string(&info, VALUE_NAME, name);
  close_message(&info, VALUE_TYPE, &outer);
  close_message(&graph->body, field, &info);
}

static crd__onnx_graph_value named(const char *name) {
  crd__onnx_graph_value value;
  snprintf(value.name, sizeof value.name, "%s", name);
  return value;
}

crd__onnx_graph_value crd__onnx_graph_input_of(crd__onnx_graph *graph, const char *name, int type,
                                               const int64_t *dims, size_t rank) {
  const crd__onnx_graph_value value = named(name);
  add_info(graph, GRAPH_INPUT, value.name, type, dims, rank);
  return value;
}

crd__onnx_graph_value crd__onnx_graph_input(crd__onnx_graph *graph, const char *name, int type,
                                            size_t columns) {
  const int64_t dims[] = { -1, (int64_t)columns };
  return crd__onnx_graph_input_of(graph, name, type, dims, columns ? 2 : 1);
}

static void add_attribute(crd__text *node, const crd__onnx_graph_attribute *a) {
  const crd__onnx_attribute_type type = a->type ? a->type : CRD__ATTRIBUTE_INT;
  crd__text out;
  crd__text_init(&out, node->alloc);
  crd__onnx_proto_string(&out, ATTRIBUTE_NAME, a->name);
  if (type == CRD__ATTRIBUTE_FLOAT) crd__onnx_proto_float(&out, ATTRIBUTE_FLOAT, a->f);
  if (type == CRD__ATTRIBUTE_INT) crd__onnx_proto_int(&out, ATTRIBUTE_INT, a->i);
  if (type == CRD__ATTRIBUTE_STRING) crd__onnx_proto_string(&out, ATTRIBUTE_STRING, a->s);
  for (size_t i = 0; i < a->count; i++) crd__onnx_proto_int(&out, ATTRIBUTE_INTS, a->ints[i]);
  crd__onnx_proto_int(&out, ATTRIBUTE_TYPE, type);
  close_message(node, NODE_ATTRIBUTE, &out);
}

/* Completes a node whose inputs are in `node`. */
static void close_node(crd__onnx_graph *graph, crd__text *node, const char *op, const char *output,
                       const crd__onnx_graph_attribute *attributes) {
  crd__onnx_proto_string(node, NODE_OUTPUT, output);
  crd__onnx_proto_string(node, NODE_NAME, output);
  crd__onnx_proto_string(node, NODE_OP, op);
  for (const crd__onnx_graph_attribute *a = attributes; a && a->name; a++) add_attribute(node, a);
  close_message(&graph->body, GRAPH_NODE, node);
}

static void add_node(crd__onnx_graph *graph, const char *op, const crd__onnx_graph_value *inputs,
                     size_t count, const char *output,
                     const crd__onnx_graph_attribute *attributes) {
  crd__text node;
  crd__text_init(&node, graph->alloc);
  for (size_t i = 0; i < count; i++) crd__onnx_proto_string(&node, NODE_INPUT, inputs[i].name);
  close_node(graph, &node, op, output, attributes);
}

crd__onnx_graph_value crd__onnx_graph_foreign(crd__onnx_graph *graph, crd__onnx_span name,
                                              int type) {
  const crd__onnx_graph_attribute to[] = { { .name = "to", .i = type }, { .name = NULL } };
  const crd__onnx_graph_value value = new_value(graph);
  crd__text node;
  crd__text_init(&node, graph->alloc);
  crd__onnx_proto_bytes(&node, NODE_INPUT, name.bytes, name.length);
  close_node(graph, &node, "Cast", value.name, to);
  return value;
}

crd__onnx_graph_value crd__onnx_graph_node_as(crd__onnx_graph *graph, const char *name,
                                              const char *op, const crd__onnx_graph_value *inputs,
                                              size_t count,
                                              const crd__onnx_graph_attribute *attributes) {
  const crd__onnx_graph_value value = named(name);
  add_node(graph, op, inputs, count, value.name, attributes);
  return value;
}

crd__onnx_graph_value crd__onnx_graph_node(crd__onnx_graph *graph, const char *op,
                                           const crd__onnx_graph_value *inputs, size_t count,
                                           const crd__onnx_graph_attribute *attributes) {
  return crd__onnx_graph_node_as(graph, new_value(graph).name, op, inputs, count, attributes);
}

void crd__onnx_graph_output_of(crd__onnx_graph *graph, crd__onnx_graph_value value, int type,
                               const int64_t *dims, size_t rank) {
  add_info(graph, GRAPH_OUTPUT, value.name, type, dims, rank);
}

void crd__onnx_graph_output(crd__onnx_graph *graph, crd__onnx_graph_value value, const char *name,
                            int type, size_t columns) {
  const crd__onnx_graph_attribute to[] = { { .name = "to", .i = type }, { .name = NULL } };
  const int64_t dims[] = { -1, (int64_t)columns };
  add_node(graph, "Cast", &value, 1, name, to);
  add_info(graph, GRAPH_OUTPUT, name, type, dims, columns ? 2 : 1);
}

/* Appends elements of four or eight bytes, little-endian. */
static void add_numbers(crd__text *out, const void *values, size_t count, size_t size) {
  for (size_t i = 0; i < count; i++) {
    const char *const at = (const char *)values + i * size;
    uint32_t half;
    uint64_t bits;
    char bytes[8];
    if (size == sizeof half) memcpy(&half, at, sizeof half);
    else memcpy(&bits, at, sizeof bits);
    if (size == sizeof half) bits = half;
    for (size_t b = 0; b < size; b++) bytes[b] = (char)(bits >> 8 * b & 0xff);
    crd__text_add_bytes(out, bytes, size);
  }
}

/* The fields of a TensorProto up to its values. */
static void add_tensor_head(crd__text *head, const char *name, int type, const int64_t *dims,
                            size_t rank) {
  for (size_t i = 0; i < rank; i++) crd__onnx_proto_int(head, TENSOR_DIM, dims[i]);
  crd__onnx_proto_int(head, TENSOR_TYPE, type);
  crd__onnx_proto_string(head, TENSOR_NAME, name);
}

/* Appends an initialiser. There may be many values: they are written only once, into the final
 * buffer. */
static void add_initialiser(crd__onnx_graph *graph, crd__text *head, const void *values,
                            size_t count, size_t size) {
  crd__onnx_proto_head(head, TENSOR_RAW, count * size);
  crd__onnx_proto_head(&graph->body, GRAPH_INITIALIZER, head->length + count * size);
  if (head->length) crd__text_add_bytes(&graph->body, head->bytes, head->length);
  graph->body.failed |= head->failed;
  add_numbers(&graph->body, values, count, size);
}

/* Appends a Constant. */
static void add_constant(crd__onnx_graph *graph, crd__text *head, const char *name,
                         const void *values, size_t count, size_t size) {
  crd__text node, attribute;
  crd__text_init(&node, graph->alloc);
  crd__text_init(&attribute, graph->alloc);
  crd__onnx_proto_head(head, TENSOR_RAW, count * size);
  add_numbers(head, values, count, size);
  crd__onnx_proto_string(&attribute, ATTRIBUTE_NAME, "value");
  crd__onnx_proto_message(&attribute, ATTRIBUTE_TENSOR, head);
  crd__onnx_proto_int(&attribute, ATTRIBUTE_TYPE, CRD__ATTRIBUTE_TENSOR);
  close_message(&node, NODE_ATTRIBUTE, &attribute);
  close_node(graph, &node, "Constant", name, NULL);
}

static crd__onnx_graph_value add_tensor(crd__onnx_graph *graph, crd__onnx_graph_value value,
                                        int type, const void *values, const int64_t *dims,
                                        size_t rank) {
  const size_t size = type == CRD__ONNX_FLOAT ? 4 : 8;
  size_t count = 1;
  crd__text head;
  crd__text_init(&head, graph->alloc);
  for (size_t i = 0; i < rank; i++) count *= (size_t)dims[i];
  add_tensor_head(&head, value.name, type, dims, rank);
  if (graph->ir && graph->ir < CRD__ONNX_IR_CONSTANTS)
    add_constant(graph, &head, value.name, values, count, size);
  else add_initialiser(graph, &head, values, count, size);
  crd__text_clear(&head);
  return value;
}

crd__onnx_graph_value crd__onnx_graph_floats(crd__onnx_graph *graph, const char *name,
                                             const float *values, const int64_t *dims,
                                             size_t rank) {
  return add_tensor(graph, named(name), CRD__ONNX_FLOAT, values, dims, rank);
}

crd__onnx_graph_value crd__onnx_graph_doubles(crd__onnx_graph *graph, const double *values,
                                              size_t rows, size_t columns) {
  const int64_t dims[] = { (int64_t)rows, (int64_t)columns };
  const size_t rank = rows ? 2 : columns ? 1 : 0;
  return add_tensor(graph, new_value(graph), CRD__ONNX_DOUBLE, values, dims + 2 - (rank ? rank : 2),
                    rank);
}

crd__onnx_graph_value crd__onnx_graph_int64s(crd__onnx_graph *graph, const int64_t *values,
                                             size_t count) {
  const int64_t dims[] = { (int64_t)count };
  return add_tensor(graph, new_value(graph), CRD__ONNX_INT64, values, dims, 1);
}

/* The weights are in the body: it is copied only once. */
crd_status crd__onnx_graph_finish(crd_context *ctx, const crd__onnx_graph *graph, const char *name,
                                  const char *about, crd__text *out) {
  crd__text head, opset;
  crd__text_init(&head, graph->alloc);
  crd__text_init(&opset, graph->alloc);
  crd__onnx_proto_string(&head, GRAPH_NAME, name);
  crd__onnx_proto_int(&opset, OPSET_VERSION, graph->opset);
  crd__onnx_proto_int(out, MODEL_IR, CRD__ONNX_IR);
  crd__onnx_proto_string(out, MODEL_PRODUCER, "credence");
  crd__onnx_proto_string(out, MODEL_PRODUCER_VERSION, crd_version());
  crd__onnx_proto_string(out, MODEL_DOC, about);
  crd__onnx_proto_head(out, MODEL_GRAPH, head.length + graph->body.length);
  if (head.length) crd__text_add_bytes(out, head.bytes, head.length);
  if (graph->body.length) crd__text_add_bytes(out, graph->body.bytes, graph->body.length);
  out->failed |= head.failed || graph->body.failed;
  crd__text_clear(&head);
  close_message(out, MODEL_OPSET, &opset);
  return crd__text_status(ctx, out);
}
