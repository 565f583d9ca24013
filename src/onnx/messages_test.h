/* messages_test.h -- build messages of models, field by field. */
#ifndef CRD_ONNX_MESSAGES_TEST_H
#define CRD_ONNX_MESSAGES_TEST_H

#include "support.h"

#include "onnx/fields.h"
#include "onnx/graph.h"
#include "onnx/proto.h"

#include <string.h>

/* Nested messages: texts[0] is the model, each one is embedded in the one before. */
typedef struct {
  crd_context *ctx;
  crd__text texts[128];
  unsigned fields[128];
  size_t depth;
} builder;

static inline crd__text *top(builder *b) { return &b->texts[b->depth]; }

static inline builder begin(void **state) {
  builder b = { .ctx = *state };
  crd__text_init(top(&b), &b.ctx->alloc);
  return b;
}

static inline void enter(builder *b, unsigned field) {
  b->fields[++b->depth] = field;
  crd__text_init(top(b), &b->ctx->alloc);
}

static inline void leave(builder *b) {
  crd__text *const inner = top(b);
  b->depth--;
  crd__onnx_proto_message(top(b), b->fields[b->depth + 1], inner);
  crd__text_clear(inner);
}

static inline void check_message(const builder *b, const char *part) {
  if (!strstr(crd_context_message(b->ctx), part))
    fail_msg("'%s' is not in '%s'", part, crd_context_message(b->ctx));
}

/* Returns the bytes of the message so far. */
static inline crd__onnx_span made(const builder *b) {
  return (crd__onnx_span){ (const unsigned char *)b->texts[0].bytes, b->texts[0].length };
}

/* Begins a node with names and operator; attributes may follow. "a,b" are two names. */
static inline void add_names(builder *b, unsigned field, const char *names) {
  for (const char *at = names; at;) {
    const char *const comma = strchr(at, ',');
    crd__onnx_proto_bytes(top(b), field, at, comma ? (size_t)(comma - at) : strlen(at));
    at = comma ? comma + 1 : NULL;
  }
}

static inline void open_node(builder *b, const char *op, const char *inputs, const char *outputs) {
  enter(b, GRAPH_NODE);
  if (inputs) add_names(b, NODE_INPUT, inputs);
  if (outputs) add_names(b, NODE_OUTPUT, outputs);
  crd__onnx_proto_string(top(b), NODE_OP, op);
}

static inline void put_node(builder *b, const char *op, const char *inputs, const char *outputs) {
  open_node(b, op, inputs, outputs);
  leave(b);
}

/* Begins a tensor; its data may follow. */
static inline void open_tensor(builder *b, unsigned field, const char *name, int type,
                               const int64_t *dims, size_t rank) {
  enter(b, field);
  for (size_t i = 0; i < rank; i++) crd__onnx_proto_int(top(b), TENSOR_DIM, dims[i]);
  crd__onnx_proto_int(top(b), TENSOR_TYPE, type);
  if (name) crd__onnx_proto_string(top(b), TENSOR_NAME, name);
}

static inline void put_entry(builder *b, const char *key, const char *value) {
  enter(b, TENSOR_EXTERNAL);
  crd__onnx_proto_string(top(b), ENTRY_KEY, key);
  crd__onnx_proto_string(top(b), ENTRY_VALUE, value);
  leave(b);
}

/* External data; NULL: absent. */
static inline void put_place(builder *b, const char *location, const char *offset,
                             const char *length) {
  if (location) put_entry(b, "location", location);
  if (offset) put_entry(b, "offset", offset);
  if (length) put_entry(b, "length", length);
  crd__onnx_proto_int(top(b), TENSOR_LOCATION, LOCATION_EXTERNAL);
}

/* A value of the graph: dimension -1 is called "N", -2 has neither name nor value. */
static inline void put_value(builder *b, unsigned field, const char *name, int type,
                             const int64_t *dims, size_t rank) {
  enter(b, field);
  if (name) crd__onnx_proto_string(top(b), VALUE_NAME, name);
  enter(b, VALUE_TYPE);
  enter(b, TYPE_TENSOR);
  crd__onnx_proto_int(top(b), TENSOR_ELEMENT, type);
  enter(b, TENSOR_SHAPE);
  for (size_t i = 0; i < rank; i++) {
    enter(b, SHAPE_DIM);
    if (dims[i] >= 0) crd__onnx_proto_int(top(b), DIM_VALUE, dims[i]);
    if (dims[i] == -1) crd__onnx_proto_string(top(b), DIM_NAME, "N");
    leave(b);
  }
  for (size_t i = 0; i < 4; i++) leave(b);
}

/* Begins a graph with an input 'x' of N x 3 floats and an output. */
static inline void open_graph(builder *b, const char *output) {
  static const int64_t dims[] = { -1, 3 };
  crd__onnx_proto_int(top(b), MODEL_IR, 7);
  enter(b, MODEL_OPSET);
  crd__onnx_proto_int(top(b), OPSET_VERSION, 13);
  leave(b);
  enter(b, MODEL_GRAPH);
  put_value(b, GRAPH_INPUT, "x", CRD__ONNX_FLOAT, dims, 2);
  put_value(b, GRAPH_OUTPUT, output, CRD__ONNX_FLOAT, dims, 2);
}

#endif
