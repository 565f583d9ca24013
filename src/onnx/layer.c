/*
 * layer.c -- a new last layer: y = x W + b, as Gemm, as MatMul, or as MatMul and Add.
 *
 * Weights and biases are uniform on [-1/sqrt(n), 1/sqrt(n)] for n inputs, as in torch.nn.Linear: He
 * initialisation with a leaky slope of sqrt(5). Each is a function of seed, class and input, not of
 * the layout. They keep their names, unless other nodes read the old ones.
 *   He, Zhang, Ren, Sun: Delving deep into rectifiers. ICCV 2015.
 */
#include "onnx/layer.h"
#include "base/memory.h"
#include "base/random.h"
#include "onnx/fields.h"
#include "onnx/graph.h"
#include "onnx/part.h"
#include "onnx/proto.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STREAM = 0x6c617965 /* "laye": one for weights, one for biases */ };

/* Weights or biases. */
typedef struct {
  int edge, reader; /* the old tensor, and the node that reads it; NONE: the layer has none */
  bool shared;      /* other nodes read it too: it stays, and the new one has this name: */
  char name[40];
  size_t rank;
  int64_t dims[2];
  float *values;
} tensor;

typedef struct {
  crd_context *ctx;
  const crd__onnx_file *file;
  size_t classes, features;
  tensor weights, bias;
  bool by_class; /* weights are (classes, features) */
  bool *behind;  /* values whose shape depends on the number of classes */
  crd__words names;
  crd__onnx_metadata_edit metadata;
} layer;

/* ---- Finding the layer. */

static const crd__onnx_node *maker_of(const layer *l, int edge) {
  const int producer = edge == CRD__ONNX_NONE ? CRD__ONNX_NONE : l->file->edges[edge].producer;
  return producer == CRD__ONNX_NONE ? NULL : &l->file->nodes[producer];
}

static bool is_op(const crd__onnx_node *node, const char *op) {
  return node && !node->domain[0] && strcmp(node->op, op) == 0;
}

static int input_of(const crd__onnx_node *node, size_t index) {
  return index < node->input_count ? node->inputs[index] : CRD__ONNX_NONE;
}

static const crd__onnx_tensor *constant_of(const layer *l, int edge) {
  return edge == CRD__ONNX_NONE ? NULL : l->file->edges[edge].constant;
}

static crd_status refuse(const layer *l, const char *why) {
  const int output = l->file->outputs[0];
  const crd__onnx_node *const node = maker_of(l, output);
  return crd__fail(l->ctx, CRD_EINPUT,
                   "%s: the output '%.60s' is not that of a fully connected layer (Gemm, or MatMul "
                   "and Add): %s%s%.60s%s",
                   l->file->path, l->file->edges[output].name, why, node ? " (" : "",
                   node ? node->op : "", node ? ")" : "");
}

static void set_tensor(const layer *l, int edge, const crd__onnx_node *reader, tensor *out) {
  out->edge = edge;
  out->reader = (int)(reader - l->file->nodes);
}

static bool is_transpose(const crd__onnx_node *node) {
  if (!is_op(node, "Transpose")) return false;
  const crd__onnx_attribute *const perm = crd__onnx_attribute_find(node, "perm");
  return !perm || (perm->count == 2 && perm->ints && perm->ints[0] == 1 && perm->ints[1] == 0);
}

/* Returns whether more than one node, or an output, reads a value. */
static bool is_shared(const layer *l, int edge) {
  size_t readers = 0;
  for (size_t n = 0; n < l->file->node_count; n++)
    for (size_t i = 0; i < l->file->nodes[n].input_count; i++)
      readers += l->file->nodes[n].inputs[i] == edge;
  for (size_t i = 0; i < l->file->output_count; i++) readers += l->file->outputs[i] == edge;
  return readers > 1;
}

/* Finds the weights: the second factor, or what it is the transpose of. */
static crd_status find_weights(layer *l, const crd__onnx_node *product) {
  const crd__onnx_node *reader = product;
  const crd__onnx_attribute *const turned = crd__onnx_attribute_find(product, "transB");
  const crd__onnx_attribute *const turned_x = crd__onnx_attribute_find(product, "transA");
  int edge = input_of(product, 1);
  l->by_class = turned && turned->i;
  if (is_transpose(maker_of(l, edge))) {
    if (is_shared(l, edge)) return refuse(l, "other nodes read its weights");
    l->behind[edge] = true;
    reader = maker_of(l, edge);
    edge = input_of(reader, 0);
    l->by_class = !l->by_class;
  }
  const crd__onnx_tensor *const w = constant_of(l, edge);
  if (!w || !w->numbers || w->dtype != CRD_F32 || w->rank != 2 || w->count == 0 ||
      (turned_x && turned_x->i))
    return refuse(l, "its weights are not a matrix of f32");
  set_tensor(l, edge, reader, &l->weights);
  l->features = (size_t)w->dims[l->by_class];
  return CRD_OK;
}

static crd_status set_bias(layer *l, int edge, const crd__onnx_node *reader) {
  const crd__onnx_tensor *const b = constant_of(l, edge);
  if (!b || !b->numbers || b->dtype != CRD_F32)
    return refuse(l, "its bias is not a constant of f32");
  set_tensor(l, edge, reader, &l->bias);
  return CRD_OK;
}

static crd_status find_layer(layer *l) {
  const int output = l->file->outputs[0];
  const crd__onnx_node *last = maker_of(l, output);
  l->behind[output] = true;
  if (is_op(last, "Add") && last->input_count == 2) {
    const bool first = is_op(maker_of(l, last->inputs[0]), "MatMul");
    const int product = last->inputs[!first];
    if (!is_op(maker_of(l, product), "MatMul")) return refuse(l, "it adds no product");
    CRD_TRY(set_bias(l, last->inputs[first], last));
    l->behind[product] = true;
    return find_weights(l, maker_of(l, product));
  }
  if (is_op(last, "MatMul")) return find_weights(l, last);
  if (!is_op(last, "Gemm")) return refuse(l, last ? "its node is another" : "no node computes it");
  if (input_of(last, 2) != CRD__ONNX_NONE) CRD_TRY(set_bias(l, input_of(last, 2), last));
  return find_weights(l, last);
}

/* ---- New values. */

static void choose_name(const layer *l, const char *word, tensor *t) {
  size_t number;
  t->shared = is_shared(l, t->edge);
  snprintf(t->name, sizeof t->name, "%s", word);
  for (unsigned i = 2; crd__words_find(&l->names, t->name, strlen(t->name), &number); i++)
    snprintf(t->name, sizeof t->name, "%s%u", word, i);
}

static float draw(const layer *l, uint64_t stream, uint64_t index) {
  const double bound = 1 / sqrt((double)l->features);
  return (float)(bound * (2 * crd__random_uniform(l->ctx->seed, STREAM + stream, index) - 1));
}

static crd_status make_values(layer *l) {
  const size_t classes = l->classes, features = l->features;
  size_t count;
  if (!crd__size_mul(classes, features, &count) || count > PTRDIFF_MAX / sizeof(float))
    return crd__fail(l->ctx, CRD_EUSAGE, "%zu classes are too many for memory", classes);
  CRD_TRY(crd__new(l->ctx, count, sizeof(float), "weights", &l->weights.values));
  l->weights.rank = 2;
  l->weights.dims[0] = (int64_t)(l->by_class ? classes : features);
  l->weights.dims[1] = (int64_t)(l->by_class ? features : classes);
  for (size_t c = 0; c < classes; c++)
    for (size_t f = 0; f < features; f++)
      l->weights.values[l->by_class ? c * features + f : f * classes + c] =
          draw(l, 0, c * features + f);
  choose_name(l, "classes_weight", &l->weights);
  if (l->bias.edge == CRD__ONNX_NONE) return CRD_OK;
  CRD_TRY(crd__new(l->ctx, classes, sizeof(float), "weights", &l->bias.values));
  l->bias.rank = 1;
  l->bias.dims[0] = (int64_t)classes;
  for (size_t c = 0; c < classes; c++) l->bias.values[c] = draw(l, 1, c);
  choose_name(l, "classes_bias", &l->bias);
  return CRD_OK;
}

/* ---- Writing. */

static const char *name_of(const layer *l, const tensor *t) {
  return t->shared ? t->name : l->file->edges[t->edge].name;
}

static crd_status put_tensor(const layer *l, crd__onnx_writer *w, const tensor *t) {
  size_t count = 1;
  crd__text head;
  if (t->edge == CRD__ONNX_NONE) return CRD_OK;
  crd__text_init(&head, &l->ctx->alloc);
  for (size_t i = 0; i < t->rank; i++) {
    crd__onnx_proto_int(&head, TENSOR_DIM, t->dims[i]);
    count *= (size_t)t->dims[i];
  }
  crd__onnx_proto_int(&head, TENSOR_TYPE, CRD__ONNX_FLOAT);
  crd__onnx_proto_string(&head, TENSOR_NAME, name_of(l, t));
  crd__onnx_proto_head(&head, TENSOR_RAW, 4 * count);
  const crd_status status = crd__onnx_writer_head(w, GRAPH_INITIALIZER, head.length + 4 * count);
  if (status != CRD_OK) {
    crd__text_clear(&head);
    return status;
  }
  CRD_TRY(crd__onnx_writer_put_text(w, &head));
  return crd__onnx_writer_floats(w, t->values, count);
}

/* A node that reads new tensors gets their new names. */
static crd_status edit_node(const layer *l, crd__onnx_writer *w, const crd__onnx_field *field,
                            bool *done) {
  const tensor *const both[] = { &l->weights, &l->bias };
  const int edge = crd__onnx_names_edge(&l->names, field->inside, NODE_OUTPUT);
  const int node = edge == CRD__ONNX_NONE ? CRD__ONNX_NONE : l->file->edges[edge].producer;
  crd__onnx_renaming names[2];
  size_t count = 0;
  for (size_t i = 0; i < 2 && node != CRD__ONNX_NONE; i++)
    if (node == both[i]->reader)
      names[count++] =
          (crd__onnx_renaming){ l->file->edges[both[i]->edge].name, name_of(l, both[i]) };
  *done = count > 0;
  return *done ? crd__onnx_writer_node(w, field->inside, names, count) : CRD_OK;
}

/* Returns whether a tensor is removed because a new one replaces it. It is removed from the inputs
 * of the graph too, where files before IR version 4 declare initialisers. */
static bool is_replaced(const layer *l, int edge) {
  return edge != CRD__ONNX_NONE && ((edge == l->weights.edge && !l->weights.shared) ||
                                    (edge == l->bias.edge && !l->bias.shared));
}

/* The output has another last dimension; shapes that depend on it are left out. */
static crd_status edit_output(const layer *l, crd__onnx_writer *w, int edge, bool *done) {
  crd_port port = l->file->edges[edge].port;
  if (!l->behind[edge] || !l->file->edges[edge].typed) return CRD_OK;
  if (edge == l->file->outputs[0] && port.rank) {
    port.dims[port.rank - 1] = (int64_t)l->classes;
    port.dim_names[port.rank - 1] = NULL;
  } else port.known = 0;
  *done = true;
  return crd__onnx_writer_port(w, GRAPH_OUTPUT, port.name, &port);
}

static crd_status layer_field(void *self, crd__onnx_writer *w, crd__onnx_kind outer,
                              const crd__onnx_field *field, bool *done) {
  const layer *const l = self;
  CRD_TRY(crd__onnx_metadata_field(&l->metadata, outer, field, done));
  if (!crd__onnx_writer_in_graph(w, outer)) return CRD_OK;
  if (field->number == GRAPH_NODE) return edit_node(l, w, field, done);
  const unsigned name = field->number == GRAPH_INITIALIZER ? TENSOR_NAME : VALUE_NAME;
  const bool named = field->number == GRAPH_INITIALIZER ||
                     (field->number >= GRAPH_INPUT && field->number <= GRAPH_VALUE);
  const int edge = named ? crd__onnx_names_edge(&l->names, field->inside, name) : CRD__ONNX_NONE;
  if (edge == CRD__ONNX_NONE) return CRD_OK;
  if (field->number == GRAPH_OUTPUT) return edit_output(l, w, edge, done);
  *done =
      field->number == GRAPH_VALUE ? l->behind[edge] || is_replaced(l, edge) : is_replaced(l, edge);
  return CRD_OK;
}

static crd_status layer_end(void *self, crd__onnx_writer *w, crd__onnx_kind outer) {
  const layer *const l = self;
  CRD_TRY(crd__onnx_metadata_end(&l->metadata, w, outer));
  if (!crd__onnx_writer_in_graph(w, outer)) return CRD_OK;
  CRD_TRY(put_tensor(l, w, &l->weights));
  return put_tensor(l, w, &l->bias);
}

static crd_status replace(layer *l, crd__text *out) {
  const crd__onnx_edit edit = { layer_field, layer_end, l };
  if (l->classes == 0) return crd__fail(l->ctx, CRD_EUSAGE, "0 classes, at least 1 is needed");
  if (l->file->output_count == 0)
    return crd__fail(l->ctx, CRD_EINPUT, "%s: the graph has no output", l->file->path);
  CRD_TRY(crd__new(l->ctx, l->file->edge_count, sizeof *l->behind, "values", &l->behind));
  CRD_TRY(crd__onnx_names_of(l->ctx, l->file, &l->names));
  CRD_TRY(find_layer(l));
  crd__onnx_spread(l->file, l->behind);
  CRD_TRY(make_values(l));
  return crd__onnx_file_rewrite(l->ctx, l->file, &edit, out);
}

crd_status crd__onnx_layer_replace(crd_context *ctx, const crd__onnx_file *file, size_t classes,
                                   crd__onnx_metadata_edit metadata, crd__text *out) {
  layer l = { .ctx = ctx, .file = file, .classes = classes, .metadata = metadata };
  l.weights.edge = l.weights.reader = l.bias.edge = l.bias.reader = CRD__ONNX_NONE;
  const crd_status status = replace(&l, out);
  crd__words_clear(&ctx->alloc, &l.names);
  crd__free(&ctx->alloc, l.behind);
  crd__free(&ctx->alloc, l.weights.values);
  crd__free(&ctx->alloc, l.bias.values);
  return status;
}
