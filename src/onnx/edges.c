/*
 * edges.c -- the graph: inputs, initialisers, nodes and outputs, connected by edges.
 *
 * First every value that something produces gets an index (inputs, initialisers, outputs of nodes);
 * then every reader must find its values, and an unknown name is an error.
 */
#include "onnx/fields.h"
#include "onnx/reader.h"

#include <limits.h>
#include <string.h>

typedef struct {
  const crd__onnx_reader *r;
  crd__onnx_file *file;
  crd__words names; /* in the order of their edges */
  size_t capacity;  /* capacity, in edges */
} graph;

/* ---- Names. */

static crd_status name_of(const crd__onnx_reader *r, crd__onnx_span value, uint64_t field,
                          const char *what, crd__onnx_span *out) {
  *out = (crd__onnx_span){ .bytes = value.bytes };
  crd__onnx_message m = crd__onnx_message_of(value);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);)
    if (f.number == field) *out = f.inside;
  if (out->length) return CRD_OK;
  return crd__onnx_reader_fail(r, "%s of the graph has no name", what);
}

/* Returns the index of an edge; NONE: no such name. */
static int find_edge(const graph *g, crd__onnx_span name) {
  size_t number;
  const bool found = crd__words_find(&g->names, (const char *)name.bytes, name.length, &number);
  return found ? (int)number : CRD__ONNX_NONE;
}

/* Finds or adds the edge of a name. Names are compared as copies: the originals are scattered among
 * the weights, and reading them would load the whole file into memory. */
static crd_status make_edge(graph *g, crd__onnx_span name, const char *what, crd__onnx_edge **out) {
  const int known = find_edge(g, name);
  size_t number = (size_t)known;
  const char *copy;
  if (known == CRD__ONNX_NONE) {
    CRD_TRY(crd__onnx_reader_name(g->r, name, what, &copy));
    CRD_TRY(crd__words_add(g->r->ctx, &g->names, copy, name.length, &number));
    g->file->edges[number] =
        (crd__onnx_edge){ .name = copy, .producer = CRD__ONNX_NONE, .port.name = copy };
    g->file->edge_count++;
  }
  *out = &g->file->edges[number];
  return CRD_OK;
}

static int number_of(const graph *g, const crd__onnx_edge *edge) {
  return (int)(edge - g->file->edges);
}

/* ---- Producers. */

/* Counts inputs, nodes and outputs; edges as an upper bound. */
static crd_status count(graph *g, crd__onnx_span span) {
  crd__onnx_file *const file = g->file;
  crd__onnx_message m = crd__onnx_message_of(span);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);) {
    g->capacity += f.number == GRAPH_INPUT || f.number == GRAPH_INITIALIZER;
    file->input_count += f.number == GRAPH_INPUT;
    file->output_count += f.number == GRAPH_OUTPUT;
    file->node_count += f.number == GRAPH_NODE;
    if (f.number == GRAPH_SPARSE)
      return crd__onnx_reader_fail(g->r,
                                   "the graph has a sparse initialiser: only dense ones are read");
    crd__blob_drop_behind(g->r->blob, f.whole.bytes, f.whole.length);
    if (f.number != GRAPH_NODE) continue;
    crd__onnx_message node = crd__onnx_message_of(f.inside);
    for (crd__onnx_field n; crd__onnx_message_next(&node, &n);)
      g->capacity += n.number == NODE_OUTPUT;
  }
  if (g->capacity <= INT_MAX && file->node_count <= INT_MAX) return CRD_OK;
  return crd__onnx_reader_fail(g->r,
                               "the graph has %zu nodes and %zu values, allowed are at most %d",
                               file->node_count, g->capacity, INT_MAX);
}

static crd_status add_initialiser(graph *g, crd__onnx_span span) {
  crd__onnx_span name;
  crd__onnx_edge *edge;
  crd__onnx_tensor *tensor;
  CRD_TRY(name_of(g->r, span, TENSOR_NAME, "an initialiser", &name));
  CRD_TRY(make_edge(g, name, "an initialiser", &edge));
  if (edge->constant)
    return crd__onnx_reader_fail(g->r, "two initialisers are called '%.60s'", edge->name);
  CRD_TRY(crd__onnx_arena_new(g->r->ctx, g->r->arena, 1, sizeof *tensor, &tensor));
  CRD_TRY(crd__onnx_reader_tensor(g->r, span, tensor));
  if (tensor->numbers)
    g->file->weight_bytes += (uint64_t)(tensor->count * crd_dtype_size(tensor->dtype));
  edge->constant = tensor;
  return CRD_OK;
}

/* Inputs with an initialiser are constants, not inputs of the file; initialisers are read first. */
static crd_status add_input(graph *g, crd__onnx_span span) {
  crd__onnx_span name;
  crd__onnx_edge *edge;
  CRD_TRY(name_of(g->r, span, VALUE_NAME, "an input", &name));
  const size_t before = g->file->edge_count;
  CRD_TRY(make_edge(g, name, "an input", &edge));
  CRD_TRY(crd__onnx_reader_port(g->r, span, edge));
  if (edge->constant) return CRD_OK;
  if (g->file->edge_count == before)
    return crd__onnx_reader_fail(g->r, "two inputs are called '%.60s'", edge->name);
  if (edge->negative)
    return crd__onnx_reader_fail(g->r,
                                 "dimension %zu of the input '%.60s' is %lld; a size must be at "
                                 "least 0, an open dimension has a name instead of a size",
                                 edge->negative_at, edge->name, (long long)edge->negative);
  g->file->inputs[g->file->input_count++] = number_of(g, edge);
  return CRD_OK;
}

static crd_status add_output_of(graph *g, crd__onnx_node *node, crd__onnx_span name) {
  const size_t before = g->file->edge_count;
  crd__onnx_edge *edge;
  int *const out = &node->outputs[node->output_count++];
  *out = CRD__ONNX_NONE;
  if (name.length == 0) return CRD_OK;
  CRD_TRY(make_edge(g, name, "an output", &edge));
  if (g->file->edge_count == before)
    return crd__onnx_reader_fail(
        g->r, "node '%.60s' produces '%.60s', which %s%.60s%s already", node->name, edge->name,
        edge->producer != CRD__ONNX_NONE ? "node '"
        : edge->constant                 ? "an initialiser"
                                         : "an input of the graph",
        edge->producer != CRD__ONNX_NONE ? g->file->nodes[edge->producer].name : "",
        edge->producer != CRD__ONNX_NONE ? "' produces" : " is");
  *out = number_of(g, edge);
  edge->producer = (int)(node - g->file->nodes);
  return CRD_OK;
}

static crd_status add_node(graph *g, crd__onnx_span span) {
  const crd__onnx_reader *const r = g->r;
  crd__onnx_node *const node = &g->file->nodes[g->file->node_count++];
  size_t inputs = 0, outputs = 0;
  CRD_TRY(crd__onnx_reader_node(r, span, node));
  crd__onnx_message m = crd__onnx_message_of(span);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);) {
    inputs += f.number == NODE_INPUT;
    outputs += f.number == NODE_OUTPUT;
  }
  CRD_TRY(crd__onnx_arena_new(r->ctx, r->arena, inputs, sizeof *node->inputs, &node->inputs));
  CRD_TRY(crd__onnx_arena_new(r->ctx, r->arena, outputs, sizeof *node->outputs, &node->outputs));
  m = crd__onnx_message_of(span);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);)
    if (f.number == NODE_OUTPUT) CRD_TRY(add_output_of(g, node, f.inside));
  return CRD_OK;
}

/* ---- Readers. */

static crd_status connect(graph *g, crd__onnx_node *node) {
  crd__onnx_message m = crd__onnx_message_of(node->whole);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);) {
    if (f.number != NODE_INPUT) continue;
    const int edge = f.inside.length ? find_edge(g, f.inside) : CRD__ONNX_NONE;
    const int length = (int)(f.inside.length < 60 ? f.inside.length : 60);
    if (f.inside.length && edge == CRD__ONNX_NONE)
      return crd__onnx_reader_fail(
          g->r,
          "node '%.60s' (%.60s) reads '%.*s', which is neither the output of a "
          "node, an input nor an initialiser",
          node->name, node->op, length, (const char *)f.inside.bytes);
    node->inputs[node->input_count++] = edge;
  }
  return CRD_OK;
}

static crd_status add_output(graph *g, crd__onnx_span span) {
  crd__onnx_span name;
  CRD_TRY(name_of(g->r, span, VALUE_NAME, "an output", &name));
  const int edge = find_edge(g, name);
  const int length = (int)(name.length < 60 ? name.length : 60);
  if (edge == CRD__ONNX_NONE)
    return crd__onnx_reader_fail(g->r,
                                 "the graph has an output '%.*s', which is neither the output of a "
                                 "node, an input nor an initialiser",
                                 length, (const char *)name.bytes);
  g->file->outputs[g->file->output_count++] = edge;
  return crd__onnx_reader_port(g->r, span, &g->file->edges[edge]);
}

/* Declarations of unknown values are ignored. */
static crd_status add_note(graph *g, crd__onnx_span span) {
  crd__onnx_span name;
  CRD_TRY(name_of(g->r, span, VALUE_NAME, "a value", &name));
  const int edge = find_edge(g, name);
  return edge == CRD__ONNX_NONE ? CRD_OK : crd__onnx_reader_port(g->r, span, &g->file->edges[edge]);
}

/* ---- The graph. */

static crd_status each(graph *g, crd__onnx_span span, uint64_t number,
                       crd_status (*add)(graph *g, crd__onnx_span inside)) {
  crd__onnx_message m = crd__onnx_message_of(span);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);) {
    if (f.number == number) CRD_TRY(add(g, f.inside));
    crd__blob_drop_behind(g->r->blob, f.whole.bytes, f.whole.length);
  }
  return CRD_OK;
}

static crd_status read_graph(graph *g, crd__onnx_span span) {
  const crd__onnx_reader *const r = g->r;
  crd__onnx_file *const file = g->file;
  CRD_TRY(count(g, span));
  CRD_TRY(
      crd__onnx_arena_new(r->ctx, r->arena, file->node_count, sizeof *file->nodes, &file->nodes));
  CRD_TRY(crd__onnx_arena_new(r->ctx, r->arena, g->capacity, sizeof *file->edges, &file->edges));
  CRD_TRY(crd__onnx_arena_new(r->ctx, r->arena, file->input_count, sizeof(int), &file->inputs));
  CRD_TRY(crd__onnx_arena_new(r->ctx, r->arena, file->output_count, sizeof(int), &file->outputs));
  file->node_count = file->input_count = file->output_count = 0; /* counted again below */
  CRD_TRY(each(g, span, GRAPH_INITIALIZER, add_initialiser));
  CRD_TRY(each(g, span, GRAPH_INPUT, add_input));
  CRD_TRY(each(g, span, GRAPH_NODE, add_node));
  for (size_t i = 0; i < file->node_count; i++) CRD_TRY(connect(g, &file->nodes[i]));
  CRD_TRY(each(g, span, GRAPH_VALUE, add_note));
  CRD_TRY(each(g, span, GRAPH_OUTPUT, add_output));
  return crd__onnx_reader_sort(r, file);
}

crd_status crd__onnx_reader_graph(const crd__onnx_reader *reader, crd__onnx_span span,
                                  crd__onnx_file *file) {
  graph g = { .r = reader, .file = file };
  const crd_status status = read_graph(&g, span);
  crd__words_clear(&reader->ctx->alloc, &g.names);
  return status;
}
