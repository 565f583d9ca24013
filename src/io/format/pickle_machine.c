/* pickle_machine.c -- nodes, the stack and operands, all bounds-checked (pickle_machine.h). */
#include "io/format/pickle_machine.h"

#include "base/memory.h"

#include <string.h>

enum { NODES_MAX = 1 << 24 };

/* ---- Memory. */

crd_status crd__io_pickle_damaged(crd__io_pickle_machine *m, const char *why) {
  return crd__fail(m->ctx, CRD_EINPUT, "the pickle is damaged: %s", why);
}

static crd_status grow(crd__io_pickle_machine *m, void *memory, size_t *capacity, size_t needed,
                       size_t size) {
  void **const items = memory;
  if (needed <= *capacity) return CRD_OK;
  size_t larger = *capacity ? *capacity * 2 : 64;
  if (larger < needed) larger = needed;
  void *const moved = crd__resize(&m->ctx->alloc, *items, larger, size);
  if (!moved) return crd__fail(m->ctx, CRD_ENOMEM, "no memory for %zu objects", larger);
  *items = moved;
  *capacity = larger;
  return CRD_OK;
}

crd_status crd__io_pickle_append(crd__io_pickle_machine *m, crd__io_pickle_indices *list,
                                 uint32_t value) {
  void *items = list->items;
  const crd_status status = grow(m, &items, &list->capacity, list->count + 1, sizeof *list->items);
  list->items = items;
  if (status == CRD_OK) list->items[list->count++] = value;
  return status;
}

crd_status crd__io_pickle_add_node(crd__io_pickle_machine *m, crd__io_py_kind kind,
                                   uint32_t *index) {
  crd__io_pickle *const p = m->out;
  if (p->node_count == NODES_MAX)
    return crd__fail(m->ctx, CRD_EINPUT, "the pickle has more than %d objects", NODES_MAX);
  void *nodes = p->nodes;
  const crd_status status =
      grow(m, &nodes, &m->node_capacity, (size_t)p->node_count + 1, sizeof *p->nodes);
  p->nodes = nodes;
  CRD_TRY(status);
  *index = p->node_count++;
  p->nodes[*index] = (crd__io_py_node){ .kind = kind, .first = CRD__PY_END, .last = CRD__PY_END };
  return CRD_OK;
}

crd_status crd__io_pickle_add_child(crd__io_pickle_machine *m, uint32_t parent, uint32_t child) {
  crd__io_pickle *const p = m->out;
  void *cells = p->cells;
  const crd_status status =
      grow(m, &cells, &m->cell_capacity, (size_t)p->cell_count + 1, sizeof *p->cells);
  p->cells = cells;
  CRD_TRY(status);
  crd__io_py_node *const node = &p->nodes[parent];
  const uint32_t cell = p->cell_count++;
  p->cells[cell] = (crd__io_py_cell){ child, CRD__PY_END };
  if (node->last == CRD__PY_END) node->first = cell;
  else p->cells[node->last].next = cell;
  node->last = cell;
  node->count++;
  return CRD_OK;
}

/* ---- The stack. */

size_t crd__io_pickle_depth(const crd__io_pickle_machine *m) {
  const size_t floor = m->marks.count ? m->marks.items[m->marks.count - 1] : 0;
  return m->stack.count - floor;
}

crd_status crd__io_pickle_pop(crd__io_pickle_machine *m, uint32_t *out) {
  if (crd__io_pickle_depth(m) == 0)
    return crd__io_pickle_damaged(m, "it pops more values than the stack holds");
  *out = m->stack.items[--m->stack.count];
  return CRD_OK;
}

crd_status crd__io_pickle_top(crd__io_pickle_machine *m, uint32_t *out) {
  if (crd__io_pickle_depth(m) == 0)
    return crd__io_pickle_damaged(m, "it pops more values than the stack holds");
  *out = m->stack.items[m->stack.count - 1];
  return CRD_OK;
}

crd_status crd__io_pickle_push(crd__io_pickle_machine *m, uint32_t node) {
  return crd__io_pickle_append(m, &m->stack, node);
}

crd_status crd__io_pickle_push_new(crd__io_pickle_machine *m, crd__io_py_kind kind,
                                   crd__io_py_node **out) {
  uint32_t index = 0;
  CRD_TRY(crd__io_pickle_add_node(m, kind, &index));
  *out = &m->out->nodes[index];
  return crd__io_pickle_push(m, index);
}

crd_status crd__io_pickle_pop_mark(crd__io_pickle_machine *m, size_t *count) {
  if (m->marks.count == 0) return crd__io_pickle_damaged(m, "it pops a mark that was not set");
  *count = crd__io_pickle_depth(m);
  m->marks.count--;
  return CRD_OK;
}

crd_status crd__io_pickle_adopt(crd__io_pickle_machine *m, uint32_t parent, size_t count) {
  const size_t from = m->stack.count - count;
  for (size_t i = from; i < m->stack.count; i++)
    CRD_TRY(crd__io_pickle_add_child(m, parent, m->stack.items[i]));
  m->stack.count = from;
  return CRD_OK;
}

/* ---- Operands. */

crd_status crd__io_pickle_take(crd__io_pickle_machine *m, uint64_t count,
                               const unsigned char **out) {
  if (count > (uint64_t)(m->end - m->at)) return crd__io_pickle_damaged(m, "it is truncated");
  *out = m->at;
  m->at += count;
  return CRD_OK;
}

crd_status crd__io_pickle_take_whole(crd__io_pickle_machine *m, size_t width, uint64_t *out) {
  const unsigned char *bytes = NULL;
  CRD_TRY(crd__io_pickle_take(m, width, &bytes));
  *out = 0;
  for (size_t i = width; i-- > 0;) *out = *out << 8 | bytes[i];
  return CRD_OK;
}

crd_status crd__io_pickle_take_line(crd__io_pickle_machine *m, const char **text,
                                    uint32_t *length) {
  const unsigned char *const stop = memchr(m->at, '\n', (size_t)(m->end - m->at));
  if (!stop || stop - m->at > INT16_MAX)
    return crd__io_pickle_damaged(m, "the name of a global has no end");
  *text = (const char *)m->at;
  *length = (uint32_t)(stop - m->at);
  m->at = stop + 1;
  return CRD_OK;
}
