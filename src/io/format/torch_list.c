/*
 * torch_list.c -- lists the arrays of the top-level object of a torch.save file, with their names.
 *
 * Arrays are tensors in dicts, lists and tuples nested at most two deep, and also lists of integers
 * (labels) and of strings (class names). Single numbers and strings (epochs, settings) are skipped.
 *
 * The graph may refer to one object many times, so that the steps of the traversal are bounded.
 */
#include "base/memory.h"
#include "io/convert.h"
#include "io/format.h"
#include "io/format/torch.h"
#include "io/names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct {
  crd_context *ctx;
  crd__io_bundle *bundle;
  const crd__io_pickle *pickle;
  size_t steps, steps_max;
  bool readable;                  /* there is a supported array */
  const crd__io_py_node *foreign; /* the first unsupported object, or NULL */
} walk;

/* ---- Lists of numbers and of text. */

static bool is_sequence(const crd__io_py_node *node) {
  return node->kind == CRD__PY_LIST || node->kind == CRD__PY_TUPLE;
}

static const crd__io_py_node *node_at(const crd__io_pickle *pickle, uint32_t cell) {
  return &pickle->nodes[pickle->cells[cell].node];
}

#define EACH_CELL(pickle, node, cell)                                                              \
  for (uint32_t cell = (node)->first; cell != CRD__PY_END; cell = (pickle)->cells[cell].next)

static bool is_text_list(const crd__io_pickle *pickle, const crd__io_py_node *node) {
  EACH_CELL(pickle, node, cell)
  if (node_at(pickle, cell)->kind != CRD__PY_TEXT) return false;
  return node->count > 0;
}

/* Returns whether the node is a list of numbers. *real: not all of them are integers. */
static bool is_row(const crd__io_pickle *pickle, const crd__io_py_node *node, bool *real) {
  double ignored;
  EACH_CELL(pickle, node, cell) {
    if (!crd__io_py_number(node_at(pickle, cell), &ignored)) return false;
    *real = *real || node_at(pickle, cell)->kind == CRD__PY_FLOAT;
  }
  return node->count > 0;
}

/* Returns whether the node is a list of numbers, or of lists of numbers of equal length. */
static bool read_layout(const crd__io_pickle *pickle, const crd__io_py_node *node,
                        crd__io_layout *layout) {
  bool real = false, rows = node->count > 0;
  const crd__io_py_node *const first = crd__io_py_child(pickle, node, 0);
  *layout = (crd__io_layout){ .rank = 1, .shape = { node->count } };
  if (!is_row(pickle, node, &real)) {
    EACH_CELL(pickle, node, cell) {
      const crd__io_py_node *const row = node_at(pickle, cell);
      rows = rows && is_sequence(row) && row->count == first->count && is_row(pickle, row, &real);
    }
    if (!rows) return false;
    layout->rank = 2;
    layout->shape[1] = first->count;
  }
  layout->dtype = real ? CRD_F64 : CRD_I64;
  return true;
}

bool crd__io_torch_is_plain(const crd__io_pickle *pickle, const crd__io_py_node *node) {
  crd__io_layout layout;
  return is_sequence(node) && (is_text_list(pickle, node) || read_layout(pickle, node, &layout));
}

static void copy_row(const crd__io_pickle *pickle, const crd__io_py_node *row, crd_dtype dtype,
                     unsigned char **to) {
  EACH_CELL(pickle, row, cell) {
    const crd__io_py_node *const number = node_at(pickle, cell);
    double real = 0;
    crd__io_py_number(number, &real);
    memcpy(*to, dtype == CRD_F64 ? (const void *)&real : (const void *)&number->as.integer, 8);
    *to += 8;
  }
}

static crd_status fill_text(crd_context *ctx, const crd__io_pickle *pickle,
                            const crd__io_py_node *node, crd__io_entry *entry) {
  crd_status status = CRD_OK;
  size_t index = 0;
  crd__text names;
  crd__text_init(&names, &ctx->alloc);
  EACH_CELL(pickle, node, cell) {
    const crd__io_py_node *const text = node_at(pickle, cell);
    const crd__io_characters characters = { text->as.text, text->count, 1, false };
    if (status == CRD_OK) status = crd__io_names_add(ctx, &names, &characters, index++);
  }
  if (status == CRD_OK) status = crd__io_names_fill(ctx, &names, node->count, entry);
  crd__text_clear(&names);
  return status;
}

crd_status crd__io_torch_fill_plain(crd_context *ctx, const crd__io_bundle *bundle,
                                    const crd__io_pickle *pickle, const crd__io_py_node *node,
                                    crd__io_entry *entry) {
  crd__io_layout layout;
  if (is_text_list(pickle, node)) return fill_text(ctx, pickle, node, entry);
  if (!read_layout(pickle, node, &layout))
    return crd__fail(ctx, CRD_EINPUT, "is not a list of numbers");
  CRD_TRY(crd__io_layout_allocate(ctx, bundle, &layout, entry));
  unsigned char *to = entry->owned;
  if (layout.rank == 1) copy_row(pickle, node, layout.dtype, &to);
  else {
    EACH_CELL(pickle, node, cell) copy_row(pickle, node_at(pickle, cell), layout.dtype, &to);
  }
  return CRD_OK;
}

/* ---- The traversal. */

static crd_status count_steps(walk *w, size_t steps) {
  w->steps += steps;
  if (w->steps <= w->steps_max) return CRD_OK;
  return crd__fail(w->ctx, CRD_EINPUT, "the pickle refers to the same objects too many times");
}

/* Counts the rows of a list as steps, too. */
static size_t plain_steps(const crd__io_pickle *pickle, const crd__io_py_node *node) {
  size_t steps = node->count;
  EACH_CELL(pickle, node, cell)
  if (is_sequence(node_at(pickle, cell))) steps += node_at(pickle, cell)->count;
  return steps;
}

static crd_status add_entry(walk *w, const char *name, const crd__io_py_node *node) {
  crd__io_entry *entry;
  CRD_TRY(crd__io_bundle_add(w->ctx, w->bundle, *name ? name : "scores", &entry));
  entry->place = (size_t)(node - w->pickle->nodes);
  return CRD_OK;
}

/* Makes the name prefix/key, for keys that are strings or integers; empty for others. Items of a
 * sequence have their position as key. */
static crd_status join(walk *w, const char *prefix, const crd__io_py_node *key,
                       const char *position, crd__text *out) {
  crd__text_clear(out);
  if (*prefix) crd__text_addf(out, "%s/", prefix);
  if (!key) crd__text_add(out, position);
  else if (key->kind == CRD__PY_INTEGER) crd__text_addf(out, "%" PRId64, key->as.integer);
  else if (key->kind == CRD__PY_TEXT) crd__text_add_bytes(out, key->as.text, key->count);
  else crd__text_clear(out);
  return crd__text_status(w->ctx, out);
}

typedef crd_status visitor(walk *w, const char *name, const crd__io_py_node *node);

/* Adds entries for arrays, and for unsupported objects, which fail when they are loaded. */
static crd_status visit_array(walk *w, const char *name, const crd__io_py_node *node) {
  CRD_TRY(count_steps(w, 1));
  bool readable = crd__io_torch_is_tensor(w->pickle, node);
  if (is_sequence(node)) {
    CRD_TRY(count_steps(w, plain_steps(w->pickle, node)));
    readable = crd__io_torch_is_plain(w->pickle, node);
  }
  w->readable = w->readable || readable;
  if (!readable && node->kind != CRD__PY_CALL) return CRD_OK;
  if (!readable && !w->foreign) w->foreign = node;
  return add_entry(w, name, node);
}

static crd_status visit_items(walk *w, const char *prefix, const crd__io_py_node *node,
                              visitor *visit) {
  const bool dict = node->kind == CRD__PY_DICT;
  const crd__io_pickle *const p = w->pickle;
  crd_status status = CRD_OK;
  size_t number = 0;
  crd__text name;
  crd__text_init(&name, &w->ctx->alloc);
  for (uint32_t cell = node->first; cell != CRD__PY_END && status == CRD_OK;
       cell = p->cells[cell].next) {
    char position[24];
    snprintf(position, sizeof position, "arr_%zu", number++);
    const crd__io_py_node *const key = dict ? node_at(p, cell) : NULL;
    if (dict) cell = p->cells[cell].next;
    status = join(w, prefix, key, position, &name);
    if (status == CRD_OK && name.length > 0) status = visit(w, name.bytes, node_at(p, cell));
  }
  crd__text_clear(&name);
  return status;
}

/* Returns whether the node is a container of arrays, not an array itself. */
static bool is_container(const crd__io_pickle *pickle, const crd__io_py_node *node) {
  return node->kind == CRD__PY_DICT || (is_sequence(node) && !crd__io_torch_is_plain(pickle, node));
}

static crd_status visit_nested(walk *w, const char *name, const crd__io_py_node *node) {
  CRD_TRY(count_steps(w, is_sequence(node) ? plain_steps(w->pickle, node) : 1));
  return is_container(w->pickle, node) ? visit_items(w, name, node, visit_array)
                                       : visit_array(w, name, node);
}

/* ---- Files without predictions. */

static void remark_weights(crd__io_bundle *bundle) {
  for (size_t i = 0; i < bundle->count && !bundle->remark; i++) {
    const char *const name = bundle->entries[i].name;
    const char *last = name + strlen(name);
    while (last > name && last[-1] != '.' && last[-1] != '/') last--;
    if (strcmp(last, "weight") == 0 || strcmp(last, "bias") == 0)
      bundle->remark = "these are the weights of a model (a state_dict), not its predictions";
  }
}

static crd_status refuse(walk *w) {
  char text[CRD__PY_DESCRIPTION], message[CRD__PY_DESCRIPTION + 80];
  const crd__io_py_node *const root = &w->pickle->nodes[w->pickle->root];
  crd__io_py_describe(w->pickle, w->foreign ? w->foreign : root, text);
  const bool inside = w->foreign && w->foreign != root;
  snprintf(message, sizeof message, "holds %s%s, expected tensors",
           inside ? "objects such as " : "", text);
  return crd__io_convert_torch(w->ctx, w->bundle, w->pickle, message);
}

crd_status crd__io_torch_list(crd_context *ctx, crd__io_bundle *bundle,
                              const crd__io_pickle *pickle) {
  const crd__io_py_node *const root = &pickle->nodes[pickle->root];
  walk w = { .ctx = ctx,
             .bundle = bundle,
             .pickle = pickle,
             .steps_max = 1000 + 16 * (size_t)pickle->cell_count };
  CRD_TRY(is_container(pickle, root) ? visit_items(&w, "", root, visit_nested)
                                     : visit_array(&w, "", root));
  if (!w.readable) return refuse(&w);
  remark_weights(bundle);
  return CRD_OK;
}
