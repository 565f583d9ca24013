/*
 * model.h -- an ONNX model of someone else: as much of it as must be known to add nodes to its
 * graph. All else stays bytes.
 */
#ifndef CRD_ONNX_MODEL_H
#define CRD_ONNX_MODEL_H

#include "base/file.h"
#include "onnx/message.h"

typedef struct {
  const char *path; /* for sentences */
  crd__onnx_span all;
  crd__onnx_span graph, graph_field; /* what is in it, and with its key and length */
  int64_t ir, opset;                 /* versions, the second of the standard operators; 0: none */
  bool external;                     /* it has weights in other files */
} crd__onnx_model;

/* A value that flows through the graph. */
typedef struct {
  crd__onnx_span name;
  int64_t type;        /* of its elements; 0: not known; -1: it is no tensor */
  bool shaped;         /* these are known: */
  size_t rank;         /* */
  int64_t columns;     /* the second dimension; -1: not known, or not fixed */
  crd__onnx_span rows; /* the first, as its message */
} crd__onnx_value;

/* EINPUT where the bytes are no such model. They must stay as they are as long as it is used.
 * `blob`: what they are mapped by, so that little of it is in memory at a time; NULL: nothing. */
crd_status crd__onnx_read(crd_context *ctx, const char *path, crd__onnx_span bytes,
                          const crd__blob *blob, crd__onnx_model *out);
/* The value of that name; NULL: the only output. EUSAGE where there is none. */
crd_status crd__onnx_find(crd_context *ctx, const crd__onnx_model *model, const char *name,
                          crd__onnx_value *out);
/* The operator that makes a value, and the first thing it reads; false: none does. */
bool crd__onnx_producer(const crd__onnx_model *model, crd__onnx_span value,
                        crd__onnx_span *operator, crd__onnx_span * input);
/* Is there a name, of values or nodes, also in graphs inside, that begins with `text` (or is it)?
 */
bool crd__onnx_has_name(const crd__onnx_model *model, const char *text, bool whole);

#endif
