/*
 * model.c -- walk through the messages of a model: graph, nodes, attributes with subgraphs,
 * tensors. The walk finds structural errors, visits names, and detects external data.
 */
#include "onnx/model.h"
#include "base/text.h"
#include "onnx/fields.h"

#include <string.h>

enum { DEPTH_MAX = 32 };

typedef struct {
  const char *text; /* the name to look for; NULL: none */
  bool whole, found;
  bool external;
  const unsigned char *bad; /* the first invalid field; NULL: none */
  const crd__blob *blob;    /* the mapping; NULL: none */
} walk;

/* ---- Walking. */

typedef void visitor(walk *w, crd__onnx_span inside, unsigned depth);

/* A field that is a message must be bytes; only the first error is recorded. */
static void visit(walk *w, const crd__onnx_field *field, visitor *inside, unsigned depth) {
  if (w->bad) return;
  if (!field->is_bytes || depth > DEPTH_MAX) w->bad = field->whole.bytes;
  else inside(w, field->inside, depth);
}

static void finish(walk *w, const crd__onnx_message *m) {
  if (m->broken && !w->bad) w->bad = m->at;
}

static void see_name(walk *w, crd__onnx_span name, unsigned depth) {
  (void)depth;
  if (!w->text) return;
  const size_t length = strlen(w->text);
  if (length > name.length || (w->whole && length != name.length)) return;
  w->found |= memcmp(name.bytes, w->text, length) == 0;
}

static void walk_tensor(walk *w, crd__onnx_span span, unsigned depth) {
  crd__onnx_message m = crd__onnx_message_of(span);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);) {
    if (f.number == TENSOR_NAME) visit(w, &f, see_name, depth);
    if (f.number == TENSOR_LOCATION) w->external |= f.value == LOCATION_EXTERNAL;
  }
  finish(w, &m);
}

static void walk_sparse(walk *w, crd__onnx_span span, unsigned depth) {
  crd__onnx_message m = crd__onnx_message_of(span);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);)
    if (f.number == SPARSE_VALUES || f.number == SPARSE_INDICES) visit(w, &f, walk_tensor, depth);
  finish(w, &m);
}

static void walk_graph(walk *w, crd__onnx_span span, unsigned depth);

static void walk_attribute(walk *w, crd__onnx_span span, unsigned depth) {
  crd__onnx_message m = crd__onnx_message_of(span);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);) {
    if (f.number == ATTRIBUTE_GRAPH || f.number == ATTRIBUTE_GRAPHS)
      visit(w, &f, walk_graph, depth + 1);
    if (f.number == ATTRIBUTE_TENSOR || f.number == ATTRIBUTE_TENSORS)
      visit(w, &f, walk_tensor, depth);
    if (f.number == ATTRIBUTE_SPARSE || f.number == ATTRIBUTE_SPARSES)
      visit(w, &f, walk_sparse, depth);
  }
  finish(w, &m);
}

static void walk_node(walk *w, crd__onnx_span span, unsigned depth) {
  crd__onnx_message m = crd__onnx_message_of(span);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);) {
    if (f.number >= NODE_INPUT && f.number <= NODE_NAME) visit(w, &f, see_name, depth);
    if (f.number == NODE_OP) visit(w, &f, see_name, depth);
    if (f.number == NODE_ATTRIBUTE) visit(w, &f, walk_attribute, depth);
  }
  finish(w, &m);
}

static void walk_value(walk *w, crd__onnx_span span, unsigned depth) {
  crd__onnx_message m = crd__onnx_message_of(span);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);)
    if (f.number == VALUE_NAME) visit(w, &f, see_name, depth);
  finish(w, &m);
}

static void walk_graph(walk *w, crd__onnx_span span, unsigned depth) {
  static visitor *const visitors[] = {
    [GRAPH_NODE] = walk_node,    [GRAPH_INITIALIZER] = walk_tensor, [GRAPH_INPUT] = walk_value,
    [GRAPH_OUTPUT] = walk_value, [GRAPH_VALUE] = walk_value,        [GRAPH_SPARSE] = walk_sparse,
  };
  crd__onnx_message m = crd__onnx_message_of(span);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);) {
    if (f.number < sizeof visitors / sizeof *visitors && visitors[f.number])
      visit(w, &f, visitors[f.number], depth);
    crd__blob_drop_behind(w->blob, f.whole.bytes, f.whole.length);
  }
  finish(w, &m);
}

bool crd__onnx_has_name(const crd__onnx_model *model, const char *text, bool whole) {
  walk w = { .text = text, .whole = whole };
  walk_graph(&w, model->graph, 0);
  return w.found;
}

/* ---- The model. */

static crd_status broken(crd_context *ctx, const crd__onnx_model *model, const unsigned char *at) {
  return crd__fail(ctx, CRD_EINPUT,
                   "%s: not an ONNX model, or truncated: invalid field at byte %zu of %zu",
                   model->path, (size_t)(at - model->all.bytes), model->all.length);
}

/* Reads the version of the operators of the default domain. */
static bool read_opset(crd__onnx_model *model, crd__onnx_span span) {
  crd__onnx_message m = crd__onnx_message_of(span);
  int64_t version = 0;
  bool standard = true;
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);) {
    if (f.number == OPSET_DOMAIN)
      standard = f.inside.length == 0 || crd__onnx_span_is(f.inside, "ai.onnx");
    if (f.number == OPSET_VERSION) version = (int64_t)f.value;
  }
  if (standard) model->opset = version;
  return !m.broken;
}

crd_status crd__onnx_read(crd_context *ctx, const char *path, crd__onnx_span bytes,
                          const crd__blob *blob, crd__onnx_model *out) {
  *out = (crd__onnx_model){ .path = path, .all = bytes };
  crd__onnx_message m = crd__onnx_message_of(bytes);
  size_t graphs = 0;
  walk w = { .blob = blob };
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);) {
    if (f.number == MODEL_IR) out->ir = (int64_t)f.value;
    if (f.number == MODEL_OPSET && !(f.is_bytes && read_opset(out, f.inside)))
      return broken(ctx, out, f.whole.bytes);
    if (f.number != MODEL_GRAPH) continue;
    out->graph = f.inside;
    out->graph_field = f.whole;
    graphs++;
    visit(&w, &f, walk_graph, 0);
  }
  finish(&w, &m);
  if (w.bad) return broken(ctx, out, w.bad);
  if (graphs != 1)
    return crd__fail(ctx, CRD_EINPUT, "%s: not an ONNX model: it has %zu graphs, expected one",
                     path, graphs);
  out->external = w.external;
  return CRD_OK;
}

/* ---- Values. */

static void read_shape(crd__onnx_span span, crd__onnx_value *out) {
  crd__onnx_message m = crd__onnx_message_of(span);
  out->shaped = true;
  out->columns = -1;
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);) {
    if (f.number != SHAPE_DIM) continue;
    crd__onnx_message dim = crd__onnx_message_of(f.inside);
    if (out->rank == 0) out->rows = f.inside;
    for (crd__onnx_field d; crd__onnx_message_next(&dim, &d);)
      if (out->rank == 1 && d.number == DIM_VALUE && !d.is_bytes) out->columns = (int64_t)d.value;
    out->rank++;
  }
}

static void read_tensor_type(crd__onnx_span span, crd__onnx_value *out) {
  crd__onnx_message m = crd__onnx_message_of(span);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);) {
    if (f.number == TENSOR_ELEMENT) out->type = (int64_t)f.value;
    if (f.number == TENSOR_SHAPE && f.is_bytes) read_shape(f.inside, out);
  }
}

/* Parses a ValueInfoProto. Types other than tensors have another field than TYPE_TENSOR. */
static crd__onnx_value read_value(crd__onnx_span span) {
  crd__onnx_value out = { .name = { .bytes = span.bytes } };
  crd__onnx_message m = crd__onnx_message_of(span);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);) {
    if (f.number == VALUE_NAME) out.name = f.inside;
    if (f.number != VALUE_TYPE || !f.is_bytes) continue;
    crd__onnx_message type = crd__onnx_message_of(f.inside);
    for (crd__onnx_field t; crd__onnx_message_next(&type, &t);) {
      if (t.number == TYPE_TENSOR && t.is_bytes) read_tensor_type(t.inside, &out);
      else if (t.is_bytes && out.type == 0 && t.number < 10 && t.number != 6) out.type = -1;
    }
  }
  return out;
}

bool crd__onnx_producer(const crd__onnx_model *model, crd__onnx_span value,
                        crd__onnx_span *operator, crd__onnx_span * input) {
  crd__onnx_message graph = crd__onnx_message_of(model->graph);
  for (crd__onnx_field node; crd__onnx_message_next(&graph, &node);) {
    bool makes = false;
    if (node.number != GRAPH_NODE) continue;
    *operator= * input =(crd__onnx_span){ .bytes = node.inside.bytes };
    crd__onnx_message m = crd__onnx_message_of(node.inside);
    for (crd__onnx_field f; crd__onnx_message_next(&m, &f);) {
      if (f.number == NODE_INPUT && !input->length) *input = f.inside;
      if (f.number == NODE_OP) *operator= f.inside;
      if (f.number == NODE_OUTPUT && f.inside.length == value.length)
        makes |= memcmp(f.inside.bytes, value.bytes, value.length) == 0;
    }
    if (makes) return true;
  }
  return false;
}

/* Writes the outputs' names, "'a', 'b', 'c'"; returns their number. */
static size_t list_outputs(const crd__onnx_model *model, crd__text *out) {
  size_t count = 0;
  crd__onnx_message m = crd__onnx_message_of(model->graph);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);) {
    if (f.number != GRAPH_OUTPUT) continue;
    const crd__onnx_span name = read_value(f.inside).name;
    crd__text_addf(out, "%s'%.*s'", count++ ? ", " : "", (int)(name.length < 60 ? name.length : 60),
                   (const char *)name.bytes);
  }
  return count;
}

static crd_status not_found(crd_context *ctx, const crd__onnx_model *model, const char *name,
                            size_t count, const char *outputs) {
  if (name)
    return crd__fail(ctx, CRD_EUSAGE,
                     "%s: nothing in the model is called '%.60s'; its outputs are %s", model->path,
                     name, outputs);
  return crd__fail(ctx, count ? CRD_EUSAGE : CRD_EINPUT,
                   "%s: the model has %zu outputs%s%s%s: name the one that has the scores",
                   model->path, count, count ? " (" : "", outputs, count ? ")" : "");
}

crd_status crd__onnx_find(crd_context *ctx, const crd__onnx_model *model, const char *name,
                          crd__onnx_value *out) {
  crd__text outputs;
  crd__onnx_span operator, input;
  crd__text_init(&outputs, &ctx->alloc);
  const size_t count = list_outputs(model, &outputs);
  bool found = false;
  crd__onnx_message m = crd__onnx_message_of(model->graph);
  for (crd__onnx_field f; (name || count == 1) && !found && crd__onnx_message_next(&m, &f);) {
    if (f.number != GRAPH_OUTPUT && !(f.number == GRAPH_VALUE && name)) continue;
    *out = read_value(f.inside);
    found = !name || crd__onnx_span_is(out->name, name);
  }
  if (!found && name) { /* an undeclared value that a node produces? */
    *out = (crd__onnx_value){ .name = { (const unsigned char *)name, strlen(name) } };
    found = crd__onnx_producer(model, out->name, &operator, & input);
  }
  crd_status status = crd__text_status(ctx, &outputs);
  if (status == CRD_OK && !found)
    status = not_found(ctx, model, name, count, outputs.length ? outputs.bytes : "");
  crd__text_clear(&outputs);
  return status;
}
