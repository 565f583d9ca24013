/*
 * pickle.c -- Python's stack machine, with calls recorded instead of made.
 *
 * Every opcode is an entry of one table: its handler, the bytes of its operand (or of its operand's
 * length), and the kind of node that it makes. Other opcodes fail with EINPUT. Protocols:
 * PEP 307 (2), PEP 3154 (4), PEP 574 (5); opcodes: Lib/pickletools.py.
 *
 * Against hostile pickles: all operands are bounds-checked, nothing recurses, an opcode makes at
 * most one node and a few cells, and a memo index stays below the pickle's length.
 */
#include "io/format/pickle.h"

#include "base/memory.h"

#include <string.h>

enum { NODES_MAX = 1 << 24, PROTOCOL_MAX = 5 };

typedef struct {
  uint32_t *items;
  size_t count, capacity;
} index_list;

typedef struct {
  crd_context *ctx;
  const unsigned char *at, *end;
  size_t length;
  crd__io_pickle *out;
  size_t node_capacity, cell_capacity;
  index_list stack; /* nodes */
  index_list marks; /* heights of the stack */
  index_list memo;  /* nodes; CRD__PY_END: none yet */
  bool stopped;
} machine;

typedef struct {
  crd_status (*run)(machine *m, unsigned char code);
  unsigned char
      width; /* bytes of the operand or of its length; for tuples and items, their number */
  crd__io_py_kind kind;
} opcode;

static const opcode opcodes[256];

/* ---- Memory. */

static crd_status damaged(machine *m, const char *why) {
  return crd__fail(m->ctx, CRD_EINPUT, "the pickle is damaged: %s", why);
}

static crd_status grow(machine *m, void *memory, size_t *capacity, size_t needed, size_t size) {
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

static crd_status list_push(machine *m, index_list *list, uint32_t value) {
  void *items = list->items;
  const crd_status status = grow(m, &items, &list->capacity, list->count + 1, sizeof *list->items);
  list->items = items;
  if (status == CRD_OK) list->items[list->count++] = value;
  return status;
}

static crd_status add_node(machine *m, crd__io_py_kind kind, uint32_t *index) {
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

static crd_status add_child(machine *m, uint32_t parent, uint32_t child) {
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

/* Number of values above the last mark, or on the whole stack. */
static size_t depth(const machine *m) {
  const size_t floor = m->marks.count ? m->marks.items[m->marks.count - 1] : 0;
  return m->stack.count - floor;
}

static crd_status pop(machine *m, uint32_t *out) {
  if (depth(m) == 0) return damaged(m, "it pops more values than the stack holds");
  *out = m->stack.items[--m->stack.count];
  return CRD_OK;
}

static crd_status top(machine *m, uint32_t *out) {
  if (depth(m) == 0) return damaged(m, "it pops more values than the stack holds");
  *out = m->stack.items[m->stack.count - 1];
  return CRD_OK;
}

static crd_status push(machine *m, uint32_t node) { return list_push(m, &m->stack, node); }

static crd_status push_new(machine *m, crd__io_py_kind kind, crd__io_py_node **out) {
  uint32_t index = 0;
  CRD_TRY(add_node(m, kind, &index));
  *out = &m->out->nodes[index];
  return push(m, index);
}

/* Pops the last mark; *count values are above it. */
static crd_status pop_mark(machine *m, size_t *count) {
  if (m->marks.count == 0) return damaged(m, "it pops a mark that was not set");
  *count = depth(m);
  m->marks.count--;
  return CRD_OK;
}

/* Pops the topmost values and makes them children of a node. */
static crd_status adopt(machine *m, uint32_t parent, size_t count) {
  const size_t from = m->stack.count - count;
  for (size_t i = from; i < m->stack.count; i++) CRD_TRY(add_child(m, parent, m->stack.items[i]));
  m->stack.count = from;
  return CRD_OK;
}

/* ---- Operands. */

static crd_status take(machine *m, uint64_t count, const unsigned char **out) {
  if (count > (uint64_t)(m->end - m->at)) return damaged(m, "it is truncated");
  *out = m->at;
  m->at += count;
  return CRD_OK;
}

static crd_status take_whole(machine *m, size_t width, uint64_t *out) {
  const unsigned char *bytes = NULL;
  CRD_TRY(take(m, width, &bytes));
  *out = 0;
  for (size_t i = width; i-- > 0;) *out = *out << 8 | bytes[i];
  return CRD_OK;
}

static crd_status take_line(machine *m, const char **text, uint32_t *length) {
  const unsigned char *const stop = memchr(m->at, '\n', (size_t)(m->end - m->at));
  if (!stop || stop - m->at > INT16_MAX) return damaged(m, "the name of a global has no end");
  *text = (const char *)m->at;
  *length = (uint32_t)(stop - m->at);
  m->at = stop + 1;
  return CRD_OK;
}

/* ---- Opcodes: values. */

static crd_status run_protocol(machine *m, unsigned char code) {
  uint64_t version = 0;
  (void)code;
  CRD_TRY(take_whole(m, 1, &version));
  if (version <= PROTOCOL_MAX) return CRD_OK;
  return crd__fail(m->ctx, CRD_EINPUT, "pickle protocol %d, known are 2 to %d", (int)version,
                   PROTOCOL_MAX);
}

/* Frames are hints for buffering. */
static crd_status run_frame(machine *m, unsigned char code) {
  const unsigned char *ignored;
  return take(m, opcodes[code].width, &ignored);
}

static crd_status run_stop(machine *m, unsigned char code) {
  (void)code;
  CRD_TRY(pop(m, &m->out->root));
  if (m->stack.count != 0 || m->marks.count != 0) return damaged(m, "values are left on the stack");
  m->stopped = true;
  return CRD_OK;
}

static crd_status run_none(machine *m, unsigned char code) {
  crd__io_py_node *node = NULL;
  return push_new(m, opcodes[code].kind, &node);
}

static crd_status run_bool(machine *m, unsigned char code) {
  crd__io_py_node *node = NULL;
  CRD_TRY(push_new(m, CRD__PY_BOOL, &node));
  node->as.integer = code == 0x88;
  return CRD_OK;
}

static crd_status run_integer(machine *m, unsigned char code) {
  const size_t width = opcodes[code].width;
  uint64_t value = 0;
  crd__io_py_node *node = NULL;
  CRD_TRY(take_whole(m, width, &value));
  CRD_TRY(push_new(m, CRD__PY_INTEGER, &node));
  node->as.integer =
      width == 4 && value >> 31 ? (int64_t)value - (INT64_C(1) << 32) : (int64_t)value;
  return CRD_OK;
}

/* Two's complement of any length. */
static crd_status run_long(machine *m, unsigned char code) {
  const unsigned char *bytes = NULL;
  uint64_t count = 0;
  crd__io_py_node *node = NULL;
  CRD_TRY(take_whole(m, opcodes[code].width, &count));
  CRD_TRY(take(m, count, &bytes));
  CRD_TRY(push_new(m, count > 8 ? CRD__PY_OTHER : CRD__PY_INTEGER, &node));
  if (count > 8) return CRD_OK;
  uint64_t value = count > 0 && bytes[count - 1] >> 7 ? UINT64_MAX : 0;
  for (size_t i = (size_t)count; i-- > 0;) value = value << 8 | bytes[i];
  memcpy(&node->as.integer, &value, sizeof value);
  return CRD_OK;
}

/* Big-endian, unlike all other operands. */
static crd_status run_float(machine *m, unsigned char code) {
  const unsigned char *bytes = NULL;
  uint64_t bits = 0;
  crd__io_py_node *node = NULL;
  (void)code;
  CRD_TRY(take(m, 8, &bytes));
  for (size_t i = 0; i < 8; i++) bits = bits << 8 | bytes[i];
  CRD_TRY(push_new(m, CRD__PY_FLOAT, &node));
  memcpy(&node->as.real, &bits, sizeof bits);
  return CRD_OK;
}

static crd_status push_text(machine *m, crd__io_py_kind kind, const char *text, uint32_t length) {
  crd__io_py_node *node = NULL;
  CRD_TRY(push_new(m, kind, &node));
  node->as.text = text;
  node->count = length;
  return CRD_OK;
}

static crd_status run_text(machine *m, unsigned char code) {
  const unsigned char *bytes = NULL;
  uint64_t length = 0;
  CRD_TRY(take_whole(m, opcodes[code].width, &length));
  CRD_TRY(take(m, length, &bytes));
  if (length > UINT32_MAX) return push_text(m, CRD__PY_OTHER, "", 0);
  return push_text(m, opcodes[code].kind, (const char *)bytes, (uint32_t)length);
}

/* ---- Opcodes: containers. */

static crd_status run_mark(machine *m, unsigned char code) {
  (void)code;
  if (m->stack.count > UINT32_MAX - 1) return damaged(m, "its stack is too high");
  return list_push(m, &m->marks, (uint32_t)m->stack.count);
}

static crd_status collect(machine *m, crd__io_py_kind kind, size_t count) {
  uint32_t node = 0;
  CRD_TRY(add_node(m, kind, &node));
  CRD_TRY(adopt(m, node, count));
  return push(m, node);
}

static crd_status run_collect(machine *m, unsigned char code) {
  size_t count = 0;
  CRD_TRY(pop_mark(m, &count));
  if (opcodes[code].kind == CRD__PY_DICT && count % 2) return damaged(m, "a key has no value");
  return collect(m, opcodes[code].kind, count);
}

static crd_status run_tuple(machine *m, unsigned char code) {
  if (depth(m) < opcodes[code].width) return damaged(m, "it pops more values than the stack holds");
  return collect(m, CRD__PY_TUPLE, opcodes[code].width);
}

/* Adds items to a list or a dict; those of other objects are dropped. */
static crd_status give(machine *m, crd__io_py_kind kind, size_t count) {
  if (depth(m) < count + 1) return damaged(m, "it adds items to nothing");
  const uint32_t target = m->stack.items[m->stack.count - count - 1];
  const crd__io_py_kind is = m->out->nodes[target].kind;
  if (kind == CRD__PY_DICT && count % 2) return damaged(m, "a key has no value");
  if (is == kind && kind != CRD__PY_OTHER) return adopt(m, target, count);
  if (is != CRD__PY_CALL && is != CRD__PY_OTHER)
    return damaged(m, "it adds items to an object that is not a container");
  m->stack.count -= count;
  return CRD_OK;
}

static crd_status run_add(machine *m, unsigned char code) {
  return give(m, opcodes[code].kind, opcodes[code].width);
}

static crd_status run_add_all(machine *m, unsigned char code) {
  size_t count = 0;
  CRD_TRY(pop_mark(m, &count));
  return give(m, opcodes[code].kind, count);
}

/* ---- Opcodes: the memo and the stack. */

static crd_status remember(machine *m, uint64_t index) {
  uint32_t node = 0;
  CRD_TRY(top(m, &node));
  if (index >= m->length) return damaged(m, "its memo is larger than the pickle");
  while (m->memo.count <= index) CRD_TRY(list_push(m, &m->memo, CRD__PY_END));
  m->memo.items[index] = node;
  return CRD_OK;
}

static crd_status run_put(machine *m, unsigned char code) {
  uint64_t index = 0;
  CRD_TRY(take_whole(m, opcodes[code].width, &index));
  return remember(m, index);
}

static crd_status run_memoize(machine *m, unsigned char code) {
  (void)code;
  return remember(m, m->memo.count);
}

static crd_status run_get(machine *m, unsigned char code) {
  uint64_t index = 0;
  CRD_TRY(take_whole(m, opcodes[code].width, &index));
  if (index >= m->memo.count || m->memo.items[index] == CRD__PY_END)
    return damaged(m, "its memo has no such entry");
  return push(m, m->memo.items[index]);
}

static crd_status run_pop(machine *m, unsigned char code) {
  uint32_t ignored = 0;
  (void)code;
  return pop(m, &ignored);
}

static crd_status run_pop_mark(machine *m, unsigned char code) {
  size_t count = 0;
  (void)code;
  CRD_TRY(pop_mark(m, &count));
  m->stack.count -= count;
  return CRD_OK;
}

/* ---- Opcodes: globals and calls, as data. */

static crd_status run_global(machine *m, unsigned char code) {
  const char *module = NULL, *name = NULL;
  uint32_t module_length = 0, name_length = 0;
  (void)code;
  CRD_TRY(take_line(m, &module, &module_length));
  CRD_TRY(take_line(m, &name, &name_length));
  CRD_TRY(push_text(m, CRD__PY_TEXT, module, module_length));
  CRD_TRY(push_text(m, CRD__PY_TEXT, name, name_length));
  return collect(m, CRD__PY_GLOBAL, 2);
}

static crd_status run_stack_global(machine *m, unsigned char code) {
  (void)code;
  if (depth(m) < 2) return damaged(m, "it pops more values than the stack holds");
  for (size_t i = 1; i <= 2; i++)
    if (m->out->nodes[m->stack.items[m->stack.count - i]].kind != CRD__PY_TEXT)
      return damaged(m, "the name of a global is not text");
  return collect(m, CRD__PY_GLOBAL, 2);
}

static bool is_dict_class(const crd__io_pickle *pickle, const crd__io_py_node *callable) {
  return crd__io_py_is_global(pickle, callable, "collections", "OrderedDict") ||
         crd__io_py_is_global(pickle, callable, "collections", "defaultdict");
}

/* Replaces callable and arguments by a call. Keyword arguments, if any, are a third child. */
static crd_status run_call(machine *m, unsigned char code) {
  const size_t width = opcodes[code].width;
  crd__io_pickle *const p = m->out;
  if (depth(m) < width) return damaged(m, "it pops more values than the stack holds");
  const uint32_t *const values = &m->stack.items[m->stack.count - width];
  if (p->nodes[values[1]].kind != CRD__PY_TUPLE)
    return damaged(m, "the arguments of a call are not a tuple");
  if (!is_dict_class(p, &p->nodes[values[0]])) return collect(m, CRD__PY_CALL, width);
  m->stack.count -= width;
  return collect(m, CRD__PY_DICT, 0);
}

/* Records the state of an object as a child; that of a dict is dropped. */
static crd_status run_build(machine *m, unsigned char code) {
  uint32_t state = 0, target = 0;
  (void)code;
  CRD_TRY(pop(m, &state));
  CRD_TRY(top(m, &target));
  return m->out->nodes[target].kind == CRD__PY_CALL ? add_child(m, target, state) : CRD_OK;
}

static crd_status run_persistent(machine *m, unsigned char code) {
  (void)code;
  if (depth(m) == 0) return damaged(m, "it pops more values than the stack holds");
  return collect(m, CRD__PY_PERSISTENT, 1);
}

static const opcode opcodes[256] = {
  [0x80] = { run_protocol, 0, CRD__PY_OTHER },
  [0x95] = { run_frame, 8, CRD__PY_OTHER },
  ['.'] = { run_stop, 0, CRD__PY_OTHER },
  ['N'] = { run_none, 0, CRD__PY_OTHER },
  [0x88] = { run_bool, 0, CRD__PY_BOOL },
  [0x89] = { run_bool, 0, CRD__PY_BOOL },
  ['J'] = { run_integer, 4, CRD__PY_INTEGER },
  ['K'] = { run_integer, 1, CRD__PY_INTEGER },
  ['M'] = { run_integer, 2, CRD__PY_INTEGER },
  [0x8a] = { run_long, 1, CRD__PY_INTEGER },
  [0x8b] = { run_long, 4, CRD__PY_INTEGER },
  ['G'] = { run_float, 8, CRD__PY_FLOAT },
  ['X'] = { run_text, 4, CRD__PY_TEXT },
  [0x8c] = { run_text, 1, CRD__PY_TEXT },
  [0x8d] = { run_text, 8, CRD__PY_TEXT },
  ['U'] = { run_text, 1, CRD__PY_TEXT }, /* Python 2, where text was bytes */
  ['T'] = { run_text, 4, CRD__PY_TEXT },
  ['C'] = { run_text, 1, CRD__PY_BYTES },
  ['B'] = { run_text, 4, CRD__PY_BYTES },
  [0x8e] = { run_text, 8, CRD__PY_BYTES },
  [0x96] = { run_text, 8, CRD__PY_BYTES },
  ['('] = { run_mark, 0, CRD__PY_OTHER },
  [')'] = { run_none, 0, CRD__PY_TUPLE },
  [']'] = { run_none, 0, CRD__PY_LIST },
  ['}'] = { run_none, 0, CRD__PY_DICT },
  [0x8f] = { run_none, 0, CRD__PY_OTHER },
  ['t'] = { run_collect, 0, CRD__PY_TUPLE },
  ['l'] = { run_collect, 0, CRD__PY_LIST },
  ['d'] = { run_collect, 0, CRD__PY_DICT },
  [0x91] = { run_collect, 0, CRD__PY_OTHER },
  [0x85] = { run_tuple, 1, CRD__PY_TUPLE },
  [0x86] = { run_tuple, 2, CRD__PY_TUPLE },
  [0x87] = { run_tuple, 3, CRD__PY_TUPLE },
  ['a'] = { run_add, 1, CRD__PY_LIST },
  ['s'] = { run_add, 2, CRD__PY_DICT },
  ['e'] = { run_add_all, 0, CRD__PY_LIST },
  ['u'] = { run_add_all, 0, CRD__PY_DICT },
  [0x90] = { run_add_all, 0, CRD__PY_OTHER },
  ['q'] = { run_put, 1, CRD__PY_OTHER },
  ['r'] = { run_put, 4, CRD__PY_OTHER },
  [0x94] = { run_memoize, 0, CRD__PY_OTHER },
  ['h'] = { run_get, 1, CRD__PY_OTHER },
  ['j'] = { run_get, 4, CRD__PY_OTHER },
  ['0'] = { run_pop, 0, CRD__PY_OTHER },
  ['1'] = { run_pop_mark, 0, CRD__PY_OTHER },
  ['c'] = { run_global, 0, CRD__PY_GLOBAL },
  [0x93] = { run_stack_global, 0, CRD__PY_GLOBAL },
  ['R'] = { run_call, 2, CRD__PY_CALL },
  [0x81] = { run_call, 2, CRD__PY_CALL },
  [0x92] = { run_call, 3, CRD__PY_CALL },
  ['b'] = { run_build, 0, CRD__PY_OTHER },
  ['Q'] = { run_persistent, 0, CRD__PY_PERSISTENT },
};

/* ---- Running. */

static crd_status run(machine *m) {
  for (size_t steps = 0; !m->stopped; steps++) {
    const unsigned char *code = NULL;
    if (steps % 65536 == 0) CRD_TRY(crd__check_interrupt(m->ctx));
    CRD_TRY(take(m, 1, &code));
    if (!opcodes[*code].run)
      return crd__fail(m->ctx, CRD_EINPUT,
                       "the pickle has opcode 0x%02x at byte %zu, which is not supported", *code,
                       m->length - (size_t)(m->end - code));
    CRD_TRY(opcodes[*code].run(m, *code));
  }
  return CRD_OK;
}

crd_status crd__io_pickle_read(crd_context *ctx, const unsigned char *bytes, size_t length,
                               crd__io_pickle *out) {
  machine m = { .ctx = ctx, .at = bytes, .end = bytes + length, .length = length, .out = out };
  *out = (crd__io_pickle){ .nodes = NULL };
  const crd_status status = run(&m);
  out->used = (size_t)(m.at - bytes);
  crd__free(&ctx->alloc, m.stack.items);
  crd__free(&ctx->alloc, m.marks.items);
  crd__free(&ctx->alloc, m.memo.items);
  return status;
}

void crd__io_pickle_clear(const crd_allocator *alloc, crd__io_pickle *pickle) {
  crd__free(alloc, pickle->nodes);
  crd__free(alloc, pickle->cells);
  *pickle = (crd__io_pickle){ .nodes = NULL };
}

bool crd__io_pickle_recognise(const unsigned char *bytes, size_t length) {
  return length >= 4 && bytes[0] == 0x80 && bytes[1] >= 2 && bytes[1] <= PROTOCOL_MAX &&
         opcodes[bytes[2]].run != NULL;
}
