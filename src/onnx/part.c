/*
 * part.c -- choose the nodes of a part.
 *
 * Nodes are in topological order, so one walk from the last to the first finds everything that some
 * values depend on, and one from the first to the last everything that depends on a value.
 */
#include "onnx/part.h"
#include "base/memory.h"

#include <string.h>

/* ---- What depends on what. */

static void spread(const crd__onnx_file *file, const bool *follows, bool *edges) {
  for (size_t n = 0; n < file->node_count; n++) {
    const crd__onnx_node *const node = &file->nodes[n];
    bool depends = false;
    for (size_t i = 0; i < node->input_count; i++)
      depends |= node->inputs[i] != CRD__ONNX_NONE && edges[node->inputs[i]];
    depends |= follows && follows[n];
    for (size_t i = 0; i < node->output_count && depends; i++)
      if (node->outputs[i] != CRD__ONNX_NONE) edges[node->outputs[i]] = true;
  }
}

void crd__onnx_spread(const crd__onnx_file *file, bool *edges) { spread(file, NULL, edges); }

static crd_status mark_live(crd_context *ctx, const crd__onnx_file *file, bool **out) {
  CRD_TRY(crd__new(ctx, file->edge_count, sizeof **out, "values", out));
  for (size_t i = 0; i < file->input_count; i++) (*out)[file->inputs[i]] = true;
  crd__onnx_spread(file, *out);
  return CRD_OK;
}

/* Marks nodes and edges that the marked edges depend on; goes no further than part->input. */
static void collect(crd__onnx_part *part) {
  const crd__onnx_file *const file = part->file;
  for (size_t n = file->node_count; n-- > 0;) {
    const crd__onnx_node *const node = &file->nodes[n];
    for (size_t i = 0; i < node->output_count; i++)
      part->nodes[n] |= node->outputs[i] != CRD__ONNX_NONE && node->outputs[i] != part->input &&
                        part->edges[node->outputs[i]];
    for (size_t i = 0; i < node->input_count && part->nodes[n] && !part->follows[n]; i++)
      if (node->inputs[i] != CRD__ONNX_NONE) part->edges[node->inputs[i]] = true;
    for (size_t i = 0; i < node->output_count && part->nodes[n]; i++)
      if (node->outputs[i] != CRD__ONNX_NONE) part->edges[node->outputs[i]] = true;
  }
}

/* ---- Values by name. */

static const char *name_at(const void *self, size_t index) {
  return ((const char *const *)self)[index];
}

static crd_status refuse_name(crd_context *ctx, const crd__onnx_file *file, const bool *live,
                              const char *name) {
  const char **names;
  size_t count = 0;
  CRD_TRY(crd__new(ctx, file->edge_count + 1, sizeof *names, "names", &names));
  for (size_t i = 0; i < file->edge_count; i++)
    if (live[i]) names[count++] = file->edges[i].name;
  const char *const near = crd_nearest(name, name_at, names);
  crd__free(&ctx->alloc, names);
  return crd__fail(ctx, CRD_EUSAGE, "%s: no tensor is called '%.60s'%s%.60s%s", file->path, name,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static crd_status find_live(crd_context *ctx, const crd__onnx_file *file, const bool *live,
                            const char *name, int *out) {
  for (size_t i = 0; i < file->edge_count; i++)
    if (strcmp(file->edges[i].name, name) == 0) *out = (int)i;
  if (*out == CRD__ONNX_NONE) return refuse_name(ctx, file, live, name);
  if (live[*out]) return CRD_OK;
  return crd__fail(ctx, CRD_EUSAGE, "%s: '%.60s' is a constant: it does not depend on an input",
                   file->path, name);
}

crd_status crd__onnx_part_find(crd_context *ctx, const crd__onnx_file *file, const char *name,
                               int *out) {
  bool *live = NULL;
  *out = CRD__ONNX_NONE;
  crd_status status = mark_live(ctx, file, &live);
  if (status == CRD_OK) status = find_live(ctx, file, live, name, out);
  crd__free(&ctx->alloc, live);
  return status;
}

/* ---- Parts. */

crd_status crd__onnx_names_of(crd_context *ctx, const crd__onnx_file *file, crd__words *out) {
  size_t number;
  for (size_t i = 0; i < file->edge_count; i++) {
    const char *const name = file->edges[i].name;
    CRD_TRY(crd__words_add(ctx, out, name, strlen(name), &number));
  }
  return CRD_OK;
}

static crd_status begin(crd_context *ctx, const crd__onnx_file *file, crd__onnx_part *part) {
  *part = (crd__onnx_part){ .file = file, .input = CRD__ONNX_NONE };
  CRD_TRY(crd__new(ctx, file->node_count, sizeof *part->nodes, "nodes", &part->nodes));
  CRD_TRY(crd__new(ctx, file->node_count, sizeof *part->follows, "nodes", &part->follows));
  CRD_TRY(crd__new(ctx, file->edge_count, sizeof *part->edges, "values", &part->edges));
  return crd__onnx_names_of(ctx, file, &part->names);
}

static bool has_graph(const crd__onnx_node *node) {
  enum { GRAPHS = 10 }; /* ONNX's type of a list of graphs */
  for (size_t i = 0; i < node->attribute_count; i++)
    if (node->attributes[i].type == CRD__ATTRIBUTE_GRAPH || node->attributes[i].type == GRAPHS)
      return true;
  return false;
}

/* Graphs inside nodes may read any value by name, which `collect` does not see. */
static crd_status check_nodes(crd_context *ctx, const crd__onnx_part *part) {
  for (size_t n = 0; n < part->file->node_count; n++)
    if (part->nodes[n] && has_graph(&part->file->nodes[n]))
      return crd__fail(ctx, CRD_EINPUT,
                       "%s: node '%.60s' (%.60s) has a graph inside: such models cannot be taken "
                       "apart",
                       part->file->path, part->file->nodes[n].name, part->file->nodes[n].op);
  return CRD_OK;
}

crd_status crd__onnx_part_before(crd_context *ctx, const crd__onnx_file *file, const int *outputs,
                                 size_t count, crd__onnx_part *out) {
  CRD_TRY(begin(ctx, file, out));
  for (size_t i = 0; i < count; i++) {
    out->outputs[out->output_count++] = outputs[i];
    out->edges[outputs[i]] = true;
  }
  collect(out);
  return check_nodes(ctx, out);
}

/* ---- The number of rows. PyTorch writes a view as a reshape to (rows, ...), with the rows of the
 * model's input: Shape with start 0 and end 1, or Shape and Gather of index 0. */

static bool is_op(const crd__onnx_node *node, const char *op) {
  return !node->domain[0] && strcmp(node->op, op) == 0;
}

static bool is_zero(const crd__onnx_tensor *t) {
  int64_t value;
  if (!t || !t->numbers || t->dtype != CRD_I64 || t->count != 1) return false;
  memcpy(&value, t->bytes, sizeof value);
  return value == 0;
}

/* Returns whether an edge is the integer 0: an initialiser, or what a Constant has. */
static bool is_index_0(const crd__onnx_file *file, int edge) {
  if (edge == CRD__ONNX_NONE) return false;
  const int producer = file->edges[edge].producer;
  if (producer == CRD__ONNX_NONE) return is_zero(file->edges[edge].constant);
  const crd__onnx_node *const node = &file->nodes[producer];
  const crd__onnx_attribute *const value = crd__onnx_attribute_find(node, "value");
  const crd__onnx_attribute *const whole = crd__onnx_attribute_find(node, "value_int");
  return is_op(node, "Constant") && (value ? is_zero(value->t) : whole && whole->i == 0);
}

static bool takes_first(const crd__onnx_file *file, const crd__onnx_node *node) {
  const crd__onnx_attribute *const axis = crd__onnx_attribute_find(node, "axis");
  return is_op(node, "Gather") && node->input_count == 2 && (!axis || axis->i == 0) &&
         is_index_0(file, node->inputs[1]);
}

/* Returns whether nothing but the first dimension of its input matters to a Shape and its readers.
 */
static bool reads_rows(const crd__onnx_file *file, const crd__onnx_node *node) {
  const crd__onnx_attribute *const start = crd__onnx_attribute_find(node, "start");
  const crd__onnx_attribute *const end = crd__onnx_attribute_find(node, "end");
  if (end) return end->i == 1 && (!start || start->i == 0);
  if ((start && start->i != 0) || node->output_count != 1) return false;
  for (size_t i = 0; i < file->output_count; i++)
    if (file->outputs[i] == node->outputs[0]) return false;
  for (size_t n = 0; n < file->node_count; n++)
    for (size_t i = 0; i < file->nodes[n].input_count; i++)
      if (file->nodes[n].inputs[i] == node->outputs[0] &&
          (i > 0 || !takes_first(file, &file->nodes[n])))
        return false;
  return true;
}

static bool has_rows(const crd_port *port, const char *rows) {
  const char *const name = port->dim_names[0] ? port->dim_names[0] : CRD__ONNX_ROWS;
  return port->known && port->rank && port->dims[0] < 0 && strcmp(name, rows) == 0;
}

static void find_followers(crd__onnx_part *part, const char *rows) {
  const crd__onnx_file *const file = part->file;
  for (size_t n = 0; rows && n < file->node_count; n++) {
    const crd__onnx_node *const node = &file->nodes[n];
    if (!is_op(node, "Shape") || node->input_count != 1 || node->inputs[0] == CRD__ONNX_NONE)
      continue;
    const crd__onnx_edge *const edge = &file->edges[node->inputs[0]];
    part->follows[n] = node->inputs[0] != part->input && edge->producer == CRD__ONNX_NONE &&
                       !edge->constant && has_rows(&edge->port, rows) && reads_rows(file, node);
  }
}

/* ---- The part after a value. */

/* Fails with the node at which a path around the input arrives. */
static crd_status check_paths(crd_context *ctx, const crd__onnx_part *part, const bool *live,
                              const bool *behind) {
  const crd__onnx_file *const file = part->file;
  const char *const name = file->edges[part->input].name;
  if (!behind[part->outputs[0]])
    return crd__fail(ctx, CRD_EUSAGE, "%s: the output '%.60s' does not depend on '%.60s'",
                     file->path, file->edges[part->outputs[0]].name, name);
  for (size_t n = 0; n < file->node_count; n++) {
    const crd__onnx_node *const node = &file->nodes[n];
    const char *around = NULL;
    bool meets = false;
    for (size_t i = 0; i < node->input_count && part->nodes[n] && !part->follows[n]; i++) {
      const int edge = node->inputs[i];
      if (edge == CRD__ONNX_NONE) continue;
      meets |= behind[edge];
      if (live[edge] && !behind[edge]) around = file->edges[edge].name;
    }
    if (meets && around)
      return crd__fail(ctx, CRD_EUSAGE,
                       "%s: node '%.60s' (%.60s) reads '%.60s', which does not depend on '%.60s': "
                       "paths around it lead to the output",
                       file->path, node->name, node->op, around, name);
  }
  return CRD_OK;
}

static crd_status choose_after(crd_context *ctx, crd__onnx_part *part, bool **live, bool **behind) {
  const crd__onnx_file *const file = part->file;
  if (file->output_count == 0)
    return crd__fail(ctx, CRD_EINPUT, "%s: the graph has no output", file->path);
  if (file->outputs[0] == part->input)
    return crd__fail(ctx, CRD_EUSAGE, "%s: '%.60s' is the output: nothing comes after it",
                     file->path, file->edges[part->input].name);
  part->outputs[part->output_count++] = file->outputs[0];
  part->edges[file->outputs[0]] = true;
  collect(part);
  CRD_TRY(check_nodes(ctx, part));
  CRD_TRY(mark_live(ctx, file, live));
  CRD_TRY(crd__new(ctx, file->edge_count, sizeof **behind, "values", behind));
  (*behind)[part->input] = true;
  spread(file, part->follows, *behind);
  return check_paths(ctx, part, *live, *behind);
}

crd_status crd__onnx_part_after(crd_context *ctx, const crd__onnx_file *file, int input,
                                const char *rows, crd__onnx_part *out) {
  bool *live = NULL, *behind = NULL;
  crd_status status = begin(ctx, file, out);
  out->input = input;
  if (status == CRD_OK) find_followers(out, rows);
  if (status == CRD_OK) status = choose_after(ctx, out, &live, &behind);
  crd__free(&ctx->alloc, live);
  crd__free(&ctx->alloc, behind);
  return status;
}

void crd__onnx_part_clear(const crd_allocator *alloc, crd__onnx_part *part) {
  crd__words_clear(alloc, &part->names);
  crd__free(alloc, part->nodes);
  crd__free(alloc, part->follows);
  crd__free(alloc, part->edges);
  *part = (crd__onnx_part){ .input = CRD__ONNX_NONE };
}
