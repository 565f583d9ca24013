/*
 * graph.h -- build an ONNX model: constants, nodes, inputs and outputs, one after another.
 *
 * No call fails: lack of memory is remembered, and crd__onnx_graph_finish reports it.
 */
#ifndef CRD_ONNX_GRAPH_H
#define CRD_ONNX_GRAPH_H

#include "base/text.h"
#include "onnx/file.h"

enum { CRD__ONNX_FLOAT = 1, CRD__ONNX_INT64 = 7, CRD__ONNX_DOUBLE = 11 };
enum { CRD__ONNX_IR = 8, CRD__ONNX_OPSET = 17 };
enum { CRD__ONNX_IR_CONSTANTS = 4 }; /* since then there are initialisers that are not inputs */

typedef struct {
  const crd_allocator *alloc;
  crd__text body; /* the fields of a GraphProto */
  size_t values;  /* number of generated names */
  int64_t opset;
  /* For nodes that are added to an existing graph: */
  int64_t ir; /* its version: below CRD__ONNX_IR_CONSTANTS, constants are nodes; 0: a later one */
  const char *prefix;  /* of every generated name; may be "" */
  crd__onnx_span rows; /* the row dimension, as an encoded message; empty: named "rows" */
} crd__onnx_graph;

/* A value, identified by its name. */
typedef struct {
  char name[80]; /* "": an omitted optional input */
} crd__onnx_graph_value;

/* An attribute of a node; a list of them ends with a NULL name. */
typedef struct {
  const char *name;
  int64_t i;
  const char *s;
  const int64_t *ints;
  size_t count; /* length of ints */
  float f;
  crd__onnx_attribute_type type; /* FLOAT, INT (also 0), STRING, INTS */
} crd__onnx_graph_attribute;

void crd__onnx_graph_init(crd__onnx_graph *graph, const crd_allocator *alloc);
void crd__onnx_graph_clear(crd__onnx_graph *graph);
/* Adds an input of rows of `columns` elements (0: one-dimensional). */
crd__onnx_graph_value crd__onnx_graph_input(crd__onnx_graph *graph, const char *name, int type,
                                            size_t columns);
/* Adds an input of any rank; dimension -1 is that of the rows. */
crd__onnx_graph_value crd__onnx_graph_input_of(crd__onnx_graph *graph, const char *name, int type,
                                               const int64_t *dims, size_t rank);
/* Refers to the value `name` of the existing graph, cast to an element type. */
crd__onnx_graph_value crd__onnx_graph_foreign(crd__onnx_graph *graph, crd__onnx_span name,
                                              int type);
/* Adds an output: a copy of `value`, called `name`. */
void crd__onnx_graph_output(crd__onnx_graph *graph, crd__onnx_graph_value value, const char *name,
                            int type, size_t columns);
/* Makes a value itself an output. */
void crd__onnx_graph_output_of(crd__onnx_graph *graph, crd__onnx_graph_value value, int type,
                               const int64_t *dims, size_t rank);
/* Adds a constant: of rank 2 if both counts are positive, of rank 1 with columns alone, else 0. */
crd__onnx_graph_value crd__onnx_graph_doubles(crd__onnx_graph *graph, const double *values,
                                              size_t rows, size_t columns);
crd__onnx_graph_value crd__onnx_graph_int64s(crd__onnx_graph *graph, const int64_t *values,
                                             size_t count);
/* Adds a constant of any rank with a unique name of at most 79 bytes. */
crd__onnx_graph_value crd__onnx_graph_floats(crd__onnx_graph *graph, const char *name,
                                             const float *values, const int64_t *dims, size_t rank);
/* Adds a node with one output, called `name` in the second form. `attributes` may be NULL. */
crd__onnx_graph_value crd__onnx_graph_node(crd__onnx_graph *graph, const char *op,
                                           const crd__onnx_graph_value *inputs, size_t count,
                                           const crd__onnx_graph_attribute *attributes);
crd__onnx_graph_value crd__onnx_graph_node_as(crd__onnx_graph *graph, const char *name,
                                              const char *op, const crd__onnx_graph_value *inputs,
                                              size_t count,
                                              const crd__onnx_graph_attribute *attributes);
/* Writes the model as the bytes of an .onnx file. CRD_ENOMEM if memory ever ran out. */
crd_status crd__onnx_graph_finish(crd_context *ctx, const crd__onnx_graph *graph, const char *name,
                                  const char *about, crd__text *out);

#endif
