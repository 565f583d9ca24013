/*
 * file.h -- an ONNX file as data: nodes in an order in which they can be computed, the values
 * between them, constant tensors. Nothing of the weights is copied: tensors point into the mapped
 * file, or into the mapped file beside it that holds them.
 */
#ifndef CRD_ONNX_FILE_H
#define CRD_ONNX_FILE_H

#include "base/context.h"
#include "credence/tensor.h"
#include "onnx/message.h"

#include <stdbool.h>

enum { CRD__ONNX_NONE = -1 };

typedef struct {
  const char *name; /* "" where it has none */
  int type;         /* ONNX's number of the element type */
  bool numbers;     /* the type is one of crd_dtype; else bytes is NULL */
  crd_dtype dtype;
  size_t rank;
  int64_t dims[CRD_RANK_MAX];
  size_t count;               /* elements */
  const unsigned char *bytes; /* native, C order, at any address: load as memcpy does */
} crd__onnx_tensor;

/* ONNX's numbers of attribute types. */
typedef enum {
  CRD__ATTRIBUTE_FLOAT = 1,
  CRD__ATTRIBUTE_INT,
  CRD__ATTRIBUTE_STRING,
  CRD__ATTRIBUTE_TENSOR,
  CRD__ATTRIBUTE_GRAPH,
  CRD__ATTRIBUTE_FLOATS,
  CRD__ATTRIBUTE_INTS,
  CRD__ATTRIBUTE_STRINGS
} crd__onnx_attribute_type;

typedef struct {
  const char *name;
  int type;
  int64_t i;
  float f;
  crd__onnx_span s;
  crd__onnx_tensor *t;
  size_t count; /* of the lists */
  int64_t *ints;
  float *floats;
} crd__onnx_attribute;

typedef struct {
  const char *name; /* never NULL; that of the first output where the file gives none */
  const char *op, *domain;
  size_t input_count, output_count;
  int *inputs, *outputs; /* numbers of edges; NONE: left out */
  size_t attribute_count;
  crd__onnx_attribute *attributes;
  crd__onnx_span whole; /* the NodeProto as it stands in the file */
} crd__onnx_node;

/* A value between nodes. */
typedef struct {
  const char *name;
  const crd__onnx_tensor *constant; /* an initialiser; NULL: none */
  int producer;                     /* number of the node; NONE: input or constant */
  bool typed;                       /* what the file says of it, if it does: */
  crd_port port;
} crd__onnx_edge;

typedef struct crd__onnx_file crd__onnx_file;
struct crd__onnx_file {
  const char *path;
  int64_t ir, opset; /* of the standard operators */
  const char *producer;
  size_t node_count, edge_count, input_count, output_count;
  crd__onnx_node *nodes;
  crd__onnx_edge *edges;
  int *inputs, *outputs; /* numbers of edges; inputs with an initialiser are not among them */
  uint64_t weight_bytes; /* of all initialisers */
  void *inside;          /* of file.c */
};

crd_status crd__onnx_file_open(crd_context *ctx, const char *path, crd__onnx_file **out);
/* The bytes must stay until destroy. `path` also says where files with weights are looked for. */
crd_status crd__onnx_file_read(crd_context *ctx, const char *path, crd__onnx_span bytes,
                               crd__onnx_file **out);
void crd__onnx_file_destroy(crd__onnx_file *file);
/* One file with all weights inside; what is not understood is kept as it was. */
crd_status crd__onnx_file_save(crd_context *ctx, const crd__onnx_file *file, const char *path);

/* NULL: the node has none of that name. */
const crd__onnx_attribute *crd__onnx_attribute_find(const crd__onnx_node *node, const char *name);
/* A TensorProto of its own, as test data are stored; to be freed with the destroy that follows. */
crd_status crd__onnx_tensor_read(crd_context *ctx, const char *name, crd__onnx_span bytes,
                                 crd__onnx_tensor **out);
void crd__onnx_tensor_destroy(const crd_allocator *alloc, crd__onnx_tensor *tensor);

#endif
