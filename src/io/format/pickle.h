/*
 * pickle.h -- Python's pickles as inert data: nothing is imported, called or executed.
 *
 * A pickle is a program for a small stack machine. Here it builds a graph of nodes: numbers, text,
 * containers, names of globals, and calls that are recorded instead of made. What the calls mean is
 * up to the reader of the graph, who knows a few of them and refuses all others.
 *
 * Opcodes of protocols 2 to 5. Time and memory are linear in the pickle's length. The graph may
 * have cycles and shared nodes: whoever walks it must bound depth and steps.
 */
#ifndef CRD_IO_FORMAT_PICKLE_H
#define CRD_IO_FORMAT_PICKLE_H

#include "base/context.h"

typedef enum {
  CRD__PY_OTHER, /* None, sets, integers beyond 64 bits: of no use here */
  CRD__PY_BOOL,
  CRD__PY_INTEGER,
  CRD__PY_FLOAT,
  CRD__PY_TEXT,
  CRD__PY_BYTES,
  CRD__PY_TUPLE,
  CRD__PY_LIST,
  CRD__PY_DICT,       /* children: key, value, key, value ...; OrderedDict and defaultdict too */
  CRD__PY_GLOBAL,     /* children: module, name, both text */
  CRD__PY_CALL,       /* children: callable, tuple of arguments, then states it was built with */
  CRD__PY_PERSISTENT, /* child: the persistent id */
} crd__io_py_kind;

typedef struct {
  crd__io_py_kind kind;
  uint32_t count;       /* children; or bytes of text */
  uint32_t first, last; /* cells of the children */
  union {
    int64_t integer;
    double real;
    const char *text; /* in the pickle, not terminated */
  } as;
} crd__io_py_node;

/* Children are lists of cells, because a node may be the child of many. */
typedef struct {
  uint32_t node, next;
} crd__io_py_cell;

#define CRD__PY_END UINT32_MAX

/* All zero is an empty one. */
typedef struct {
  crd__io_py_node *nodes;
  crd__io_py_cell *cells;
  uint32_t node_count, cell_count, root;
  size_t used; /* bytes of the pickle, its STOP included */
} crd__io_pickle;

/* Does it begin like a pickle of protocol 2 or later? */
bool crd__io_pickle_recognise(const unsigned char *bytes, size_t length);
/* The pickle at bytes[0 .. length), which must stay: text points into it. Release with clear, also
 * after failure. */
crd_status crd__io_pickle_read(crd_context *ctx, const unsigned char *bytes, size_t length,
                               crd__io_pickle *out);
void crd__io_pickle_clear(const crd_allocator *alloc, crd__io_pickle *pickle);

/* The i-th child, walking there; NULL: it has fewer. */
const crd__io_py_node *crd__io_py_child(const crd__io_pickle *pickle, const crd__io_py_node *node,
                                        size_t i);
bool crd__io_py_is_text(const crd__io_py_node *node, const char *text);
/* A number as a double, booleans as 0 and 1. */
bool crd__io_py_number(const crd__io_py_node *node, double *out);
/* Is it the global module.name? */
bool crd__io_py_is_global(const crd__io_pickle *pickle, const crd__io_py_node *node,
                          const char *module, const char *name);
/* What a node is, for messages: "a list", "a __main__.Model". */
enum { CRD__PY_DESCRIPTION = 120 };
const char *crd__io_py_describe(const crd__io_pickle *pickle, const crd__io_py_node *node,
                                char out[CRD__PY_DESCRIPTION]);

#endif
