/*
 * network.c -- networks of nodes, types, shapes, constants and attributes chosen by any bytes:
 * surveyed, compiled and run.
 *
 * Random bytes as an ONNX file (onnx.c) seldom get past the reader; here each byte is a choice from
 * a table of values worth trying, and the result is always a well-formed file. A small file can ask
 * for any amount of memory and work: a small limit of the allocator bounds both, except for
 * oneDNN's own allocations.
 */
#include "fuzz.h"

#include "credence/network.h"
#include "graph/op.h"
#include "onnx/fields.h"
#include "onnx/proto.h"

#include <math.h>
#include <string.h>

enum { ROOM = 1 << 18 }; /* bytes of the largest array */
enum { NODES_MAX = 8, TENSORS_MAX = 64, INPUTS_MAX = 8, CONSTANT_MAX = 64, OPERATORS_MAX = 256 };

/* ---- Choices. */

typedef struct {
  const uint8_t *at, *end;
  crd_allocator alloc;
  size_t tensors; /* t0, t1, ... exist */
  crd__text nodes, constants, inputs;
} maker;

static unsigned take(maker *m) { return m->at < m->end ? *m->at++ : 0; }
static size_t choose(maker *m, size_t count) { return take(m) % count; }

#define CHOICE(m, table) (table)[choose(m, sizeof(table) / sizeof *(table))]

static const int64_t dims[] = { 1,
                                2,
                                3,
                                4,
                                5,
                                7,
                                0,
                                8,
                                16,
                                17,
                                33,
                                255,
                                1 << 16,
                                1 << 20,
                                INT64_C(1) << 31,
                                INT64_C(1) << 40,
                                INT64_C(1) << 62,
                                INT64_MAX };
static const int64_t whole[] = { 0,  1,   2,   3,       4,         5,         -1,
                                 -2, -3,  7,   1 << 20, 1u << 31,  INT32_MAX, INT32_MIN,
                                 16, 255, -16, 1000000, INT64_MAX, INT64_MIN, INT64_C(1) << 40 };
static const float real[] = { 0, 1, -1, 0.5f, 1e-5f, 3, -1e30f, 1e30f, INFINITY, -INFINITY, NAN };
static const char *const words[] = { "SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET",
                                     "constant",   "reflect",    "edge",  "wrap",
                                     "none",       "tanh",       "",      "nonsense" };
static const int types[] = { 1, 7, 6, 9, 11, 10, 2, 3, 4, 5, 12, 13, 8, 16 }; /* ONNX's codes */
static const size_t sizes[] = {
  [1] = 4, [2] = 1, [3] = 1,  [4] = 2,  [5] = 2,  [6] = 4,  [7] = 8,
  [8] = 1, [9] = 1, [10] = 2, [11] = 8, [12] = 4, [13] = 8, [16] = 2
};

/* ---- Messages. */

static crd__text begin(const maker *m) {
  crd__text text;
  crd__text_init(&text, &m->alloc);
  return text;
}

static void end(crd__text *outer, unsigned field, crd__text *inner) {
  crd__onnx_proto_message(outer, field, inner);
  crd__text_clear(inner);
}

/* Appends the fields of one message to another, and clears it. */
static void append(crd__text *message, crd__text *more) {
  if (more->length) crd__text_add_bytes(message, more->bytes, more->length);
  crd__text_clear(more);
}

static const char *name_of(size_t tensor, char out[24]) {
  snprintf(out, 24, "t%zu", tensor);
  return out;
}

/* Small values of any type, as bytes: they may be a shape or axes. */
static void put_numbers(maker *m, crd__text *tensor, int type, size_t count) {
  unsigned char bytes[CONSTANT_MAX * 8] = { 0 };
  for (size_t i = 0; i < count; i++) {
    const int64_t number = CHOICE(m, whole);
    const double wide = (double)CHOICE(m, real);
    const float narrow = (float)wide;
    const void *const from = type == 1    ? (const void *)&narrow
                             : type == 11 ? (const void *)&wide
                                          : (const void *)&number;
    memcpy(bytes + i * sizes[type], from, sizes[type]);
    if (type == 9) bytes[i] &= 1;
  }
  crd__onnx_proto_bytes(tensor, TENSOR_RAW, bytes, count * sizes[type]);
}

static void put_constant(maker *m, crd__text *outer, unsigned field, const char *name) {
  crd__text tensor = begin(m);
  const int type = CHOICE(m, types);
  const size_t rank = choose(m, 5);
  size_t count = 1;
  for (size_t i = 0; i < rank; i++) {
    const size_t dim = choose(m, 9);
    if (count * dim > CONSTANT_MAX) break;
    count *= dim;
    crd__onnx_proto_int(&tensor, TENSOR_DIM, (int64_t)dim);
  }
  crd__onnx_proto_int(&tensor, TENSOR_TYPE, type);
  crd__onnx_proto_string(&tensor, TENSOR_NAME, name);
  put_numbers(m, &tensor, type, count);
  end(outer, field, &tensor);
}

/* A value of the graph; without a shape if `rank` exceeds the maximum. */
static void put_value(maker *m, crd__text *graph, unsigned field, const char *name, int type,
                      size_t rank) {
  crd__text value = begin(m), kind = begin(m), tensor = begin(m), shape = begin(m);
  for (size_t i = 0; i < rank && rank <= CRD_RANK_MAX; i++) {
    crd__text dim = begin(m);
    if (choose(m, 8) != 7) crd__onnx_proto_int(&dim, DIM_VALUE, CHOICE(m, dims));
    end(&shape, SHAPE_DIM, &dim);
  }
  crd__onnx_proto_string(&value, VALUE_NAME, name);
  crd__onnx_proto_int(&tensor, TENSOR_ELEMENT, type);
  if (rank <= CRD_RANK_MAX) crd__onnx_proto_message(&tensor, TENSOR_SHAPE, &shape);
  crd__text_clear(&shape);
  end(&kind, TYPE_TENSOR, &tensor);
  end(&value, VALUE_TYPE, &kind);
  end(graph, field, &value);
}

/* ---- Nodes. */

static void put_attribute(maker *m, crd__text *node, const crd__graph_op_attribute *known) {
  crd__text a = begin(m);
  const size_t count = choose(m, 7), odd = choose(m, 32);
  const int type = odd == 31 ? (int)choose(m, 9) : (int)known->type;
  crd__onnx_proto_string(&a, ATTRIBUTE_NAME, known->name);
  crd__onnx_proto_int(&a, ATTRIBUTE_TYPE, type);
  if (type == CRD__ATTRIBUTE_FLOAT) crd__onnx_proto_float(&a, ATTRIBUTE_FLOAT, CHOICE(m, real));
  if (type == CRD__ATTRIBUTE_INT) crd__onnx_proto_int(&a, ATTRIBUTE_INT, CHOICE(m, whole));
  if (type == CRD__ATTRIBUTE_STRING) crd__onnx_proto_string(&a, ATTRIBUTE_STRING, CHOICE(m, words));
  if (type == CRD__ATTRIBUTE_TENSOR) put_constant(m, &a, ATTRIBUTE_TENSOR, "");
  for (size_t i = 0; i < count && type == CRD__ATTRIBUTE_INTS; i++)
    crd__onnx_proto_int(&a, ATTRIBUTE_INTS, CHOICE(m, whole));
  for (size_t i = 0; i < count && type == CRD__ATTRIBUTE_FLOATS; i++)
    crd__onnx_proto_float(&a, ATTRIBUTE_FLOATS, CHOICE(m, real));
  end(node, NODE_ATTRIBUTE, &a);
}

static void put_attributes(maker *m, crd__text *node, const crd__graph_op *op) {
  size_t known = 0;
  while (op->attributes && op->attributes[known].name) known++;
  for (size_t i = 0; i < known; i++)
    if (choose(m, 2)) put_attribute(m, node, &op->attributes[i]);
}

/* An input of a node: an existing tensor, a new one, or none. */
static const char *make_input(maker *m, char name[24]) {
  const size_t how = choose(m, 8);
  if (how < 3 && m->tensors) return name_of(choose(m, m->tensors), name);
  if (how == 7 || m->tensors == TENSORS_MAX) return "";
  name_of(m->tensors++, name);
  if (how < 5) put_constant(m, &m->constants, GRAPH_INITIALIZER, name);
  else {
    const int type = CHOICE(m, types);
    put_value(m, &m->inputs, GRAPH_INPUT, name, type, choose(m, 6));
  }
  return name;
}

static void put_node(maker *m) {
  crd__text node = begin(m);
  size_t operators = 0;
  while (crd__graph_op_at(operators)) operators++;
  HOLDS(operators > 0);
  const crd__graph_op *const op = crd__graph_op_at(choose(m, operators));
  const size_t inputs = op->inputs_least + choose(m, 3), outputs = op->outputs_least + choose(m, 2);
  char name[24];
  for (size_t i = 0; i < inputs; i++)
    crd__onnx_proto_string(&node, NODE_INPUT, make_input(m, name));
  for (size_t i = 0; i < outputs && m->tensors < TENSORS_MAX; i++)
    crd__onnx_proto_string(&node, NODE_OUTPUT, name_of(m->tensors++, name));
  crd__onnx_proto_string(&node, NODE_OP, op->info.name);
  put_attributes(m, &node, op);
  end(&m->nodes, GRAPH_NODE, &node);
}

static crd__text make_model(maker *m) {
  crd__text model = begin(m), opset = begin(m);
  char name[24];
  m->nodes = m->constants = m->inputs = begin(m);
  crd__onnx_proto_int(&opset, OPSET_VERSION, 9 + (int64_t)choose(m, 12));
  for (size_t i = 0; i < NODES_MAX && m->at < m->end; i++) put_node(m);
  append(&m->nodes, &m->constants);
  append(&m->nodes, &m->inputs);
  for (size_t i = m->tensors; i-- > 0 && i + 3 > m->tensors;) /* the last two */
    put_value(m, &m->nodes, GRAPH_OUTPUT, name_of(i, name), 1, CRD_RANK_MAX + 1);
  crd__onnx_proto_int(&model, MODEL_IR, 8);
  end(&model, MODEL_OPSET, &opset);
  end(&model, MODEL_GRAPH, &m->nodes);
  return model;
}

/* ---- Survey, compile, run. */

static void *allocate(void *self, void *memory, size_t bytes) {
  (void)self;
  if (bytes) return bytes <= ROOM ? realloc(memory, bytes) : NULL;
  free(memory);
  return NULL;
}

static bool is_refusal(const crd_context *ctx, crd_status status) {
  const char *const why = crd_context_message(ctx);
  if ((status == CRD_ENOMEM || status == CRD_EINPUT || status == CRD_EUSAGE) && *why) return true;
  fprintf(stderr, "%s: %s\n", crd_status_text(status), why);
  return false;
}

static uint64_t touch(const crd_array *t) {
  const unsigned char *const bytes = t->data;
  uint64_t sum = 0;
  for (size_t i = 0; i < crd_array_count(t) * crd_dtype_size(t->dtype); i++) sum += bytes[i];
  return sum;
}

/* Feeds small values; used as indices some are invalid, which the run must detect. */
static void run(crd_context *ctx, crd_network *network) {
  static unsigned char numbers[ROOM];
  crd_array inputs[INPUTS_MAX];
  size_t count = 0;
  for (size_t i = 0; i < ROOM; i++) numbers[i] = (unsigned char)(i % 8 ? 0 : i / 8 % 3);
  for (const crd_array *t; (t = crd_network_input(network, count)); count++) {
    if (count == INPUTS_MAX) return;
    HOLDS(crd_array_count(t) * crd_dtype_size(t->dtype) <= ROOM);
    inputs[count] = *t;
    inputs[count].data = numbers;
  }
  const crd_status status = crd_network_run(ctx, network, inputs, count);
  HOLDS(status == CRD_OK || is_refusal(ctx, status));
  const crd_array *y;
  for (size_t i = 0; status == CRD_OK && (y = crd_network_output(network, i)); i++)
    HOLDS(touch(y) != UINT64_MAX); /* keeps the compiler from removing the sum */
}

static void compile(crd_context *ctx, const crd_model *model) {
  crd_network *network;
  const crd_compile_options options = { .size = sizeof options, .batch = 2 };
  const crd_status status = crd_network_compile(ctx, model, &options, &network);
  HOLDS(status == CRD_OK ? network != NULL : !network && is_refusal(ctx, status));
  if (network) run(ctx, network);
  crd_network_destroy(network);
}

static void survey(crd_context *ctx, const crd_model *model) {
  const crd_survey *found;
  const crd_status status = crd_survey_make(ctx, model, NULL, &found);
  HOLDS(status == CRD_OK ? found != NULL : !found && is_refusal(ctx, status));
  crd_survey_destroy(found);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  crd_context *ctx;
  crd_model *model;
  maker m = { .at = bytes, .end = bytes + length, .alloc = { .resize = allocate } };
  crd__text file = make_model(&m);
  HOLDS(crd_context_create(&m.alloc, &ctx) == CRD_OK);
  crd_context_set_threads(ctx, 1);
  const crd_status status =
      crd_model_open_memory(ctx, "fuzz.onnx", file.bytes, file.length, &model);
  HOLDS(status == CRD_OK ? model != NULL : !model && is_refusal(ctx, status));
  if (model) compile(ctx, model);
  if (model) survey(ctx, model);
  crd_model_destroy(model);
  crd_context_destroy(ctx);
  crd__text_clear(&file);
  return 0;
}
