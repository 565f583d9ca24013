/*
 * graph.h -- an ONNX model in the making: constants, nodes, inputs and outputs, one after another.
 *
 * Nothing fails on the way: lack of memory is remembered, and crd__graph_finish reports it.
 */
#ifndef CRD_ONNX_GRAPH_H
#define CRD_ONNX_GRAPH_H

#include "base/text.h"
#include "onnx/message.h"

enum { CRD__ONNX_FLOAT = 1, CRD__ONNX_INT64 = 7, CRD__ONNX_DOUBLE = 11 };
enum { CRD__ONNX_IR = 8, CRD__ONNX_OPSET = 17 };

typedef struct {
  const crd_allocator *alloc;
  crd__text body; /* the fields of a GraphProto */
  size_t values;  /* names given so far */
  /* For nodes that go into another graph: */
  const char *prefix; /* before every name; "" */
  int64_t opset;
  crd__span rows; /* the dimension of rows, as its message; without bytes: "rows" */
} crd__graph;

/* What flows along an edge: its name. */
typedef struct {
  char name[24];
} crd__value;

/* An attribute of a node; a list of them ends with a NULL name. */
typedef struct {
  const char *name;
  int64_t value;
  bool list; /* it is written as a list of this one number */
} crd__attribute;

void crd__graph_init(crd__graph *graph, const crd_allocator *alloc);
void crd__graph_clear(crd__graph *graph);
/* Rows of `columns` elements (0: one-dimensional). */
crd__value crd__graph_input(crd__graph *graph, const char *name, int type, size_t columns);
/* What another graph calls `name`, as elements of a type. */
crd__value crd__graph_foreign(crd__graph *graph, crd__span name, int type);
void crd__graph_output(crd__graph *graph, crd__value value, const char *name, int type,
                       size_t columns);
/* A constant: of rank 2 when both counts are there, of rank 1 with columns alone, else a scalar. */
crd__value crd__graph_doubles(crd__graph *graph, const double *values, size_t rows, size_t columns);
crd__value crd__graph_int64s(crd__graph *graph, const int64_t *values, size_t count);
/* A node with one output. `attributes` may be NULL. */
crd__value crd__graph_node(crd__graph *graph, const char *op, const crd__value *inputs,
                           size_t count, const crd__attribute *attributes);
/* The whole model, as bytes of an .onnx file. */
crd_status crd__graph_finish(crd_context *ctx, const crd__graph *graph, const char *name,
                             const char *about, crd__text *out);

#endif
