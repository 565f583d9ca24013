/*
 * shift.c -- a constant added to a value of a graph.
 *
 * Nodes of a file are in topological order, so the new nodes go in front of the first node that
 * reads the value. The value keeps its name, which may be that of an input.
 *
 * A projection of y to [l, h], with other bounds for every element, is l + relu(y - l) -
 * relu(y - h): Clip takes scalars only.
 */
#include "onnx/shift.h"
#include "onnx/fields.h"
#include "onnx/graph.h"
#include "onnx/part.h"
#include "onnx/proto.h"

#include <stdio.h>
#include <string.h>

enum { OPSET_MIN = 7, SHAPE_TEXT = 128 }; /* Add broadcasts as in NumPy */

typedef struct {
  crd_context *ctx;
  const crd__onnx_file *file;
  const crd__onnx_shift *shift;
  crd__onnx_span first;  /* the first node that reads the value */
  crd__onnx_graph graph; /* the new fields */
  crd__onnx_renaming name;
  char prefix[24], result[40]; /* of new names; the name that readers read */
} shifting;

static bool reads(crd__onnx_span node, const char *value) {
  crd__onnx_message m = crd__onnx_message_of(node);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);)
    if (f.number == NODE_INPUT && crd__onnx_span_is(f.inside, value)) return true;
  return false;
}

static bool has_graph(const crd__onnx_node *node) {
  enum { GRAPHS = 10 }; /* ONNX's type of a list of graphs */
  for (size_t i = 0; i < node->attribute_count; i++)
    if (node->attributes[i].type == CRD__ATTRIBUTE_GRAPH || node->attributes[i].type == GRAPHS)
      return true;
  return false;
}

/* Writes "3 x height x 32"; free dimensions have a name or '?'. */
static const char *shape_text(char text[static SHAPE_TEXT], size_t rank, const int64_t *dims,
                              const char *const *names) {
  size_t at = 0;
  snprintf(text, SHAPE_TEXT, "no dimensions");
  for (size_t i = 0; i < rank && at < SHAPE_TEXT - 1; i++) {
    const char *const before = i ? " x " : "", *const name = names && names[i] ? names[i] : "?";
    const int length =
        dims[i] < 0 ? snprintf(text + at, SHAPE_TEXT - at, "%s%.40s", before, name)
                    : snprintf(text + at, SHAPE_TEXT - at, "%s%lld", before, (long long)dims[i]);
    at += (size_t)length;
  }
  return text;
}

static crd_status refuse_shape(const shifting *s, const crd_port *port) {
  char found[SHAPE_TEXT], given[SHAPE_TEXT];
  if (port->rank < 2)
    return crd__fail(s->ctx, CRD_EUSAGE, "%s: '%.60s' has no rows that a perturbation is added to",
                     s->file->path, s->shift->value);
  return crd__fail(s->ctx, CRD_EUSAGE, "%s: rows of '%.60s' have the shape %s, the perturbation %s",
                   s->file->path, s->shift->value,
                   shape_text(found, port->rank - 1, port->dims + 1, port->dim_names + 1),
                   shape_text(given, s->shift->rank, s->shift->dims, NULL));
}

/* Compares type and shape, as far as the file gives them. */
static crd_status check_type(const shifting *s, const crd__onnx_edge *edge) {
  const crd_port *const port = &edge->port;
  const crd__onnx_shift *const shift = s->shift;
  if (!edge->typed) return CRD_OK;
  if (port->dtype != CRD_F32)
    return crd__fail(s->ctx, CRD_EUSAGE,
                     "%s: '%.60s' is %s; a perturbation can only be added to f32", s->file->path,
                     shift->value, crd_dtype_name(port->dtype));
  bool same = !port->known || port->rank == shift->rank + 1;
  for (size_t i = 0; same && port->known && i < shift->rank; i++)
    same = port->dims[i + 1] < 0 || port->dims[i + 1] == shift->dims[i];
  return same ? CRD_OK : refuse_shape(s, port);
}

static crd_status check(shifting *s) {
  const crd__onnx_file *const file = s->file;
  const char *const value = s->shift->value;
  bool read = false;
  int edge;
  CRD_TRY(crd__onnx_part_find(s->ctx, file, value, &edge));
  CRD_TRY(check_type(s, &file->edges[edge]));
  if (file->opset < OPSET_MIN)
    return crd__fail(s->ctx, CRD_EINPUT,
                     "%s: the model has operator set %lld; at least %d is needed", file->path,
                     (long long)file->opset, OPSET_MIN);
  for (size_t n = 0; n < file->node_count; n++) {
    if (has_graph(&file->nodes[n]))
      return crd__fail(s->ctx, CRD_EINPUT,
                       "%s: node '%.60s' (%.60s) has a graph inside, which might read '%.60s'",
                       file->path, file->nodes[n].name, file->nodes[n].op, value);
    for (size_t i = 0; i < file->nodes[n].input_count; i++)
      read |= file->nodes[n].inputs[i] == edge;
  }
  if (read) return CRD_OK;
  return crd__fail(s->ctx, CRD_EUSAGE, "%s: no node reads '%.60s'", file->path, value);
}

/* The first reader in the order of the file, which may differ from that of file->nodes. */
static void find_first(shifting *s) {
  const crd__onnx_model *const model = &((const crd__onnx_resources *)s->file->inside)->model;
  crd__onnx_message m = crd__onnx_message_of(model->graph);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f) && !s->first.bytes;)
    if (f.number == GRAPH_NODE && reads(f.inside, s->shift->value)) s->first = f.inside;
}

/* Adds a constant of the value's shape; `name` follows the prefix. */
static void add_constant(shifting *s, const char *name, const float *values) {
  char full[48];
  snprintf(full, sizeof full, "%s%s", s->prefix, name);
  crd__onnx_graph_floats(&s->graph, full, values, s->shift->dims, s->shift->rank);
}

/* Adds a node; names follow the prefix, except that of the shifted value. `right` NULL: none. */
static void add_node(shifting *s, const char *op, const char *left, const char *right,
                     const char *output) {
  const char *const inputs[] = { left, right };
  char full[48];
  crd__text node;
  crd__text_init(&node, &s->ctx->alloc);
  for (size_t i = 0; i < 2 && inputs[i]; i++) {
    const bool given = inputs[i] == s->shift->value;
    snprintf(full, sizeof full, "%s%s", s->prefix, inputs[i]);
    crd__onnx_proto_string(&node, NODE_INPUT, given ? inputs[i] : full);
  }
  snprintf(full, sizeof full, "%s%s", s->prefix, output);
  crd__onnx_proto_string(&node, NODE_OUTPUT, full);
  crd__onnx_proto_string(&node, NODE_NAME, full);
  crd__onnx_proto_string(&node, NODE_OP, op);
  crd__onnx_proto_message(&s->graph.body, GRAPH_NODE, &node);
  crd__text_clear(&node);
}

static void add_projection(shifting *s) {
  add_constant(s, "low", s->shift->low);
  add_constant(s, "high", s->shift->high);
  add_node(s, "Sub", "perturbed", "low", "above_low");
  add_node(s, "Relu", "above_low", NULL, "raised");
  add_node(s, "Sub", "perturbed", "high", "above_high");
  add_node(s, "Relu", "above_high", NULL, "excess");
  add_node(s, "Sub", "raised", "excess", "offset");
  add_node(s, "Add", "offset", "low", "projected");
}

/* Builds constants and nodes, with names that nothing else begins with. */
static void build(shifting *s) {
  const crd__onnx_model *const model = &((const crd__onnx_resources *)s->file->inside)->model;
  const bool projects = s->shift->low != NULL;
  snprintf(s->prefix, sizeof s->prefix, "credence_");
  for (unsigned i = 2; crd__onnx_has_name(model, s->prefix, false); i++)
    snprintf(s->prefix, sizeof s->prefix, "credence%u_", i);
  snprintf(s->result, sizeof s->result, "%s%s", s->prefix, projects ? "projected" : "perturbed");
  s->name = (crd__onnx_renaming){ .from = s->shift->value, .to = s->result };
  crd__onnx_graph_init(&s->graph, &s->ctx->alloc);
  add_constant(s, "delta", s->shift->values);
  add_node(s, "Add", s->shift->value, "delta", "perturbed");
  if (projects) add_projection(s);
}

static crd_status shift_field(void *self, crd__onnx_writer *w, crd__onnx_kind outer,
                              const crd__onnx_field *field, bool *done) {
  const shifting *const s = self;
  CRD_TRY(crd__onnx_metadata_field(&s->shift->metadata, outer, field, done));
  if (*done || !crd__onnx_writer_in_graph(w, outer) || field->number != GRAPH_NODE ||
      !reads(field->inside, s->shift->value))
    return CRD_OK;
  *done = true;
  if (field->inside.bytes == s->first.bytes)
    CRD_TRY(crd__onnx_writer_put(w, s->graph.body.bytes, s->graph.body.length));
  return crd__onnx_writer_node(w, field->inside, &s->name, 1);
}

static crd_status shift_end(void *self, crd__onnx_writer *w, crd__onnx_kind outer) {
  const shifting *const s = self;
  return crd__onnx_metadata_end(&s->shift->metadata, w, outer);
}

crd_status crd__onnx_shift_write(crd_context *ctx, const crd__onnx_file *file,
                                 const crd__onnx_shift *shift, crd__text *out) {
  shifting s = { .ctx = ctx, .file = file, .shift = shift };
  const crd__onnx_edit edit = { shift_field, shift_end, &s };
  CRD_TRY(check(&s));
  find_first(&s);
  build(&s);
  crd_status status = crd__text_status(ctx, &s.graph.body);
  if (status == CRD_OK) status = crd__onnx_file_rewrite(ctx, file, &edit, out);
  crd__onnx_graph_clear(&s.graph);
  return status;
}
