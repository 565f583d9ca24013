/*
 * file.h -- a parsed ONNX file: nodes in topological order, the values between them (edges),
 * constant tensors. Weights are not copied: tensors point into the mapped file, or into a mapped
 * file of external data.
 */
#ifndef CRD_ONNX_FILE_H
#define CRD_ONNX_FILE_H

#include "base/context.h"
#include "credence/port.h"
#include "onnx/message.h"

#include <stdbool.h>

enum { CRD__ONNX_NONE = -1 };

typedef struct {
  const char *name; /* "" if it has none */
  int type;         /* ONNX's element type */
  bool numbers;     /* the type is one of crd_dtype; else bytes is NULL */
  bool strings;     /* of strings: their indices (strings.c), as i64 */
  crd_dtype dtype;
  size_t rank;
  int64_t dims[CRD_RANK_MAX];
  size_t count;               /* elements */
  const unsigned char *bytes; /* native byte order, C-contiguous, unaligned: load with memcpy */
} crd__onnx_tensor;

/* ONNX's attribute types. */
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
  size_t count; /* length of the list */
  int64_t *ints;
  float *floats;
  crd__onnx_span *strings;
} crd__onnx_attribute;

typedef struct {
  const char *name; /* never NULL; if the file has none, that of the first output */
  const char *op, *domain;
  size_t input_count, output_count;
  int *inputs, *outputs; /* indices of edges; NONE: an omitted optional one */
  size_t attribute_count;
  crd__onnx_attribute *attributes;
  crd__onnx_span whole; /* the NodeProto in the file */
} crd__onnx_node;

/* A value between nodes. */
typedef struct {
  const char *name;
  const crd__onnx_tensor *constant; /* an initialiser; NULL: none */
  int producer;                     /* index of the node; NONE: an input or constant */
  bool typed;                       /* the file gives its type and shape, in `port` */
  crd_port port;
  int64_t negative; /* the first negative size of its shape; 0: none */
  size_t negative_at;
} crd__onnx_edge;

/* A set of operators, by its domain: "" or "ai.onnx" is the standard one. */
typedef struct {
  const char *name;
  int64_t version;
} crd__onnx_domain;

typedef struct crd__onnx_file crd__onnx_file;
struct crd__onnx_file {
  const char *path;
  int64_t ir, opset; /* of the standard operators */
  size_t domain_count;
  crd__onnx_domain *domains; /* operator sets, in the order of the file */
  const char *producer;
  size_t node_count, edge_count, input_count, output_count;
  crd__onnx_node *nodes;
  crd__onnx_edge *edges;
  int *inputs, *outputs; /* indices of edges; inputs with an initialiser are not among them */
  uint64_t weight_bytes; /* of all initialisers */
  size_t metadata_count;
  crd_metadata *metadata; /* in the order of the file; of equal keys the last one counts */
  void *inside;           /* private to file.c */
};

/* Opens and parses a file. CRD_EINPUT if it is missing or invalid. */
crd_status crd__onnx_file_open(crd_context *ctx, const char *path, crd__onnx_file **out);
/* Parses bytes, borrowed until destroy. External data is searched relative to `path`. */
crd_status crd__onnx_file_read(crd_context *ctx, const char *path, crd__onnx_span bytes,
                               crd__onnx_file **out);
void crd__onnx_file_destroy(crd__onnx_file *file);
/* Writes one file with all weights embedded; unknown fields are copied unchanged. */
crd_status crd__onnx_file_save(crd_context *ctx, const crd__onnx_file *file, const char *path);

/* Returns the value of a key of the metadata, or NULL. */
const char *crd__onnx_file_metadata(const crd__onnx_file *file, const char *key);
/* Returns the version of a domain's operator set; 0: the file does not import it. */
int64_t crd__onnx_file_opset(const crd__onnx_file *file, const char *domain);
/* Returns the attribute of this name, or NULL. */
const crd__onnx_attribute *crd__onnx_attribute_find(const crd__onnx_node *node, const char *name);
/* Parses a stand-alone TensorProto, as test data is stored. */
crd_status crd__onnx_tensor_read(crd_context *ctx, const char *name, crd__onnx_span bytes,
                                 crd__onnx_tensor **out);
void crd__onnx_tensor_destroy(const crd_allocator *alloc, crd__onnx_tensor *tensor);

#endif
