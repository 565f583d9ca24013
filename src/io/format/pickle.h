/*
 * pickle.h -- reads Python's pickles as inert data: nothing is imported, called or executed.
 *
 * A pickle is a program for a small stack machine. Here it builds a graph of nodes: numbers, text,
 * containers, names of globals, and calls, which are recorded instead of made. The readers of the
 * graph know a few calls and fail on all others.
 *
 * Opcodes of protocols 2 to 5. Time and memory are linear in the pickle's length. The graph may
 * have cycles and shared nodes: traversals must bound depth and steps.
 */
#ifndef CRD_IO_FORMAT_PICKLE_H
#define CRD_IO_FORMAT_PICKLE_H

#include "base/context.h"

typedef enum {
  CRD__PY_OTHER, /* None, sets, integers beyond 64 bits: not used */
  CRD__PY_BOOL,
  CRD__PY_INTEGER,
  CRD__PY_FLOAT,
  CRD__PY_TEXT,
  CRD__PY_BYTES,
  CRD__PY_TUPLE,
  CRD__PY_LIST,
  CRD__PY_DICT,       /* children: key, value, key, value ...; OrderedDict and defaultdict too */
  CRD__PY_GLOBAL,     /* children: module, name, both text */
  CRD__PY_CALL,       /* children: callable, tuple of arguments, then states passed to BUILD */
  CRD__PY_PERSISTENT, /* child: the persistent id */
} crd__io_py_kind;

typedef struct {
  crd__io_py_kind kind;
  uint32_t count;       /* children; or bytes of text */
  uint32_t first, last; /* cells of the first and last child */
  union {
    int64_t integer;
    double real;
    const char *text; /* in the pickle, not terminated */
  } as;
} crd__io_py_node;

/* Children are linked lists of cells, because a node may have several parents. */
typedef struct {
  uint32_t node, next;
} crd__io_py_cell;

#define CRD__PY_END UINT32_MAX

/* A zeroed struct is an empty pickle. */
typedef struct {
  crd__io_py_node *nodes;
  crd__io_py_cell *cells;
  uint32_t node_count, cell_count, root;
  size_t used; /* bytes of the pickle, including STOP */
} crd__io_pickle;

/* Returns whether the bytes begin like a pickle of protocol 2 or later. */
bool crd__io_pickle_recognise(const unsigned char *bytes, size_t length);
/* Reads the pickle at bytes[0 .. length), which is borrowed: text points into it. Fails with EINPUT
 * on damaged pickles and unknown opcodes. Release with clear, also after failure. */
crd_status crd__io_pickle_read(crd_context *ctx, const unsigned char *bytes, size_t length,
                               crd__io_pickle *out);
void crd__io_pickle_clear(const crd_allocator *alloc, crd__io_pickle *pickle);

/* Returns the i-th child in O(i); NULL: it has fewer. */
const crd__io_py_node *crd__io_py_child(const crd__io_pickle *pickle, const crd__io_py_node *node,
                                        size_t i);
bool crd__io_py_is_text(const crd__io_py_node *node, const char *text);
/* Converts a number or boolean; false: it is neither. */
bool crd__io_py_number(const crd__io_py_node *node, double *out);
/* Returns whether the node is the global module.name. */
bool crd__io_py_is_global(const crd__io_pickle *pickle, const crd__io_py_node *node,
                          const char *module, const char *name);
/* Describes a node, for error messages: "a list", "a __main__.Model". */
enum { CRD__PY_DESCRIPTION = 120 };
const char *crd__io_py_describe(const crd__io_pickle *pickle, const crd__io_py_node *node,
                                char out[CRD__PY_DESCRIPTION]);

#endif
