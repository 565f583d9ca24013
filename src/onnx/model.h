/*
 * model.h -- an existing ONNX model, parsed only as far as is needed to add nodes to its graph. The
 * rest stays bytes.
 */
#ifndef CRD_ONNX_MODEL_H
#define CRD_ONNX_MODEL_H

#include "base/file.h"
#include "onnx/message.h"

typedef struct {
  const char *path; /* for error messages */
  crd__onnx_span all;
  crd__onnx_span graph, graph_field; /* payload, and with key and length */
  int64_t ir, opset;                 /* versions; opset of the standard operators, 0: none */
  bool external;                     /* it has external data */
} crd__onnx_model;

/* A value of the graph. */
typedef struct {
  crd__onnx_span name;
  int64_t type;        /* of its elements; 0: unknown; -1: not a tensor */
  bool shaped;         /* the following are known: */
  size_t rank;         /* */
  int64_t columns;     /* the second dimension; -1: unknown or free */
  crd__onnx_span rows; /* the first dimension, as an encoded message */
} crd__onnx_value;

/* Parses bytes, borrowed while the model is used. CRD_EINPUT if they are not a valid model. `blob`
 * is their mapping, whose pages are dropped on the way; NULL: none. */
crd_status crd__onnx_read(crd_context *ctx, const char *path, crd__onnx_span bytes,
                          const crd__blob *blob, crd__onnx_model *out);
/* Finds a value by name; NULL: the only output. CRD_EUSAGE if there is no such value. */
crd_status crd__onnx_find(crd_context *ctx, const crd__onnx_model *model, const char *name,
                          crd__onnx_value *out);
/* Finds the operator that produces a value, and its first input; false: no node does. */
bool crd__onnx_producer(const crd__onnx_model *model, crd__onnx_span value,
                        crd__onnx_span *operator, crd__onnx_span * input);
/* Returns whether a name of a value or node, also in subgraphs, begins with `text` (`whole`: is
 * it). */
bool crd__onnx_has_name(const crd__onnx_model *model, const char *text, bool whole);

#endif
