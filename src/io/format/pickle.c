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
#include "io/format/pickle_machine.h"

#include "base/memory.h"

#include <string.h>

enum { PROTOCOL_MAX = 5 };

typedef struct {
  crd_status (*run)(crd__io_pickle_machine *m, unsigned char code);
  unsigned char
      width; /* bytes of the operand or of its length; for tuples and items, their number */
  crd__io_py_kind kind;
} opcode;

static const opcode opcodes[256];

/* ---- Opcodes: values. */

static crd_status run_protocol(crd__io_pickle_machine *m, unsigned char code) {
  uint64_t version = 0;
  (void)code;
  CRD_TRY(crd__io_pickle_take_whole(m, 1, &version));
  if (version <= PROTOCOL_MAX) return CRD_OK;
  return crd__fail(m->ctx, CRD_EINPUT, "pickle protocol %d, known are 2 to %d", (int)version,
                   PROTOCOL_MAX);
}

/* Frames are hints for buffering. */
static crd_status run_frame(crd__io_pickle_machine *m, unsigned char code) {
  const unsigned char *ignored;
  return crd__io_pickle_take(m, opcodes[code].width, &ignored);
}

static crd_status run_stop(crd__io_pickle_machine *m, unsigned char code) {
  (void)code;
  CRD_TRY(crd__io_pickle_pop(m, &m->out->root));
  if (m->stack.count != 0 || m->marks.count != 0)
    return crd__io_pickle_damaged(m, "values are left on the stack");
  m->stopped = true;
  return CRD_OK;
}

static crd_status run_none(crd__io_pickle_machine *m, unsigned char code) {
  crd__io_py_node *node = NULL;
  return crd__io_pickle_push_new(m, opcodes[code].kind, &node);
}

static crd_status run_bool(crd__io_pickle_machine *m, unsigned char code) {
  crd__io_py_node *node = NULL;
  CRD_TRY(crd__io_pickle_push_new(m, CRD__PY_BOOL, &node));
  node->as.integer = code == 0x88;
  return CRD_OK;
}

static crd_status run_integer(crd__io_pickle_machine *m, unsigned char code) {
  const size_t width = opcodes[code].width;
  uint64_t value = 0;
  crd__io_py_node *node = NULL;
  CRD_TRY(crd__io_pickle_take_whole(m, width, &value));
  CRD_TRY(crd__io_pickle_push_new(m, CRD__PY_INTEGER, &node));
  node->as.integer =
      width == 4 && value >> 31 ? (int64_t)value - (INT64_C(1) << 32) : (int64_t)value;
  return CRD_OK;
}

/* Two's complement of any length. */
static crd_status run_long(crd__io_pickle_machine *m, unsigned char code) {
  const unsigned char *bytes = NULL;
  uint64_t count = 0;
  crd__io_py_node *node = NULL;
  CRD_TRY(crd__io_pickle_take_whole(m, opcodes[code].width, &count));
  CRD_TRY(crd__io_pickle_take(m, count, &bytes));
  CRD_TRY(crd__io_pickle_push_new(m, count > 8 ? CRD__PY_OTHER : CRD__PY_INTEGER, &node));
  if (count > 8) return CRD_OK;
  uint64_t value = count > 0 && bytes[count - 1] >> 7 ? UINT64_MAX : 0;
  for (size_t i = (size_t)count; i-- > 0;) value = value << 8 | bytes[i];
  memcpy(&node->as.integer, &value, sizeof value);
  return CRD_OK;
}

/* Big-endian, unlike all other operands. */
static crd_status run_float(crd__io_pickle_machine *m, unsigned char code) {
  const unsigned char *bytes = NULL;
  uint64_t bits = 0;
  crd__io_py_node *node = NULL;
  (void)code;
  CRD_TRY(crd__io_pickle_take(m, 8, &bytes));
  for (size_t i = 0; i < 8; i++) bits = bits << 8 | bytes[i];
  CRD_TRY(crd__io_pickle_push_new(m, CRD__PY_FLOAT, &node));
  memcpy(&node->as.real, &bits, sizeof bits);
  return CRD_OK;
}

static crd_status push_text(crd__io_pickle_machine *m, crd__io_py_kind kind, const char *text,
                            uint32_t length) {
  crd__io_py_node *node = NULL;
  CRD_TRY(crd__io_pickle_push_new(m, kind, &node));
  node->as.text = text;
  node->count = length;
  return CRD_OK;
}

static crd_status run_text(crd__io_pickle_machine *m, unsigned char code) {
  const unsigned char *bytes = NULL;
  uint64_t length = 0;
  CRD_TRY(crd__io_pickle_take_whole(m, opcodes[code].width, &length));
  CRD_TRY(crd__io_pickle_take(m, length, &bytes));
  if (length > UINT32_MAX) return push_text(m, CRD__PY_OTHER, "", 0);
  return push_text(m, opcodes[code].kind, (const char *)bytes, (uint32_t)length);
}

/* ---- Opcodes: containers. */

static crd_status run_mark(crd__io_pickle_machine *m, unsigned char code) {
  (void)code;
  if (m->stack.count > UINT32_MAX - 1) return crd__io_pickle_damaged(m, "its stack is too high");
  return crd__io_pickle_append(m, &m->marks, (uint32_t)m->stack.count);
}

static crd_status collect(crd__io_pickle_machine *m, crd__io_py_kind kind, size_t count) {
  uint32_t node = 0;
  CRD_TRY(crd__io_pickle_add_node(m, kind, &node));
  CRD_TRY(crd__io_pickle_adopt(m, node, count));
  return crd__io_pickle_push(m, node);
}

static crd_status run_collect(crd__io_pickle_machine *m, unsigned char code) {
  size_t count = 0;
  CRD_TRY(crd__io_pickle_pop_mark(m, &count));
  if (opcodes[code].kind == CRD__PY_DICT && count % 2)
    return crd__io_pickle_damaged(m, "a key has no value");
  return collect(m, opcodes[code].kind, count);
}

static crd_status run_tuple(crd__io_pickle_machine *m, unsigned char code) {
  if (crd__io_pickle_depth(m) < opcodes[code].width)
    return crd__io_pickle_damaged(m, "it pops more values than the stack holds");
  return collect(m, CRD__PY_TUPLE, opcodes[code].width);
}

/* Adds items to a list or a dict; those of other objects are dropped. */
static crd_status give(crd__io_pickle_machine *m, crd__io_py_kind kind, size_t count) {
  if (crd__io_pickle_depth(m) < count + 1)
    return crd__io_pickle_damaged(m, "it adds items to nothing");
  const uint32_t target = m->stack.items[m->stack.count - count - 1];
  const crd__io_py_kind is = m->out->nodes[target].kind;
  if (kind == CRD__PY_DICT && count % 2) return crd__io_pickle_damaged(m, "a key has no value");
  if (is == kind && kind != CRD__PY_OTHER) return crd__io_pickle_adopt(m, target, count);
  if (is != CRD__PY_CALL && is != CRD__PY_OTHER)
    return crd__io_pickle_damaged(m, "it adds items to an object that is not a container");
  m->stack.count -= count;
  return CRD_OK;
}

static crd_status run_add(crd__io_pickle_machine *m, unsigned char code) {
  return give(m, opcodes[code].kind, opcodes[code].width);
}

static crd_status run_add_all(crd__io_pickle_machine *m, unsigned char code) {
  size_t count = 0;
  CRD_TRY(crd__io_pickle_pop_mark(m, &count));
  return give(m, opcodes[code].kind, count);
}

/* ---- Opcodes: the memo and the stack. */

static crd_status remember(crd__io_pickle_machine *m, uint64_t index) {
  uint32_t node = 0;
  CRD_TRY(crd__io_pickle_top(m, &node));
  if (index >= m->length) return crd__io_pickle_damaged(m, "its memo is larger than the pickle");
  while (m->memo.count <= index) CRD_TRY(crd__io_pickle_append(m, &m->memo, CRD__PY_END));
  m->memo.items[index] = node;
  return CRD_OK;
}

static crd_status run_put(crd__io_pickle_machine *m, unsigned char code) {
  uint64_t index = 0;
  CRD_TRY(crd__io_pickle_take_whole(m, opcodes[code].width, &index));
  return remember(m, index);
}

static crd_status run_memoize(crd__io_pickle_machine *m, unsigned char code) {
  (void)code;
  return remember(m, m->memo.count);
}

static crd_status run_get(crd__io_pickle_machine *m, unsigned char code) {
  uint64_t index = 0;
  CRD_TRY(crd__io_pickle_take_whole(m, opcodes[code].width, &index));
  if (index >= m->memo.count || m->memo.items[index] == CRD__PY_END)
    return crd__io_pickle_damaged(m, "its memo has no such entry");
  return crd__io_pickle_push(m, m->memo.items[index]);
}

static crd_status run_pop(crd__io_pickle_machine *m, unsigned char code) {
  uint32_t ignored = 0;
  (void)code;
  return crd__io_pickle_pop(m, &ignored);
}

static crd_status run_pop_mark(crd__io_pickle_machine *m, unsigned char code) {
  size_t count = 0;
  (void)code;
  CRD_TRY(crd__io_pickle_pop_mark(m, &count));
  m->stack.count -= count;
  return CRD_OK;
}

/* ---- Opcodes: globals and calls, as data. */

static crd_status run_global(crd__io_pickle_machine *m, unsigned char code) {
  const char *module = NULL, *name = NULL;
  uint32_t module_length = 0, name_length = 0;
  (void)code;
  CRD_TRY(crd__io_pickle_take_line(m, &module, &module_length));
  CRD_TRY(crd__io_pickle_take_line(m, &name, &name_length));
  CRD_TRY(push_text(m, CRD__PY_TEXT, module, module_length));
  CRD_TRY(push_text(m, CRD__PY_TEXT, name, name_length));
  return collect(m, CRD__PY_GLOBAL, 2);
}

static crd_status run_stack_global(crd__io_pickle_machine *m, unsigned char code) {
  (void)code;
  if (crd__io_pickle_depth(m) < 2)
    return crd__io_pickle_damaged(m, "it pops more values than the stack holds");
  for (size_t i = 1; i <= 2; i++)
    if (m->out->nodes[m->stack.items[m->stack.count - i]].kind != CRD__PY_TEXT)
      return crd__io_pickle_damaged(m, "the name of a global is not text");
  return collect(m, CRD__PY_GLOBAL, 2);
}

static bool is_dict_class(const crd__io_pickle *pickle, const crd__io_py_node *callable) {
  return crd__io_py_is_global(pickle, callable, "collections", "OrderedDict") ||
         crd__io_py_is_global(pickle, callable, "collections", "defaultdict");
}

/* Replaces callable and arguments by a call. Keyword arguments, if any, are a third child. */
static crd_status run_call(crd__io_pickle_machine *m, unsigned char code) {
  const size_t width = opcodes[code].width;
  crd__io_pickle *const p = m->out;
  if (crd__io_pickle_depth(m) < width)
    return crd__io_pickle_damaged(m, "it pops more values than the stack holds");
  const uint32_t *const values = &m->stack.items[m->stack.count - width];
  if (p->nodes[values[1]].kind != CRD__PY_TUPLE)
    return crd__io_pickle_damaged(m, "the arguments of a call are not a tuple");
  if (!is_dict_class(p, &p->nodes[values[0]])) return collect(m, CRD__PY_CALL, width);
  m->stack.count -= width;
  return collect(m, CRD__PY_DICT, 0);
}

/* Records the state of an object as a child; that of a dict is dropped. */
static crd_status run_build(crd__io_pickle_machine *m, unsigned char code) {
  uint32_t state = 0, target = 0;
  (void)code;
  CRD_TRY(crd__io_pickle_pop(m, &state));
  CRD_TRY(crd__io_pickle_top(m, &target));
  return m->out->nodes[target].kind == CRD__PY_CALL ? crd__io_pickle_add_child(m, target, state)
                                                    : CRD_OK;
}

static crd_status run_persistent(crd__io_pickle_machine *m, unsigned char code) {
  (void)code;
  if (crd__io_pickle_depth(m) == 0)
    return crd__io_pickle_damaged(m, "it pops more values than the stack holds");
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

static crd_status run(crd__io_pickle_machine *m) {
  for (size_t steps = 0; !m->stopped; steps++) {
    const unsigned char *code = NULL;
    if (steps % 65536 == 0) CRD_TRY(crd__check_interrupt(m->ctx));
    CRD_TRY(crd__io_pickle_take(m, 1, &code));
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
  crd__io_pickle_machine m = {
    .ctx = ctx, .at = bytes, .end = bytes + length, .length = length, .out = out
  };
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
