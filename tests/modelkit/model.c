/* model.c -- the bytes of an .onnx file with one node: inputs x0, x1, ..., outputs y0, y1, ... */
#include "modelkit/modelkit.h"

#include "onnx/proto.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Field numbers of onnx.proto. */
enum { MODEL_IR = 1, MODEL_GRAPH = 7, MODEL_OPSET = 8, OPSET_DOMAIN = 1, OPSET_VERSION = 2 };
enum { GRAPH_NODE = 1, GRAPH_NAME = 2, GRAPH_CONSTANT = 5, GRAPH_INPUT = 11, GRAPH_OUTPUT = 12 };
enum { NODE_INPUT = 1, NODE_OUTPUT = 2, NODE_OP = 4, NODE_ATTRIBUTE = 5, NODE_DOMAIN = 7 };
enum { NUMBERS_DIM = 1, NUMBERS_TYPE = 2, NUMBERS_NAME = 8, NUMBERS_RAW = 9 };
enum { VALUE_NAME = 1, VALUE_TYPE = 2, TYPE_TENSOR = 1, TENSOR_TYPE = 1, TENSOR_SHAPE = 2 };
enum { SHAPE_DIM = 1, DIM_VALUE = 1 };
enum { ATTRIBUTE_NAME = 1, ATTRIBUTE_F = 2, ATTRIBUTE_I = 3, ATTRIBUTE_S = 4, ATTRIBUTE_T = 5 };
enum { ATTRIBUTE_FLOATS = 7, ATTRIBUTE_INTS = 8, ATTRIBUTE_STRINGS = 9, ATTRIBUTE_TYPE = 20 };

static crd__text begin(const crd__text *like) {
  crd__text text;
  crd__text_init(&text, like->alloc);
  return text;
}

static void end(crd__text *outer, unsigned field, crd__text *inner) {
  crd__onnx_proto_message(outer, field, inner);
  crd__text_clear(inner);
}

static const char *name_of(char letter, size_t index) {
  static char name[NET_NAME_MAX];
  snprintf(name, sizeof name, "%c%zu", letter, index);
  return name;
}

static void add_tensor(crd__text *outer, unsigned field, const ref_tensor *t, const char *name) {
  crd__text inner = begin(outer);
  void *const bytes = net_store(t);
  for (size_t k = 0; k < t->rank; k++) crd__onnx_proto_int(&inner, NUMBERS_DIM, t->dims[k]);
  crd__onnx_proto_int(&inner, NUMBERS_TYPE, ref_dtype_number(t->dtype));
  crd__onnx_proto_string(&inner, NUMBERS_NAME, name);
  crd__onnx_proto_bytes(&inner, NUMBERS_RAW, bytes, ref_count(t) * crd_dtype_size(t->dtype));
  free(bytes);
  end(outer, field, &inner);
}

/* A float field has the wire type that proto.h does not write: four bytes. */
static void add_float(crd__text *message, unsigned field, double value) {
  const float f = (float)value;
  char bytes[5] = { (char)(field << 3 | 5) };
  memcpy(bytes + 1, &f, sizeof f);
  crd__text_add_bytes(message, bytes, sizeof bytes);
}

/* Numbers of cases are doubles, in which the largest integer is 2^63: one too many. */
static int64_t integer(double number) { return number >= 0x1p63 ? INT64_MAX : (int64_t)number; }

static void add_attribute(crd__text *node, const ref_attribute *a) {
  crd__text inner = begin(node);
  crd__onnx_proto_string(&inner, ATTRIBUTE_NAME, a->name);
  if (a->kind == REF_FLOAT) add_float(&inner, ATTRIBUTE_F, a->numbers[0]);
  if (a->kind == REF_INT) crd__onnx_proto_int(&inner, ATTRIBUTE_I, integer(a->numbers[0]));
  if (a->kind == REF_WORD) crd__onnx_proto_string(&inner, ATTRIBUTE_S, a->word);
  if (a->kind == REF_TENSOR) add_tensor(&inner, ATTRIBUTE_T, a->tensor, "");
  for (size_t i = 0; i < a->count; i++) {
    if (a->kind == REF_FLOATS) add_float(&inner, ATTRIBUTE_FLOATS, a->numbers[i]);
    if (a->kind == REF_INTS) crd__onnx_proto_int(&inner, ATTRIBUTE_INTS, integer(a->numbers[i]));
  }
  for (const char *word = a->kind == REF_WORDS ? a->word : NULL; word;) {
    const size_t length = strcspn(word, ",");
    crd__onnx_proto_bytes(&inner, ATTRIBUTE_STRINGS, word, length);
    word = word[length] ? word + length + 1 : NULL;
  }
  crd__onnx_proto_int(&inner, ATTRIBUTE_TYPE, a->kind);
  end(node, NODE_ATTRIBUTE, &inner);
}

/* Outputs have no shape: inferring it is the engine's task. */
static void add_port(crd__text *graph, unsigned field, const char *name, const ref_tensor *t,
                     bool shaped) {
  crd__text value = begin(graph), type = begin(graph), tensor = begin(graph), shape = begin(graph);
  crd__onnx_proto_int(&tensor, TENSOR_TYPE, ref_dtype_number(t->dtype));
  for (size_t k = 0; shaped && k < t->rank; k++) {
    crd__text dim = begin(graph);
    crd__onnx_proto_int(&dim, DIM_VALUE, t->dims[k]);
    end(&shape, SHAPE_DIM, &dim);
  }
  if (shaped) crd__onnx_proto_message(&tensor, TENSOR_SHAPE, &shape);
  crd__text_clear(&shape);
  end(&type, TYPE_TENSOR, &tensor);
  crd__onnx_proto_string(&value, VALUE_NAME, name);
  end(&value, VALUE_TYPE, &type);
  end(graph, field, &value);
}

/* The domain before the name of an operator, "ai.onnx.ml.Scaler"; empty: the standard one. */
static const char *domain_of(const char *op) {
  static char domain[NET_NAME_MAX];
  const char *const dot = strrchr(op, '.');
  snprintf(domain, sizeof domain, "%.*s", dot ? (int)(dot - op) : 0, op);
  return domain;
}

static void add_opset(crd__text *model, const char *domain, int version) {
  crd__text opset = begin(model);
  if (*domain) crd__onnx_proto_string(&opset, OPSET_DOMAIN, domain);
  crd__onnx_proto_int(&opset, OPSET_VERSION, version);
  end(model, MODEL_OPSET, &opset);
}

void net_model(const ref_node *node, const bool *constant, size_t first, crd__text *out) {
  const char *const domain = domain_of(node->op);
  crd__text graph = begin(out), inner = begin(out);
  for (size_t i = 0; i < node->input_count; i++)
    crd__onnx_proto_string(&inner, NODE_INPUT, node->inputs[i] ? name_of('x', i) : "");
  for (size_t i = 0; i < node->output_count; i++)
    crd__onnx_proto_string(&inner, NODE_OUTPUT, i < node->unnamed ? "" : name_of('y', i));
  crd__onnx_proto_string(&inner, NODE_OP, node->op + (*domain ? strlen(domain) + 1 : 0));
  if (*domain) crd__onnx_proto_string(&inner, NODE_DOMAIN, domain);
  for (const ref_attribute *a = node->attributes; a && a->name; a++) add_attribute(&inner, a);
  end(&graph, GRAPH_NODE, &inner);
  crd__onnx_proto_string(&graph, GRAPH_NAME, "one node");
  for (size_t i = 0; i < node->input_count; i++) {
    if (!node->inputs[i]) continue;
    if (constant[i]) add_tensor(&graph, GRAPH_CONSTANT, node->inputs[i], name_of('x', i));
    else add_port(&graph, GRAPH_INPUT, name_of('x', i), node->inputs[i], true);
  }
  for (size_t k = 0; k < node->output_count; k++) {
    const size_t i = (first + k) % node->output_count;
    if (i >= node->unnamed)
      add_port(&graph, GRAPH_OUTPUT, name_of('y', i), &node->outputs[i], false);
  }
  crd__onnx_proto_int(out, MODEL_IR, 8);
  end(out, MODEL_GRAPH, &graph);
  if (*domain) add_opset(out, "", 15);
  add_opset(out, domain, node->opset);
}

void net_model_of(const net_words *words, uint64_t seed, bool all, crd__text *out) {
  const ref_tensor *tensors[NET_INPUTS_MAX];
  bool constant[NET_INPUTS_MAX];
  net_input inputs[NET_INPUTS_MAX];
  net_attributes attributes;
  net_attributes_read(words->attributes, &attributes);
  ref_node node = { .op = words->op,
                    .opset = words->opset,
                    .inputs = tensors,
                    .input_count = net_inputs(words->inputs, seed, inputs),
                    .attributes = attributes.list,
                    .output_count = words->outputs ? words->outputs : 1 };
  for (size_t i = 0; i < node.input_count; i++) {
    tensors[i] = inputs[i].given ? &inputs[i].tensor : NULL;
    constant[i] = all || inputs[i].shaping;
  }
  net_model(&node, constant, 0, out);
  net_clear_inputs(inputs, node.input_count);
  net_attributes_clear(&attributes);
}
