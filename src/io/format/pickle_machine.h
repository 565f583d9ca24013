/* pickle_machine.h -- memory, stack and operands of the pickle machine, for its opcodes (pickle.c).
 */
#ifndef CRD_IO_FORMAT_PICKLE_MACHINE_H
#define CRD_IO_FORMAT_PICKLE_MACHINE_H

#include "io/format/pickle.h"

typedef struct {
  uint32_t *items;
  size_t count, capacity;
} crd__io_pickle_indices;

typedef struct {
  crd_context *ctx;
  const unsigned char *at, *end;
  size_t length;
  crd__io_pickle *out;
  size_t node_capacity, cell_capacity;
  crd__io_pickle_indices stack; /* nodes */
  crd__io_pickle_indices marks; /* heights of the stack */
  crd__io_pickle_indices memo;  /* nodes; CRD__PY_END: none yet */
  bool stopped;
} crd__io_pickle_machine;

/* EINPUT: "the pickle is damaged: ..." */
crd_status crd__io_pickle_damaged(crd__io_pickle_machine *m, const char *why);
/* Appends to a list. ENOMEM. */
crd_status crd__io_pickle_append(crd__io_pickle_machine *m, crd__io_pickle_indices *list,
                                 uint32_t value);
/* Adds a node without children. ENOMEM, or EINPUT beyond the largest number of nodes. */
crd_status crd__io_pickle_add_node(crd__io_pickle_machine *m, crd__io_py_kind kind,
                                   uint32_t *index);
/* Appends a child to a node. */
crd_status crd__io_pickle_add_child(crd__io_pickle_machine *m, uint32_t parent, uint32_t child);
/* Number of values above the last mark, or on the whole stack. */
size_t crd__io_pickle_depth(const crd__io_pickle_machine *m);
/* Pop, read or push the topmost value; EINPUT if there is none above the last mark. */
crd_status crd__io_pickle_pop(crd__io_pickle_machine *m, uint32_t *out);
crd_status crd__io_pickle_top(crd__io_pickle_machine *m, uint32_t *out);
crd_status crd__io_pickle_push(crd__io_pickle_machine *m, uint32_t node);
/* Adds a node and pushes it. */
crd_status crd__io_pickle_push_new(crd__io_pickle_machine *m, crd__io_py_kind kind,
                                   crd__io_py_node **out);
/* Pops the last mark; *count values are above it. */
crd_status crd__io_pickle_pop_mark(crd__io_pickle_machine *m, size_t *count);
/* Pops the topmost values and makes them children of a node. */
crd_status crd__io_pickle_adopt(crd__io_pickle_machine *m, uint32_t parent, size_t count);
/* Take operands: bytes, a little-endian integer, a line; EINPUT if the pickle ends before. */
crd_status crd__io_pickle_take(crd__io_pickle_machine *m, uint64_t count,
                               const unsigned char **out);
crd_status crd__io_pickle_take_whole(crd__io_pickle_machine *m, size_t width, uint64_t *out);
crd_status crd__io_pickle_take_line(crd__io_pickle_machine *m, const char **text, uint32_t *length);

#endif
