/* node.c -- parse nodes with their attributes, and declarations of values. */
#include "onnx/fields.h"
#include "onnx/reader.h"

#include <string.h>

/* ---- Attributes. */

/* The field of each type's value; files older than IR version 2 do not give the type. */
static const struct {
  unsigned field;
  int type;
} value_fields[] = {
  { ATTRIBUTE_FLOAT, CRD__ATTRIBUTE_FLOAT },
  { ATTRIBUTE_INT, CRD__ATTRIBUTE_INT },
  { ATTRIBUTE_STRING, CRD__ATTRIBUTE_STRING },
  { ATTRIBUTE_TENSOR, CRD__ATTRIBUTE_TENSOR },
  { ATTRIBUTE_GRAPH, CRD__ATTRIBUTE_GRAPH },
  { ATTRIBUTE_FLOATS, CRD__ATTRIBUTE_FLOATS },
  { ATTRIBUTE_INTS, CRD__ATTRIBUTE_INTS },
  { ATTRIBUTE_STRINGS, CRD__ATTRIBUTE_STRINGS },
  { ATTRIBUTE_TENSORS, 9 },
  { ATTRIBUTE_GRAPHS, 10 },
  { ATTRIBUTE_SPARSE, 11 },
  { ATTRIBUTE_SPARSES, 12 },
};

static int type_of_field(uint64_t field) {
  for (size_t i = 0; i < sizeof value_fields / sizeof *value_fields; i++)
    if (value_fields[i].field == field) return value_fields[i].type;
  return 0;
}

/* Reads one of the fields that hold the value. */
typedef crd_status value_reader(const crd__onnx_reader *r, const crd__onnx_field *f,
                                crd__onnx_attribute *out);

static crd_status wrong(const crd__onnx_reader *r, const crd__onnx_attribute *a, const char *what) {
  return crd__onnx_reader_fail(r, "attribute '%.60s' has the type %s, but a value of another type",
                               a->name, what);
}

static crd_status read_float(const crd__onnx_reader *r, const crd__onnx_field *f,
                             crd__onnx_attribute *out) {
  const uint32_t bits = (uint32_t)f->value;
  if (f->fixed != 4) return wrong(r, out, "float");
  memcpy(&out->f, &bits, sizeof bits);
  return CRD_OK;
}

static crd_status read_int(const crd__onnx_reader *r, const crd__onnx_field *f,
                           crd__onnx_attribute *out) {
  if (f->is_bytes || f->fixed) return wrong(r, out, "int");
  out->i = (int64_t)f->value;
  return CRD_OK;
}

static crd_status read_string(const crd__onnx_reader *r, const crd__onnx_field *f,
                              crd__onnx_attribute *out) {
  if (!f->is_bytes) return wrong(r, out, "string");
  out->s = f->inside;
  return CRD_OK;
}

static crd_status read_tensor(const crd__onnx_reader *r, const crd__onnx_field *f,
                              crd__onnx_attribute *out) {
  if (!f->is_bytes) return wrong(r, out, "tensor");
  CRD_TRY(crd__onnx_arena_new(r->ctx, r->arena, 1, sizeof *out->t, &out->t));
  return crd__onnx_reader_tensor(r, f->inside, out->t);
}

static value_reader *const readers[] = {
  [ATTRIBUTE_FLOAT] = read_float,
  [ATTRIBUTE_INT] = read_int,
  [ATTRIBUTE_STRING] = read_string,
  [ATTRIBUTE_TENSOR] = read_tensor,
};

/* Counts the elements of a list, and stores them if memory is allocated. */
static crd_status walk_list(const crd__onnx_reader *r, crd__onnx_span span,
                            crd__onnx_attribute *out) {
  const bool whole = out->type == CRD__ATTRIBUTE_INTS;
  crd__onnx_message m = crd__onnx_message_of(span);
  out->count = 0;
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);) {
    crd__onnx_values values;
    if (f.number != (whole ? ATTRIBUTE_INTS : ATTRIBUTE_FLOATS)) continue;
    const bool right = crd__onnx_values_of(&f, whole ? 0 : 4, &values);
    for (uint64_t value; right && crd__onnx_values_next(&values, &value); out->count++) {
      const uint32_t bits = (uint32_t)value;
      if (out->ints) out->ints[out->count] = (int64_t)value;
      if (out->floats) memcpy(&out->floats[out->count], &bits, sizeof bits);
    }
    if (!right || values.packed.broken)
      return wrong(r, out, whole ? "list of ints" : "list of floats");
  }
  return CRD_OK;
}

static crd_status read_list(const crd__onnx_reader *r, crd__onnx_span span,
                            crd__onnx_attribute *out) {
  const bool whole = out->type == CRD__ATTRIBUTE_INTS;
  void *room;
  CRD_TRY(walk_list(r, span, out));
  CRD_TRY(crd__onnx_arena_new(r->ctx, r->arena, out->count,
                              whole ? sizeof *out->ints : sizeof *out->floats, &room));
  if (whole) out->ints = room;
  else out->floats = room;
  return walk_list(r, span, out);
}

static size_t count_fields(crd__onnx_span span, uint64_t number) {
  size_t count = 0;
  crd__onnx_message m = crd__onnx_message_of(span);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);) count += f.number == number;
  return count;
}

static crd_status read_strings(const crd__onnx_reader *r, crd__onnx_span span,
                               crd__onnx_attribute *out) {
  CRD_TRY(crd__onnx_arena_new(r->ctx, r->arena, count_fields(span, ATTRIBUTE_STRINGS),
                              sizeof *out->strings, &out->strings));
  crd__onnx_message m = crd__onnx_message_of(span);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);) {
    if (f.number != ATTRIBUTE_STRINGS) continue;
    if (!f.is_bytes) return wrong(r, out, "list of strings");
    out->strings[out->count++] = f.inside;
  }
  return CRD_OK;
}

/* Reads name and type, on which the rest depends. */
static crd_status read_attribute_head(const crd__onnx_reader *r, crd__onnx_span span,
                                      crd__onnx_attribute *out) {
  int deduced = 0;
  *out = (crd__onnx_attribute){ .name = "", .s = { .bytes = span.bytes } };
  crd__onnx_message m = crd__onnx_message_of(span);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);) {
    if (f.number == ATTRIBUTE_NAME) {
      CRD_TRY(crd__onnx_reader_expect(r, &f, true, "an attribute's name"));
      CRD_TRY(crd__onnx_reader_name(r, f.inside, "an attribute", &out->name));
    } else if (f.number == ATTRIBUTE_TYPE) {
      CRD_TRY(crd__onnx_reader_expect(r, &f, false, "an attribute's type"));
      out->type = f.value < 1000 ? (int)f.value : 0;
    } else if (!deduced) deduced = type_of_field(f.number);
  }
  if (out->type == 0) out->type = deduced;
  if (*out->name) return CRD_OK;
  return crd__onnx_reader_fail(r, "an attribute has no name");
}

static crd_status read_attribute(const crd__onnx_reader *r, crd__onnx_span span,
                                 crd__onnx_attribute *out) {
  CRD_TRY(read_attribute_head(r, span, out));
  if (out->type == CRD__ATTRIBUTE_INTS || out->type == CRD__ATTRIBUTE_FLOATS)
    return read_list(r, span, out);
  if (out->type == CRD__ATTRIBUTE_STRINGS) return read_strings(r, span, out);
  crd__onnx_message m = crd__onnx_message_of(span);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);) {
    if (!out->type || type_of_field(f.number) != out->type) continue;
    if (f.number < sizeof readers / sizeof *readers && readers[f.number])
      CRD_TRY(readers[f.number](r, &f, out));
  }
  if (out->type != CRD__ATTRIBUTE_TENSOR || out->t) return CRD_OK;
  return wrong(r, out, "tensor");
}

const crd__onnx_attribute *crd__onnx_attribute_find(const crd__onnx_node *node, const char *name) {
  for (size_t i = 0; i < node->attribute_count; i++)
    if (strcmp(node->attributes[i].name, name) == 0) return &node->attributes[i];
  return NULL;
}

/* ---- Nodes. */

static crd_status read_attributes(const crd__onnx_reader *r, crd__onnx_node *out) {
  const size_t count = count_fields(out->whole, NODE_ATTRIBUTE);
  crd__onnx_reader inside = *r;
  inside.node = out->name;
  CRD_TRY(crd__onnx_arena_new(r->ctx, r->arena, count, sizeof *out->attributes, &out->attributes));
  crd__onnx_message m = crd__onnx_message_of(out->whole);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);)
    if (f.number == NODE_ATTRIBUTE)
      CRD_TRY(read_attribute(&inside, f.inside, &out->attributes[out->attribute_count++]));
  return CRD_OK;
}

crd_status crd__onnx_reader_node(const crd__onnx_reader *r, crd__onnx_span span,
                                 crd__onnx_node *out) {
  *out = (crd__onnx_node){ .name = "", .op = "", .domain = "", .whole = span };
  const struct {
    uint64_t number;
    const char **to, *what;
  } names[] = { { NODE_NAME, &out->name, "a node" },
                { NODE_OP, &out->op, "an operator" },
                { NODE_DOMAIN, &out->domain, "a domain" } };
  const char *first = "";
  crd__onnx_message m = crd__onnx_message_of(span);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);) {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
      if (f.number != names[i].number) continue;
      CRD_TRY(crd__onnx_reader_expect(r, &f, true, names[i].what));
      CRD_TRY(crd__onnx_reader_name(r, f.inside, names[i].what, names[i].to));
    }
    if (f.number == NODE_OUTPUT && !*first)
      CRD_TRY(crd__onnx_reader_name(r, f.inside, "an output", &first));
  }
  if (!*out->name) out->name = *first ? first : out->op;
  if (strcmp(out->domain, "ai.onnx") == 0) out->domain = "";
  if (!*out->op) return crd__onnx_reader_fail(r, "node '%.60s' has no operator", out->name);
  return read_attributes(r, out);
}

/* ---- Values. */

/* A negative size leaves the dimension open; inputs of the graph may not have any (edges.c). */
static void take_size(crd__onnx_edge *edge, size_t i, int64_t size) {
  edge->port.dims[i] = size < 0 ? -1 : size;
  edge->port.dim_names[i] = NULL;
  if (size >= 0 || edge->negative) return;
  edge->negative = size;
  edge->negative_at = i;
}

static crd_status read_dim(const crd__onnx_reader *r, crd__onnx_span span, crd__onnx_edge *edge) {
  crd_port *const port = &edge->port;
  const size_t i = port->rank++;
  port->dims[i] = -1;
  crd__onnx_message m = crd__onnx_message_of(span);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);) {
    if (f.number == DIM_VALUE) {
      CRD_TRY(crd__onnx_reader_expect(r, &f, false, "a dimension"));
      take_size(edge, i, (int64_t)f.value);
    }
    if (f.number != DIM_NAME) continue;
    CRD_TRY(crd__onnx_reader_expect(r, &f, true, "a dimension's name"));
    CRD_TRY(crd__onnx_reader_name(r, f.inside, "a dimension", &port->dim_names[i]));
    port->dims[i] = -1;
    if (!*port->dim_names[i]) port->dim_names[i] = NULL;
  }
  return m.broken ? crd__onnx_reader_fail(r, "a dimension of '%.60s' is truncated", port->name)
                  : CRD_OK;
}

static crd_status read_shape(const crd__onnx_reader *r, crd__onnx_span span, crd__onnx_edge *edge) {
  crd_port *const port = &edge->port;
  port->known = 1;
  crd__onnx_message m = crd__onnx_message_of(span);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);) {
    if (f.number != SHAPE_DIM) continue;
    CRD_TRY(crd__onnx_reader_expect(r, &f, true, "a dimension"));
    if (port->rank == CRD_RANK_MAX)
      return crd__onnx_reader_fail(r, "'%.60s' has more than %d dimensions, the maximum",
                                   port->name, CRD_RANK_MAX);
    CRD_TRY(read_dim(r, f.inside, edge));
  }
  return m.broken ? crd__onnx_reader_fail(r, "the shape of '%.60s' is truncated", port->name)
                  : CRD_OK;
}

static crd_status read_tensor_type(const crd__onnx_reader *r, crd__onnx_span span,
                                   crd__onnx_edge *edge) {
  crd__onnx_message m = crd__onnx_message_of(span);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);) {
    if (f.number == TENSOR_ELEMENT) {
      CRD_TRY(crd__onnx_reader_expect(r, &f, false, "a type of elements"));
      edge->typed = crd__onnx_dtype((int64_t)f.value, &edge->port.dtype);
    }
    if (f.number != TENSOR_SHAPE) continue;
    CRD_TRY(crd__onnx_reader_expect(r, &f, true, "a shape"));
    edge->port.rank = 0;
    CRD_TRY(read_shape(r, f.inside, edge));
  }
  return m.broken ? crd__onnx_reader_fail(r, "the type of '%.60s' is truncated", edge->name)
                  : CRD_OK;
}

crd_status crd__onnx_reader_port(const crd__onnx_reader *r, crd__onnx_span span,
                                 crd__onnx_edge *edge) {
  crd__onnx_message m = crd__onnx_message_of(span);
  for (crd__onnx_field f; crd__onnx_message_next(&m, &f);) {
    if (f.number != VALUE_TYPE) continue;
    CRD_TRY(crd__onnx_reader_expect(r, &f, true, "a type"));
    edge->typed = false;
    edge->negative = 0;
    edge->port = (crd_port){ .name = edge->name };
    crd__onnx_message type = crd__onnx_message_of(f.inside);
    for (crd__onnx_field t; crd__onnx_message_next(&type, &t);)
      if (t.number == TYPE_TENSOR && t.is_bytes) CRD_TRY(read_tensor_type(r, t.inside, edge));
    if (type.broken)
      return crd__onnx_reader_fail(r, "the type of '%.60s' is truncated", edge->name);
  }
  return CRD_OK;
}
